package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/process"
)

// Process is a process of the machine.
type Process struct {
	PID, PPID int
	Start     time.Time // zero when it cannot be told
	Exe       string    // path of the executable, or argv[0] where only that is known
	Argv      []string  // on macOS cut at blanks
}

// Session tells whether a process is a session of Claude Code, by itself or as a
// script that an interpreter runs.
func (p Process) Session() bool {
	argv := p.Argv
	if len(argv) == 0 {
		return false
	}
	if !claude.IsProgram(p.Exe) && !claude.IsProgram(argv[0]) {
		if len(argv) == 1 || !interpreters[path.Base(p.Exe)] && !interpreters[path.Base(argv[0])] || !claude.IsProgram(argv[1]) {
			return false
		}
		argv = argv[1:]
	}
	return claude.Process{Args: claude.Argv(argv)}.Session()
}

// interpreters run a claude that is a script.
var interpreters = map[string]bool{"node": true, "bun": true, "sh": true, "bash": true, "dash": true}

// Table is the process table at one moment.
type Table []Process

// Processes returns the process table, without what has ended and was not
// waited for.
func Processes(ctx context.Context) (Table, error) {
	all, err := process.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	boot := process.BootAt()
	var t Table
	for _, one := range all {
		p, err := running(one, boot)
		if err != nil {
			return nil, err
		}
		if p != nil {
			t = append(t, *p)
		}
	}
	return t, nil
}

// ReadProcess returns the process of a pid; nil when there is none. Also who was told
// to end sees what became of it.
func ReadProcess(pid int) (*Process, error) {
	p, err := process.Find(context.Background(), pid)
	if err != nil {
		return nil, fmt.Errorf("reading process %d: %w", pid, err)
	}
	if p == nil {
		return nil, nil
	}
	return running(*p, process.BootAt())
}

// running is a process that did not end; nil of one that did.
func running(p process.Process, boot time.Time) (*Process, error) {
	stat, err := p.Stat()
	if errors.Is(err, fs.ErrNotExist) || stat.Ended {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading process %d: %w", p.PID, err)
	}
	return &Process{PID: p.PID, PPID: stat.PPID, Start: claude.Began(stat.Start, boot), Exe: p.Exe, Argv: p.Argv}, nil
}

// Cwd returns the working directory of a process.
func Cwd(ctx context.Context, pid int) (string, error) { return process.Process{PID: pid}.Cwd(ctx) }

// Find returns the process of a pid; nil when there is none.
func (t Table) Find(pid int) *Process {
	if i := slices.IndexFunc(t, func(p Process) bool { return p.PID == pid }); i >= 0 {
		return &t[i]
	}
	return nil
}

// Session returns the session of Claude Code that is a process or the nearest
// of its descendants; nil when none is.
func (t Table) Session(pid int) *Process {
	level := []int{pid}
	for seen := 0; len(level) > 0 && seen <= len(t); seen++ {
		var next []int
		for _, p := range t {
			if slices.Contains(level, p.PID) && p.Session() {
				return &p
			}
			if slices.Contains(level, p.PPID) && p.PID != p.PPID {
				next = append(next, p.PID)
			}
		}
		level = next
	}
	return nil
}

// Below tells whether a process is another, or a descendant of it.
func (t Table) Below(ancestor, pid int) bool {
	for range len(t) + 1 {
		if pid == ancestor {
			return true
		}
		p := t.Find(pid)
		if p == nil || p.PPID == pid {
			return false
		}
		pid = p.PPID
	}
	return false
}

// tolerance is how far two readings of one process's start are apart at most:
// Linux tells the time of boot, from which it counts, in whole seconds that move
// with the clock.
const tolerance = 2 * time.Second

// Same tells whether a process is the one that the target was seen with. What
// the target does not know cannot differ.
func (t Target) Same(p *Process) bool {
	if t.PID == 0 {
		return true
	}
	if p == nil || p.PID != t.PID {
		return false
	}
	return t.Start.IsZero() || p.Start.IsZero() || t.Start.Sub(p.Start).Abs() <= tolerance
}

// End ends a process: TERM, and after the grace KILL. It returns when the
// process is gone.
func End(ctx context.Context, p Process, grace time.Duration) error {
	for _, s := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, 10 * time.Second}} {
		if gone(p) {
			return nil
		}
		if err := syscall.Kill(p.PID, s.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("ending process %d: %w", p.PID, err)
		}
		if Until(ctx, s.wait, func() bool { return gone(p) }) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("ending process %d: %w", p.PID, err)
		}
	}
	return fmt.Errorf("ending process %d: it outlives KILL", p.PID)
}

// gone tells whether a process has ended: no process has its pid, or a later one.
func gone(p Process) bool {
	now, err := ReadProcess(p.PID)
	return err == nil && (now == nil || !now.Start.IsZero() && now.Start.Sub(p.Start).Abs() > tolerance)
}

// Until asks again and again until it holds, the time is over or ctx ends. It
// reports whether it held.
func Until(ctx context.Context, limit time.Duration, holds func() bool) bool {
	deadline := time.Now().Add(limit)
	for !holds() {
		if !time.Now().Before(deadline) || !Pause(ctx, 100*time.Millisecond) {
			return false
		}
	}
	return true
}

// Pause waits, and reports whether ctx let it.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
