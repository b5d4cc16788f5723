package paseo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// scheduleFile is schedules/<id>.json as it is written, without the prompt and
// what else may hold secrets. Every key is always there in 0.1.65; the
// pointers are those that are written as null.
type scheduleFile struct {
	ID        string      `json:"id"`
	Name      *string     `json:"name"`
	Cadence   cadenceFile `json:"cadence"`
	Target    targetFile  `json:"target"`
	Status    string      `json:"status"`
	CreatedAt string      `json:"createdAt"`
	NextRunAt *string     `json:"nextRunAt"`
	LastRunAt *string     `json:"lastRunAt"`
	ExpiresAt *string     `json:"expiresAt"`
	MaxRuns   *int        `json:"maxRuns"`
	Runs      []runFile   `json:"runs"`
}

type targetFile struct {
	Type    string `json:"type"` // agent, new-agent
	AgentID string `json:"agentId"`
	Config  *struct {
		Cwd string `json:"cwd"`
	} `json:"config"`
}

type runFile struct {
	StartedAt *string `json:"startedAt"`
	EndedAt   *string `json:"endedAt"`
	Status    string  `json:"status"` // running, succeeded, failed
	Output    output  `json:"output"`
	Error     *string `json:"error"`
}

// output is whether a run's output, which is never kept, is an API error:
// Paseo counts such a run as succeeded (0.1.65).
type output bool

// apiErrorPrefix begins what Claude Code prints in place of an answer.
const apiErrorPrefix = `"API Error: `

// UnmarshalJSON takes any value.
func (o *output) UnmarshalJSON(b []byte) error {
	*o = output(strings.HasPrefix(string(b), apiErrorPrefix))
	return nil
}

// Schedule is a schedule as it is written, not yet seen against the clock.
type Schedule struct {
	ID      string
	Cwd     string // of the agent it makes, as written, for looking it up; "" when it prompts an agent
	AgentID string // agent that it prompts; "" when it makes one
	Cadence Cadence

	name, status       string
	nextRun, lastRun   time.Time
	createdAt, expires time.Time
	maxRuns            int
	runs               []run
}

type run struct {
	started, ended time.Time
	status, err    string
	apiError       bool
}

// ParseSchedule reads a schedule. The error is that of a file which is no JSON
// (0.1.65 writes a schedule in place, so one that is being written is empty),
// has a field of another type, or no id, status, cadence or target.
func ParseSchedule(b []byte, d *Drift) (Schedule, error) {
	var f scheduleFile
	if err := decode(b, &f); err != nil {
		return Schedule{}, err
	}
	switch {
	case !isID(f.ID):
		return Schedule{}, errors.New("no id")
	case f.Status == "":
		return Schedule{}, errors.New("no status")
	case f.Cadence.Type == "":
		return Schedule{}, errors.New("no cadence")
	case f.Target.Type == "":
		return Schedule{}, errors.New("no target")
	}
	s := Schedule{
		ID:        guard.ID(f.ID),
		Cadence:   f.Cadence.cadence(d),
		name:      guard.Text(value(f.Name), nameWidth),
		status:    d.known("schedule status", f.Status, active, "paused", "completed"),
		nextRun:   d.time("nextRunAt", f.NextRunAt),
		lastRun:   d.time("lastRunAt", f.LastRunAt),
		createdAt: d.time("schedule createdAt", &f.CreatedAt),
		expires:   d.time("expiresAt", f.ExpiresAt),
		maxRuns:   value(f.MaxRuns),
	}
	switch f.Target.Type {
	case "agent":
		if isID(f.Target.AgentID) {
			s.AgentID = guard.ID(f.Target.AgentID)
		}
	case "new-agent":
		if f.Target.Config != nil {
			s.Cwd = f.Target.Config.Cwd
		}
	default:
		d.Add("target type", f.Target.Type)
	}
	for _, r := range f.Runs {
		s.runs = append(s.runs, run{
			started:  d.time("run startedAt", r.StartedAt),
			ended:    d.time("run endedAt", r.EndedAt),
			status:   d.known("run status", r.Status, running, "succeeded", "failed"),
			err:      guard.Text(value(r.Error), errorWidth),
			apiError: bool(r.Output),
		})
	}
	return s, nil
}

const (
	active      = "active"
	running     = "running"
	interrupted = "interrupted"
)

// lateAfter is how long after its time an active schedule is stale.
const lateAfter = time.Hour

// Look is what a schedule is seen against.
type Look struct {
	At     time.Time // when it was looked at
	Zone   string    // IANA zone of the host; "" when it is not known
	Daemon Daemon
	Agents map[string]record.Agent // by id

	AllAgents bool // Agents is every agent that there is
}

