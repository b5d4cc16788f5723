package tests

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/classify"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/record"
)

// memory collects what an observer adds.
type memory struct {
	by    string
	lines []record.Line
	n     int
}

func (m *memory) Warn(string, ...any) {}

func (m *memory) AddData(kind record.Kind, at record.Time, host, subject string, data any) error {
	r, err := record.New(kind, at, host, m.by, subject, data)
	if err != nil {
		return err
	}
	raw, err := r.Line()
	m.lines, m.n = append(m.lines, record.Line{Raw: raw, Record: r}), m.n+1
	return err
}

func (m *memory) Close(at record.Time, host, label string) error {
	n := m.n
	return m.AddData(record.KindSurface, at, host, m.by+label, record.Surface{OK: true, Records: &n})
}

// judge observes and judges a laid-out root in this process.
func judge(t *testing.T, dir string) map[string]string {
	t.Helper()
	w, err := machine.New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{by: "fleet-observe-claude"}
	c := observe.Claude{Binary: "claude", Timeout: time.Second, ListingCap: 200}
	if _, err := c.Observe(context.Background(), w, m); err != nil {
		t.Fatal(err)
	}
	set := new(record.Set)
	for _, l := range m.lines {
		set.Add(l)
	}
	got := map[string]string{}
	for r, err := range classify.Judge(set, "fleet-classify", set.Now(time.Time{})) {
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := record.Payload[record.Verdict](r); ok {
			got[r.Subject] = v.Class
		}
	}
	return got
}

// fileKind is the kind of a source file, by its place.
func fileKind(rel string) string {
	for kind, part := range map[string]string{"listing": "commands/", "job": "/jobs/", "process": "/sessions/", "history": "/history.jsonl"} {
		if strings.Contains("/"+rel, part) {
			return kind
		}
	}
	return "transcript"
}

// Without any one source file the verdict of a known session may turn into
// unknown and into nothing else, and each kind of file turns some.
func TestTruth_oneFileGone(t *testing.T) {
	long(t)
	t.Parallel()
	tried, changed := 0, map[string]int{}
	for snapshot, table := range situations(t) {
		dir := t.TempDir()
		layOut(t, snapshot, dir, unchanged)
		before := judge(t, dir)
		for _, rel := range sourceFiles(t, dir) {
			tried++
			path := filepath.Join(dir, rel)
			if err := os.Rename(path, path+".gone"); err != nil {
				t.Fatal(err)
			}
			after := judge(t, dir)
			for _, s := range table {
				switch {
				case after[s.session] == before[s.session]:
				case after[s.session] == "unknown":
					changed[fileKind(rel)]++
				default:
					t.Errorf("%s without %s: session %s turned from %s into %q", snapshot, rel, s.session, before[s.session], after[s.session])
				}
			}
			if err := os.Rename(path+".gone", path); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("one file gone: %d tried, verdicts turned into unknown: %v", tried, changed)
	for _, kind := range []string{"listing", "job", "process", "history", "transcript"} {
		if changed[kind] == 0 {
			t.Errorf("no verdict rests on any %s file", kind)
		}
	}
}

// sourceFiles are the files of a root that the observer may read.
func sourceFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if strings.HasPrefix(rel, "root/") || strings.HasPrefix(rel, "commands/") && filepath.Base(rel) == "stdout" {
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
