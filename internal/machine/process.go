package machine

import (
	"os"
	"strings"
	"syscall"
)

// Alive tells whether a pid exists: nil when that cannot be told. A process
// that we may not signal exists.
func (w *World) Alive(pid int) *bool {
	if w.Recorded() {
		ps, err := RecordedProcesses[struct{ PID int }](w)
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
