package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// What a decision says beside what it is: when it may be otherwise, what is not done
// and why.
func TestSays(t *testing.T) {
	limit := func(s *scene) { s.pause = ago(-time.Hour) }
	told1 := "alert: somebody was told in this episode"
	for _, tt := range []struct {
		name, subject string
		scene         *scene
		detail        string // its end
		next          *record.Time
		not           string
	}{
		{"well", "a", solo(), "it answers, version 1.0.0", nil, ""},
		{"well, of no version", "a", solo(runs("")), "it answers", nil, ""},
		{"gone", "a", solo(gone), "no process runs in /w/a", nil, ""},
		{"gone, and listed", "a", solo(deaf, func(a *agent) { a.proc = nil }), "no process runs in /w/a, and its registry still lists it", nil, ""},
		{"a limit of the account", "a", solo(gone).with(limit), "; launch: a usage limit: nothing is started before it ends, at 2026-11-29T13:00:00Z", ago(-time.Hour), "launch: a usage limit: nothing is started before it ends, at 2026-11-29T13:00:00Z"},
		{"launched before", "a", solo(gone, launched(19*time.Minute, "gone")), "no process runs in /w/a; attempt 1 failed (gone); launch: the next attempt may come at 2026-11-29T12:01:00Z", ago(-time.Minute), "launch: the next attempt may come at 2026-11-29T12:01:00Z"},
		{"after the last attempt", "a", solo(gone, tried(3, "launch", ago(79*time.Minute))), "; attempt 3 failed (deaf); launch: attempt 3 of 3 was the last", nil, "launch: attempt 3 of 3 was the last"},
		{"launched before, and as many run as may", "a", solo(gone, launched(time.Hour, "gone")).agent("b").with(func(s *scene) { s.tick.Caps.FleetSessions = 1 }), "no process runs in /w/a; attempt 1 failed (gone); launch: no more may run than caps.fleet_sessions says, 1", nil, "launch: no more may run than caps.fleet_sessions says, 1"},
		{"launched before, and it may be again", "a", solo(gone, launched(time.Hour, "name-taken")), "no process runs in /w/a; attempt 1 failed (name-taken)", nil, ""},
		{"it came up, and ended", "a", solo(gone, launched(time.Hour, "done")), "; attempt 1 was done, and did not last", nil, ""},
		{"nobody saw what became of it", "a", solo(gone, launched(time.Hour, "unseen")), "; what became of attempt 1 is not known (unseen)", nil, ""},
		{"its run died", "a", solo(gone, launched(time.Hour, "")), "; attempt 1 has no outcome yet", nil, ""},
		{"nudged after an attempt", "a", solo(gone, tried(1, "launch", ago(2*time.Hour)), func(a *agent) { a.heal.LastVerb = "nudge" }), "no process runs in /w/a; attempt 1 was made", nil, ""},
		{"deaf after an attempt", "a", solo(deafFor(2), tried(1, "restart", ago(5*time.Minute))), "it does not answer (timeout), sweep 3; attempt 1 failed (deaf); restart: the next attempt may come at 2026-11-29T12:15:00Z", ago(-15 * time.Minute), "inject: it was told so before, restart: the next attempt may come at 2026-11-29T12:15:00Z"},
		{"another was restarted", "a", solo(deafFor(1)).agent("b", tried(1, "restart", ago(59*time.Second))), "; restart: another was restarted less than 1m0s ago: the next may come at 2026-11-29T12:00:01Z", ago(-time.Second), "inject: it was told so before, restart: another was restarted less than 1m0s ago: the next may come at 2026-11-29T12:00:01Z"},
		{"deaf for long, and never told so", "a", solo(deafFor(2), untold), "sweep 3; restart: only after it was told so", nil, "restart: only after it was told so"},
		{"no launcher", "a", solo(gone, unstartable), "it is not started: /w/a/claude.sh is not there", nil, ""},
		{"no launcher to start it again", "a", solo(deafFor(1), unstartable), "; restart: it could not be started again: /w/a/claude.sh is not there", nil, "inject: it was told so before, restart: it could not be started again: /w/a/claude.sh is not there"},
		{"deaf", "a", solo(deaf), "it does not answer (timeout), sweep 1; restart: only after it was told so", nil, "restart: only after it was told so"},
		{"deaf, to be told twice", "a", solo(deaf).with(rule(func(r *record.HealRules) { r.EscalateAfter = 2 })), "; restart: only after it was told so 2 times", nil, "restart: only after it was told so 2 times"},
		{"restarted", "a", solo(deafFor(1)), "sweep 2", nil, "inject: it was told so before, wait: nothing in the stream says that it works; that is looked at again before it is restarted"},
		{"told", "a", solo(deafFor(1), class("5"), told("busy")), "", nil, told1},
		{"at a limit", "a", solo(deaf, resets(ago(-time.Hour))), "", ago(-time.Hour - resetGrace), ""},
		{"out of scope", "a", solo(deaf, class("1"), repo("/src/lamp/.git")), "its session is outside the scope's repos: add /w/a", nil, ""},
		{"in no repository", "a", solo(deaf, class("1")), "its session is outside the scope's repos, and in no repository that is known: make /w/a one, and add it", nil, ""},
		{"another scope's", "a", solo(deaf, class("1"), repo("/src/lamp/.git")).with(func(s *scene) { s.tick.Others = []string{"/src/lamp/.git"} }), "its session is in a repository of another scope: a workspace belongs to one", nil, ""},
		{"judged unknown", "a", solo(deaf, class("unknown"), func(a *agent) { a.verdict.Why = "claude/listing was not read" }), "what its session does is not known: claude/listing was not read", nil, ""},
		{"judged unknown, and nobody says why", "a", solo(deaf, class("unknown")), "what its session does is not known: fleet-classify does not say why", nil, ""},
		{"no record of its session", "a", solo(deaf, func(a *agent) { a.session = nil }), "what its session does is not known: no record of a session has its process 100", nil, ""},
		{"its session was not read", "a", solo(deaf, func(a *agent) { a.session = nil }).with(func(s *scene) { s.surfaces["claude/sessions"] = record.Surface{Error: "permission denied"} }), "what its session does is not known: claude/sessions: permission denied", nil, ""},
		{"nobody judged", "a", solo(deaf).with(func(s *scene) { s.silent[judges] = true }), "what its session does is not known: fleet-classify: no closing record", nil, ""},
		{"no verdict", "a", solo(deaf, func(a *agent) { a.verdict = nil }), "what its session does is not known: fleet-classify says nothing of it", nil, ""},
		{"a session at a limit", "session:s", newScene().session("s", "2", ended, resetAt(ago(-time.Hour))), "", ago(-time.Hour - resetGrace), ""},
		{"a session that was written to", "session:s", newScene().session("s", "6", acted(ago(5*time.Hour), "mail")), "", ago(-time.Hour), "mail: one was written less than 6h0m0s ago"},
		{"a session that was taken up before", "session:s", newScene().session("s", "2", ended, resetAt(ago(time.Hour)), acted(ago(3*time.Minute), "resume")), "; attempt 1 was done, and did not last; resume: the next attempt may come at 2026-11-29T12:17:00Z", ago(-17 * time.Minute), "resume: the next attempt may come at 2026-11-29T12:17:00Z"},
		{"a session, told", "session:s", newScene().session("s", "4", ended, cause("login"), toldOf("not-transient")), "", nil, told1},
	} {
		d := tt.scene.judge(t).of(t, tt.subject)
		var not []string
		for _, n := range d.Not {
			not = append(not, n.Verb+": "+n.Why)
		}
		if !strings.HasSuffix(d.Detail, tt.detail) || !timeOf(d.NextAt).Equal(timeOf(tt.next)) || strings.Join(not, ", ") != tt.not {
			t.Errorf("%s: %s; next %v; not %q", tt.name, d.Detail, d.NextAt, not)
		}
	}
}

