// Package ledger is the edge at which fleet remembers: an append-only file of
// JSON lines, and the lock beside it. What the lines mean is in package fold.
//
// An append takes the lock, ends a torn last line with a newline, writes once
// and syncs once. It reads the end of the file only, back to the last fire, so
// its cost does not grow with the file. When a write fails, what it left is
// taken back.
//
// A reader holds the lock only while it looks how long the file is: what stood
// in it when nobody wrote is never changed.
package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
)

// The files of a state directory.
const (
	File        = "ledger.jsonl"
	lockFile    = "ledger.lock"
	counterFile = "tick-counter" // the last number that a tick took
)

// Ledger is the ledger of a scope.
type Ledger struct {
	Dir   string        // state directory of the scope
	Scope string        // that its entries are of
	Wait  time.Duration // how long to wait for the lock

	// For a disk that fails; os.OpenFile and flock when nil.
	openFile func(name string, flag int) (file, error)
	flock    func(*os.File) error
}

// file is what the ledger needs of an open file.
type file interface {
	io.ReaderAt
	io.WriteCloser
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// New returns the ledger in a scope's state directory. Nothing is opened.
func New(dir, scope string) Ledger { return Ledger{Dir: dir, Scope: scope, Wait: 10 * time.Second} }

// Path is the path of the ledger.
func (l Ledger) Path() string { return filepath.Join(l.Dir, File) }

// Read folds the ledger as it stood at one moment. One that is not there is
// fs.ErrNotExist.
func (l Ledger) Read() (*fold.State, error) {
	r, err := l.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return l.fold(r)
}

func (l Ledger) fold(r io.Reader) (*fold.State, error) {
	s, err := fold.Read(fold.Lines(r))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", l.Path(), err)
	}
	return s, nil
}

// Open returns what the ledger held at one moment at which nobody wrote.
func (l Ledger) Open() (io.ReadCloser, error) {
	f, err := l.open(l.Path(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(dangling(l.Path()), err)
	}
	if err != nil {
		return nil, err
	}
	size := int64(0)
	err = l.locked(os.O_RDONLY, func() error {
		size, err = regularSize(f, l.Path())
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // without a lock nobody of ours ever wrote
		size, err = regularSize(f, l.Path())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, 0, size), f}, nil
}

// dangling returns an error when a path is missing because a symbolic link on the
// way to it leads nowhere, as to a disk that is not mounted: a ledger may well be
// there.
func dangling(name string) error {
	for p := filepath.Clean(name); p != filepath.Dir(p); p = filepath.Dir(p) {
		info, err := os.Lstat(p)
		if err != nil {
			continue
		}
		if _, err := os.Stat(p); info.Mode()&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: a symbolic link that leads nowhere", p)
		}
		return nil
	}
	return nil
}

func regularSize(f file, name string) (int64, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// locked runs f while this process alone holds the lock. It gives up after
// Wait. The lock is a file of its own because the ledger's could be replaced.
func (l Ledger) locked(flag int, f func() error) error {
	lock, err := os.OpenFile(filepath.Join(l.Dir, lockFile), flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	if _, err := regularSize(lock, lock.Name()); err != nil {
		lock.Close()
		return err
	}
	take := l.flock
	if take == nil {
		take = flock
	}
	taken := make(chan error, 1)
	go func() { taken <- take(lock) }()
	select {
	case err := <-taken:
		defer lock.Close()
		if err != nil {
			return fmt.Errorf("locking %s: %w", lock.Name(), err)
		}
		return f()
	case <-time.After(l.Wait):
		go func() { // a lock that comes too late is given back
			<-taken
			lock.Close()
		}()
		return fmt.Errorf("%s: no lock within %v", lock.Name(), l.Wait)
	}
}

// flock sleeps in the kernel until the lock is free: many that wait and look
// again and again would keep its holder from running.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// held is a ledger under its lock.
type held struct {
	file
	name string
	size int64
}

// update appends what build makes of the ledger. build runs under the lock.
// flag is os.O_CREATE when a ledger that is missing is begun.
func (l Ledger) update(flag int, build func(h held) ([][]byte, error)) error {
	return l.locked(os.O_CREATE|os.O_RDWR, func() error {
		f, err := l.open(l.Path(), flag|os.O_RDWR|os.O_APPEND)
		if err != nil {
			return err
		}
		defer f.Close()
		h := held{file: f, name: l.Path()}
		if h.size, err = regularSize(f, h.name); err != nil {
			return err
		}
		if flag&os.O_CREATE != 0 && h.size == 0 { // it may be new: its name, and that of its directory
			for _, dir := range []string{l.Dir, filepath.Dir(l.Dir)} {
				if err := l.syncDir(dir); err != nil && !errors.Is(err, fs.ErrPermission) { // what may not be read cannot be synced
					return err
				}
			}
		}
		lines, err := build(h)
		if err != nil {
			return err
		}
		if err := appendTo(f, h.size, lines); err != nil {
			return fmt.Errorf("writing %s: %w", l.Path(), err)
		}
		return nil
	})
}

func (l Ledger) open(name string, flag int) (file, error) {
	open := l.openFile
	if open == nil {
		// A pipe in the place of a file is opened without waiting for its other end.
		open = func(name string, flag int) (file, error) { return os.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600) }
	}
	return open(name, flag)
}

// appendTo writes lines behind the first size bytes of f, which is all of it,
// with one write and one sync. After an error f is as it was.
func appendTo(f file, size int64, lines [][]byte) error {
	var b []byte
	var err error
	if len(lines) > 0 && size > 0 {
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, size-1); last[0] != '\n' {
			b = append(b, '\n')
		}
	}
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if err == nil {
		// Also without new lines: who wrote what is there may have been killed
		// before its sync.
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return nil
}
