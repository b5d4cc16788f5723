package classify

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// life is a session as Claude Code keeps it: what happened to it, from which
// every source follows. Sources that one program writes of one event agree, as
// they do on disk: a turn that ended in an error leaves no tool prompt open,
// and a hook writes a death when a turn has ended.
type life struct {
	kind     string // interactive, background, shell
	alive    bool
	raw      string // status while alive, or what a killed process left
	waiting  string
	left     bool // a dead process left its file
	booted   bool // the machine restarted since
	rawState string
	tempo    string
	needs    string
	detail   string
	end      change // how the transcript ends
	prompted bool
	age      time.Duration
	young    bool // a job that began a minute ago
	status   time.Duration
}

var (
	lifeEnds = []change{
		func(*record.Session) {},
		func(s *record.Session) { s.Transcript.LastTurn = "interrupted" },
		fails("server_error", 529, busy529),
		fails("authentication_failed", 401, "Not logged in · Please run /login"),
		limited(hitLimit, ago(-time.Hour)),
		limited("You've hit your weekly limit · resets Nov 28, 2pm (UTC)", nil),
		word("DONE"), word("BLOCKED"),
		func(s *record.Session) { s.Transcript.Question = &record.Question{Kind: "prose", Text: "Go on?"} },
	}
	lifeAges = []time.Duration{0, 10 * time.Second, 110 * time.Second, 10 * time.Minute, 59 * time.Minute, time.Hour, 2*time.Hour + time.Second, 30 * time.Hour}
)

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// newLife makes one up.
func newLife(r *rand.Rand) life {
	l := life{kind: pick(r, "interactive", "background", "background", "shell"), alive: r.IntN(3) > 0, prompted: r.IntN(8) > 0,
		age: pick(r, lifeAges...), status: pick(r, lifeAges...), end: func(*record.Session) {}}
	open := func(s *record.Session) { s.Transcript.LastTurn = "open" }
	switch l.raw = pick(r, "idle", "idle", "busy", "shell", "waiting"); l.raw {
	case "idle":
		if l.end = pick(r, lifeEnds...); r.IntN(6) == 0 {
			l.end = pick(r, asking("question", "Which?", "A"), asking("plan", "1. Do"), change(open))
		}
	case "busy":
		l.end, l.prompted = open, true
	case "shell":
		l.prompted = true
	case "waiting":
		l.prompted = true
		if l.waiting = pick(r, "permission prompt", "input needed", "dialog open", "goal proposal", ""); l.waiting == "input needed" {
			l.end = asking("question", "Which?", "A")
		} else if l.end = open; l.waiting == "dialog open" {
			l.end = pick(r, lifeEnds...)
		}
	}
	if l.kind != "interactive" {
		l.job(r)
	}
	if l.young = r.IntN(5) == 0; l.young {
		l.age, l.status = pick(r, 0, 10*time.Second, 50*time.Second), pick(r, 0, 50*time.Second)
	}
	if !l.alive {
		l.left = l.kind == "interactive" || r.IntN(3) == 0
		l.booted = l.left && r.IntN(4) == 0
	}
	return l
}

// job makes up the job file of a life, in agreement with its status.
func (l *life) job(r *rand.Rand) {
	l.rawState, l.tempo, l.detail = "working", "active", "building"
	switch {
	case l.kind == "shell":
		l.alive, l.raw, l.waiting, l.tempo, l.prompted = false, "", "", "idle", true
		l.rawState = pick(r, "working", "done", "failed", "stopped")
	case l.raw == "waiting" && l.alive:
		l.tempo = "blocked"
		l.needs = map[string]string{"input needed": "answer: Which? (A)", "permission prompt": "approve Bash: make"}[l.waiting]
	case l.raw == "idle":
		switch probe := session("x", l.end).Transcript; {
		case probe.Error != nil:
			l.rawState, l.tempo, l.detail = "blocked", "blocked", probe.Error.Text
			l.needs = map[string]string{"rate_limit": "rate limited — wait and retry", "server_error": "API unavailable — retry",
				"authentication_failed": "login required — run /login"}[probe.Error.Kind] + " · " + probe.Error.Text
		case !l.prompted:
			l.tempo, l.needs = "blocked", "send a prompt to start"
		case probe.Question != nil:
			l.rawState, l.tempo, l.needs = "blocked", "blocked", probe.Question.Text
		default:
			l.rawState, l.tempo = pick(r, "working", "done", "failed", "stopped", "blocked"), "idle"
		}
	}
}