// What is told of a deaf agent of whose session nobody knows what it does names the cause.
func TestSays_unjudged(t *testing.T) {
	for want, change := range map[string]func(*agent){
		"it does not answer, and its session is outside the scope's repos: add /w/a":                             func(a *agent) { class("1")(a); repo("/src/lamp/.git")(a) },
		"it does not answer, and what its session does is not known: no record of a session has its process 100": func(a *agent) { a.session = nil },
	} {
		if d := solo(deafFor(1), change).judge(t).of(t, "a"); d.Alert == nil || d.Alert.Text != want {
			t.Errorf("%+v, want %q", d.Alert, want)
		}
	}
}

// repo places the session of an agent.
func repo(dir string) func(*agent) { return func(a *agent) { a.verdict.Session.Repo = dir } }

// What a decision was about is all in it, so that what acts on it can tell another.
func TestSeen(t *testing.T) {
	s := *solo(deaf).judge(t).of(t, "a").Seen
	if s.Start == nil || !s.Start.Equal(ago(time.Hour).Time) {
		t.Errorf("its process began %v", s.Start)
	}
	s.Start = nil
	if want := (record.Seen{Host: "devbox", Project: "p", Workspace: "/w/a", Tmux: "p@a", PID: 100, SessionID: "s-a", Address: "127.0.0.1:9", Class: "9"}); s != want {
		t.Errorf("%+v", s)
	}
	if s := *solo().judge(t).of(t, "a").Seen; s.Instance != "i1" || s.Version != "1.0.0" {
		t.Errorf("%+v", s)
	}
}

