package job

import (
	"fmt"
	"strings"
)

// Service returns the service of the job. 75, another tick of the scope still
// runs, is no failure of the unit. What a sweep started runs on when it has ended:
// systemd ends the rest of a service else, sessions and all.
func (j Job) Service() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	var b strings.Builder
	what, more := "Hourly look at the sessions", ""
	if j.Every > 0 {
		what, more = "Sweep over the agents", "KillMode=process\n"
	}
	fmt.Fprintf(&b, "[Unit]\nDescription=%s of the scope %s\n\n[Service]\nType=oneshot\nSuccessExitStatus=75\n%s", what, j.Scope, more)
	for _, v := range j.environment() {
		fmt.Fprintf(&b, "Environment=%s\n", quote(v.Name+"="+v.Value))
	}
	fmt.Fprintf(&b, "ExecStart=/bin/sh %s\n", strings.ReplaceAll(quote(j.script()), "$", "$$"))
	return []byte(b.String()), nil
}

// Timer returns the timer of the service.
//
// Its minute of the hour is delayed by up to a quarter of an hour, a fixed time
// that systemd takes from the machine, the owner and the unit's name: the scopes
// and machines of one owner don't ask GitHub all at once, and an hour stays an
// hour. A run that was missed while the machine was off is made up once. A sweep
// comes a minute after the timer was started, each next one so many minutes after
// the last has ended.
func (j Job) Timer() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	if j.Every > 0 {
		return fmt.Appendf(nil, "[Unit]\nDescription=Every %d min: %s.service\n\n"+
			"[Timer]\nOnActiveSec=1min\nOnUnitInactiveSec=%dmin\nAccuracySec=10s\n\n"+
			"[Install]\nWantedBy=timers.target\n", j.Every, j.Unit(), j.Every), nil
	}
	return fmt.Appendf(nil, "[Unit]\nDescription=Every hour: %s.service\n\n"+
		"[Timer]\nOnCalendar=hourly\nRandomizedDelaySec=15min\nFixedRandomDelay=true\nPersistent=true\n\n"+
		"[Install]\nWantedBy=timers.target\n", j.Unit()), nil
}

// quote returns s as one word of a unit file, whose specifiers begin with a
// percent sign. In a command the caller doubles the dollar signs too: in
// Environment they mean nothing.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
}
