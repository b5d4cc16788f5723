package job

import (
	"fmt"
	"strings"
)

// Service returns the service of the job. 75, another tick of the scope still
// runs, is no failure of the unit.
func (j Job) Service() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=Hourly look at the sessions of the scope %s\n\n", j.Scope)
	b.WriteString("[Service]\nType=oneshot\nSuccessExitStatus=75\n")
	for _, v := range j.environment() {
		fmt.Fprintf(&b, "Environment=%s\n", quote(v.Name+"="+v.Value))
	}
	fmt.Fprintf(&b, "ExecStart=/bin/sh %s\n", strings.ReplaceAll(quote(j.tick()), "$", "$$"))
	return []byte(b.String()), nil
}

// Timer returns the timer of the service.
//
// Its minute of the hour is delayed by up to a quarter of an hour, a fixed time
// that systemd takes from the machine, the owner and the unit's name: the scopes
// and machines of one owner don't ask GitHub all at once, and an hour stays an
// hour. A run that was missed while the machine was off is made up once.
func (j Job) Timer() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
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
