package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"html"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/tests/secrets"
)

// No 12 bytes of a credential that stands in any string of any file that is read
// come out of any program, on stdout, on stderr or into a file.
//
// What is no other's word stays as it is: what the owner wrote into the
// configuration, and the names of machines.
func TestSecretInEveryString(t *testing.T) {
	t.Parallel()
	groups, rounds := 8, []int{sample(t) % 8}
	if isLong() { // fewer fields a round, so fewer that hide others
		times := 1
		if os.Getenv("FLEET_SOAK") != "" {
			times = 10
		}
		groups, rounds = 32, nil
		for round := range times * groups {
			if os.Getenv("FLEET_SOAK") != "" || (round+sample(t))%4 == 0 { // over the changes every round comes along
				rounds = append(rounds, round)
			}
		}
	}
	fields, n := map[string]bool{}, 0
	for _, round := range rounds {
		m := plantedMachine(t, round, groups)
		m.run()
		for field, k := range m.fields {
			fields[field] = true
			n += k
		}
	}
	t.Logf("rounds %v of %d: %d strings of %d fields planted", rounds, groups, n, len(fields))
	if len(fields) < 800/groups*len(rounds) || n < 6000/groups*len(rounds) {
		t.Errorf("only %d strings of %d fields are planted", n, len(fields))
	}
}

// sample returns a number that is another one when a program is: over the
// changes every round comes along, and all of them in the longest runs.
func sample(t *testing.T) int {
	t.Helper()
	h := fnv.New32a()
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(h.Sum32() >> 8)
}

// poolOf returns a credential of every shape that the guard finds wherever it
// stands: what it misses, internal/guard counts.
func poolOf(t *testing.T, seed int) []secrets.Credential {
	t.Helper()
	all, err := secrets.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	var pool []secrets.Credential
	for i, s := range all {
		c := s.Make(rand.New(rand.NewPCG(uint64(seed), uint64(i))))
		if !slices.ContainsFunc([]string{c.Text, "a " + c.In(), "/home/dev/" + c.Text, c.Text + " b"}, func(text string) bool {
			return c.Leak(guard.Text(text, 4000)) != "" || c.Leak(guard.Path(text)) != ""
		}) {
			pool = append(pool, c)
		}
	}
	if len(pool) < len(all)*19/20 {
		t.Fatalf("the guard finds only %d of %d shapes", len(pool), len(all))
	}
	return pool
}

// A lure is a set of recorded machines with credentials in them, under one
// name, with a scope that looks at all of it.
type lure struct {
	t                 *testing.T
	round             int
	dir, host, config string
	claude            []byte // what fleet-observe-claude told
	pool              []secrets.Credential
	index             *secrets.Index
	fields            map[string]int
	shown             int // markers in what came out
}

// sources are the recorded machines, by the name that they have in a machine.
func sources(round int) map[string]string {
	stages := []string{"20-all-live", "62-daemon-killed9-15s", "C32-one-session-two-processes", "C40-stopped-orphans-alive"}
	from := map[string]string{"claude": "cc-2.1.280", "paseo": "paseo-0.1.65/" + stages[round%4], "gh": "gh-written/fleet",
		"board": "board-written/fleet", "mac": "schedule-written/mac", "linux": "schedule-written/linux", "macf": "macf-written/fleet"}
	for name, dir := range from {
		from[name] = filepath.Join(root, "fixtures", dir)
	}
	return from
}

// ours are the files of a recorded machine that are no other's words.
var ours = regexp.MustCompile(`^(meta\.json|mtimes\.json|truth\.tsv|input\.ndjson|.*/fleet\.json|README\.md)$`)

func plantedMachine(t *testing.T, round, groups int) *lure {
	t.Helper()
	pool := poolOf(t, round)
	p := secrets.NewPlanter(pool, round, groups)
	p.Keep = ours.MatchString
	m := &lure{t: t, round: round, dir: t.TempDir(), pool: pool, index: secrets.NewIndex(pool), fields: p.Fields}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	m.host = host
	from := sources(round)
	for _, name := range slices.Sorted(maps.Keys(from)) { // in one order: a fault must come again
		src := from[name]
		dst := filepath.Join(m.dir, name)
		if err := p.Copy(src, dst); err != nil {
			t.Fatal(err)
		}
		plantMeta(t, p, name, filepath.Join(dst, "meta.json"), host)
	}
	m.config = filepath.Join(m.dir, "fleet.json")
	m.write("fleet.json", `{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "state_dir": "`+m.dir+`/state", "owner_channel": {"kind": "command", "argv": ["`+m.dir+`/tell"]},
		"ask_raise_after_min": 0, "surfaces": ["claude", "paseo", "gh", "board"], "repos": ["/home/dev/src/storefront", "/home/dev/src/billing", "/home/dev/src/infra",
		"/home/dev/src/etl", "/home/dev/src/handbook", "/home/dev/src/checkout-api"]}}}`)
	m.write("tell", "#!/bin/sh\nprintf '%s\\n' \"$@\" >"+m.dir+"/told\ncat >>"+m.dir+"/told\n")
	return m
}

// plantMeta plants the process table, and gives the machine its name.
func plantMeta(t *testing.T, p *secrets.Planter, name, file, host string) {
	t.Helper()
	b, err := os.ReadFile(file)
	var meta map[string]any
	if err == nil {
		err = json.Unmarshal(b, &meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	table, err := json.Marshal(map[string]any{"processes": meta["processes"], "zone": meta["zone"]})
	if err == nil {
		err = json.Unmarshal(p.File("meta.json of "+name, table), &meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	meta["host"] = host
	if b, err = json.Marshal(meta); err == nil {
		err = os.WriteFile(file, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (m *lure) write(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// check looks for the credentials in what a program wrote.
func (m *lure) check(what, text string) {
	m.t.Helper()
	m.shown += strings.Count(text, "[withheld: ")
	forms := []string{text}
	if strings.Contains(text, "&#") {
		forms = append(forms, html.UnescapeString(text))
	}
	for _, form := range forms {
		if name, i := m.index.Find([]byte(form)); i >= 0 {
			m.t.Errorf("round %d: %s shows a part of %s: …%q", m.round, what, name, form[max(i-160, 0):min(i+40, len(form))])
			return
		}
	}
}

// exec runs a program and returns its stdout; what it writes is checked.
func (m *lure) exec(in []byte, argv ...string) []byte {
	m.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
	cmd.Env = []string{"HOME=" + m.dir, "PATH=" + os.Getenv("PATH"), "FLEET_SCOPE=lamp", "FLEET_CONFIG=" + m.config, "FLEET_NOW=2026-11-29T18:30:00Z"}
	if argv[0] == "fleet-observe-claude" || argv[0] == "fleet-observe-paseo" {
		cmd.Env = cmd.Env[:len(cmd.Env)-1]
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	err := cmd.Run()
	if ee, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || ee.ExitCode() == 2 && strings.Contains(errs.String(), "goroutine")) {
		m.t.Fatalf("%v: %v\n%s", argv, err, errs.String())
	}
	what := strings.Join(argv, " ")
	m.check(what, out.String())
	m.check(what+": stderr", errs.String())
	return out.Bytes()
}
