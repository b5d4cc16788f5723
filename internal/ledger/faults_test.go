package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

type failingAt struct{ io.ReaderAt }

func (failingAt) ReadAt([]byte, int64) (int, error) { return 0, syscall.EIO }

func TestTail_fails(t *testing.T) {
	if es, err := tail(failingAt{}, 100, nil); len(es) != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("%v %v", es, err)
	}
}

// faulty is a ledger on a disk that fails.
type faulty struct {
	*os.File
	room                    int // bytes that can be written
	reads                   int // that succeed; 0: all
	readErr, syncErr, trErr error
	statErr                 error
	dirErr                  error // of the directory's sync
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if f.reads--; f.reads < 0 && f.readErr != nil {
		return 0, f.readErr
	}
	return f.File.ReadAt(p, off)
}

func (f *faulty) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.File.Write(p[:f.room])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

func (f *faulty) Stat() (fs.FileInfo, error) {
	if f.statErr != nil {
		return nil, f.statErr
	}
	return f.File.Stat()
}

func (f *faulty) Sync() error { return errors.Join(f.syncErr, f.File.Sync()) }

func (f *faulty) Truncate(size int64) error {
	if f.trErr != nil {
		return f.trErr
	}
	return f.File.Truncate(size)
}

// on returns the ledger on a disk that fails like f.
func (l Ledger) on(f faulty) Ledger {
	l.openFile = func(name string, flag int) (file, error) {
		var err error
		c := f
		if name == l.Dir {
			c = faulty{syncErr: f.dirErr}
		}
		c.File, err = os.OpenFile(name, flag, 0o600)
		return &c, err
	}
	return l
}

