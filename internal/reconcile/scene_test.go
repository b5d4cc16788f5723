package reconcile

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// ago is d before noon.
func ago(d time.Duration) *record.Time { return record.TimeOf(noon.Add(-d)) }

// A scene is a stream in the making: what each program says of one machine at noon.
type scene struct {
	tick     *record.Tick
	places   []*record.Workspace
	healths  []*record.Health
	heals    []*record.Heal
	sessions []*record.Session
	verdicts map[string]*record.Verdict // by session id
	pause    *record.Time
	surfaces map[string]record.Surface // in place of those that say ok
	silent   map[string]bool           // programs that were not run
	label    string                    // of a second Claude directory; "": there is none
	desired  []desired.Agent
}

// newScene has no agents; its scope lets fleet act and restart.
func newScene() *scene {
	rules := record.DefaultHealRules()
	rules.AllowRestart = true
	return &scene{tick: &record.Tick{Scope: "lamp", Host: "devbox", Mode: "act", Heal: &rules, Caps: record.Caps{FleetSessions: 20, MailIntervalHour: 6}},
		verdicts: map[string]*record.Verdict{}, surfaces: map[string]record.Surface{}, silent: map[string]bool{}}
}

// An agent is what a scene says of one: parts that are nil are not there.
type agent struct {
	place   *record.Workspace
	proc    *record.AgentProc
	health  *record.Health
	heal    *record.Heal
	session *record.Session
	verdict *record.Verdict
}

// agent adds one that runs and answers, as changed.
func (s *scene) agent(name string, changes ...func(*agent)) *scene {
	pid := 100 + len(s.places)
	a := &agent{
		place: &record.Workspace{Agent: name, Project: "p", Registry: &record.Registry{Kind: "local", ID: "/r"}, Path: "/w/" + name, Session: "p@" + name, Processes: []record.AgentProc{}},
		proc:  &record.AgentProc{PID: pid, Start: ago(time.Hour), Kind: "claude", Cwd: "/w/" + name, Session: "s-" + name},
		health: &record.Health{Agent: name, Project: "p", Registry: &record.Registry{Kind: "local", ID: "/r"}, Address: "127.0.0.1:9", Listed: "i1", Instance: "i1",
			Online: true, Version: "1.0.0", Busy: new(false)},
		heal:    &record.Heal{Agent: name, AliveAt: ago(10 * time.Minute), SweptAt: ago(10 * time.Minute)},
		session: &record.Session{SessionID: "s-" + name, Cwd: "/w/" + name, Placement: record.PlacedByCwd, Process: &record.Process{PID: pid, Alive: new(true), StartedAt: ago(time.Hour)}, Transcript: &record.Transcript{Found: true}},
		verdict: &record.Verdict{Class: "9", ClassName: "stalled", Session: record.VerdictSession{Process: true, Ours: true, Cwd: "/w/" + name}},
	}
	for _, change := range changes {
		change(a)
	}
	if a.place != nil {
		if a.proc != nil {
			a.place.Processes = append(a.place.Processes, *a.proc)
		}
		s.places = append(s.places, a.place)
	}
	if a.health != nil {
		s.healths = append(s.healths, a.health)
	}
	if a.heal != nil {
		s.heals = append(s.heals, a.heal)
	}
	if a.session != nil {
		s.sessions = append(s.sessions, a.session)
		if a.verdict != nil {
			s.verdicts[a.session.SessionID] = a.verdict
		}
	}
	return s
}

// Changes of an agent.

func deaf(a *agent) {
	a.health.Online, a.health.Instance, a.health.Version, a.health.Busy, a.health.Failure = false, "", "", nil, "timeout"
}

// gone is an agent without a process, and without an entry of its registry.
func gone(a *agent) { a.proc, a.health, a.session = nil, nil, nil }

func unlisted(a *agent) { a.health = nil }

func paused(a *agent) { a.heal.Paused = true }

func class(c string) func(*agent) { return func(a *agent) { a.verdict.Class = c } }

func resets(t *record.Time) func(*agent) {
	return func(a *agent) { a.verdict.Class, a.verdict.ResetAt = "2", t }
}

func exited(code int, at *record.Time) func(*agent) {
	return func(a *agent) { a.heal.LastExit = &record.AgentExit{Code: code, At: at} }
}

// tried is an agent of which n restarts were begun, the last at a moment.
func tried(n int, verb string, at *record.Time) func(*agent) {
	return func(a *agent) {
		a.heal.Attempts, a.heal.LastAct, a.heal.LastVerb, a.heal.LastEnd = n, at, verb, "deaf"
		a.heal.Acts = append(a.heal.Acts, record.ActTime{At: *at, Verb: verb})
	}
}

// deafFor is an agent that was deaf for n sweeps, and was told so on each.
func deafFor(n int) func(*agent) {
	return func(a *agent) { deaf(a); a.heal.Deaf, a.heal.Injects = n, n }
}

// untold is one that nothing was written to, as while nobody knew what its session did.
func untold(a *agent) { a.heal.Injects = 0 }

// nudged is one that was nudged at a moment, which is no message.
func nudged(at time.Duration) func(*agent) {
	return func(a *agent) {
		a.heal.Acts = append(a.heal.Acts, record.ActTime{At: *ago(at), Verb: "nudge"})
	}
}

func told(severities ...string) func(*agent) { return func(a *agent) { a.heal.Alerts = severities } }

