package observe

import (
	"path"
	"strconv"
	"strings"
	"syscall"

	"os"
)

// isClaude tells a Claude Code executable by its path: named claude, or a
// version that the native installer keeps, such as
// ~/.local/share/claude/versions/2.1.280 (Claude Code 2.1.280).
func isClaude(exe string) bool {
	return path.Base(exe) == "claude" || path.Base(path.Dir(exe)) == "versions" && path.Base(path.Dir(path.Dir(exe))) == "claude"
}

// argvWords keeps of a command line what tells a session from a helper: the
// program and the first argument when it is a command word or a flag without a
// value. A prompt never gets through.
func argvWords(argv []string) string {
	if len(argv) > 1 && helperWords[argv[1]] {
		return argv[0] + " " + argv[1]
	}
	return argv[0]
}

// helperWords are first arguments of Claude Code processes that are no session
// (claude --help and the process table of 2.1.280).
var helperWords = map[string]bool{
	"daemon": true, "bg-spare": true, "--bg-spare": true, "bg-pty-host": true, "--bg-pty-host": true, "agents": true, "attach": true,
	"logs": true, "stop": true, "rm": true, "respawn": true, "mcp": true, "update": true, "doctor": true, "install": true,
	"plugin": true, "config": true, "auth": true, "setup-token": true, "--version": true, "-v": true, "--help": true, "-h": true,
}

// Session tells whether a process is a session: no daemon, spare or command.
func (p Process) Session() bool {
	f := strings.Fields(p.Args)
	return len(f) < 2 || !helperWords[f[1]]
}

// parsePS reads ps -o pid=,lstart=,args= of the C locale in UTC. lstart is five
// words: Tue Sep  8 03:12:45 2026.
func parsePS(out string) []Process {
	ps := []Process{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 7 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil || !isClaude(f[6]) {
			continue
		}
		ps = append(ps, Process{PID: pid, Start: strings.Join(f[1:6], " "), Exe: f[6], Args: argvWords(f[6:])})
	}
	return ps
}

// Alive tells whether a pid exists: nil when that cannot be told. A process
// that we may not signal exists.
func (w *World) Alive(pid int) *bool {
	if w.fixtures != "" {
		ps, err := w.recordedProcesses()
		if err != nil {
			return nil
		}
		alive := false
		for _, p := range ps {
			alive = alive || p.PID == pid
		}
		return &alive
	}
	err := syscall.Kill(pid, 0)
	alive := err == nil || err == syscall.EPERM
	return &alive
}

// zoneName is the IANA name of the local zone: TZ when it names one, else the
// target of /etc/localtime below zoneinfo, else "".
func zoneName(tz, localtime string) string {
	tz = strings.TrimPrefix(tz, ":")
	if tz != "" && !strings.HasPrefix(tz, "/") {
		return tz
	}
	if target, err := os.Readlink(localtime); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	if b, err := os.ReadFile("/etc/timezone"); err == nil {
		return strings.TrimSpace(string(b))
	}
	return ""
}
