package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/tests/secrets"
)

// run runs every program over the machine.
func (m *lure) run() {
	m.t.Helper()
	m.exec(nil, "fleet-ledger", "fire")
	stream := m.observe()
	if m.shown < 3 {
		m.t.Errorf("round %d: only %d markers in the records: the planted strings did not get there", m.round, m.shown)
	}
	decided := m.exec(m.exec(stream, "fleet-classify"), "fleet-reconcile")
	acted := m.exec(decided, "fleet-act")
	m.exec(acted, "fleet-render", "--format", "sweep")
	m.exec(acted, "fleet-render", "--format", "sweep-json")
	judged := m.exec(decided, "fleet-asks")
	snapshot := m.exec(judged, "fleet-ledger", "append")
	for _, format := range []string{"md", "json", "html", "asks", "ps", "sweep", "sweep-json", "label-sheet", "label-csv"} {
		m.exec(snapshot, "fleet-render", "--format", format, "--per-class", "9")
	}
	m.exec(snapshot, "fleet-render", "--into", m.t.TempDir())
	m.exec(snapshot, "fleet-ledger", "exit", "--tick", "1")
	for i, id := range subjects(stream) {
		if i%8 == m.round%8 {
			m.exec(stream, "fleet-classify", "--explain", id)
		}
	}
	m.ledger()
	m.oldLedgers()
}

// observe returns what every observer tells of the machine.
func (m *lure) observe() []byte {
	m.t.Helper()
	of := func(name string) string { return filepath.Join(m.dir, name) }
	rec := func(name string) string { return filepath.Join(m.dir, "recorded", name) }
	m.exec(nil, "fleet-config", "tick", "--tick", "1", "--fixtures", of("claude"))
	m.exec(nil, "fleet-config", "check", "--verbose", "--fixtures", of("claude"))
	m.claude = m.exec(nil, "fleet-observe-claude", "--fixtures", of("claude"), "--record", rec("claude"))
	paseo := m.exec(nil, "fleet-observe-paseo", "--fixtures", of("paseo"), "--record", rec("paseo"))
	input, err := os.ReadFile(filepath.Join(of("gh"), "input.ndjson"))
	if err != nil {
		m.t.Fatal(err)
	}
	gh := m.exec(input, "fleet-observe-gh", "--fixtures", of("gh"), "--record", rec("gh"))
	board := m.exec(nil, "fleet-observe-board", "--fixtures", of("board"), "--record", rec("board"))
	mac := m.exec(nil, "fleet-observe-schedule", "--fixtures", of("mac"), "--record", rec("mac"), "--config", of("mac/root/Users/ana/.config/ctx/fleet.json"))
	linux := m.exec(nil, "fleet-observe-schedule", "--fixtures", of("linux"), "--record", rec("linux"))
	spaces := m.exec(nil, "fleet-observe-workspaces", "--fixtures", of("macf"), "--record", rec("macf"))
	agents := m.exec(spaces, "fleet-observe-health", "--fixtures", of("macf"), "--record", rec("agents"))
	ledger := m.exec(nil, "fleet-ledger", "observe")
	m.check("the recordings", tree(m.t, filepath.Join(m.dir, "recorded")))
	schedules := mac
	if m.round%2 == 0 {
		schedules = linux
	}
	return bytes.Join([][]byte{m.tick("1"), m.claude, paseo, ofGitHub(gh), board, schedules, agents, ledger}, nil)
}

// tick returns the tick record, of repositories with nothing planted in them.
func (m *lure) tick(n string) []byte {
	out := m.exec(nil, "fleet-config", "tick", "--tick", n, "--fixtures", filepath.Join(root, "fixtures/cc-2.1.280"))
	return bytes.ReplaceAll(out, []byte(`"devbox"`), []byte(`"`+m.host+`"`))
}

// ofGitHub returns what fleet-observe-gh added to a stream, two of its
// repositories in the place of two of the captured machine.
func ofGitHub(stream []byte) []byte {
	var lines [][]byte
	for line := range bytes.Lines(stream) {
		if bytes.Contains(line, []byte(`"by":"fleet-observe-gh"`)) {
			line = bytes.ReplaceAll(line, []byte("/home/ana/src/lamp/.git"), []byte("/home/dev/src/storefront/.git"))
			lines = append(lines, bytes.ReplaceAll(line, []byte("/home/ana/src/pages/.git"), []byte("/home/dev/src/billing/.git")))
		}
	}
	return bytes.Join(lines, nil)
}

// subjects returns the sessions of a stream.
func subjects(stream []byte) []string {
	var ids []string
	for line := range strings.Lines(string(stream)) {
		if _, rest, ok := strings.Cut(line, `"subject":"`); ok && strings.Contains(line, `"kind":"session"`) {
			id, _, _ := strings.Cut(rest, `"`)
			ids = append(ids, id)
		}
	}
	return ids
}

// ledger reads what the tick left in the state directory.
func (m *lure) ledger() {
	m.t.Helper()
	m.exec(nil, "fleet-asks", "list", "--all")
	m.exec(nil, "fleet-asks", "show")
	for _, command := range []string{"cat", "verify", "observe", "compact"} {
		m.exec(nil, "fleet-ledger", command)
	}
	m.check("the state directory", tree(m.t, filepath.Join(m.dir, "state")))
	if told, err := os.ReadFile(filepath.Join(m.dir, "told")); err == nil {
		m.check("what the owner is told", string(told))
	}
}

// oldLedgers plants the ledger that the tick left, as one that was written before
// the guard knew a shape: three times, other fields each time.
func (m *lure) oldLedgers() {
	m.t.Helper()
	name := filepath.Join(m.dir, "state/ledger.jsonl")
	b, err := os.ReadFile(name)
	if err != nil {
		m.t.Fatal(err)
	}
	for i := range 3 {
		p := secrets.NewPlanter(m.pool, 3*m.round+i, 24)
		if err := os.WriteFile(name, p.File("ledger.jsonl", b), 0o600); err != nil {
			m.t.Fatal(err)
		}
		for field, n := range p.Fields {
			m.fields[field] += n
		}
		m.exec(nil, "fleet-asks", "list", "--all")
		m.exec(nil, "fleet-ledger", "verify")
		m.exec(nil, "fleet-ledger", "cat")
		m.exec(nil, "fleet-asks", "show")
		m.exec(nil, "fleet-ledger", "fire")
		stream := bytes.Join([][]byte{m.tick("2"), m.claude, m.exec(nil, "fleet-ledger", "observe")}, nil)
		snapshot := m.exec(m.exec(m.exec(stream, "fleet-classify"), "fleet-asks"), "fleet-ledger", "append")
		for _, format := range []string{"md", "json", "html", "asks"}[i : i+2] {
			m.exec(snapshot, "fleet-render", "--format", format)
		}
	}
}
