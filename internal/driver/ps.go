package driver

import (
	"strconv"
	"strings"
	"time"
)

// parsePS reads ps -o pid=,ppid=,lstart=,args= of the C locale in UTC.
func parsePS(out string) Table {
	var t Table
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 8 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		p := Process{PID: pid, Exe: f[7], Argv: f[7:]}
		p.PPID, _ = strconv.Atoi(f[1])
		p.Start, _ = time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(f[2:7], " "))
		t = append(t, p)
	}
	return t
}
