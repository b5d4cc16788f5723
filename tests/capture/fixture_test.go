package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const fixture = "../../fixtures/" + fixtureName

// truthRows reads truth.tsv: session, kind, situation, class.
func truthRows(t *testing.T) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixture, "truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if want := "session\tkind\tsituation\tclass"; lines[0] != want {
		t.Fatalf("the header is %q, want %q", lines[0], want)
	}
	var rows [][]string
	for _, l := range lines[1:] {
		f := strings.Split(l, "\t")
		if len(f) != 4 {
			t.Fatalf("%d fields in %q", len(f), l)
		}
		rows = append(rows, f)
	}
	return rows
}

// The truth names every session of the listing, in its order, and no other.
func TestTruthCoversTheListing(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(fixture, "commands", commandDir(argvListing), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	var listing []struct{ SessionID, Kind string }
	if err := json.Unmarshal(data, &listing); err != nil {
		t.Fatal(err)
	}
	rows := truthRows(t)
	if len(rows) != len(listing) || len(rows) != len(members()) {
		t.Fatalf("%d rows of truth, %d of the listing, %d members", len(rows), len(listing), len(members()))
	}
	for i, r := range rows {
		if r[0] != listing[i].SessionID || r[1] != listing[i].Kind {
			t.Errorf("row %d: %v, listing %+v", i, r, listing[i])
		}
	}
}

// Every class that the scope local can have is there, and the truth is what the members say.
func TestTruthHasEveryClass(t *testing.T) {
	want := make(map[string]string)
	for _, m := range members() {
		want[m.situation+" "+m.class] = m.key
	}
	seen := make(map[string]bool)
	for _, r := range truthRows(t) {
		seen[r[3]] = true
		if want[r[2]+" "+r[3]] == "" {
			t.Errorf("no member is %q, class %s", r[2], r[3])
		}
	}
	for _, class := range strings.Fields("2 3 4 5 6 7 8 9 9a 10 unknown") {
		if !seen[class] {
			t.Errorf("no session of class %s", class)
		}
	}
}

// The table has a row with the right hash for every file, and none for a file that is not there.
func TestTable(t *testing.T) {
	readme, err := os.ReadFile("../../fixtures/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(readme), tableBegin)
	part, _, ok := strings.Cut(part, tableEnd)
	if !ok {
		t.Fatal("the table's marks are gone")
	}
	sums := make(map[string]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `[^`]+` \\| "+regexp.QuoteMeta(version)+" \\| [-0-9]{10} \\| [^|]+ \\| `([0-9a-f]{64})` \\|$").FindAllStringSubmatch(part, -1) {
		sums[m[1]] = m[2]
	}
	err = fs.WalkDir(os.DirFS(fixture), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(fixture, path))
		if err != nil {
			return err
		}
		if sums[path] != sum(data) {
			t.Errorf("%s: the table says %q, the file is %s", path, sums[path], sum(data))
		}
		if at := foreign.Find(data); at != nil {
			t.Errorf("%s: foreign text %q", path, at)
		}
		delete(sums, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range sums {
		t.Errorf("%s: in the table, not in the fixture", path)
	}
}

// The process table has each process that the listing names, with the start that its own file
// says, and of its command line no more than a subcommand.
func TestProcesses(t *testing.T) {
	var m moment
	if err := readJSON(filepath.Join(fixture, "meta.json"), &m); err != nil {
		t.Fatal(err)
	}
	start := make(map[int]string)
	for _, p := range m.Processes {
		start[p.PID] = p.Start
		if p.Exe != boxBinary || !ticks.MatchString(`"`+p.Start+`"`) {
			t.Errorf("process %+v", p)
		}
		for _, word := range strings.Fields(p.Args)[1:] {
			if !slices.Contains(subcommands, word) {
				t.Errorf("process %d: argument %q", p.PID, word)
			}
		}
	}
	var listing []struct{ PID int }
	if err := readJSON(filepath.Join(fixture, "commands", commandDir(argvListing), "stdout"), &listing); err != nil {
		t.Fatal(err)
	}
	for _, row := range listing {
		if row.PID == 0 {
			continue
		}
		var s struct{ ProcStart string }
		if err := readJSON(filepath.Join(fixture, "root", boxHome, ".claude/sessions", strconv.Itoa(row.PID)+".json"), &s); err != nil {
			t.Error(err)
		}
		if s.ProcStart == "" || start[row.PID] != s.ProcStart {
			t.Errorf("process %d: its file says %q, the process table %q", row.PID, s.ProcStart, start[row.PID])
		}
	}
}
