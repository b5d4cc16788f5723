package schedule

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Timer is a user timer and what is known of it.
type Timer struct {
	Unit    Unit
	Service *Unit   // what it starts; nil when that is not known
	Elapse  *Elapse // nil when systemd does not hold it in memory
}

// lateAfter is how long after its time a timer that systemd did not start is
// late.
const lateAfter = time.Hour

// Record returns the timer as a payload.
func (t Timer) Record(l Look, drift *Drift) record.Schedule {
	u := t.Unit
	r := record.Schedule{Source: "systemd", ID: guard.ID(u.Name), Name: guard.Text(u.Name, nameWidth)}
	if d := guard.Text(u.Description, nameWidth); d != "" && u.Description != u.Name {
		r.Name = d
	}
	var period time.Duration
	var d says
	r.Cadence, r.Zone, period = u.cadence(l)
	r.Status = u.status(&d, drift)
	last, running := t.ran(&r, l, drift, &d)
	if t.Elapse != nil {
		r.NextRun = record.TimeOf(t.Elapse.Next)
	}
	if r.Status == statusActive || r.Status == statusRunning {
		late := t.late(l, last, period)
		if running {
			late = ""
		}
		r.Stale = late != ""
		d.add(late != "", "%s", late)
		d.add(r.LastRun == nil && !r.Stale && !running, "it has not run yet")
	}
	r.Detail = d.line()
	return r
}

// status is the state of a timer in a Status word.
func (u Unit) status(d *says, drift *Drift) string {
	if u.Load != "loaded" {
		drift.known("load state", u.Load, "loaded", "not-found", "bad-setting", "error", "masked", "merged", "stub")
		d.add(true, "systemd does not load it: %s", u.why())
		return statusNotLoaded
	}
	switch u.Active {
	case "active", "reloading":
		switch drift.known("timer state", u.Sub, "waiting", "running", "elapsed") {
		case "running":
			return statusRunning
		case "elapsed":
			d.add(true, "it has elapsed and is not due again")
			return statusCompleted
		}
		return statusActive
	case "failed":
		d.add(true, "the timer itself has failed: %s", u.Result)
		return statusFailed
	case "inactive":
		file := drift.known("unit file state", u.FileState, "enabled", "enabled-runtime", "disabled", "static", "linked", "linked-runtime", "indirect",
			"generated", "transient", "alias", "")
		d.add(strings.HasPrefix(file, "enabled"), "it is enabled and was stopped")
		d.add(!strings.HasPrefix(file, "enabled"), "it was not started, and is not enabled (%s)", file)
		return statusPaused
	}
	return drift.known("active state", u.Active, "activating", "deactivating", "maintenance")
}

// why a unit is not loaded: systemd's sentence, which its bus gives a name, else
// its word.
func (u Unit) why() string {
	sentence := u.LoadError
	if _, quoted, ok := strings.Cut(sentence, ` "`); ok {
		sentence = strings.TrimSuffix(quoted, `"`)
	}
	return guard.Text(cmp.Or(sentence, u.Load), errorWidth)
}

// ran fills what is known of past runs and returns when the last one was, zero
// when that is not known, and whether one is going on.
func (t Timer) ran(r *record.Schedule, l Look, drift *Drift, d *says) (last time.Time, running bool) {
	last = t.Unit.LastTrigger
	if t.Elapse != nil && !t.Elapse.Last.IsZero() {
		last = t.Elapse.Last
	}
	switch s := t.Service; {
	case s == nil:
	case s.Load != "loaded":
		d.add(true, "what it starts is not there: %s is %s", guard.Text(s.Name, nameWidth), s.Load)
	case last.IsZero(): // what ran was not started by this timer
	case s.busy():
		r.LastResult, running = statusRunning, true
	default:
		r.LastResult = s.result(drift, d)
	}
	if l.future(last) {
		d.add(true, "its last run bears a time that has not come yet")
		last = time.Time{}
	}
	r.LastRun = record.TimeOf(last)
	return last, running
}

// busy tells a service that is at work. One that remains active after its
// process has ended is not.
func (u *Unit) busy() bool {
	switch u.Active {
	case "active":
		return u.Sub != "exited"
	case "activating", "deactivating", "reloading":
		return true
	}
	return false
}

// result is how the last run of a service ended; "" when none has since it was
// loaded, as after a start of the machine,
// or when it is none that has an end, such as a target.
func (u *Unit) result(drift *Drift, d *says) string {
	switch {
	case u.Result == "", u.Result == "success" && u.Exited.IsZero():
		return ""
	case u.Result == "success":
		return succeeded
	case u.Result == "exit-code" && u.Status > 0:
		return fmt.Sprintf("exit %d", u.Status)
	}
	d.add(true, "the last run ended so: %s", drift.known("result", u.Result, "exit-code", "signal", "core-dump", "timeout", "watchdog",
		"start-limit-hit", "oom-kill", "resources", "protocol", "exec-condition"))
	return failed
}

// late is how late the timer is, "" when it is not: it was due over an hour
// ago, or its last run is too old. A timer that never ran has waited since it
// became active.
func (t Timer) late(l Look, last time.Time, period time.Duration) string {
	switch {
	case t.Elapse != nil && !t.Elapse.Next.IsZero() && l.At.Sub(t.Elapse.Next) > lateAfter:
		return "late: systemd did not start it when it was due"
	case !last.IsZero():
		return l.late(last, period)
	case t.Unit.ActiveSince.IsZero() || l.late(t.Unit.ActiveSince, period) == "":
		return ""
	}
	return "no run of it is known"
}