// Whatever the disk does, every act on the ledger says that it failed, names
// the file, and leaves it as it was.
func TestFaults(t *testing.T) {
	text := strings.Join(stream(t), "")
	acts := map[string]func(l Ledger) error{
		"fire": func(l Ledger) error { n, err := l.Fire(noon, true, "", nil); return errors.Join(err, zero(n, err)) },
		"exit": func(l Ledger) error { return l.Exit(noon, true, Ended{Tick: 14}) },
		"ack": func(l Ledger) error {
			keys, err := l.Ack("owner:tty", noon, fold.Pick{All: true})
			return errors.Join(err, zero(len(keys), err))
		},
		"missed": func(l Ledger) error { return l.Missed("act", noon, "12-2", "no display") },
		"seen":   func(l Ledger) error { return l.Seen("act", noon, "12-2", record.Shown{}) },
		"append": func(l Ledger) error {
			_, stderr, status := run(t, strings.NewReader(text), l.filter)
			if status != 1 || !strings.HasPrefix(stderr, "fleet-ledger: nothing is written: ") {
				return nil
			}
			return errors.New(stderr)
		},
	}
	faults := map[string]faulty{
		"full":        {room: 10},
		"no sync":     {room: 1 << 20, syncErr: syscall.EIO},
		"no stat":     {room: 1 << 20, statErr: syscall.EIO},
		"unreadable":  {room: 1 << 20, readErr: syscall.EIO},
		"a late read": {room: 1 << 20, readErr: syscall.EIO, reads: 1},
	}
	for act, f := range acts {
		for fault, disk := range faults {
			l, before := begun(t)
			if err := os.Remove(filepath.Join(l.Dir, counterFile)); err != nil {
				t.Fatal(err)
			}
			err := f(l.on(disk))
			if err == nil || !strings.Contains(err.Error(), "no space left") && !strings.Contains(err.Error(), "input/output error") {
				t.Errorf("%s, %s: %v", act, fault, err)
			}
			if fault != "no stat" && (err == nil || !strings.Contains(err.Error(), l.Path())) {
				t.Errorf("%s, %s: the file is not named: %v", act, fault, err)
			}
			if _, counted := l.counter(); counted && strings.HasSuffix(fault, "read") || counted && fault == "unreadable" {
				t.Errorf("%s, %s: a number is taken of a ledger that was not read", act, fault)
			}
			if l.text(t) != before {
				t.Errorf("%s, %s: written: %s", act, fault, strings.TrimPrefix(l.text(t), before))
			}
		}
	}
	l, _ := begun(t)
	for fault, disk := range map[string]faulty{"no stat": {statErr: syscall.EIO}, "unreadable": {readErr: syscall.EIO}} {
		if s, err := l.on(disk).Read(); s != nil || !errors.Is(err, syscall.EIO) {
			t.Errorf("read, %s: %v %v", fault, s, err)
		}
	}
	if n, err := l.on(faulty{room: 1 << 20, dirErr: syscall.EIO}).Fire(noon, true, "", nil); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("the directory is not durable: %d %v", n, err)
	}
	for name, write := range map[string]func(l Ledger) error{
		"an intent": func(l Ledger) error {
			_, err := l.Begin(noon, record.Entry{Verb: "launch", Key: "code"}, func(*fold.State) error { return nil })
			return err
		},
		"a sweep": func(l Ledger) error { return l.Swept(noon, record.Entry{}, "") },
	} {
		l := New(filepath.Join(t.TempDir(), "new"), "lamp")
		if err := write(l.on(faulty{room: 1 << 20, dirErr: syscall.EIO})); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s begins a ledger whose place is not durable: %v", name, err)
		}
		if err := write(l); err != nil {
			t.Fatal(err)
		}
		if err := write(l.on(faulty{room: 1 << 20, dirErr: syscall.EIO})); err != nil {
			t.Errorf("%s, in one that is there: %v", name, err)
		}
		opened := map[string]bool{}
		l = New(filepath.Join(t.TempDir(), "new"), "lamp")
		l.openFile = func(name string, flag int) (file, error) {
			if opened[name] = true; name == filepath.Dir(l.Dir) {
				return nil, fs.ErrPermission
			}
			return os.OpenFile(name, flag, 0o600)
		}
		if err := write(l); err != nil || !opened[l.Dir] || !opened[filepath.Dir(l.Dir)] {
			t.Errorf("%s, where the name of the new directory cannot be made durable: %v, opened %v", name, err, opened)
		}
	}
	l.Dir += "/nothing"
	if err := l.syncDir(l.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A disk without locks is written by nobody, and its error names the lock.
func TestFaults_lock(t *testing.T) {
	l, before := begun(t)
	l.flock = func(*os.File) error { return syscall.ENOLCK }
	name := filepath.Join(l.Dir, lockFile)
	if n, err := l.Fire(noon, true, "", nil); n != 0 || !errors.Is(err, syscall.ENOLCK) || !strings.HasPrefix(err.Error(), "locking "+name+": ") {
		t.Errorf("%d %v", n, err)
	}
	if r, err := l.Open(); r != nil || !errors.Is(err, syscall.ENOLCK) {
		t.Errorf("read without a lock: %v %v", r, err)
	}
	if l.text(t) != before {
		t.Error("written without a lock")
	}
	closed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := flock(closed); !errors.Is(err, syscall.EBADF) {
		t.Errorf("a file that is no more: %v", err)
	}
}

// zero is an error when something is returned beside one.
func zero(n int, err error) error {
	if err != nil && n != 0 {
		return fmt.Errorf("%d beside an error", n)
	}
	return nil
}

func TestAppendTo_faults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		f     faulty
		lines []string
		want  string
		errs  []error
	}{
		{"all is well", faulty{room: 100}, []string{"b", "c"}, "a\nb\nc\n", nil},
		{"nothing to write", faulty{room: 0}, nil, "a", nil},
		{"the disk is full", faulty{room: 3}, []string{"b", "c"}, "a", []error{syscall.ENOSPC}},
		{"the sync fails", faulty{room: 100, syncErr: syscall.EIO}, []string{"b"}, "a", []error{syscall.EIO}},
		{"the sync fails, nothing to write", faulty{syncErr: syscall.EIO}, nil, "a", []error{syscall.EIO}},
		{"the end cannot be read", faulty{room: 100, readErr: syscall.EIO}, []string{"b"}, "a", []error{syscall.EIO}},
		{"full, and it cannot be taken back", faulty{room: 3, trErr: syscall.EROFS}, []string{"b", "c"}, "a\nb\n", []error{syscall.ENOSPC, syscall.EROFS}},
	} {
		name := filepath.Join(t.TempDir(), "l")
		if err := os.WriteFile(name, []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if tt.f.File, err = os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0); err != nil {
			t.Fatal(err)
		}
		var lines [][]byte
		for _, l := range tt.lines {
			lines = append(lines, []byte(l))
		}
		err = appendTo(&tt.f, 1, lines)
		tt.f.Close()
		if (err == nil) != (len(tt.errs) == 0) {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, want := range tt.errs {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", tt.name, err, want)
			}
		}
		got, _ := os.ReadFile(name)
		if want := tt.want; string(got) != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

// What waited and cannot be passed on is told by the filter itself.
func TestFilter_held(t *testing.T) {
	l, _ := begun(t)
	text := strings.Join(stream(t), "")
	first := strings.Index(text, `{"v":1,"kind":"entry"`)
	std := &cli.Std{Program: "fleet-ledger", In: strings.NewReader(text), Out: bufio.NewWriterSize(&limited{room: first}, 1), Err: io.Discard}
	if err := l.filter(std); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}

// limited is a writer on which there is room for some bytes.
type limited struct{ room int }

func (l *limited) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, syscall.ENOSPC
	}
	return len(p), nil
}
