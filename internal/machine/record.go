package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
)

// Recording writes what an observer read as --fixtures reads it: only what the
// parsers decode, cleaned, never a raw file. Observing it gives the same
// sessions. What no parser understood is not in it, nor is the reason why a
// transcript's end did not tell. A nil Recording writes nothing.
type Recording struct {
	root *os.Root // what is written never leaves it, whatever symbolic link is recorded
	err  error    // the first failure
}

// Record starts a recording of w in dir, which must be empty or not there.
func (w *World) Record(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o700)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = fs.ReadDir(root.FS(), ".")
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	w.Rec = &Recording{root: root}
	return nil
}

// Failed returns the first failure of the recording, nil when there is none. One
// that failed has no meta.json, so that nothing takes it for a whole one.
func (r *Recording) Failed() error {
	if r == nil || r.err == nil {
		return nil
	}
	r.root.Remove("meta.json") // when it is there, the last of what was written may still be missing
	return fmt.Errorf("--record: %w", r.err)
}

// Write writes a file of the recording that is none of its machine. b was made
// with err; the first error is the recording's.
func (r *Recording) Write(path string, b []byte, err error) {
	if r == nil || r.err != nil {
		return
	}
	if err == nil {
		if err = r.root.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			if err = r.root.WriteFile(path, b, 0o600); err != nil {
				r.root.Remove(path) // half of it, or nothing
			}
		}
	}
	r.err = err
}

// stored is where a path of the machine stands in a recording.
func stored(abs string) string {
	return filepath.Join("root", dotGit{}.stored(Path(guard.Path(abs))))
}

// File writes a file of the machine.
func (r *Recording) File(abs string, b []byte, err error) {
	r.Write(stored(abs), b, err)
}

// Mkdir makes a directory of the machine.
func (r *Recording) Mkdir(abs string) {
	if r == nil || r.err != nil || abs == "" {
		return
	}
	r.err = r.root.MkdirAll(stored(abs), 0o700)
}

// Fill writes a file of the machine that the recording does not have yet.
func (r *Recording) Fill(abs string, b []byte) {
	if r == nil || r.err != nil {
		return
	}
	if _, err := r.root.Stat(stored(abs)); err != nil {
		r.File(abs, b, nil)
	}
}

// Replace writes a file of the machine in the place of what the recording has
// there, be it a directory.
func (r *Recording) Replace(abs string, b []byte) {
	if r == nil || r.err != nil {
		return
	}
	r.err = r.root.RemoveAll(stored(abs))
	r.File(abs, b, nil)
}

// Link writes a symbolic link of the machine that leads to the directory real,
// and both directories. Neither path leads through a link. What is written is
// relative, so that it leads to the recording.
func (r *Recording) Link(abs, real string) {
	parent := filepath.Dir(abs)
	r.Mkdir(parent)
	r.Mkdir(real)
	if r == nil || r.err != nil {
		return
	}
	target, err := filepath.Rel(stored(parent), stored(real))
	if err == nil {
		err = r.root.Symlink(target, stored(abs))
	}
	if !errors.Is(err, fs.ErrExist) {
		r.err = err
	}
}

// Command writes the answer of a command.
func (r *Recording) Command(s command.Spec, stdout []byte, status string, err error) {
	dir := filepath.Join("commands", CommandDir(s.Argv, s.Variant))
	r.Write(filepath.Join(dir, "argv"), []byte(strings.Join(s.Argv, "\n")+"\n"), err)
	r.Write(filepath.Join(dir, "stdout"), stdout, err)
	r.Write(filepath.Join(dir, "stderr"), nil, nil)
	r.Write(filepath.Join(dir, "status"), []byte(status+"\n"), nil)
}

// Failure writes the status of a command that did not answer.
func (r *Recording) Failure(s command.Spec, res command.Result, err error) {
	switch {
	case errors.Is(err, command.ErrTimeout):
		r.Command(s, nil, "timeout", nil)
	case err == nil:
		r.Command(s, nil, strconv.Itoa(res.Status), nil)
	}
}

// Meta writes meta.json. table is the process table as RecordedProcesses reads
// it, cleaned; nil when it was not read.
func (r *Recording) Meta(w *World, table any) {
	if r == nil {
		return
	}
	r.Mkdir("/") // also when no file is kept
	b, err := json.MarshalIndent(Meta{Home: w.Home, Host: w.Host, OS: w.OS, Zone: w.Zone, At: w.At, BootAt: w.BootAt, AwakeS: w.AwakeS, Processes: table}, "", "  ")
	r.Write("meta.json", append(b, '\n'), err)
}