// What a sweep launches counts for the next agent: as one that runs, and as a start.
func TestCap_sweep(t *testing.T) {
	for limit, want := range map[int]string{1: "launch 0, cap, cap", 2: "launch 0, launch 15, cap", 3: "launch 0, launch 15, launch 15"} {
		j := newScene().agent("a", gone).agent("b", gone).agent("c", gone).with(func(s *scene) { s.tick.Caps.FleetSessions = limit }).judge(t)
		var got []string
		for _, d := range j.Decisions {
			if a := d.Decision.Action; a != nil {
				got = append(got, fmt.Sprint(a.Verb, " ", a.DelayS))
				continue
			}
			got = append(got, d.Decision.Reason)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d may run: %q, want %s", limit, got, want)
		}
	}
}

// One whose launch was refused before counts as none that runs: the next in line has its
// turn, and who acts keeps the cap.
func TestCap_refused(t *testing.T) {
	for alert, want := range map[string]string{"kept-mode": "launch, launch, cap", "stuck": "launch, cap, cap"} {
		j := newScene().agent("a", gone, func(a *agent) { a.heal.Alerts = []string{alert} }).agent("b", gone).agent("c", gone).with(func(s *scene) { s.tick.Caps.FleetSessions = 1 }).judge(t)
		var got []string
		for _, d := range j.Decisions {
			if a := d.Decision.Action; a != nil {
				got = append(got, a.Verb)
				continue
			}
			got = append(got, d.Decision.Reason)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %s", alert, got, want)
		}
	}
}

