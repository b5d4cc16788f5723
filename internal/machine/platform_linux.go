package machine

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// platform fills what Linux tells of the machine.
func (w *World) platform() {
	w.OS = "linux"
	w.Zone = zoneName(w.Getenv("TZ"), "/etc/localtime")
	if b, err := os.ReadFile("/proc/stat"); err == nil {
		for line := range strings.Lines(string(b)) {
			if s, ok := strings.CutPrefix(line, "btime "); ok {
				if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
					w.BootAt = time.Unix(n, 0).UTC()
				}
			}
		}
	}
	w.AwakeS = awake(unix.CLOCK_MONOTONIC)
}
