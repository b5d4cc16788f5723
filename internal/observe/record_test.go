package observe

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

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
	w, err := New("", time.Now(), true)
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

// A recording is written into an empty directory, or one that it makes.
func TestRecord_refuses(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"full/x", "file"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, dir)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, dir), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(t, filepath.Join(base, "loose"), filepath.Join(base, "nothing/at/all"))
	for dir, want := range map[string]string{"full": "full is not empty", "file": "file: not a directory", "loose": "loose: file exists"} {
		w := new(World)
		if err := w.Record(filepath.Join(base, dir)); w.rec != nil || err == nil || !strings.HasPrefix(err.Error(), "--record: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	w := new(World)
	for opened := range 2 { // the directory, then the list of it
		without(t, opened, func() {
			if err := w.Record(filepath.Join(base, "new")); w.rec != nil || !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%d files can be opened: %v", opened, err)
			}
		})
	}
	if err := w.Record(""); w.rec != nil || err != nil {
		t.Errorf("not asked for: %v", err)
	}
}

// The first thing that could not be recorded is told, and nothing is written
// after it.
func TestRecording_firstFailure(t *testing.T) {
	w := new(World)
	dir := filepath.Join(t.TempDir(), "rec")
	if err := w.Record(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.rec.failed(); err != nil {
		t.Error(err)
	}
	w.rec.write("a", nil, syscall.EIO)
	w.rec.write("b", nil, syscall.ENOSPC)
	w.rec.mkdir("/c")
	if err := w.rec.failed(); !errors.Is(err, syscall.EIO) || err.Error() != "--record: input/output error" {
		t.Errorf("got %v", err)
	}
	if got := filesBelow(t, dir); len(got) > 0 {
		t.Errorf("written all the same: %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "root/c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("made all the same: %v", err)
	}
}

// A file, a directory or a link that cannot be recorded is a failure.
func TestRecording_directories(t *testing.T) {
	record := func() (*Recording, string) {
		w, dir := new(World), filepath.Join(t.TempDir(), "rec")
		if err := w.Record(dir); err != nil {
			t.Fatal(err)
		}
		return w.rec, dir
	}
	r, _ := record()
	r.mkdir("/home/ana")
	r.file("/home/ana", nil, nil)
	if err := r.failed(); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory is where a file should be: %v", err)
	}
	r, _ = record()
	r.file("/home", nil, nil)
	r.mkdir("/home/ana")
	if err := r.failed(); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file is where a directory should be: %v", err)
	}
	long := strings.Repeat("l", 300) // a name that no directory of ours takes
	fsys := fstest.MapFS{long: {Mode: fs.ModeSymlink, Data: []byte("a")}, "a/x": {}}
	r, _ = record()
	r.links(fsys, "/"+long)
	if err := r.failed(); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("a link cannot be made: %v", err)
	}
}
