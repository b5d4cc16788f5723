package claudebox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Process is a running process, from /proc.
type Process struct {
	PID   int
	Start string // field 22 of /proc/PID/stat: clock ticks since boot
	Cwd   string
	Exe   string
	Args  []string
}

// Processes returns every process whose executable is the box's binary.
func (b *Box) Processes() []Process {
	binary, err := filepath.EvalSymlinks(b.Binary)
	if err != nil {
		return nil
	}
	var found []Process
	for _, pid := range pids() {
		if p, err := process(pid); err == nil && p.Exe == binary {
			found = append(found, p)
		}
	}
	return found
}

// Close ends the sessions and every other process that the box started, and removes what they
// leave outside of the HOME.
func (b *Box) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		deadline := time.Now().Add(5 * time.Second)
		for left := b.started(); len(left) > 0 && time.Now().Before(deadline); left = b.started() {
			for _, pid := range left {
				syscall.Kill(pid, sig) // it may have ended meanwhile
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	if err := Await(ctx, "the box's processes to end", func() bool { return len(b.started()) == 0 }); err != nil {
		return fmt.Errorf("closing the box: %w: pids %v", err, b.started())
	}
	return errors.Join(os.RemoveAll(b.daemonDir()), os.RemoveAll(b.tmp))
}

// daemonDir is where Claude Code's daemon keeps its sockets: outside of the HOME, for the length of their paths.
func (b *Box) daemonDir() string {
	sum := sha256.Sum256([]byte(b.ClaudeDir()))
	return fmt.Sprintf("/tmp/cc-daemon-%d/%s", os.Getuid(), hex.EncodeToString(sum[:])[:8])
}

// started returns the pids of the processes that carry the box's marker.
func (b *Box) started() []int {
	want := []byte("\x00" + marker + "=" + b.Home + "\x00")
	var found []int
	for _, pid := range pids() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && pid != os.Getpid() && bytes.Contains(append([]byte{0}, env...), want) {
			found = append(found, pid)
		}
	}
	return found
}

func pids() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

func process(pid int) (Process, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	exe, errExe := os.Readlink(dir + "exe")
	cwd, errCwd := os.Readlink(dir + "cwd")
	args, errArgs := os.ReadFile(dir + "cmdline")
	stat, errStat := os.ReadFile(dir + "stat")
	if err := errors.Join(errExe, errCwd, errArgs, errStat); err != nil {
		return Process{}, err
	}
	start, err := startTicks(string(stat))
	if err != nil {
		return Process{}, fmt.Errorf("reading %sstat: %w", dir, err)
	}
	return Process{
		PID: pid, Start: start, Cwd: cwd, Exe: exe,
		Args: strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"),
	}, nil
}

// startTicks returns field 22 of a stat line. The second field, in parentheses, may hold anything.
func startTicks(stat string) (string, error) {
	_, rest, ok := cutLast(stat, ")")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("malformed line %q", stat)
	}
	return fields[19], nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