// How many may be started is what the cap leaves of what runs on the machine.
func TestRoom(t *testing.T) {
	for limit, want := range map[int]int{0: 0, 1: 0, 2: 0, 3: 1, 5: 3} {
		set := setOf(t, newScene().agent("a").agent("b", gone).agent("c").with(func(s *scene) { s.tick.Caps.FleetSessions = limit }).records(t))
		stray, err := record.New(record.KindWorkspace, record.NewTime(noon), "devbox", "fleet-observe-workspaces", "<~>", record.Workspace{Processes: []record.AgentProc{{PID: 7, Kind: "claude"}}})
		if err != nil {
			t.Fatal(err)
		}
		set.Add(record.Line{Record: stray}) // no agent's, so it takes no agent's place
		if room, capped := Room(set, "devbox"); room != want || !capped {
			t.Errorf("of %d: %d, %t", limit, room, capped)
		}
		if room, _ := Room(set, "attic"); room != limit {
			t.Errorf("elsewhere: %d of %d", room, limit)
		}
	}
	if _, capped := Room(new(record.Set), "devbox"); capped {
		t.Error("a stream without a tick has no cap")
	}
}

// A usage limit is what fleet-classify found, and said to its end; the longest of several.
func TestPause(t *testing.T) {
	rs := solo().with(func(s *scene) { s.pause = ago(-time.Hour) }).records(t)
	if got := Pause(setOf(t, rs)); !timeOf(got).Equal(noon.Add(time.Hour)) {
		t.Errorf("until %v", got)
	}
	cut := slices.DeleteFunc(slices.Clone(rs), func(r record.Record) bool { return r.By == judges && r.Kind == record.KindSurface })
	if got := Pause(setOf(t, cut)); got != nil || len(cut) != len(rs)-1 {
		t.Errorf("of a judge that did not end: until %v", got)
	}
	for _, tt := range []struct {
		found []record.Finding
		want  *record.Time
	}{
		{[]record.Finding{{Name: "pause", Until: ago(0)}, {Name: "pause", Until: ago(-time.Hour)}, {Name: "pause", Until: ago(time.Hour)}}, ago(-time.Hour)},
		{[]record.Finding{{Name: "pause"}, {Name: "count", Until: ago(-time.Hour)}}, nil},
		{[]record.Finding{{Name: "pause", Until: ago(-time.Hour)}, {Name: "pause"}}, ago(-time.Hour)},
	} {
		rs := []record.Record{}
		for i, f := range tt.found {
			r, err := record.New(record.KindFinding, record.NewTime(noon), "", judges, fmt.Sprint(f.Name, i), f)
			if err != nil {
				t.Fatal(err)
			}
			rs = append(rs, r)
		}
		end, err := record.New(record.KindSurface, record.NewTime(noon), "", judges, judges, record.Surface{OK: true, Records: new(len(rs))})
		if err != nil {
			t.Fatal(err)
		}
		if got := Pause(setOf(t, append(rs, end))); !timeOf(got).Equal(timeOf(tt.want)) {
			t.Errorf("%+v: until %v", tt.found, got)
		}
	}
}

