// Package process reads the process table of this machine: /proc on Linux (man 5
// proc), ps on macOS.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Process is a process that was there when the table was read.
type Process struct {
	PID    int
	Exe    string   // path of the executable, or argv[0] where only that is known; "" of a kernel thread
	Argv   []string // nil of a kernel thread; on macOS cut at blanks
	Hidden bool     // its command line may not be read, so Exe and Argv are not known
	stat   Stat     // of ps, which tells it with the rest
}

// Stat is what else there is of a process.
type Stat struct {
	PPID  int
	Start string // Linux: clock ticks since boot; macOS: a time in UTC, as ps writes it. See claude.Began
	Ended bool   // nobody waited for it yet
}

// parsePS reads ps -o pid=,ppid=,lstart=,args= of the C locale in UTC. lstart is
// five words: Tue Sep  8 03:12:45 2026. Other lines are none of ps.
func parsePS(out string) []Process {
	ps := []Process{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 8 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		ppid, bad := strconv.Atoi(f[1])
		if err != nil || bad != nil {
			continue
		}
		ps = append(ps, Process{PID: pid, Exe: f[7], Argv: f[7:], stat: Stat{PPID: ppid, Start: strings.Join(f[2:7], " ")}})
	}
	return ps
}

// parseStat reads /proc/<pid>/stat, of which field 3 is the state, 4 the parent and
// 22 the start. The name in field 2 may hold blanks and brackets, so fields are
// counted from the last bracket.
func parseStat(b []byte) (Stat, error) {
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return Stat{}, fmt.Errorf("%d fields after the name", len(f))
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return Stat{}, fmt.Errorf("its parent is %q", f[1])
	}
	return Stat{PPID: ppid, Start: f[19], Ended: f[0] == "Z" || f[0] == "X"}, nil
}

// parseLsof reads lsof -d cwd -Fn of one process: a line of it is n and the directory.
func parseLsof(out string) (string, error) {
	for line := range strings.Lines(out) {
		if dir, ok := strings.CutPrefix(line, "n"); ok {
			return strings.TrimSuffix(dir, "\n"), nil
		}
	}
	return "", errors.New("lsof does not tell the directory")
}

// bootTime reads sysctl's "{ sec = 1795960000, usec = 0 } Sun Nov 29 …".
func bootTime(s string) time.Time {
	_, s, ok := strings.Cut(s, "sec = ")
	s, _, cut := strings.Cut(s, ",")
	n, err := strconv.ParseInt(s, 10, 64)
	if !ok || !cut || err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}
