package observe

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
)

// claudeProcesses returns the Claude Code processes of this machine and those of the
// given pids.
func claudeProcesses(w *machine.World, pids map[int]bool) ([]claude.Process, error) {
	if w.Recorded() {
		return machine.RecordedProcesses[claude.Process](w)
	}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	ps := []claude.Process{}
	shown := map[int]bool{}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + d.Name()
		args, err := readProc(dir + "/cmdline")
		shown[pid] = err == nil
		if err != nil || len(args) == 0 {
			continue // ended meanwhile, hidden, or a kernel thread
		}
		argv := strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
		exe, err := os.Readlink(dir + "/exe")
		if err != nil {
			exe = argv[0]
		}
		exe = strings.TrimSuffix(exe, " (deleted)")
		if !claude.IsProgram(exe) && !claude.IsProgram(argv[0]) && !pids[pid] {
			continue
		}
		p := claude.Process{PID: pid, Exe: exe, Args: claude.Argv(argv)}
		p.Cwd, _ = os.Readlink(dir + "/cwd")
		p.Start, _ = startTime(dir)
		ps = append(ps, p)
	}
	return append(ps, hidden(pids, shown, func(pid int) error { return syscall.Kill(pid, 0) })...), nil
}

// readProc reads a file of /proc. An os.File would cost six system calls more for
// each process of the machine: it is prepared for waiting, which none of these
// needs.
func readProc(name string) ([]byte, error) {
	var fd int
	err := uninterrupted(func() (err error) {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	b := make([]byte, 0, 1024)
	for {
		n := 0
		err := uninterrupted(func() (err error) {
			n, err = syscall.Read(fd, b[len(b):cap(b)])
			return err
		})
		if err != nil || n == 0 {
			return b, err
		}
		b = slices.Grow(b[:len(b)+n], 512)
	}
}

// uninterrupted calls f again while a signal interrupts it.
func uninterrupted(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}

// hidden are the processes of the given pids that exist and that /proc does not
// show: mounted with hidepid it shows other users' to root only. That we may
// not signal them is all that is known of them.
func hidden(pids, shown map[int]bool, signal func(int) error) []claude.Process {
	var ps []claude.Process
	for _, pid := range slices.Sorted(maps.Keys(pids)) {
		if !shown[pid] && errors.Is(signal(pid), syscall.EPERM) {
			ps = append(ps, claude.Process{PID: pid})
		}
	}
	return ps
}

// startTime is field 22 of /proc/<pid>/stat: clock ticks since boot. The name
// in field 2 may hold blanks and brackets, so fields are counted from the last
// bracket.
func startTime(dir string) (string, error) {
	b, err := readProc(dir + "/stat")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return "", fmt.Errorf("%s/stat: %d fields", dir, len(fields))
	}
	return fields[19], nil
}