// Why little or nothing is decided is a note, of both ways to judge.
func TestNotes(t *testing.T) {
	const none, alone = "no agent is to be kept alive: no list names one, and no workspace is one's", "sessions that no list names are left alone: the scope's mode is not act"
	report := func(s *scene) { s.tick.Mode = "report" }
	heals := func(s *scene) { s.tick.Heal = nil }
	absent := func(s *scene) { s.surfaces["macf/workspaces"] = record.Surface{OK: true, Absent: true} }
	known := func(s *scene) { s.heals = append(s.heals, &record.Heal{Agent: "code", SweptAt: ago(time.Hour)}) }
	once := func(s *scene) { s.heals = append(s.heals, &record.Heal{Agent: "code", SweptAt: ago(25 * time.Hour)}) }
	for _, tt := range []struct {
		name, judge string
		scene       *scene
		rc          int
		notes       []string
	}{
		{"it acts", "judge", solo(), 0, nil},
		{"it reports", "judge", solo().with(report), 0, []string{alone}},
		{"outside of its repos", "judge", solo(class("1")).agent("b").agent("c", deaf, class("1")), 1, []string{"the sessions of a, c are outside the scope's repos, so what they do is not judged: add /w/a, /w/c"}},
		{"in another scope's repository", "judge", solo(class("1"), repo("/src/.git")).with(func(s *scene) { s.tick.Others = []string{"/src/.git"} }), 0, nil},
		{"outside of its repos, and not wanted", "judge", solo(class("1")).agent("b").with(list(desired.Agent{Agent: "b", Workspace: "/w/b"})), 0, nil},
		{"it has no heal", "judge", solo().with(heals), 0, []string{"sessions that no list names are left alone: the scope's heal is null"}},
		{"no agents", "judge", newScene(), 0, []string{none}},
		{"no agents, but a session that stopped", "judge", newScene().session("s", "9"), 1, []string{none}},
		{"no macf", "judge", newScene().with(absent), 0, []string{none}},
		{"no macf, and it reports", "judge", newScene().with(absent).with(report), 0, []string{none, alone}},
		{"no macf, where an agent was", "judge", newScene().with(absent).with(known), 2, nil},
		{"no macf, where an agent once was", "judge", newScene().with(absent).with(once), 0, []string{none}},
		{"an agent is there no more, another is", "judge", solo().with(known), 0, []string{"code is not kept alive any more: no workspace is its"}},
		{"one that once was is there no more", "judge", solo().with(once), 0, nil},
		{"the list has it no more", "judge", solo().with(known).with(list(desired.Agent{Agent: "a", Workspace: "/w/a"})), 0, nil},
		{"nobody asks whether they are well", "judge", newScene().with(func(s *scene) { s.silent[healths] = true }), 0, []string{none}},
		{"a list of none", "judge", newScene().with(absent).with(known).with(func(s *scene) { s.desired = []desired.Agent{} }), 0, []string{none}},
		{"no agents", "upgrade", newScene(), 0, nil},
		{"blind", "judge", solo().with(blind), 2, nil},
		{"blind", "upgrade", solo().with(blind), 2, nil},
		{"no agents, and blind", "judge", newScene().with(blind), 2, nil},
		{"no agents, blind, and it reports", "judge", newScene().with(blind).with(report), 2, []string{alone}},
		{"no agents, and blind", "upgrade", newScene().with(blind), 2, nil},
	} {
		j := bothJudges[tt.judge](setOf(t, tt.scene.records(t)), Options{Desired: tt.scene.desired})
		if j.RC != tt.rc || !slices.Equal(j.Notes, tt.notes) {
			t.Errorf("%s, %s: rc %d, %q", tt.judge, tt.name, j.RC, j.Notes)
		}
	}
}

// Of several processes the newest Claude Code process is the agent's.
func TestClaude(t *testing.T) {
	proc := func(pid int, kind string, start *record.Time) record.AgentProc {
		return record.AgentProc{PID: pid, Kind: kind, Start: start}
	}
	for name, tt := range map[string]struct {
		procs []record.AgentProc
		want  int
	}{
		"none":                        {nil, 0},
		"of another kind":             {[]record.AgentProc{proc(1, "channel", ago(0))}, 0},
		"one of no start":             {[]record.AgentProc{proc(1, "claude", nil)}, 1},
		"the second is newer":         {[]record.AgentProc{proc(1, "claude", ago(time.Hour)), proc(2, "claude", ago(0))}, 2},
		"the first is newer":          {[]record.AgentProc{proc(1, "claude", ago(0)), proc(2, "claude", ago(time.Hour))}, 1},
		"the second tells its start":  {[]record.AgentProc{proc(1, "claude", nil), proc(2, "claude", ago(0))}, 2},
		"the first tells its start":   {[]record.AgentProc{proc(1, "claude", ago(0)), proc(2, "claude", nil)}, 1},
		"a newer one of another kind": {[]record.AgentProc{proc(1, "claude", ago(time.Hour)), proc(2, "channel", ago(0))}, 1},
	} {
		got := 0
		if p := Claude(&record.Workspace{Processes: tt.procs}); p != nil {
			got = p.PID
		}
		if got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
