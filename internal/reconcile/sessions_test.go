package reconcile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Changes of a session.

var sessionTable = append([]sessionScene{
	{"works", "5", "", "", nil, nil},
	{"waits", "3", "", "", nil, nil},
	{"not known", "unknown", "", "", []change{acted(ago(time.Hour), "resume")}, nil},
	{"not ours", "9", "", "", []change{func(_ *record.Session, v *record.Verdict, _ *record.Heal) { v.Session.Ours = false }}, nil},
	{"paused", "4", "paused", "SKIP paused", []change{cause("network"), ended, pausedSession}, nil},
	{"paused and well again", "5", "paused", "SKIP paused", []change{pausedSession, acted(ago(time.Hour), "resume")}, nil},
	{"goes on after a resume", "5", "well", "OK well", []change{acted(ago(time.Hour), "resume")}, nil},
	{"goes on after a message", "9a", "well", "OK well", []change{acted(ago(time.Hour), "mail")}, nil},
	{"goes on after an alert", "10", "well", "OK well", []change{toldOf("open-call")}, nil},
	{"works, and was done", "5", "well", "OK well", []change{job("done"), toldOf("hung")}, nil},
	{"closed, and its job done", "8", "well", "OK well", []change{ended, job("done"), toldOf("hung")}, nil},
	{"done a moment after a resume", "9", "finished", "SKIP finished", []change{ended, job("done"), acted(ago(time.Minute), "resume")}, nil},
	{"done", "9", "finished", "SKIP finished", []change{ended, job("done")}, nil},
	{"stopped by its owner", "4", "finished", "SKIP finished", []change{ended, job("stopped"), cause("network")}, nil},
	{"listed as done", "9", "finished", "SKIP finished", []change{ended, func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Listing = &record.Listing{State: "done"} }}, nil},
	{"done, and its process idles", "9", "stalled", "HEAL stalled mail", []change{job("done")}, nil},
	{"listed as done, and its process idles", "9", "stalled", "HEAL stalled mail", []change{func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Listing = &record.Listing{State: "done"} }}, nil},
	{"listed as one that works", "9", "stopped", "RESUME stopped resume", []change{ended, func(p *record.Session, _ *record.Verdict, _ *record.Heal) {
		p.Listing = &record.Listing{State: "working"}
	}}, nil},
	{"stopped at a limit, then by its owner", "2", "finished", "SKIP finished", []change{ended, job("stopped"), resetAt(ago(time.Hour))}, nil},
	{"resumed a moment ago", "4", "starting", "SKIP starting", []change{ended, cause("network"), acted(ago(time.Minute), "resume")}, nil},
	{"resumed a moment ago, at a limit again", "2", "starting", "SKIP starting", []change{ended, resetAt(ago(-time.Hour)), acted(ago(time.Minute), "resume")}, nil},
	{"written to a moment ago", "9", "starting", "SKIP starting", []change{acted(ago(time.Minute), "mail")}, nil},
	{"at a limit", "2", "limit", "SKIP limit", []change{ended, resetAt(ago(-time.Hour))}, nil},
	{"at a limit without an end", "2", "limit", "SKIP limit", []change{ended}, nil},
	{"at a limit, its directory gone", "2", "limit", "SKIP limit", []change{ended, placed(record.PlacedGone)}, nil},
	{"after its limit", "2", "stopped", "RESUME after-limit resume", []change{ended, resetAt(ago(time.Hour))}, nil},
	{"after its limit, its process there", "2", "stopped", "RESUME after-limit inject", []change{resetAt(ago(time.Hour))}, nil},
	{"after its limit, no terminal", "2", "stopped", "RESUME no-terminal !no-terminal", []change{resetAt(ago(time.Hour)), nowhere}, nil},
	{"after its limit, tried", "2", "stopped", "RESUME backoff", []change{ended, resetAt(ago(46 * time.Minute)), acted(ago(10*time.Minute), "resume")}, nil},
	{"after its limit, tried long ago", "2", "stopped", "RESUME after-limit resume", []change{ended, resetAt(ago(46 * time.Minute)), acted(ago(30*time.Minute), "resume")}, nil},
	{"after its limit, tried three times", "2", "stopped", "RESUME exhausted !exhausted", []change{ended, resetAt(ago(24 * time.Hour)), acted(ago(9*time.Hour), "resume", "inject", "resume")}, nil},
	{"no login", "4", "not-transient", "SKIP not-transient !not-transient", []change{ended, cause("login")}, nil},
	{"no login, told", "4", "not-transient", "SKIP not-transient", []change{ended, cause("login"), toldOf("not-transient")}, nil},
	{"no login, its directory gone", "4", "not-transient", "SKIP not-transient !not-transient", []change{ended, cause("login"), placed(record.PlacedGone)}, nil},
	{"its directory gone", "4", "cwd-gone", "SKIP cwd-gone !cwd-gone", []change{ended, cause("network"), placed(record.PlacedGone)}, nil},
	{"its worktree gone", "9", "cwd-gone", "SKIP cwd-gone !cwd-gone", []change{placed(record.PlacedByWorktree)}, nil},
	{"its directory gone, a call open", "4", "cwd-gone", "SKIP cwd-gone !cwd-gone", []change{ended, cause("network"), placed(record.PlacedAbove), open("Bash")}, nil},
	{"hangs in a directory that is gone", "6", "cwd-gone", "SKIP cwd-gone !cwd-gone", []change{placed(record.PlacedByBoard)}, nil},
	{"a call open", "4", "open-call", "SKIP open-call !open-call", []change{ended, cause("network"), open("Bash")}, nil},
	{"idle, a call open", "9", "open-call", "SKIP open-call !open-call", []change{open("Bash")}, nil},
	{"after its limit, a call open", "2", "open-call", "SKIP open-call !open-call", []change{ended, resetAt(ago(time.Hour)), open("Bash")}, nil},
	{"hangs in a call", "6", "hung", "HEAL hung mail", []change{open("Bash")}, nil},
	{"hangs", "6", "hung", "HEAL hung mail", nil, nil},
	{"hangs, written to", "6", "hung", "HEAL mail-interval !hung", []change{acted(ago(5*time.Hour), "mail")}, nil},
	{"hangs, written to in the last interval", "6", "hung", "HEAL hung mail", []change{acted(ago(6*time.Hour), "mail")}, nil},
	{"hangs, resumed in the last interval", "6", "hung", "HEAL hung mail", []change{acted(ago(time.Hour), "resume")}, nil},
	{"hangs without a terminal", "6", "hung", "HEAL no-terminal !no-terminal", []change{nowhere}, nil},
	{"idle for long", "9", "stalled", "HEAL stalled mail", nil, nil},
	{"idle for long, written to", "9", "stalled", "HEAL mail-interval !stalled", []change{acted(ago(5*time.Hour), "mail")}, nil},
	{"idle for long without a terminal, told", "9", "stalled", "HEAL no-terminal", []change{nowhere, toldOf("no-terminal")}, nil},
	{"idle without a process", "9", "stopped", "RESUME stopped resume", []change{ended}, nil},
	{"a passing error", "4", "stopped", "RESUME transient resume", []change{ended, cause("network")}, nil},
	{"a passing error, no transcript", "4", "stopped", "RESUME transient resume", []change{ended, cause("network"), func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Transcript = nil }}, nil},
	{"overloaded", "4", "stopped", "RESUME transient resume", []change{ended, cause("overloaded"), job("failed")}, nil},
	{"a passing error, its process there", "4", "stopped", "RESUME transient inject", []change{cause("server")}, nil},
	{"a passing error, tried", "4", "stopped", "RESUME stuck !stuck", []change{ended, cause("rate limited"), acted(ago(10*time.Minute), "resume")}, nil},
	{"a passing error, tried long ago", "4", "stopped", "RESUME exhausted !exhausted", []change{ended, cause("rate limited"), acted(ago(time.Hour), "resume")}, nil},
}, ownedTable...)

