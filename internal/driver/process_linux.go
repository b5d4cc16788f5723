package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
)

// Processes returns the process table, without what has ended and was not
// waited for.
func Processes(context.Context) (Table, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	var t Table
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		p, err := ReadProcess(pid)
		if err != nil {
			return nil, err
		}
		if p != nil {
			t = append(t, *p)
		}
	}
	return t, nil
}

// ReadProcess returns the process of a pid; nil when there is none.
func ReadProcess(pid int) (*Process, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(dir + "stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading process %d: %w", pid, err)
	}
	// The name, in brackets, may hold blanks and brackets.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return nil, fmt.Errorf("reading process %d: %d fields", pid, len(f))
	}
	if f[0] == "Z" || f[0] == "X" {
		return nil, nil
	}
	p := &Process{PID: pid}
	p.PPID, _ = strconv.Atoi(f[1])
	if at := macf.StartTime(f[19], boot()); at != nil {
		p.Start = at.Time
	}
	if args, err := os.ReadFile(dir + "cmdline"); err == nil && len(args) > 0 {
		p.Argv = strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
		p.Exe = p.Argv[0]
	}
	if exe, err := os.Readlink(dir + "exe"); err == nil {
		p.Exe = strings.TrimSuffix(exe, " (deleted)")
	}
	return p, nil
}

// boot is when the machine started.
func boot() time.Time {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(b)) {
		if s, ok := strings.CutPrefix(line, "btime "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
				return time.Unix(n, 0).UTC()
			}
		}
	}
	return time.Time{}
}

// Cwd returns the working directory of a process.
func Cwd(_ context.Context, pid int) (string, error) {
	return os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
}
