package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// moment is the fixture's meta.json.
type moment struct {
	Home      string    `json:"home"`
	Host      string    `json:"host"`
	OS        string    `json:"os"`
	Zone      string    `json:"zone"`
	At        string    `json:"at"`
	BootAt    string    `json:"boot_at"`
	AwakeS    float64   `json:"awake_s"`
	Processes []process `json:"processes"`
}

// process is a running Claude Code process.
type process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
	Cwd   string `json:"cwd"`
	Exe   string `json:"exe"`
	Args  string `json:"args"` // the program, and its subcommand if it has one
}

// fact is what is known of a session of the moment.
type fact struct {
	Session   string        `json:"session"`
	PID       int           `json:"pid"`
	Key       string        `json:"key"`
	Situation string        `json:"situation"`
	Class     string        `json:"class"`
	Last      string        `json:"last"`
	Shift     time.Duration `json:"shift"`
}

const stamp = "2006-01-02T15:04:05.000Z"

// The commands that an observer runs.
var (
	argvVersion = []string{"claude", "--version"}
	argvListing = []string{"claude", "agents", "--json", "--all"}
)

// takeMoment writes what an observer of the box can read, as it stands now, to the box's output
// directory. A moment counts when the listing is the same before and after the files were copied.
func takeMoment(ctx context.Context, box *claudebox.Box, fleet []session) error {
	if err := writeCommand(ctx, box, boxOut, argvVersion); err != nil {
		return err
	}
	for try := 0; try < 10; try++ {
		before, err := settled(ctx, box, fleet)
		if err != nil {
			return err
		}
		if err := errors.Join(os.RemoveAll(filepath.Join(boxOut, "root")), copyFiles(box)); err != nil {
			return err
		}
		m, err := describe(box)
		if err != nil {
			return err
		}
		if err := writeCommand(ctx, box, boxOut, argvListing); err != nil {
			return err
		}
		after, err := os.ReadFile(filepath.Join(boxOut, "commands", commandDir(argvListing), "stdout"))
		if err != nil {
			return err
		}
		if before == string(after) {
			return writeFacts(m, fleet)
		}
		progress("the listing changed while the files were copied; once more")
	}
	return errors.New("taking the moment: the fleet does not come to rest")
}

// settled waits until the listing has every session and every job its name, and returns it.
func settled(ctx context.Context, box *claudebox.Box, fleet []session) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var listing, odd string
	err := claudebox.Await(ctx, "the listing to settle", func() bool {
		out, err := box.Output(ctx, box.Home, "claude", argvListing[1:]...)
		if ctx.Err() != nil {
			return false
		}
		listing, odd = out, oddRows(out, fleet)
		return err == nil && odd == ""
	})
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, odd)
	}
	return listing, nil
}

// oddRows describes the rows of the listing that are not as they should be.
func oddRows(listing string, fleet []session) string {
	var rows []claudebox.Row
	if err := json.Unmarshal([]byte(listing), &rows); err != nil {
		return err.Error()
	}
	byID := make(map[string]claudebox.Row)
	for _, r := range rows {
		byID[r.SessionID] = r
	}
	var odd strings.Builder
	for _, s := range fleet {
		if r, ok := byID[s.id]; !ok || s.label != "" && r.Name != s.label {
			fmt.Fprintf(&odd, "%s: %+v\n", s.key, r)
		}
		delete(byID, s.id)
	}
	for _, r := range byID {
		fmt.Fprintf(&odd, "not of the fleet: %+v\n", r)
	}
	return odd.String()
}

// describe returns the machine and its Claude Code processes.
func describe(box *claudebox.Box) (moment, error) {
	boot, awake, err := uptime()
	if err != nil {
		return moment{}, err
	}
	m := moment{Home: box.Home, Host: boxHost, OS: runtime.GOOS, Zone: "UTC", At: time.Now().UTC().Format(stamp), BootAt: boot.Format(stamp), AwakeS: awake}
	for _, p := range box.Processes() {
		m.Processes = append(m.Processes, process{p.PID, p.Start, p.Cwd, p.Exe, subcommand(p.Args)})
	}
	slices.SortFunc(m.Processes, func(a, b process) int { return a.PID - b.PID })
	return m, nil
}

// subcommands are the words after the program's name that tell what a process is for.
var subcommands = []string{"agents", "attach", "bg-pty-host", "bg-spare", "daemon", "-p", "--bg", "--bg-pty-host", "--bg-spare", "--resume", "--session-id"}

// subcommand returns the program's name and its subcommand: what tells a session from a helper,
// and never a prompt.
func subcommand(args []string) string {
	if len(args) > 1 && slices.Contains(subcommands, args[1]) {
		return args[0] + " " + args[1]
	}
	return args[0]
}

// uptime returns when the box was booted and the seconds since then. The box never sleeps.
func uptime() (boot time.Time, awake float64, err error) {
	up, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return boot, 0, err
	}
	if _, err := fmt.Sscan(string(up), &awake); err != nil {
		return boot, 0, fmt.Errorf("reading /proc/uptime: %w", err)
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return boot, 0, err
	}
	for line := range strings.Lines(string(stat)) {
		var seconds int64
		if _, err := fmt.Sscanf(line, "btime %d", &seconds); err == nil {
			return time.Unix(seconds, 0).UTC(), awake, nil
		}
	}
	return boot, 0, errors.New("reading /proc/stat: no boot time")
}

// writeFacts writes the machine and what is known of each session.
func writeFacts(m moment, fleet []session) error {
	var facts []fact
	for _, s := range fleet {
		facts = append(facts, fact{s.id, s.pid, s.key, s.situation, s.class, s.last.what, s.shift})
	}
	return errors.Join(writeJSON(filepath.Join(boxOut, "meta.json"), m), writeJSON(filepath.Join(boxOut, "facts.json"), facts))
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

// writeCommand runs a command of the box and writes how it went.
func writeCommand(ctx context.Context, box *claudebox.Box, out string, argv []string) error {
	cmd := box.Command(ctx, box.Home, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	dir := filepath.Join(out, "commands", commandDir(argv))
	return errors.Join(
		writeFile(filepath.Join(dir, "argv"), []byte(strings.Join(argv, "\n")+"\n")),
		writeFile(filepath.Join(dir, "stdout"), stdout.Bytes()),
		writeFile(filepath.Join(dir, "stderr"), stderr.Bytes()),
		writeFile(filepath.Join(dir, "status"), fmt.Appendf(nil, "%d\n", cmd.ProcessState.ExitCode())),
	)
}

// copyFiles copies the files that an observer may read to the output's root directory.
func copyFiles(box *claudebox.Box) error {
	return filepath.WalkDir(box.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(box.Home, path)
		if err != nil || d.IsDir() || !kept(filepath.ToSlash(rel)) {
			return err
		}
		return copyFile(path, filepath.Join(boxOut, "root", stored(path)), 0o644)
	})
}
