package machine

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/fleet-tools/fleet/tests/broken"
)

// A path that cannot be looked at is neither there nor missing, and a file of
// which a part cannot be read is not read.
func TestWorld_broken(t *testing.T) {
	files := fstest.MapFS{"a": {Data: []byte("text")}, "d": {}}
	w := new(World)
	w.FS = broken.FS{FS: files, By: map[string]error{"stat b": syscall.EACCES, "open c": syscall.EACCES, "open d": fs.ErrNotExist}}
	if there, err := w.Exists("/b"); there || !errors.Is(err, syscall.EACCES) {
		t.Errorf("exists: %t %v", there, err)
	}
	if there, err := w.Exists("/nowhere"); there || err != nil {
		t.Errorf("exists nowhere: %t %v", there, err)
	}
	if b, err := w.ReadFile("/c", 9); b != nil || !errors.Is(err, syscall.EACCES) {
		t.Errorf("read: %q %v", b, err)
	}
	if b, err := w.ReadFile("/d", 9); b != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read what is gone: %q %v", b, err)
	}
	if b, err := w.ReadFile("/a", 4); string(b) != "text" || err != nil {
		t.Errorf("read whole: %q %v", b, err)
	}
	if b, err := w.ReadFile("/a", 3); b != nil || err == nil || err.Error() != "a: 4 bytes, more than the 3 that are read" {
		t.Errorf("read a larger one: %q %v", b, err)
	}
	if b, err := w.ReadFile("/", 9); b != nil || err == nil || err.Error() != "/: not a regular file" {
		t.Errorf("read a directory: %q %v", b, err)
	}
	w.FS = broken.FS{FS: files, By: map[string]error{"list e": syscall.EACCES}}
	if entries, missing, err := w.ReadDir("/e"); len(entries) > 0 || missing || !errors.Is(err, syscall.EACCES) {
		t.Errorf("list: %v, missing %t, %v", entries, missing, err)
	}
	for _, op := range []string{"fstat a", "read a"} {
		w.FS = broken.FS{FS: files, By: map[string]error{op: syscall.EIO}}
		if _, err := w.ReadFile("/a", 9); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// Only files and directories open, names that are no path of the file system open
// nothing, and errors come through as they are.
func TestTree(t *testing.T) {
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(base, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, "file", filepath.Join(base, "dot-git"))
	below := Path(base)
	m := machineTree()
	git := dotGit{m}
	if f, err := m.Open("/" + below); f != nil || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("no path: %v %v", f, err)
	}
	for _, name := range []string{"file", "pipe", ".git"} {
		f, err := git.Open(below + "/" + name)
		if name == "pipe" {
			if f != nil || err == nil || err.Error() != "open "+below+"/pipe: not a regular file" {
				t.Errorf("a pipe: %v %v", f, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(f); !bytes.Equal(b, []byte("x")) || err != nil {
			t.Errorf("%s: %q %v", name, b, err)
		}
		f.Close()
	}
	if to, err := git.ReadLink(below + "/.git"); to != "file" || err != nil {
		t.Errorf("%q %v", to, err)
	}
	if to, err := git.ReadLink(below + "/file"); to != "" || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no link: %q %v", to, err)
	}
	for _, fsys := range []fs.FS{m, git} {
		_, opened := fsys.Open(below + "/no")
		_, looked := fs.Stat(fsys, below+"/no")
		_, listed := fs.ReadDir(fsys, below+"/no")
		_, read := fs.ReadLink(fsys, below+"/no")
		_, seen := fs.Lstat(fsys, below+"/no")
		for i, err := range []error{opened, looked, listed, read, seen} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%T: %d: %v", fsys, i, err)
			}
		}
	}
}

