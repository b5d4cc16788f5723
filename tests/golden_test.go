package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// golden compares what a stage adds with testdata; UPDATE=1 writes it again.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldenAt(t, filepath.Join("tests/testdata", name), got)
}

// goldenAt is golden of a file below the checkout.
func goldenAt(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(root, name)
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s", name, diff.Diff("want", want, "got", got))
	}
}

// Each stage alone on the captured fleet adds what testdata holds. What else is
// asserted of it does not come from our own output: the truth column names
// every session, and the first column of a report line is its.
func TestGolden(t *testing.T) {
	truth, err := os.ReadFile(filepath.Join(root, "fixtures/cc-2.1.280/truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(truth)), "\n")[1:]
	records := observed(t)
	golden(t, "observe.ndjson", records)
	judged := pipe(t, records, []string{"fleet-classify"})
	golden(t, "classify.ndjson", bytes.TrimPrefix(judged, records))
	asked := pipe(t, judged, []string{"fleet-asks"})
	golden(t, "asks.ndjson", bytes.TrimPrefix(asked, judged))
	report := pipe(t, asked, []string{"fleet-render"})
	golden(t, "report.md", report)
	golden(t, "report.json", pipe(t, asked, []string{"fleet-render", "--format", "json"}))
	needs := 0
	for _, row := range rows {
		f := strings.Split(row, "\t")
		if !bytes.Contains(records, []byte(`"kind":"session","at":"`)) || !bytes.Contains(records, []byte(`"subject":"`+f[0]+`"`)) || !bytes.Contains(report, []byte("`"+f[0][:8]+"`")) {
			t.Errorf("session %s (%s) is not in the records or not in the report", f[0], f[2])
		}
		if f[3] == "3" || f[3] == "7" {
			needs++
		}
	}
	if got := bytes.Count(bytes.TrimPrefix(asked, judged), []byte(`"kind":"ask"`)); got != needs {
		t.Errorf("%d asks, the truth column has %d sessions of class 3 and 7", got, needs)
	}
}

// Every other observer alone adds what testdata holds; the tables beside the
// fixtures, which no program of ours wrote, name each of its records.
func TestGolden_observers(t *testing.T) {
	agents := pipe(t, nil, []string{"fleet-observe-paseo", "--fixtures", paseoDir("C40-stopped-orphans-alive")})
	golden(t, "paseo.ndjson", agents)
	named, _, _ := links(t, "C40-stopped-orphans-alive")
	for pair := range named {
		has(t, agents, pair.agent, `"kind":"agent"`, `"subject":"`+pair.agent+`"`, `"`+pair.session+`"`)
	}
	count(t, agents, `"kind":"agent"`, paseoStages["C40-stopped-orphans-alive"].agents)

	repos := filepath.Join(root, "fixtures/gh-written/fleet")
	input, err := os.ReadFile(filepath.Join(repos, "input.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	hub := bytes.TrimPrefix(pipe(t, input, []string{"fleet-observe-gh", "--fixtures", repos}), input)
	golden(t, "gh.ndjson", hub)
	rows := table(t, repos, "truth.tsv")
	for _, f := range rows {
		has(t, hub, f[0], `"kind":"repo"`, `"subject":"/home/ana/src/`+f[0]+`/.git"`, `"ok":`+map[string]string{"yes": "true", "no": "false"}[f[2]])
		if f[2] == "yes" {
			has(t, hub, f[0], `"kind":"repo"`, `"slug":"`+f[1]+`"`, `"id":`+f[3]+`,`, `"default_branch":"`+f[4]+`"`)
		}
	}
	count(t, hub, `"kind":"repo"`, len(rows))

	machine := filepath.Join(root, "fixtures/board-written/fleet")
	board := pipe(t, nil, []string{"fleet-observe-board", "--fixtures", machine})
	golden(t, "board.ndjson", board)
	rows = table(t, machine, "truth.tsv")
	for _, f := range rows {
		parts := []string{`"kind":"board"`, f[0] + `","data":`, `"scope":"` + f[1] + `"`, `"last_type":"` + f[2] + `"`, `"events":` + f[7] + `}`}
		if f[5] != "" {
			parts = append(parts, `"status":"`+f[5]+`"`)
		}
		has(t, board, f[0], parts...)
	}
	count(t, board, `"kind":"board"`, len(rows))
}

// scopeOf is the scope of testdata/scopes/fleet.json that a directory is in:
// storefront-contrast is a work tree of storefront, as its .git says.
var scopeOf = map[string]string{"storefront": "lamp", "storefront-contrast": "lamp", "billing": "lamp", "etl": "lamp", "checkout-api": "desk", "infra": "desk"}

// Two scopes share the captured machine. In each the sessions of the other are
// out of scope, what is idle is ours or unmanaged as the configuration and the
// ledger say, and all else is what the truth column says.
func TestGolden_scopes(t *testing.T) {
	dir, data := layScopes(t), filepath.Join(root, "tests/testdata/scopes")
	cwds := listedCwds(t)
	seen := map[string]int{}
	for scope, ours := range map[string]map[string]bool{
		"lamp": {"5257e391-5aab-4277-ab20-7017f6060e59": true, "77eb59cf-087c-412d-9acc-a253ae1e16ce": true}, // adopted, spawned
		"desk": nil,                                                                                          // all
	} {
		judged := goldenScope(t, scope, dir)
		want := map[string]string{}
		for _, f := range table(t, filepath.Join(root, "fixtures/cc-2.1.280"), "truth.tsv") {
			top, _, _ := strings.Cut(strings.TrimPrefix(cwds[f[0]], "/home/dev/src/"), "/")
			switch class := f[3]; {
			case scopeOf[top] != scope:
				want[f[0]] = "1"
			case strings.HasPrefix(class, "9") && ours != nil && !ours[f[0]]:
				want[f[0]] = "10"
			default:
				want[f[0]] = class
			}
			seen[want[f[0]]]++
		}
		asked := 0
		for session, class := range want {
			has(t, judged, scope+" "+session, `"kind":"verdict"`, `"subject":"`+session+`"`, `"class":"`+class+`"`)
			if class == "3" || class == "7" {
				has(t, judged, scope+" "+session, `"kind":"ask"`, `"session":"`+session+`"`, `"state":"new"`)
				asked++
			}
		}
		count(t, judged, `"kind":"verdict"`, len(want))
		count(t, judged, `"state":"new"`, asked)
		report, err := os.ReadFile(filepath.Join(data, scope+"-report.md"))
		before, limits, _ := bytes.Cut(report, []byte("\n- **pause**")) // names sessions out of scope too: a limit is the account's
		_, after, _ := bytes.Cut(limits, []byte("\n"))
		report = slices.Concat(before, after)
		for session, class := range want {
			if err != nil || bytes.Contains(report, []byte("`"+session[:8]+"`")) == (class == "1") {
				t.Errorf("%s: session %s of class %s: it is to be in the report when it is in scope, %v", scope, session, class, err)
			}
		}
		batch, err := os.ReadFile(filepath.Join(data, scope+"-asks.md"))
		if n := bytes.Count(batch, []byte("\n- **a")); err != nil || n != asked {
			t.Errorf("%s: the batch has %d asks, want %d, %v", scope, n, asked, err)
		}
	}
	for _, class := range []string{"1", "9", "9a", "10"} {
		if seen[class] == 0 {
			t.Errorf("no session is of class %s in either scope", class)
		}
	}
}

// layScopes returns the captured machine with the configuration and the ledgers
// of testdata/scopes, which are written.
func layScopes(t *testing.T) string {
	t.Helper()
	dir, data := t.TempDir(), filepath.Join(root, "tests/testdata/scopes")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "fixtures/cc-2.1.280"))); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{".config/ctx/fleet.json": "fleet.json", ".local/state/fleet-reconcile/lamp/ledger.jsonl": "lamp.jsonl",
		".local/state/fleet-reconcile/desk/ledger.jsonl": "desk.jsonl"} {
		b, err := os.ReadFile(filepath.Join(data, from))
		if err == nil {
			name = filepath.Join(dir, "root/home/dev", name)
			err = os.MkdirAll(filepath.Dir(name), 0o700)
		}
		if err == nil {
			err = os.WriteFile(name, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goldenScope compares what each stage adds for a scope, and returns the stream
// at the end.
func goldenScope(t *testing.T, scope, dir string) []byte {
	t.Helper()
	machine := []string{"--fixtures", dir, "--scope", scope}
	tick := pipe(t, nil, append([]string{"fleet-config", "tick", "--tick", "13"}, machine...))
	golden(t, "scopes/"+scope+"-config.ndjson", tick)
	for repo, in := range scopeOf {
		name := `"/home/dev/src/` + repo + `/.git"`
		if repo != "storefront-contrast" {
			has(t, tick, scope+" "+repo, map[bool]string{true: `"repos":[`, false: `"others":[`}[in == scope], name)
		}
	}
	ledger := pipe(t, nil, append([]string{"fleet-ledger", "observe"}, machine...))
	golden(t, "scopes/"+scope+"-ledger.ndjson", ledger)
	if scope == "lamp" { // the entries of lamp.jsonl, by hand
		has(t, ledger, "the spawn", `"kind":"owned"`, `"subject":"session:77eb59cf-087c-412d-9acc-a253ae1e16ce"`)
		has(t, ledger, "the open ask", `"kind":"asked"`, "prompt:5f0c1d2e-1111-4222-8333-444455556666:1a2b3c4d")
		has(t, ledger, "the answered ask", `"kind":"asked"`, "rules:acme/lamp:no required status checks", `"acked"`)
		has(t, ledger, "tick 12", `"kind":"past"`, `"9a":2`)
		count(t, ledger, `"kind":"past"`, 2) // ticks 12 and 13
	}
	in := slices.Concat(tick, observed(t), ledger)
	judged := pipe(t, in, []string{"fleet-classify"})
	golden(t, "scopes/"+scope+"-classify.ndjson", bytes.TrimPrefix(judged, in))
	asked := pipe(t, judged, []string{"fleet-asks"})
	golden(t, "scopes/"+scope+"-asks.ndjson", bytes.TrimPrefix(asked, judged))
	for _, format := range []string{"md", "json"} {
		golden(t, "scopes/"+scope+"-report."+format, pipe(t, asked, []string{"fleet-render", "--format", format}))
	}
	golden(t, "scopes/"+scope+"-asks.md", pipe(t, asked, []string{"fleet-render", "--format", "asks"}))
	return asked
}

// listedCwds are the directories of the sessions, as Claude Code's own listing
// has them.
func listedCwds(t *testing.T) map[string]string {
	t.Helper()
	cwds := map[string]string{}
	files, err := filepath.Glob(filepath.Join(root, "fixtures/cc-2.1.280/commands/claude-*/stdout"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		var rows []struct{ SessionID, Cwd string }
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(b, &rows) == nil {
			for _, r := range rows {
				cwds[r.SessionID] = r.Cwd
			}
		}
	}
	return cwds
}

// table is the rows of a table, its head left out.
func table(t *testing.T, dir, name string) [][]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n")[1:] {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

// has fails unless one line holds all parts.
func has(t *testing.T, text []byte, what string, parts ...string) {
	t.Helper()
	for line := range bytes.Lines(text) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !bytes.Contains(line, []byte(p)) }) {
			return
		}
	}
	t.Errorf("%s: no line holds %q", what, parts)
}

// count fails unless so many lines hold part.
func count(t *testing.T, text []byte, part string, want int) {
	t.Helper()
	if got := bytes.Count(text, []byte(part)); got != want {
		t.Errorf("%d lines hold %s, want %d", got, part, want)
	}
}
