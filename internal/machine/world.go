// Package machine is the machine that a program looks at: this one, or a
// recording of one.
package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/process"
	"github.com/fleet-tools/fleet/internal/record"
)

// World is a machine.
type World struct {
	Home   string
	Host   string
	OS     string // GOOS
	Zone   string // IANA name, "" when it cannot be told
	At     time.Time
	BootAt time.Time // zero when it cannot be told
	AwakeS *float64  // seconds awake since boot; nil when it cannot be told
	FS     fs.FS     // rooted at /

	Getenv func(name string) string // of the program's environment; a recording has none
	Rec    *Recording               // what is read goes there; nil when nothing is recorded

	fixtures string
}

// zoneColumns is more than the longest name of a zone has. It comes from TZ, where anything may be.
const zoneColumns = 64

// New returns the recorded machine in fixtures, or this one when fixtures is
// empty. now is the present of this machine; a recording has its own, which
// now replaces when given is true.
func New(fixtures string, now time.Time, given bool) (*World, error) {
	if fixtures != "" {
		return openFixtures(fixtures, now, given)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	host, _, _ = strings.Cut(host, ".")
	w := &World{Home: home, Host: host, OS: runtime.GOOS, At: now, BootAt: process.BootAt(), FS: machineTree(), Getenv: os.Getenv}
	w.Zone = guard.Text(zoneName(w.Getenv("TZ"), "/etc/localtime"), zoneColumns)
	if !given { // it is of the real present
		w.AwakeS = awake(awakeClock)
	}
	return w, nil
}

// Open is New, with what is read recorded to the directory record, if one is
// named. An error is the caller's mistake.
func Open(fixtures, record string, now time.Time, given bool) (*World, error) {
	w, err := New(fixtures, now, given)
	if err == nil {
		err = w.Record(record)
	}
	return w, err
}

// Clock is what the machine's clocks say, nil when the boot or the time awake
// since cannot be told.
func (w *World) Clock() *record.Clock {
	if w.BootAt.IsZero() || w.AwakeS == nil {
		return nil
	}
	return &record.Clock{At: record.NewTime(w.At), AwakeS: *w.AwakeS, BootAt: record.NewTime(w.BootAt)}
}

// Recorded tells whether the world is a recording.
func (w *World) Recorded() bool { return w.fixtures != "" }

// Path is a path of the machine as FS takes it.
func Path(abs string) string {
	p := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(abs)), "/")
	if p == "" {
		return "."
	}
	return p
}

// Expand replaces a leading ~ by the home directory.
func (w *World) Expand(p string) string {
	if p == "~" {
		return w.Home
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(w.Home, rest)
	}
	return p
}

// ReadFile reads a file whole. A file that is not regular, or larger than
// limit bytes, is an error.
func (w *World) ReadFile(abs string, limit int64) ([]byte, error) {
	f, err := w.Files().Open(Path(abs))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cmp.Or(w.Dangling(abs), err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", filepath.Base(abs))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", filepath.Base(abs), info.Size(), limit)
	}
	b := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if int64(len(b)) > limit { // it grew meanwhile
			return nil, fmt.Errorf("%s: more than the %d bytes that are read", filepath.Base(abs), limit)
		}
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}

// ReadDir lists a directory. A directory that is not there has no entries and
// missing is true; one behind a symbolic link that leads nowhere is an error.
func (w *World) ReadDir(abs string) (entries []fs.DirEntry, missing bool, err error) {
	entries, err = fs.ReadDir(w.Files(), Path(abs))
	if errors.Is(err, fs.ErrNotExist) {
		err = w.Dangling(abs)
		return nil, err == nil, err
	}
	return entries, false, err
}

// Exists tells whether a path is there. A path that cannot be looked at is an
// error.
func (w *World) Exists(abs string) (bool, error) {
	_, err := fs.Stat(w.Files(), Path(abs))
	if errors.Is(err, fs.ErrNotExist) {
		return false, w.Dangling(abs)
	}
	return err == nil, err
}

// FindProgram returns the path of a program: name itself when it holds a
// slash, else the first on PATH, else the first in the further directories. In
// a recording it is the name. The error is exec.ErrNotFound and names the places
// that were tried, or says why what is in one of them cannot be run.
func (w *World) FindProgram(name string, further ...string) (string, error) {
	if w.fixtures != "" {
		return name, nil
	}
	places := []string{""}
	if !strings.ContainsRune(name, '/') {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
		places = append(filepath.SplitList(w.Getenv("PATH")), further...)
	}
	for _, dir := range places {
		p, err := filepath.Abs(filepath.Join(w.Expand(dir), name)) // commands run in another directory
		if err == nil {
			_, err = os.Lstat(p)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err == nil {
			_, err = exec.LookPath(p)
		}
		if err != nil {
			return "", fmt.Errorf("%s cannot be run: %w", p, Reason(err))
		}
		return p, nil
	}
	if len(places) == 1 && places[0] == "" {
		return "", fmt.Errorf("%s is not there%w", name, errNotFound)
	}
	return "", fmt.Errorf("%s: not found in %s%w", name, strings.Join(places, ":"), errNotFound)
}

// errNotFound is exec.ErrNotFound without its words, which are about PATH alone.
var errNotFound = wordless{exec.ErrNotFound}

type wordless struct{ error }

func (wordless) Error() string   { return "" }
func (e wordless) Unwrap() error { return e.error }

// Reason is err without the operation and path of the file system, which shows
// paths without their first slash, and without the program that was looked for.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// Run runs a command of the machine, or replays the recorded one. A recorded
// command is looked up by its argv with the base name of its program.
func (w *World) Run(ctx context.Context, s command.Spec) (command.Result, error) {
	if w.fixtures != "" {
		return w.replay(s.Argv, s.Variant)
	}
	return command.Run(ctx, s)
}
