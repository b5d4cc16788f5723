package observe

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
)

// platform fills what macOS tells of the machine.
func (w *World) platform() {
	w.OS = "darwin"
	w.Zone = zoneName(w.env("TZ"), "/etc/localtime")
	res, err := command.Run(context.Background(), w.spec("sysctl", "-n", "kern.boottime"))
	if err == nil && res.Status == 0 {
		w.BootAt = bootTime(string(res.Stdout))
	}
	w.AwakeS = awake(unix.CLOCK_UPTIME_RAW)
}

func (w *World) spec(argv ...string) command.Spec {
	return command.Spec{Argv: argv, Env: []string{"LC_ALL=C", "TZ=UTC", "PATH=" + w.env("PATH")},
		Timeout: 10 * time.Second, KillAfter: time.Second, MaxOutput: 16 << 20}
}

// Processes returns the Claude Code processes of this machine and those of the
// given pids. Their cwd is not told.
func (w *World) Processes(pids map[int]bool) ([]claude.Process, error) {
	if w.fixtures != "" {
		return w.recordedProcesses()
	}
	res, err := command.Run(context.Background(), w.spec("ps", "-axww", "-o", "pid=,lstart=,args="))
	if err != nil {
		return nil, err
	}
	if res.Status != 0 {
		return nil, fmt.Errorf("ps: exit status %d: %s", res.Status, res.FirstLine())
	}
	return claude.ParsePS(string(res.Stdout), pids), nil
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
