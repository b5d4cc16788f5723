package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Job is a loaded job as launchctl print describes it. launchctl promises no
// form; only lines of one tab are the job's own, deeper ones are those of what
// belongs to it.
type Job struct {
	State    string        // running, not running …
	Runs     int           // since it was loaded; -1 when that is not said
	Exit     int           // of the last run; -1 when none has ended by itself
	ExitName string        // launchd's name of the status, such as EX_CONFIG
	Signal   string        // what ended the last run, such as "Killed: 9"
	Every    time.Duration // run interval; 0 when there is none
}

// ErrNotLoaded says that launchd does not know the label.
var ErrNotLoaded = errors.New("not loaded")

// notLoadedStatus is how launchctl print ends then.
const notLoadedStatus = 113

// ParsePrint reads the answer of launchctl print. The error is ErrNotLoaded,
// or says why nothing is known of the job.
func ParsePrint(status int, stdout, stderr string, d *Drift) (Job, error) {
	switch {
	case status == notLoadedStatus && strings.Contains(stderr, "Could not find service"):
		return Job{}, ErrNotLoaded
	case status != 0:
		return Job{}, errors.New(strings.TrimSuffix(fmt.Sprintf("launchctl print: exit status %d: %s", status, guard.Text(stderr, errorWidth)), ": "))
	}
	j := Job{Runs: -1, Exit: -1}
	read := map[string]bool{}
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\r\n")
		own, ok := strings.CutPrefix(line, "\t")
		key, value, pair := strings.Cut(own, " = ") // a deeper line's key begins with a tab
		if !ok || !pair || read[key] || guard.Text(value, wordWidth) == "{" {
			continue
		}
		read[key] = true
		j.line(key, value, d)
	}
	if j.State == "" {
		return Job{}, errors.New("launchctl print: it tells no state")
	}
	return j, nil
}

func (j *Job) line(key, value string, d *Drift) {
	switch key {
	case "state":
		j.State = d.known("state", value, "running", "not running", "spawn scheduled", "waiting", "xpcproxy", "exited")
	case "runs":
		j.Runs = number(value, "runs", d)
	case "last exit code":
		if value == "(never exited)" {
			return
		}
		n, name, _ := strings.Cut(value, ": ")
		if j.Exit = number(n, key, d); j.Exit >= 0 {
			j.ExitName = guard.Text(name, wordWidth)
		}
	case "last terminating signal":
		j.Signal = guard.Text(value, wordWidth)
	case "run interval":
		n, ok := strings.CutSuffix(value, " seconds")
		if s := number(n, key, d); ok && s > 0 {
			j.Every = time.Duration(s) * time.Second
		}
	}
}

// number is a number of at most nine digits; -1 for anything else, which is
// drift.
func number(s, what string, d *Drift) int {
	n, err := strconv.ParseUint(s, 10, 30)
	if err != nil {
		d.add(what, s)
		return -1
	}
	return int(n)
}

// Encode returns an answer of which ParsePrint makes the same job.
func (j Job) Encode(label string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "gui/%s = {\n\tstate = %s\n", guard.Text(label, nameWidth), j.State)
	if j.Runs >= 0 {
		fmt.Fprintf(&b, "\truns = %d\n", j.Runs)
	}
	switch {
	case j.Exit >= 0 && j.ExitName != "":
		fmt.Fprintf(&b, "\tlast exit code = %d: %s\n", j.Exit, j.ExitName)
	case j.Exit >= 0:
		fmt.Fprintf(&b, "\tlast exit code = %d\n", j.Exit)
	}
	if j.Signal != "" {
		fmt.Fprintf(&b, "\tlast terminating signal = %s\n", j.Signal)
	}
	if j.Every > 0 {
		fmt.Fprintf(&b, "\trun interval = %d seconds\n", j.Every/time.Second)
	}
	return b.String() + "}\n"
}

// running tells a job that is at work, or is being started.
func (j *Job) running() bool { return j.State == "running" || j.State == "xpcproxy" }

// Seen is what an agent is seen with.
type Seen struct {
	Job   *Job      // nil when it is not loaded, or that is not known
	Asked bool      // launchd answered
	Log   string    // the log whose time is that of the last run; "" when none is named
	Ran   time.Time // its time; zero when it is not there
}

// Record returns the agent as a payload. launchd does not tell when a job ran
// last: the time of its log does.
func (a Agent) Record(l Look, s Seen) record.Schedule {
	r := record.Schedule{Source: "launchd", ID: guard.ID(a.Label), Name: guard.Text(a.Label, nameWidth), Cadence: a.Words(l.Zone)}
	if len(a.Calendar) > 0 {
		r.Zone = l.Zone
	}
	loaded := s.Job != nil
	var d says
	switch {
	case loaded && s.Job.running():
		r.Status, r.LastResult = statusRunning, statusRunning
	case loaded:
		r.Status = statusLoaded
	case s.Asked:
		r.Status = statusNotLoaded
		d.add(true, "launchd does not start it: it is not loaded")
	default:
		r.Status = statusUnknown
		d.add(true, "whether it is loaded is not known")
	}
	d.add(a.Disabled, "its file says that it is disabled")
	a.ran(&r, l, s, &d)
	if zone := l.location(); loaded && len(a.Calendar) > 0 && zone != nil {
		next, note, _ := nextOf(a.Calendar, l.At, zone)
		r.NextRun = record.TimeOf(next)
		d.add(next.IsZero(), "its calendar has no such day")
		d.add(note != "", "%s", note)
	}
	d.add(len(a.Calendar) > 0 && l.location() == nil, "the zone of this machine is not known, so neither is its next run")
	for _, note := range a.Notes {
		d.add(true, "%s", note)
	}
	r.Detail = d.line()
	return r
}

// ran fills what is known of past runs, and whether one is missing.
func (a Agent) ran(r *record.Schedule, l Look, s Seen, d *says) {
	period, ran := a.Period(), s.Ran
	if l.future(ran) {
		d.add(true, "its log bears a time that has not come yet")
		ran = time.Time{}
	}
	r.LastRun = record.TimeOf(ran)
	none := true // nothing is known of a run
	if j := s.Job; j != nil {
		r.Runs = max(j.Runs, 0)
		none = j.Runs <= 0
		if j.Every > 0 && j.Every != a.Every {
			d.add(true, "it was loaded to run every %s: its file was changed since", Every(j.Every))
			period = j.Every
		}
		switch {
		case j.running():
		case j.Signal != "":
			r.LastResult = failed
			d.add(true, "the last run was ended by a signal: %s", j.Signal)
		case j.Exit == 0:
			r.LastResult = succeeded
		case j.Exit > 0:
			r.LastResult = fmt.Sprintf("exit %d", j.Exit)
			d.add(j.ExitName != "", "the last run ended with %s", j.ExitName)
		}
		d.add(j.Runs == 0, "it has not run since it was loaded")
	}
	d.add(!none && s.Log == "" && period > 0, "when it ran last cannot be told: no log of it is named")
	d.add(s.Log != "" && s.Ran.IsZero(), "its log is not there")
	if s.Job == nil || s.Job.running() || period == 0 {
		return
	}
	// A job that did run and of which no log is named is not known to be late.
	late := l.late(ran, period)
	switch {
	case !ran.IsZero():
	case s.Log != "" || none:
		late = "no run of it is known"
	default:
		late = ""
	}
	r.Stale = late != ""
	d.add(late != "", "%s", late)
}
