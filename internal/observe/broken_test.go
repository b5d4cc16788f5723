package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// broken is a file system on which what is named fails: "open x", "stat x",
// "list x", or "info x" of a directory's entry, and of an open file "fstat x"
// and "read x".
type broken struct {
	fs.FS
	by map[string]error
}

// fails is the error of an operation, nil when it doesn't fail.
func (b broken) fails(op, name string) error {
	if err := b.by[op+" "+name]; err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (b broken) Open(name string) (fs.File, error) {
	if err := b.fails("open", name); err != nil {
		return nil, err
	}
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return brokenFile{f, b, name}, nil
}

func (b broken) Stat(name string) (fs.FileInfo, error) {
	if err := b.fails("stat", name); err != nil {
		return nil, err
	}
	return fs.Stat(b.FS, name)
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.fails("list", name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(b.FS, name)
	for i, e := range entries {
		entries[i] = brokenEntry{e, b, name + "/" + e.Name()}
	}
	return entries, err
}

type brokenEntry struct {
	fs.DirEntry
	of   broken
	name string
}

func (e brokenEntry) Info() (fs.FileInfo, error) {
	if err := e.of.fails("info", e.name); err != nil {
		return nil, err
	}
	return e.DirEntry.Info()
}

type brokenFile struct {
	fs.File
	of   broken
	name string
}

func (f brokenFile) Stat() (fs.FileInfo, error) {
	if err := f.of.fails("fstat", f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f brokenFile) Read(p []byte) (int, error) {
	if err := f.of.fails("read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.of.fails("read", f.name); err != nil {
		return 0, err
	}
	return f.File.(io.ReaderAt).ReadAt(p, off)
}

// watchBroken observes a recording with claude on a file system that fails.
func watchBroken(t *testing.T, dir string, by map[string]error, c Claude) *seen {
	t.Helper()
	w, err := New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	w.FS = broken{w.FS, by}
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	c.Binary, c.ListingCap, c.Timeout = "claude", cmp.Or(c.ListingCap, 200), time.Minute
	unread, err := c.Observe(context.Background(), w, k)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range k.surfaces {
		if told := slices.Contains(unread, name+": not read: "+s.Error); told == s.OK {
			t.Errorf("%s: ok %t, and it is among the unread: %t", name, s.OK, told)
		}
	}
	return k
}

// failingSink takes records up to one that it can't, whose subject, or word for
// the closing record, fails names.
type failingSink struct{ fails string }

var errSink = errors.New("no room for it")

func (s failingSink) Warn(string, ...any) {}

func (s failingSink) AddData(_ record.Kind, _ record.Time, _, subject string, _ any) error {
	if subject == s.fails {
		return errSink
	}
	return nil
}

func (s failingSink) Close(record.Time, string, string) error {
	if s.fails == "closing" {
		return errSink
	}
	return nil
}

// observers observe, each, a recording that has a surface of that name.
func observers(t *testing.T) map[string]func(Sink, string) error {
	world := func(dir, to string) *World {
		w, err := New(dir, time.Time{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Record(to); err != nil {
			t.Fatal(err)
		}
		if to != "" {
			if err := os.RemoveAll(to); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	claudes, _ := written(t, nil)
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.fine("acme/lamp")
	r.write(boardDir+"lamp/events.jsonl", boardLine("s1"))
	r.write("root/home/ana/.paseo/config.json", "{}")
	return map[string]func(Sink, string) error{
		"claude/listing": func(s Sink, to string) error {
			_, err := Claude{Binary: "claude", ListingCap: 200}.Observe(context.Background(), world(claudes, to), s)
			return err
		},
		"gh/acme/lamp": func(s Sink, to string) error {
			_, err := GitHub{Binary: "gh", Paths: []string{"/r/lamp"}}.Observe(context.Background(), world(r.dir, to), new(record.Set), s)
			return err
		},
		"board/lamp": func(s Sink, to string) error {
			_, err := Board{}.Observe(world(r.dir, to), s)
			return err
		},
		"paseo/agents": func(s Sink, to string) error {
			_, err := Paseo{}.Observe(world(r.dir, to), s)
			return err
		},
	}
}

// A record that could not be written is the observer's failure, whichever
// record it is.
func TestObservers_output(t *testing.T) {
	for surface, observe := range observers(t) {
		for _, fails := range []string{surface, "closing"} {
			if err := observe(failingSink{fails}, ""); err != errSink {
				t.Errorf("%s: %s is not written: got %v", surface, fails, err)
			}
		}
	}
}

// A recording that could not be written is a failure, and says so.
func TestObservers_recording(t *testing.T) {
	for surface, observe := range observers(t) {
		if surface == "paseo/agents" {
			continue
		}
		to := filepath.Join(t.TempDir(), "rec")
		if err := observe(failingSink{}, to); err == nil || !strings.HasPrefix(err.Error(), "--record: ") || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", surface, err)
		}
	}
}

// A path that cannot be looked at is neither there nor missing, and a file of
// which a part cannot be read is not read.
func TestWorld_broken(t *testing.T) {
	r := newRecording(t)
	r.write("root/a", "text")
	w := r.world()
	w.FS = broken{w.FS, map[string]error{"stat b": syscall.EACCES, "open c": syscall.EACCES, "open d": fs.ErrNotExist}}
	if there, err := w.Exists("/b"); there || !errors.Is(err, syscall.EACCES) {
		t.Errorf("exists: %t %v", there, err)
	}
	if there, err := w.Exists("/nowhere"); there || err != nil {
		t.Errorf("exists nowhere: %t %v", there, err)
	}
	if b, err := w.ReadFile("/c", 9); b != nil || !errors.Is(err, syscall.EACCES) {
		t.Errorf("read: %q %v", b, err)
	}
	if b, err := w.ReadFile("/a", 4); string(b) != "text" || err != nil {
		t.Errorf("read whole: %q %v", b, err)
	}
	if b, err := w.ReadFile("/a", 3); b != nil || err == nil || err.Error() != "a: 4 bytes, more than the 3 that are read" {
		t.Errorf("read a larger one: %q %v", b, err)
	}
	for _, op := range []string{"fstat a", "read a"} {
		w.FS = broken{os.DirFS(filepath.Join(r.dir, "root")), map[string]error{op: syscall.EIO}}
		if _, err := w.ReadFile("/a", 9); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// A board whose directory cannot be looked at is not absent.
func TestBoardBroken(t *testing.T) {
	r := newRecording(t)
	r.write(boardDir+"lamp/x", "")
	w := r.world()
	dir := "home/ana/.local/state/ctx/lamp"
	w.FS = broken{w.FS, map[string]error{"stat " + dir: syscall.EACCES}}
	_, surfaces, unread := observeBoard(t, w, Board{})
	if s := surfaces["board/lamp"]; s.OK || s.Absent || s.Error != "/"+dir+": permission denied" || len(unread) != 1 {
		t.Errorf("got %+v, unread %q", s, unread)
	}
}

// Names that are no path of the file system open nothing, and errors come
// through as they are.
func TestTree(t *testing.T) {
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	replace(t, filepath.Join(base, "dot-git"), "file")
	below := Path(base)
	m := machineTree()
	for name, want := range map[string]error{"/" + below: fs.ErrInvalid, below + "/no": fs.ErrNotExist} {
		if f, err := m.Open(name); f != nil || !errors.Is(err, want) {
			t.Errorf("open %s: %v %v, want %v", name, f, err, want)
		}
	}
	git := dotGit{m}
	if to, err := git.ReadLink(below + "/.git"); to != "file" || err != nil {
		t.Errorf("%q %v", to, err)
	}
	for name, want := range map[string]error{below + "/file": syscall.EINVAL, below + "/no": fs.ErrNotExist} {
		for _, fsys := range []fs.ReadLinkFS{m, git} {
			if to, err := fsys.ReadLink(name); to != "" || !errors.Is(err, want) {
				t.Errorf("%T: %q %v, want %v", fsys, to, err, want)
			}
		}
	}
	f, err := git.Open(below + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); !bytes.Equal(b, []byte("x")) || err != nil {
		t.Errorf("%q %v", b, err)
	}
}