// one is the only session's facts, nil when nothing is decided about it.
func (s sessionScene) one(t *testing.T, changes ...func(*scene)) *sessionFacts {
	t.Helper()
	sc := newScene().session("s", s.class, s.changes...)
	if s.around != nil {
		s.around(sc)
	}
	for _, c := range changes {
		c(sc)
	}
	fs := gather(setOf(t, sc.records(t)), Options{}).sessions()
	if len(fs) == 0 {
		return nil
	}
	return fs[0]
}

func TestSessions(t *testing.T) {
	fired := map[string]bool{"blind": true}
	for _, s := range sessionTable {
		t.Run(s.name, func(t *testing.T) {
			f, row, got := s.one(t), "", ""
			if f != nil {
				i := slices.IndexFunc(sessionRules, func(r sessionRule) bool { return r.match(f) })
				d := decideSession(f)
				row, got = sessionRules[i].id, brief(d)
				if d.Agent != "session:s" || d.Seen.Workspace != "/src/s" || d.Seen.SessionID != "s" {
					t.Errorf("%+v", d)
				}
				fired[row] = true
			}
			if got != s.want || row != s.row {
				t.Errorf("%s, by row %q\nwant %s, by row %q", got, row, s.want, s.row)
			}
			if f == nil {
				return
			}
			blind := s.one(t, blind)
			if d := decideSession(blind); d.Reason != "blind" || d.Action != nil || d.Alert != nil {
				t.Errorf("blind: %s", brief(d))
			}
		})
	}
	for _, r := range sessionRules {
		if !fired[r.id] {
			t.Errorf("row %s never decides", r.id)
		}
	}
}

