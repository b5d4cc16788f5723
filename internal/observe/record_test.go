package observe

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// A recording is written below its own directory and nowhere else, also where
// the machine has symbolic links.
func TestRecord_stays(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"data/home/.claude/sessions/8.json": `{"pid":8,"sessionId":"bbbbbbbb-0000-4000-8000-000000000000","kind":"interactive","of":"its owner"}`,
		"data/other/sessions/9.json":        `{"pid":9,"sessionId":"` + testID + `","kind":"interactive","cwd":"` + base + `/home"}`,
	} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(t, filepath.Join(base, "home"), "data/home")
	replace(t, filepath.Join(base, "other"), filepath.Join(base, "data/other"))
	t.Setenv("HOME", filepath.Join(base, "home"))
	before := filesBelow(t, filepath.Join(base, "data"))
	w, err := machine.New("", time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	rec := filepath.Join(base, "rec")
	if err := w.Record(rec); err != nil {
		t.Fatal(err)
	}
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	c := Claude{Binary: filepath.Join(base, "no-claude"), Dirs: []string{filepath.Join(base, "other"), filepath.Join(base, "home/.claude")}}
	if _, err := c.Observe(context.Background(), w, k); err != nil || len(k.sessions) != 2 {
		t.Fatalf("%d sessions, error %v", len(k.sessions), err)
	}
	if after := filesBelow(t, filepath.Join(base, "data")); !maps.Equal(before, after) {
		t.Errorf("the machine was written to:\n%v\n%v", before, after)
	}
	again, err := os.ReadFile(filepath.Join(rec, "root", base, "home/.claude/sessions/8.json"))
	if err != nil || strings.Contains(string(again), "owner") {
		t.Errorf("recorded %s, error %v", again, err)
	}
}

// filesBelow are the files below a directory and what is in them.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		files[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
