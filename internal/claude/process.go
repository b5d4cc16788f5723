package claude

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// Process is a process of the process table: a Claude Code one, or one that a
// process file names.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // Linux: field 22 of /proc/<pid>/stat; macOS: ps lstart in UTC; "" when unreadable
	Cwd   string `json:"cwd"`   // "" when unreadable
	Exe   string `json:"exe"`   // path of the executable, or argv[0] where only that is known
	Args  string `json:"args,omitempty"`
}

// IsProgram tells a Claude Code executable by its path: named claude, or a
// version that the native installer keeps, such as
// ~/.local/share/claude/versions/2.1.280 (Claude Code 2.1.280).
func IsProgram(exe string) bool {
	return path.Base(exe) == "claude" || path.Base(path.Dir(exe)) == "versions" && path.Base(path.Dir(path.Dir(exe))) == "claude"
}

// Argv keeps of a command line what tells a session from a helper: the
// program and the first argument when it is a command word or a flag without a
// value. A prompt never gets through.
func Argv(argv []string) string {
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

// ticks is how many clock ticks /proc counts in a second, on every Linux.
const ticks = 100

// lastSecond is in the year 2286; what is later is no start of a process.
const lastSecond = 10_000_000_000

const lstart = "Mon Jan 2 15:04:05 2006" // of ps

// Began is when a process began, in UTC, by the start that a table has of it and
// the start of its machine. It is zero when it cannot be told.
func Began(start string, boot time.Time) time.Time {
	if n, err := strconv.ParseInt(start, 10, 64); err == nil {
		if boot.IsZero() || n < 0 || n > lastSecond*ticks {
			return time.Time{}
		}
		return boot.Add(time.Duration(n%ticks) * (time.Second / ticks)).Add(time.Duration(n/ticks) * time.Second)
	}
	t, err := time.Parse(lstart, strings.Join(strings.Fields(start), " "))
	if err != nil {
		return time.Time{}
	}
	return t
}
