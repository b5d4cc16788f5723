package machine

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/tests/broken"
)

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
	link(t, "nothing/at/all", filepath.Join(base, "loose"))
	for dir, want := range map[string]string{"full": "full is not empty", "file": "file: not a directory", "loose": "loose: file exists"} {
		w := new(World)
		if err := w.Record(filepath.Join(base, dir)); w.Rec != nil || err == nil || !strings.HasPrefix(err.Error(), "--record: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	w := new(World)
	for opened := range 2 { // the directory, then the list of it
		broken.Without(t, opened, func() {
			if err := w.Record(filepath.Join(base, "new")); w.Rec != nil || !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%d files can be opened: %v", opened, err)
			}
		})
	}
	if err := w.Record(""); w.Rec != nil || err != nil {
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
	if err := w.Rec.Failed(); err != nil {
		t.Error(err)
	}
	w.Rec.Write("a", nil, syscall.EIO)
	w.Rec.Write("b", nil, syscall.ENOSPC)
	w.Rec.Mkdir("/c")
	if err := w.Rec.Failed(); !errors.Is(err, syscall.EIO) || err.Error() != "--record: input/output error" {
		t.Errorf("got %v", err)
	}
	w.Rec.Fill("/d", nil)
	w.Rec.Replace("/e", nil)
	w.Rec.Link("/f", "/")
	w.Rec.Meta(w, nil)
	if err := w.Rec.Failed(); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadDir(dir); len(got) > 0 || err != nil {
		t.Errorf("written all the same: %v %v", got, err)
	}
}

// A file, a directory or a link that cannot be recorded is a failure.
func TestRecording_directories(t *testing.T) {
	record := func() (*Recording, string) {
		w, dir := new(World), filepath.Join(t.TempDir(), "rec")
		if err := w.Record(dir); err != nil {
			t.Fatal(err)
		}
		return w.Rec, dir
	}
	r, _ := record()
	r.Mkdir("/home/ana")
	r.File("/home/ana", nil, nil)
	if err := r.Failed(); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory is where a file should be: %v", err)
	}
	r, _ = record()
	r.File("/home", nil, nil)
	r.Mkdir("/home/ana")
	if err := r.Failed(); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file is where a directory should be: %v", err)
	}
	r, _ = record()
	r.Link("/"+strings.Repeat("l", 300), "/a") // a name that no directory of ours takes
	if err := r.Failed(); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("a link cannot be made: %v", err)
	}
	r, dir := record()
	r.Link("/data/to", "/a/b")
	r.Link("/data/to", "/a/b")
	if to, err := os.Readlink(filepath.Join(dir, "root/data/to")); to != "../a/b" || err != nil || r.Failed() != nil {
		t.Errorf("a link leads to %q, error %v, %v", to, err, r.Failed())
	}
	if _, err := os.Stat(filepath.Join(dir, "root/data/to")); err != nil {
		t.Errorf("a link leads nowhere: %v", err)
	}
}

// A file is filled in where none is, and stands in the place of all that is there.
func TestRecording_files(t *testing.T) {
	w, dir := new(World), filepath.Join(t.TempDir(), "rec")
	if err := w.Record(dir); err != nil {
		t.Fatal(err)
	}
	w.Rec.Fill("/a/.git/HEAD", []byte("first"))
	w.Rec.Fill("/a/.git/HEAD", []byte("second"))
	w.Rec.File("/b/c/d", []byte("below"), nil)
	w.Rec.Replace("/b", []byte("instead"))
	for name, want := range map[string]string{"root/a/dot-git/HEAD": "first", "root/b": "instead"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want || err != nil {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	var none *Recording
	none.Fill("/a", nil)
	none.Replace("/a", nil)
	none.Link("/a", "/b")
	none.Mkdir("/a")
	none.File("/a", nil, nil)
	none.Meta(w, nil)
	if err := cmp.Or(w.Rec.Failed(), none.Failed()); err != nil {
		t.Error(err)
	}
}

// What was recorded is what the recording tells, and a process table that was
// not read is not empty.
func TestRecording_again(t *testing.T) {
	awake := 60.0
	w := &World{Home: "/home/ana", Host: "devbox", OS: "linux", Zone: "UTC", At: time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC), AwakeS: &awake}
	spec := command.Spec{Argv: []string{"/bin/ssh", "box"}, Variant: "A=b"}
	type row struct{ PID int }
	for _, table := range [][]row{nil, {}, {{7}}} {
		dir := filepath.Join(t.TempDir(), "rec")
		if err := w.Record(dir); err != nil {
			t.Fatal(err)
		}
		w.Rec.Meta(w, table)
		w.Rec.Command(spec, []byte("out"), "3", nil)
		again, err := New(dir, time.Now(), false)
		if err := cmp.Or(err, w.Rec.Failed()); err != nil {
			t.Fatal(err)
		}
		if again.Home != w.Home || again.Host != w.Host || again.OS != w.OS || again.Zone != w.Zone || !again.At.Equal(w.At) || *again.AwakeS != awake || again.Getenv("PATH") != "" {
			t.Errorf("got %+v", again)
		}
		got, err := RecordedProcesses[row](again)
		if !slices.Equal(got, table) || (got == nil) != (table == nil) || (err == nil) != (table != nil) {
			t.Errorf("%v: got %v %v", table, got, err)
		}
		if res, err := again.Run(context.Background(), spec); string(res.Stdout) != "out" || res.Status != 3 || err != nil {
			t.Errorf("got %+v %v", res, err)
		}
	}
}

// A command that did not answer does not answer again, and one that did not start
// is not there.
func TestRecording_failure(t *testing.T) {
	spec := command.Spec{Argv: []string{"ssh", "box"}}
	for _, tt := range []struct {
		res    command.Result
		err    error
		status int
		want   error
	}{
		{command.Result{Status: 4}, nil, 4, nil},
		{command.Result{}, command.ErrTimeout, 0, command.ErrTimeout},
		{command.Result{}, exec.ErrNotFound, 0, exec.ErrNotFound},
	} {
		w, dir := new(World), filepath.Join(t.TempDir(), "rec")
		if err := w.Record(dir); err != nil {
			t.Fatal(err)
		}
		w.Rec.Meta(w, nil)
		w.Rec.Failure(spec, tt.res, tt.err)
		again, err := New(dir, time.Now(), false)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := again.Run(context.Background(), spec); res.Status != tt.status || !errors.Is(err, tt.want) {
			t.Errorf("%v %v: got %+v %v", tt.res, tt.err, res, err)
		}
	}
}