// listing is the word that the listing makes of a job file. Facts: Claude Code
// 2.1.280.
func (l life) listing() (status, state string) {
	if l.alive {
		if status = l.raw; status == "shell" {
			status = "busy"
		}
	}
	terminal := slices.Contains([]string{"done", "failed", "stopped"}, l.rawState) && l.tempo != "active"
	switch {
	case l.kind == "interactive":
	case status == "busy":
		state = "working"
	case terminal:
		state = l.rawState
	case !l.alive && l.kind == "background" && l.rawState != "blocked":
		state = "failed"
	case !l.alive && l.kind == "background", l.tempo == "blocked", status == "waiting":
		state = "blocked"
	default:
		state = "working"
	}
	return status, state
}

// The sources of a session, each of which may be missing.
var lifeSources = []string{"listing", "jobs", "sessions", "transcript", "history", "processes"}

// session is what an observer that lacks some sources makes of a life, null
// when nothing names it.
func (l life) session(id string, lacks map[string]bool) *record.Session {
	s := session(id, active(l.age))
	if l.kind != "interactive" {
		s = job(id, active(l.age))
		s.Job.State, s.Job.Tempo, s.Job.Needs, s.Job.Detail, s.Job.UpdatedAt = l.rawState, l.tempo, l.needs, l.detail, ago(l.age)
		s.Job.Prompted, s.Job.Exec = l.prompted, l.kind == "shell"
		if l.young {
			s.Job.CreatedAt, s.StartedAt = ago(time.Minute), ago(time.Minute)
		}
	}
	s.Listing.Status, s.Listing.State = l.listing()
	s.Listing.WaitingFor, s.Process.RawStatus, s.Process.WaitingFor, s.Process.StatusSince = l.waiting, l.raw, l.waiting, ago(l.status)
	if l.end(s); !l.prompted || l.kind == "shell" {
		missing(s)
	}
	s.Prompted = ptr(l.prompted)
	if !l.alive {
		s.Listing.PID, s.Listing.WaitingFor = 0, ""
		s.Process.Alive, s.Process.Start, s.Process.BeforeBoot = ptr(false), "gone", l.booted
		if s.Unlisted = l.kind == "interactive"; s.Unlisted {
			s.Listing = nil
		}
		if !l.left {
			s.Process = nil
		}
	}
	return blind(s, lacks)
}

// blind takes sources away as an observer would miss them.
func blind(s *record.Session, lacks map[string]bool) *record.Session {
	hasJob := s.Job != nil
	if lacks["listing"] {
		s.Listing, s.Unlisted = nil, false
	}
	if lacks["sessions"] {
		s.Process = nil
	}
	if lacks["jobs"] && hasJob {
		if s.Job = nil; s.Listing != nil {
			s.Job = &record.Job{ID: s.Listing.ID, Unread: "there is no job file"}
		}
		s.Prompted = nil
	}
	if lacks["history"] && !hasJob {
		s.Prompted = nil
	}
	if lacks["transcript"] {
		missing(s)
	}
	if s.Process != nil && lacks["processes"] {
		s.Process.Alive, s.Process.Start = nil, "cannot tell"
	}
	if s.Listing == nil && s.Process == nil && s.Job == nil {
		return nil
	}
	return s
}

// worldOf is the world of one life and of what the board may say of it.
func (l life) worldOf(r *rand.Rand, configured bool, lacks map[string]bool) *world {
	s := l.session("s", lacks)
	if s == nil {
		return nil
	}
	w := local(s)
	if configured {
		w = scoped(s).row(l.boardRow(r))
		w.owned = []*record.Owned{{SessionID: pick(r, "s", "other")}}
	}
	if lacks["listing"] {
		w.cannot("claude/listing")
	}
	if lacks["processes"] {
		w.cannot("claude/processes")
	}
	return w
}

// boardRow is what the board says of a life.
func (l life) boardRow(r *rand.Rand) *record.Board {
	b := &record.Board{SessionID: "s", LastAt: ago(l.age), LastType: "session.stop"}
	switch what := r.IntN(4); {
	case what == 0 && l.raw == "idle":
		b.Died = &record.BoardDeath{At: *ago(l.age), Class: pick(r, "rate_limit", "server_error")}
	case what == 1:
		b.Arc = &record.ArcStatus{At: ago(l.age), Status: pick(r, "DONE", "BLOCKED", "MERGED")}
	}
	return b
}