// session adds one of ours that no list names, as changed.
func (s *scene) session(id, class string, changes ...func(*record.Session, *record.Verdict, *record.Heal)) *scene {
	pid := 500 + len(s.sessions)
	p := &record.Session{SessionID: id, Cwd: "/src/" + id, Placement: record.PlacedByCwd, Process: &record.Process{PID: pid, Alive: new(true), StartedAt: ago(time.Hour)}, Transcript: &record.Transcript{Found: true}}
	v := &record.Verdict{Class: class, ClassName: "class " + class, Session: record.VerdictSession{Ours: true, Process: true, Tmux: "t:@1.%1", SessionID: id}}
	h := &record.Heal{Agent: "session:" + id}
	for _, change := range changes {
		change(p, v, h)
	}
	s.sessions, s.verdicts[id], s.heals = append(s.sessions, p), v, append(s.heals, h)
	return s
}

// ended is a background session without a process.
func ended(p *record.Session, v *record.Verdict, _ *record.Heal) {
	p.Process, v.Session.Process, v.Session.Tmux, v.Session.JobID = nil, false, "", "0123abcd"
}

// interactive is one that nobody but its owner can take up when it has ended.
func interactive(_ *record.Session, v *record.Verdict, _ *record.Heal) { v.Session.JobID = "" }

func cause(c string) func(*record.Session, *record.Verdict, *record.Heal) {
	return func(_ *record.Session, v *record.Verdict, _ *record.Heal) { v.Cause = c }
}

// records are the lines of the scene, program by program.
func (s *scene) records(t *testing.T) []record.Record {
	t.Helper()
	var all []record.Record
	program := func(by, host string, says func(add func(record.Kind, string, any))) {
		if s.silent[by] {
			return
		}
		n := 0
		add := func(kind record.Kind, subject string, data any) {
			r, err := record.New(kind, record.NewTime(noon), host, strings.TrimSuffix(by, s.label), subject, data)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
			n++
		}
		says(add)
		add(record.KindSurface, by, record.Surface{OK: true, Records: new(n)})
	}
	surface := func(add func(record.Kind, string, any), names ...string) {
		for _, name := range names {
			part, ok := s.surfaces[name]
			if !ok {
				part.OK = true
			}
			add(record.KindSurface, name, part)
		}
	}
	if s.tick != nil {
		program(configs, "devbox", func(add func(record.Kind, string, any)) { add(record.KindTick, s.tick.Scope, s.tick) })
	}
	program(workspaces, "devbox", func(add func(record.Kind, string, any)) {
		surface(add, "macf/workspaces", "macf/processes")
		for _, p := range s.places {
			add(record.KindWorkspace, p.Path, p)
		}
	})
	program(healths, "devbox", func(add func(record.Kind, string, any)) {
		rosters := map[string]bool{}
		for _, p := range s.places {
			if p.Agent != "" && !rosters[p.Project] {
				rosters[p.Project] = true
				surface(add, "macf/roster:"+p.Project)
			}
		}
		for _, h := range s.healths {
			add(record.KindHealth, h.Project+"/"+h.Agent, h)
		}
	})
	program(ledgers, "devbox", func(add func(record.Kind, string, any)) {
		surface(add, "ledger")
		for _, h := range s.heals {
			add(record.KindHeal, h.Agent, h)
		}
	})
	program(sessions, "devbox", func(add func(record.Kind, string, any)) {
		surface(add, "claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts")
		for _, p := range s.sessions {
			add(record.KindSession, p.SessionID, p)
		}
	})
	if s.label != "" {
		program(sessions+s.label, "devbox", func(add func(record.Kind, string, any)) {
			surface(add, "claude/jobs"+s.label, "claude/sessions"+s.label, "claude/transcripts"+s.label)
		})
	}
	s.classified(t, &all)
	return all
}

// classified adds what fleet-classify says: its verdicts bear the host of what it
// judged, its findings and its closing record none.
func (s *scene) classified(t *testing.T, all *[]record.Record) {
	t.Helper()
	if s.silent[judges] {
		return
	}
	n := 0
	add := func(kind record.Kind, host, subject string, data any) {
		r, err := record.New(kind, record.NewTime(noon), host, judges, subject, data)
		if err != nil {
			t.Fatal(err)
		}
		*all = append(*all, r)
		n++
	}
	for _, p := range s.sessions {
		if v := s.verdicts[p.SessionID]; v != nil {
			add(record.KindVerdict, "devbox", p.SessionID, v)
		}
	}
	if s.pause != nil {
		add(record.KindFinding, "", "pause", record.Finding{Name: "pause", Until: s.pause})
	}
	add(record.KindSurface, "", judges, record.Surface{OK: true, Records: new(n)})
}

// setOf is the stream of records.
func setOf(t *testing.T, rs []record.Record) *record.Set {
	t.Helper()
	set := new(record.Set)
	for _, r := range rs {
		raw, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		set.Add(record.Line{Raw: raw, Record: r})
	}
	return set
}

func (s *scene) judge(t *testing.T) Judgement {
	t.Helper()
	return Judge(setOf(t, s.records(t)), Options{Desired: s.desired})
}

// of returns the decision about a subject.
func (j Judgement) of(t *testing.T, subject string) record.Decision {
	t.Helper()
	for _, d := range j.Decisions {
		if d.Subject == subject {
			return d.Decision
		}
	}
	t.Fatalf("no decision about %s: %+v", subject, j.Decisions)
	return record.Decision{}
}

// brief is a decision in a few words: what, why, the verb of its action, its alert.
func brief(d record.Decision) string {
	s := d.Decision + " " + d.Reason
	if d.Action != nil {
		s += " " + d.Action.Verb
	}
	if d.Alert != nil {
		s += " !" + d.Alert.Severity
	}
	return s
}
