package classify

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// TestGrid goes through every combination of what the sources of a session can
// say and checks that exclusive classes never meet, that every class and every
// overlapping pair occurs, and that the first match decides.
func TestGrid(t *testing.T) {
	w := grid()
	met := map[pair]int{}
	decided := map[string]int{}
	for _, s := range standard().sessions(newStream(setOf(w.records()))) {
		v := s.verdict
		decided[v.Class]++
		for i, a := range v.Matched {
			for _, b := range v.Matched[i+1:] {
				met[pair{a, b}]++
			}
		}
		if v.Class != Unknown && v.Matched[0] != v.Class {
			t.Fatalf("%s: class %s, matched %v", s.record.Subject, v.Class, v.Matched)
		}
	}
	for _, p := range exclusive {
		if met[p] > 0 {
			t.Errorf("%v: both match, %d times", p, met[p])
		}
	}
	for _, p := range overlapping {
		if met[p] == 0 {
			t.Errorf("%v: the grid has no session where both match", p)
		}
	}
	for _, r := range Rules() {
		if decided[r.ID] == 0 {
			t.Errorf("the grid has no session of class %s", r.ID)
		}
	}
	if len(w.sessions) < 10_000 {
		t.Errorf("only %d sessions", len(w.sessions))
	}
	t.Logf("%d sessions: %v", len(w.sessions), decided)
}

// Ours; in another scope, ours or not; not ours, with an open pull request or
// without.
var gridPlaces = []string{"ours", "elsewhere", "other"}

// kinds of session in the grid.
var gridKinds = []func(string, ...change) *record.Session{
	session,
	job,
	func(id string, cs ...change) *record.Session { return job(id, append(cs, dead)...) },
	func(id string, cs ...change) *record.Session { return session(id, append(cs, killed)...) },
	func(id string, cs ...change) *record.Session {
		s := job(id, append(cs, dead, missing)...)
		s.Job.Exec = true
		return s
	},
}

var gridStatus = []change{
	status(""), status("idle"), status("busy"), status("shell"), status("waiting", "permission prompt"),
	status("waiting", "input needed"), status("waiting", "dialog open"),
}

var gridEnds = []change{
	func(*record.Session) {},
	func(s *record.Session) { s.Transcript.LastTurn = "open" },
	fails("server_error", 500, "API Error: 500 Internal server error"),
	limited(hitLimit, ago(-time.Hour)),
	asking("question", "Which one?"),
	asking("plan", "1. Do it"),
	unprompted,
}

var gridJobs = []change{
	state("working", "active", "", "building"),
	state("blocked", "blocked", "the password", "the password"),
	state("blocked", "blocked", "API unavailable — retry · "+busy529, busy529),
	state("done", "idle", "", "fixed"),
	state("failed", "idle", "", "no tests"),
}

var gridWords = []string{"", "own DONE", "own BLOCKED", "board DONE", "board BLOCKED", "died"}

// grid is every combination. What a kind of session cannot show is not varied:
// a dead job's status, a shell job's transcript.
func grid() *world {
	w := scoped()
	w.repos[0].PRs = []record.PullRequest{{Number: 1, HeadID: "open"}}
	w.repos = append(w.repos, &record.Repo{CommonDir: stove, Slug: "acme/stove", OK: true, PRs: []record.PullRequest{}})
	for k, kind := range gridKinds {
		jobs, statuses, ends := gridJobs, gridStatus, gridEnds
		probe := kind("x")
		switch {
		case probe.Job == nil:
			jobs = []change{func(*record.Session) {}}
		case probe.Process == nil:
			statuses = []change{func(*record.Session) {}}
		}
		if probe.Job != nil && probe.Job.Exec {
			ends = []change{func(*record.Session) {}}
		}
		for st, setStatus := range statuses {
			for e, end := range ends {
				for jb, setJob := range jobs {
					w.vary(fmt.Sprint("g", k, st, e, jb), func(id string, age change) *record.Session {
						return kind(id, age, setStatus, end, setJob)
					})
				}
			}
		}
	}
	return w
}

// vary adds a session in every age, with every last word, and in every place.
func (w *world) vary(id string, make func(string, change) *record.Session) {
	for a, age := range []time.Duration{time.Second, 90 * time.Minute, 3 * time.Hour} {
		for wd, what := range gridWords {
			for _, where := range gridPlaces {
				s := make(fmt.Sprint(id, a, wd, where), active(age))
				w.say(s, what, age)
				switch where {
				case "ours":
					w.adopt(s.SessionID)
				case "elsewhere":
					if s.Repo = stove; (a+wd)%2 == 0 {
						w.adopt(s.SessionID)
					}
				case "other":
					if (a+wd)%2 == 0 {
						s.BranchID = "open"
					}
				}
				w.sessions = append(w.sessions, s)
			}
		}
	}
}

// say gives a session a last word or a death, of its age.
func (w *world) say(s *record.Session, what string, age time.Duration) {
	b := record.Board{SessionID: s.SessionID}
	switch what {
	case "own DONE", "own BLOCKED":
		word(what[len("own "):])(s)
		return
	case "board DONE", "board BLOCKED":
		b.Arc = &record.ArcStatus{At: ago(age), Status: what[len("board "):]}
	case "died":
		b.Died = &record.BoardDeath{At: *ago(age), Class: "rate_limit"}
	default:
		return
	}
	w.row(&b)
}

// TestGridIsStable checks that the grid is the same each time it is built.
func TestGridIsStable(t *testing.T) {
	a, b := grid(), grid()
	if len(a.sessions) != len(b.sessions) || !slices.EqualFunc(a.sessions[:500], b.sessions[:500], func(x, y *record.Session) bool {
		return x.SessionID == y.SessionID && x.Kind == y.Kind
	}) {
		t.Error("two grids differ")
	}
}
