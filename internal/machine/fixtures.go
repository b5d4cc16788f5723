package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
)

// Meta is the meta.json of a recorded machine.
type Meta struct {
	Home      string    `json:"home"`
	Host      string    `json:"host"`
	OS        string    `json:"os"`
	Zone      string    `json:"zone"`
	At        time.Time `json:"at"`
	BootAt    time.Time `json:"boot_at,omitzero"`
	AwakeS    *float64  `json:"awake_s,omitempty"`
	Processes any       `json:"processes"` // rows as the observer has them that recorded them; null: the process table could not be read
}

// openFixtures reads DIR/meta.json; nothing of this machine is read under it.
func openFixtures(dir string, now time.Time, given bool) (*World, error) {
	b, err := os.ReadFile(filepath.Join(dir, "meta.json"))
	if err != nil {
		return nil, fmt.Errorf("--fixtures: %w", err)
	}
	var m Meta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("--fixtures: %s: %w", filepath.Join(dir, "meta.json"), err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "root"))
	if err != nil {
		return nil, fmt.Errorf("--fixtures: %w", err)
	}
	w := &World{Home: m.Home, Host: m.Host, OS: m.OS, Zone: guard.Text(m.Zone, zoneColumns), At: m.At, BootAt: m.BootAt, AwakeS: m.AwakeS,
		FS: dotGit{tree{root.FS(), root.OpenFile, false}}, Getenv: func(string) string { return "" }, fixtures: dir}
	if given {
		w.At, w.AwakeS = now, nil
	}
	return w, nil
}

// ReadRecorded reads a file of the recording that is none of its machine, such as
// meta.json. On this machine there is none.
func (w *World) ReadRecorded(name string) ([]byte, error) {
	if !w.Recorded() {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(filepath.Join(w.fixtures, name))
}

// RecordedProcesses is the process table of a recording, of its rows what P
// has. One that could not be read when it was recorded is an error.
func RecordedProcesses[P any](w *World) ([]P, error) {
	b, err := w.ReadRecorded("meta.json")
	if err != nil {
		return nil, err
	}
	var m struct{ Processes []P }
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m.Processes == nil {
		return nil, errors.New("the process table was not recorded")
	}
	return m.Processes, nil
}

// CommandDir is the directory of a recorded command: the program's base name
// and the first 8 hex of the SHA-256 of its argv joined by NUL, argv[0] cut to
// the base name. A variant is a further part behind them.
func CommandDir(argv []string, variant string) string {
	a := append([]string{filepath.Base(argv[0])}, argv[1:]...)
	if variant != "" {
		a = append(a, variant)
	}
	sum := sha256.Sum256([]byte(strings.Join(a, "\x00")))
	return a[0] + "-" + hex.EncodeToString(sum[:])[:8]
}

// replay answers a command from the recording. One that is not there fails to
// start.
func (w *World) replay(argv []string, variant string) (command.Result, error) {
	dir := filepath.Join(w.fixtures, "commands", CommandDir(argv, variant))
	if _, err := os.Stat(dir); err != nil {
		return command.Result{}, fmt.Errorf("%s: not recorded: %w", filepath.Base(argv[0]), exec.ErrNotFound)
	}
	var res command.Result
	var err error
	if res.Stdout, err = os.ReadFile(filepath.Join(dir, "stdout")); err != nil {
		return res, err
	}
	if res.Stderr, err = os.ReadFile(filepath.Join(dir, "stderr")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return res, err
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return res, err
	}
	word := strings.TrimSpace(string(status))
	if word == "timeout" {
		return res, command.ErrTimeout
	}
	res.Status, err = strconv.Atoi(word)
	return res, err
}

// dotGit shows dot-git as .git: git does not keep a directory of that name.
type dotGit struct{ fs.FS }

func (d dotGit) stored(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		if p == ".git" {
			parts[i] = "dot-git"
		}
	}
	return strings.Join(parts, "/")
}

func (d dotGit) Open(name string) (fs.File, error) { return d.FS.Open(d.stored(name)) }

func (d dotGit) Stat(name string) (fs.FileInfo, error) { return fs.Stat(d.FS, d.stored(name)) }

func (d dotGit) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(d.FS, d.stored(name))
}

func (d dotGit) ReadLink(name string) (string, error) { return fs.ReadLink(d.FS, d.stored(name)) }

func (d dotGit) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(d.FS, d.stored(name)) }