// Seen returns the schedule as a payload. Cwd, Repo and Placement are those of
// the agent that it prompts; of a schedule that makes an agent the caller sets
// them from s.Cwd.
func (s Schedule) Seen(l Look) record.Schedule {
	last, result := s.lastRunAt(), s.result(l)
	next, computed := s.next(l)
	near := next
	if near.IsZero() {
		near = l.At
	}
	r := record.Schedule{
		Source:     "paseo",
		ID:         s.ID,
		Name:       s.name,
		Cadence:    s.Cadence.Words(near, l.Zone),
		Zone:       s.Cadence.Zone,
		Status:     s.status,
		AgentID:    s.AgentID,
		LastRun:    record.TimeOf(last),
		LastResult: result,
		NextRun:    record.TimeOf(next),
		ExpiresAt:  record.TimeOf(s.expires),
		Runs:       len(s.runs),
		MaxRuns:    s.maxRuns,
		Stale:      s.status == active && !next.IsZero() && l.At.Sub(next) > lateAfter && result != running,
	}
	if a, ok := l.Agents[s.AgentID]; ok && s.AgentID != "" {
		r.Cwd, r.Repo, r.Placement = a.Cwd, a.Repo, a.Placement
	}
	r.Detail = s.detail(l, result, computed)
	return r
}

// expired tells whether the schedule is over although nobody has said so yet:
// the daemon completes it when it looks next, which a dead one does not.
func (s Schedule) expired(l Look) bool { return !s.expires.IsZero() && s.expires.Before(l.At) }

// next is when the schedule is due; zero when it is not. Paseo writes null for
// a schedule that is paused or completed, and leaves the time of a run that is
// still going on in the past.
func (s Schedule) next(l Look) (due time.Time, computed bool) {
	switch {
	case s.status == "paused" || s.status == "completed" || s.expired(l):
		return time.Time{}, false
	case s.nextRun.IsZero() && s.status == active:
		return s.Cadence.Next(l.At)
	}
	return s.nextRun, false
}

// lastRunAt is the newest start or end of a run: lastRunAt of the file is set
// when a run ends, and not for one that a restart of the daemon cut off.
func (s Schedule) lastRunAt() time.Time {
	last := s.lastRun
	for _, r := range s.runs {
		for _, t := range []time.Time{r.started, r.ended} {
			if t.After(last) {
				last = t
			}
		}
	}
	return last
}

// result is how the last run went, "" when none is known. An open run that
// began under a daemon which has ended since is interrupted: nobody will end
// it.
func (s Schedule) result(l Look) string {
	open := s.open()
	switch {
	case open != nil:
		if left := l.Daemon.Leftover(open.started); left != nil && *left {
			return interrupted
		}
		return running
	case len(s.runs) == 0:
		return ""
	}
	return s.runs[len(s.runs)-1].status
}

// open is the newest run that has not ended; nil when there is none.
func (s Schedule) open() *run {
	for i := len(s.runs) - 1; i >= 0; i-- {
		if r := &s.runs[i]; r.status == running {
			return r
		}
	}
	return nil
}

// detail is what a person should know beside the rest, on one line.
func (s Schedule) detail(l Look, result string, computed bool) string {
	var says []string
	add := func(when bool, format string, args ...any) {
		if when {
			says = append(says, fmt.Sprintf(format, args...))
		}
	}
	open := s.open()
	add(open != nil && result == interrupted, "the run of %s was cut off when the daemon ended", stamp(open))
	add(open != nil && result == running, "a run is open since %s", stamp(open))
	add(open != nil && result == running && l.Daemon.Lives == nil, "whether a daemon lives is not known")
	if n := len(s.runs); n > 0 {
		last := s.runs[n-1]
		add(last.err != "", "error: %s", last.err)
		add(last.apiError, "the output of the last run is an API error, which Paseo counts as a success")
	}
	a, found := l.Agents[s.AgentID]
	add(s.AgentID != "" && l.AllAgents && !found, "the agent that it prompts has no record")
	add(s.AgentID != "" && found && a.Archived, "the agent that it prompts is archived")
	add(s.Cadence.raw != "" && s.Cadence.Note != "", "%s", s.Cadence.Note) // else Cadence says so
	add(computed, "the next run is computed, the file has none")
	add(s.status == active && s.expired(l), "it has expired")
	add(s.status == active && !s.expired(l) && l.Daemon.dead(), "no daemon lives to run it")
	return strings.Join(says, "; ")
}

func stamp(r *run) string {
	if r == nil || r.started.IsZero() {
		return "an unknown time"
	}
	return r.started.Format("2006-01-02 15:04 UTC")
}