// link makes a symbolic link.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// A path behind a symbolic link that leads nowhere is not missing, and neither
// is one of which a part is no directory.
func TestDangling(t *testing.T) {
	w := &World{FS: fstest.MapFS{"a/x": {}, "away": {Mode: fs.ModeSymlink, Data: []byte("gone")}, "to": {Mode: fs.ModeSymlink, Data: []byte("a")}}}
	for path, want := range map[string]string{
		"/away":     "/away: a symbolic link that leads nowhere",
		"/away/b/c": "/away: a symbolic link that leads nowhere",
		"/to/b":     "",
		"/a/b":      "",
		"/b":        "",
		"/":         "",
	} {
		if err := w.Dangling(path); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	for _, path := range []string{"/away", "/away/b"} {
		if there, err := w.Exists(path); there || err == nil {
			t.Errorf("%s is there: %t %v", path, there, err)
		}
		if entries, missing, err := w.ReadDir(path); len(entries) > 0 || missing || err == nil {
			t.Errorf("%s: %v, missing %t, %v", path, entries, missing, err)
		}
		if _, err := w.ReadFile(path, 9); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, missing, err := w.ReadDir("/b"); len(entries) > 0 || !missing || err != nil {
		t.Errorf("what is missing: %v, missing %t, %v", entries, missing, err)
	}
}

// A link to a directory is one, and so is what nobody can look at.
func TestIsDir(t *testing.T) {
	w := &World{FS: fstest.MapFS{"d/a/x": {}, "d/file": {}, "d/to": {Mode: fs.ModeSymlink, Data: []byte("a")}, "d/at": {Mode: fs.ModeSymlink, Data: []byte("file")}, "d/away": {Mode: fs.ModeSymlink, Data: []byte("gone")}}}
	entries, _, err := w.ReadDir("/d")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := map[string]bool{"a": true, "to": true, "away": true}[e.Name()]
		if got := w.IsDir("/d", e); got != want {
			t.Errorf("%s: %t", e.Name(), got)
		}
	}
}

// A regular file opens; a pipe is refused, and nobody waits for its other end.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for name, want := range map[string]string{pipe: "not a regular file", filepath.Join(dir, "none"): "no such file"} {
		if _, err := OpenFile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// On this machine a name need not be UTF-8 to be looked at; what places a directory by its
// path is refused it, and so is a name that is no path.
func TestFiles(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "caf\xe9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skipf("this file system has no names that are not UTF-8: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, "file", filepath.Join(dir, "to"))
	link(t, "nowhere", filepath.Join(dir, "away"))
	w := &World{FS: machineTree()}
	if b, err := w.ReadFile(dir+"/file", 9); string(b) != "x" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if entries, missing, err := w.ReadDir(dir); len(entries) != 3 || missing || err != nil || w.IsDir(dir, entries[2]) || !w.IsDir(dir, entries[0]) {
		t.Errorf("%v, missing %t, %v", entries, missing, err)
	}
	if there, err := w.Exists(dir + "/to"); !there || err != nil {
		t.Errorf("%t %v", there, err)
	}
	if there, err := w.Exists(dir + "/away"); there || err == nil {
		t.Errorf("%t %v", there, err)
	}
	files, below := w.Files(), Path(dir)
	if to, err := fs.ReadLink(files, below+"/to"); to != "file" || err != nil {
		t.Errorf("%q %v", to, err)
	}
	if to, err := fs.ReadLink(files, Path(base)+"/caf"); to != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q %v", to, err)
	}
	for _, name := range []string{"/" + below, below + "/../caf\xe9", below + "/"} {
		if f, err := files.Open(name); f != nil || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v %v", name, f, err)
		}
	}
	for _, name := range []string{below + "/gone", Path(base) + "/gone"} {
		_, stat := fs.Stat(files, name)
		_, lstat := fs.Lstat(files, name)
		_, read := fs.ReadDir(files, name)
		_, to := fs.ReadLink(files, name)
		for i, err := range []error{stat, lstat, read, to} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q, look %d: %v", name, i, err)
			}
		}
	}
	if f, err := w.FS.Open(below + "/file"); f != nil || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%v %v", f, err)
	}
	if _, err := fs.Stat(w.FS, below); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	if f, err := (&World{FS: dotGit{machineTree()}}).Files().Open(below + "/file"); f != nil || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("of a recording: %v %v", f, err)
	}
}
