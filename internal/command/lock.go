package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// HeldError says that another process holds a lock, and what it noted.
type HeldError struct{ Name, Note string }

func (e *HeldError) Error() string {
	if e.Note == "" {
		return e.Name + ": another process holds it"
	}
	return e.Name + ": another process holds it: " + e.Note
}

// TryLock takes the lock file name, or returns a *HeldError at once. The holder
// leaves note in the file, for people and for the age of the file; what frees
// the lock is the end of this process alone, however it ends. Children do not
// inherit it, but for a command that holds it: see Spec. The file stays: to remove it would let two processes lock two
// files of one name.
func TryLock(name, note string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		b, _ := io.ReadAll(io.LimitReader(f, 200)) // the note is a courtesy
		f.Close()
		return nil, &HeldError{name, strings.TrimSpace(string(b))}
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteString(note + "\n")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", name, err)
	}
	return f, nil
}

// Free frees a lock of TryLock for everybody, also where a command that held it too left
// something behind that outlives it, such as a daemon.
func Free(lock io.Closer) error {
	f, ok := lock.(*os.File)
	if !ok {
		return lock.Close()
	}
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// Holders are the processes that have a lock file open, by /proc; none where there is no
// /proc, or nothing of it may be read.
func Holders(name string) (pids []int) {
	want, err := os.Stat(name)
	if err != nil {
		return nil
	}
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range fds {
		pid, err := strconv.Atoi(strings.Split(fd, "/")[2])
		if err != nil || pid == os.Getpid() || slices.Contains(pids, pid) {
			continue
		}
		if got, err := os.Stat(fd); err == nil && os.SameFile(got, want) {
			pids = append(pids, pid)
		}
	}
	return pids
}
