package machine

import (
	"context"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fleet-tools/fleet/internal/command"
)

// platform fills what macOS tells of the machine.
func (w *World) platform() {
	w.OS = "darwin"
	w.Zone = zoneName(w.Getenv("TZ"), "/etc/localtime")
	res, err := command.Run(context.Background(), command.Spec{Argv: []string{"sysctl", "-n", "kern.boottime"}, Env: []string{"LC_ALL=C", "PATH=" + w.Getenv("PATH")},
		Timeout: 10 * time.Second, KillAfter: time.Second, MaxOutput: 1 << 10})
	if err == nil && res.Status == 0 {
		w.BootAt = bootTime(string(res.Stdout))
	}
	w.AwakeS = awake(unix.CLOCK_UPTIME_RAW)
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
