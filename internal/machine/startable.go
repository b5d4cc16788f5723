package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/fleet-tools/fleet/internal/guard"
)

// firstLine is how much of a script is read for what is to run it, as Linux does.
const firstLine = 256

// Startable says why a program cannot be started in dir, in words that follow its
// name, nil when nothing is known against it. It is looked at as the system does: it
// must be a file that this user may execute, and what its first line names to run it,
// when it does, another. What it does when it was started nobody knows.
func Startable(program, dir string) error {
	if err := executable(program); err != nil {
		return err
	}
	if by := runBy(program); by != "" {
		at := by
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, by)
		}
		if err := executable(at); err != nil {
			return fmt.Errorf("is to be run by %s, as its first line says, which %w", guard.Quote(by), err)
		}
	}
	return nil
}

// executable says why a path is no program that this user may execute.
func executable(abs string) error {
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if _, err := os.Lstat(abs); err == nil {
			return errors.New("is a link that leads nowhere")
		}
		return errors.New("is not there")
	case err != nil:
		return fmt.Errorf("cannot be looked at: %w", Reason(err))
	case !info.Mode().IsRegular():
		return errors.New("is no file")
	}
	return denied(info.Mode(), unix.Access(abs, unix.X_OK))
}

// denied says why a file of a mode may not be executed, by what the system answered.
func denied(mode fs.FileMode, err error) error {
	switch {
	case err == nil:
		return nil
	case mode&0o111 == 0:
		return errors.New("is not executable: chmod +x")
	}
	return fmt.Errorf("may not be executed by who looked, or where it lies: %w", err)
}

// runBy is what the first line of a script names to run it, "" when it names nothing,
// is longer than the system reads, or cannot be read: a binary need not be.
func runBy(abs string) string {
	f, err := OpenFile(abs)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, firstLine)
	n, err := io.ReadFull(f, b)
	rest, script := strings.CutPrefix(string(b[:n]), "#!")
	line, _, whole := strings.Cut(rest, "\n")
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if !script || !whole && err == nil || len(words) == 0 {
		return ""
	}
	return words[0]
}