// Each row deleted, and each two neighbours swapped, is told by a scene, but for
// neighbours that never match at once.
func TestSessions_mutate(t *testing.T) {
	whole := sessionRules
	defer func() { sessionRules = whole }()
	apart := []string{"limit:not-transient", "open-call:hung", "hung:stalled", "blind:paused", "nameless:maintenance"}
	told := func() bool {
		return slices.ContainsFunc(sessionTable, func(s sessionScene) (differs bool) {
			defer func() {
				if recover() != nil {
					differs = true
				}
			}()
			f := s.one(t)
			if f == nil {
				return false
			}
			i := slices.IndexFunc(sessionRules, func(r sessionRule) bool { return r.match(f) })
			return sessionRules[i].id != s.row || brief(decideSession(f)) != s.want
		})
	}
	for i, r := range whole {
		if sessionRules = slices.Delete(slices.Clone(whole), i, i+1); r.id != "blind" && !told() {
			t.Errorf("survived: %s deleted", r.id)
		}
		if i+1 < len(whole) && !slices.Contains(apart, r.id+":"+whole[i+1].id) {
			sessionRules = slices.Clone(whole)
			sessionRules[i], sessionRules[i+1] = whole[i+1], r
			if !told() {
				t.Errorf("survived: %s and %s swapped", r.id, whole[i+1].id)
			}
		}
	}
}

// Nothing is decided about sessions where the scope does not act; the sessions of
// agents are left to the list; what is said comes from no session.
func TestSessions_leftAlone(t *testing.T) {
	two := func(changes ...func(*scene)) *scene {
		s := newScene().agent("a", gone).session("s", "4", ended, cause("network"))
		for _, c := range changes {
			c(s)
		}
		return s
	}
	subjects := func(s *scene) string {
		var all []string
		for _, d := range s.judge(t).Decisions {
			all = append(all, d.Subject)
		}
		return strings.Join(all, " ")
	}
	for _, tt := range []struct {
		name, want string
		scene      *scene
	}{
		{"acts", "a session:s", two()},
		{"reports", "a", two(func(s *scene) { s.tick.Mode = "report" })},
		{"keeps nothing alive", "a", two(func(s *scene) { s.tick.Heal = nil })},
		{"no configuration", "a", two(func(s *scene) { s.tick = nil })},
		{"in the agent's workspace", "a", two(func(s *scene) { s.sessions[0].Cwd = "/w/a" })},
		{"of the agent's process", "a", newScene().agent("a", deaf)},
		{"of the agent's process elsewhere", "a", newScene().agent("a", gone).session("s", "9").with(elsewhere).with(func(s *scene) { s.sessions[0].Process.PID = 77 })},
		{"no agents, and macf not installed", "session:s", newScene().session("s", "9").with(func(s *scene) {
			s.surfaces["macf/workspaces"], s.surfaces["macf/processes"] = record.Surface{OK: true, Absent: true}, record.Surface{OK: true, Absent: true}
		})},
	} {
		if got := subjects(tt.scene); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	s := newScene().session("s", "9", func(p *record.Session, v *record.Verdict, _ *record.Heal) { p.Name, v.Question = "rm -rf", "rm -rf" })
	if d := s.judge(t).of(t, "session:s"); d.Action.Text != StalledText {
		t.Errorf("%+v", d.Action)
	}
	s = newScene().session("s", "9").with(func(s *scene) {
		s.surfaces["macf/workspaces"], s.surfaces["macf/processes"] = record.Surface{OK: true, Absent: true}, record.Surface{OK: true, Absent: true}
		s.silent[healths] = true
	})
	if got := brief(s.judge(t).of(t, "session:s")); got != "HEAL stalled mail" {
		t.Errorf("without agents: %s", got)
	}
}

// Two resumes are apart, and so are a resume and a restart.
func TestSessions_gap(t *testing.T) {
	s := newScene().agent("a", deafFor(1)).session("s", "4", ended, cause("network")).session("u", "4", ended, cause("network"))
	j := s.judge(t)
	if a, b := brief(j.of(t, "a")), brief(j.of(t, "session:s")); a != "HEAL deaf restart !restarted" || b != "RESUME fleet-gap" {
		t.Errorf("%s; %s", a, b)
	}
	s.places, s.healths, s.desired, s.heals[0].SweptAt = nil, nil, nil, nil
	j = s.judge(t)
	if a, b := brief(j.of(t, "session:s")), brief(j.of(t, "session:u")); a != "RESUME transient resume" || b != "RESUME fleet-gap" {
		t.Errorf("%s; %s", a, b)
	}
	if j.RC != 1 {
		t.Errorf("rc %d", j.RC)
	}
}

// A limit of the account that still holds, of whichever session, holds back also one whose
// own is over: fleet-act would refuse it.
func TestSessions_pause(t *testing.T) {
	for _, class := range []string{"2", "4"} {
		for until, want := range map[*record.Time]string{ago(-time.Hour): "RESUME limit", ago(0): "RESUME " + map[string]string{"2": "after-limit resume", "4": "transient resume"}[class]} {
			f := sessionScene{class: class, changes: []change{ended, cause("network"), resetAt(ago(time.Hour))}}.one(t, func(s *scene) { s.pause = until })
			if got := brief(decideSession(f)); got != want {
				t.Errorf("%s: %s, want %s", class, got, want)
			}
		}
	}
}

// What has ended and is no background session is its owner's to take up, and holds nobody else back.
func TestSessions_interactive(t *testing.T) {
	for _, class := range []string{"2", "4", "9"} {
		s := newScene().session("s", class, ended, interactive, cause("network"), resetAt(ago(time.Hour))).session("u", "4", ended, cause("network"))
		j := s.judge(t)
		if a, b := brief(j.of(t, "session:s")), brief(j.of(t, "session:u")); a != "RESUME no-terminal !no-terminal" || b != "RESUME transient resume" {
			t.Errorf("%s: %s; %s", class, a, b)
		}
	}
}

// One that was refused before does not keep the next from its turn.
func TestSessions_refusedBefore(t *testing.T) {
	for alert, want := range map[string]string{"kept-unknown": "RESUME transient resume", "restarted": "RESUME fleet-gap"} {
		s := newScene().session("s", "4", ended, cause("network"), toldOf(alert)).session("u", "4", ended, cause("network"))
		j := s.judge(t)
		if a, b := brief(j.of(t, "session:s")), brief(j.of(t, "session:u")); a != "RESUME transient resume" || b != want {
			t.Errorf("%s: %s; %s", alert, a, b)
		}
	}
}

// A process that is not known to live is none that a decision is about.
func TestSessions_dead(t *testing.T) {
	for _, alive := range []*bool{nil, new(false), new(true)} {
		f := sessionScene{class: "4", changes: []change{cause("network"), func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Process.Alive = alive }}}.one(t)
		if lives := alive != nil && *alive; (decideSession(f).Seen.PID == 500) != lives {
			t.Errorf("it lives: %t: %+v", lives, decideSession(f).Seen)
		}
	}
}
