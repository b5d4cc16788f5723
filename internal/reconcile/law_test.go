package reconcile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// pick is one of several.
func pick[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

// randomScene is a world in which anything may be so.
func randomScene(rnd *rand.Rand) *scene {
	s := newScene()
	classes := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9a", "10", "unknown", "9", "9", "9", "9", "4", "4", "6"}
	for i := range 1 + rnd.IntN(4) {
		changes := []func(*agent){class(pick(rnd, classes...))}
		add := func(once int, c func(*agent)) {
			if rnd.IntN(once) == 0 {
				changes = append(changes, c)
			}
		}
		add(2, deafFor(rnd.IntN(4)))
		add(3, deafFor(1))
		add(6, resets(pick(rnd, nil, ago(time.Hour), ago(-time.Hour))))
		add(5, paused)
		add(3, tried(1+rnd.IntN(3), pick(rnd, "launch", "restart"), ago(time.Duration(rnd.IntN(200))*time.Minute)))
		add(5, exited(pick(rnd, 0, 143), ago(time.Duration(rnd.IntN(60))*time.Minute)))
		add(8, locked(time.Minute))
		add(8, calls)
		add(8, unstartable)
		add(8, func(a *agent) {
			if a.heal != nil {
				untold(a)
			}
		})
		add(8, began(time.Minute))
		add(6, told("held", "restarted"))
		add(6, runs("2.0.0"))
		add(8, works(nil))
		add(8, upgraded("2.0.0", pick(rnd, "open", "failed", "green")))
		add(10, func(a *agent) { a.verdict = nil })
		add(10, func(a *agent) { a.heal = nil })
		add(10, func(a *agent) { a.place.Project, a.place.Session = "q", "q@x" })
		if rnd.IntN(3) == 0 {
			changes = append(changes, func(a *agent) { a.proc, a.session = nil, nil })
			if rnd.IntN(2) == 0 {
				changes = append(changes, unlisted)
			}
		}
		s.agent(fmt.Sprint("agent-", i), changes...)
	}
	for i := range rnd.IntN(4) {
		changes := []change{cause(pick(rnd, "network", "login"))}
		for _, c := range []change{ended, nowhere, pausedSession, open("Bash"), resetAt(ago(time.Hour)), acted(ago(time.Hour), "mail"), placed(record.PlacedGone),
			func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Cwd = "/w/agent-0" }} {
			if rnd.IntN(6) == 0 {
				changes = append(changes, c)
			}
		}
		s.session(fmt.Sprint("x", i), pick(rnd, classes...), changes...)
	}
	if rnd.IntN(3) == 0 {
		s.pause = ago(pick(rnd, time.Hour, -time.Hour))
	}
	if rnd.IntN(10) == 0 {
		s.tick = nil
	} else {
		s.tick.Caps.FleetSessions = pick(rnd, 1, 20, 20)
		s.tick.Heal.AllowRestart = rnd.IntN(4) > 0
		s.tick.Mode = pick(rnd, "act", "act", "report")
	}
	if rnd.IntN(3) == 0 {
		for _, p := range s.places {
			s.desired = append(s.desired, desired.Agent{Agent: p.Agent, Workspace: p.Path})
		}
		s.desired = append(s.desired, desired.Agent{Agent: "lost", Workspace: "/lost"})
	}
	return s
}

// bothJudges are the two ways to judge a stream.
var bothJudges = map[string]func(*record.Set, Options) Judgement{
	"judge":   Judge,
	"upgrade": func(set *record.Set, o Options) Judgement { return Upgrade(set, o, "2.0.0") },
}

func asText(t *testing.T, j Judgement) string {
	t.Helper()
	b, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The order of lines does not matter, and lines that come twice do not.
func TestLaw_order(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		s := randomScene(rnd)
		rs := s.records(t)
		for name, judge := range bothJudges {
			want := asText(t, judge(setOf(t, rs), Options{Desired: s.desired}))
			mixed := slices.Concat(rs, rs[:rnd.IntN(len(rs))])
			rnd.Shuffle(len(mixed), func(i, k int) { mixed[i], mixed[k] = mixed[k], mixed[i] })
			if got := asText(t, judge(setOf(t, mixed), Options{Desired: s.desired})); got != want {
				t.Fatalf("%s: in another order\n got %s\nwant %s", name, got, want)
			}
		}
	}
}

// actions are the verbs by subject, and the reasons of all.
func actions(j Judgement) (verbs, reasons map[string]string) {
	verbs, reasons = map[string]string{}, map[string]string{}
	for _, d := range j.Decisions {
		if reasons[d.Subject] = d.Decision.Reason; d.Decision.Action != nil {
			verbs[d.Subject] = d.Decision.Action.Verb
		}
	}
	return verbs, reasons
}

// behindAnother are the reasons of what waits for another's turn alone: when that
// one is not touched, it may have it.
var behindAnother = []string{"fleet-gap", "cap", "one-at-a-time"}

// Taking away any one line, or all of one program, never adds an action, but the
// turn of one that waited behind another. A line of the programs that a decision
// about agents rests on leaves no action at all.
func TestLaw_lessIsLess(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	acts, taken := 0, 0
	for range 100 {
		s := randomScene(rnd)
		rs := s.records(t)
		for name, judge := range bothJudges {
			before, why := actions(judge(setOf(t, rs), Options{Desired: s.desired}))
			acts += len(before)
			less := func(what string, rest []record.Record, whole bool) {
				taken++
				after, _ := actions(judge(setOf(t, rest), Options{Desired: s.desired}))
				for subject, verb := range after {
					if before[subject] != verb && !slices.Contains(behindAnother, why[subject]) {
						t.Fatalf("%s without %s: %s %s, which was %q, %s", name, what, verb, subject, before[subject], why[subject])
					}
				}
				if whole && len(after) > 0 {
					t.Fatalf("%s without %s: %v", name, what, after)
				}
			}
			for i, r := range rs {
				rest := slices.Delete(slices.Clone(rs), i, i+1)
				whole := slices.Contains([]string{configs, workspaces, ledgers}, r.By)
				less(fmt.Sprintf("%s %s by %s", r.Kind, r.Subject, r.By), rest, whole)
			}
			for _, by := range []string{workspaces, healths, ledgers, judges, "fleet-observe-claude"} {
				rest := slices.DeleteFunc(slices.Clone(rs), func(r record.Record) bool { return r.By == by })
				less("all of "+by, rest, by == workspaces || by == ledgers)
			}
		}
	}
	t.Logf("%d lines taken away, %d actions", taken, acts)
	if acts < 40 {
		t.Errorf("%d actions: the worlds are too quiet", acts)
	}
}

// A surface that could not be read takes as much as one that is not there.
func TestLaw_unread(t *testing.T) {
	for _, name := range []string{"macf/workspaces", "macf/processes", "ledger", "macf/roster:p"} {
		for _, part := range []record.Surface{{Error: "permission denied"}, {OK: true, Absent: true}} {
			if name == "ledger" && part.Absent {
				continue // a ledger that is not there yet is an empty one
			}
			s := solo(gone).agent("b", deafFor(1)).with(func(s *scene) { s.surfaces[name] = part })
			j := s.judge(t)
			verbs, reasons := actions(j)
			if len(verbs) > 0 || reasons["a"] != "blind" || reasons["b"] != "blind" || j.RC != 2 {
				t.Errorf("%s %+v: %v %v rc %d", name, part, verbs, reasons, j.RC)
			}
		}
	}
	s := solo(gone).with(func(s *scene) { s.surfaces["ledger"] = record.Surface{OK: true, Absent: true} })
	if got := brief(s.judge(t).of(t, "a")); got != "LAUNCH gone launch" {
		t.Errorf("without a ledger: %s", got)
	}
}

// A usage limit may stand in what was not read: nothing is started then, and a message
// may be written. Claude Code that is not there has none, and the listing tells of none.
func TestLaw_limits(t *testing.T) {
	whole := []string{"LAUNCH gone launch", "HEAL deaf restart !restarted", "HEAL deaf inject", "RESUME stopped resume"}
	held := []string{"LAUNCH unjudged !unjudged", "HEAL unjudged !unjudged", "HEAL deaf inject", "RESUME unjudged !unjudged"}
	says := func(part record.Surface, names ...string) func(*scene) {
		return func(s *scene) {
			for _, name := range names {
				s.surfaces[name] = part
			}
		}
	}
	bad := record.Surface{Error: "permission denied"}
	for _, tt := range []struct {
		why    string
		change func(*scene)
		want   []string
	}{
		{"", says(record.Surface{OK: true, Absent: true}, "claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts"), whole},
		{"", says(bad, "claude/listing"), whole},
		{"claude/jobs: permission denied", says(bad, "claude/jobs"), held},
		{"claude/sessions: permission denied", says(bad, "claude/sessions"), held},
		{"claude/transcripts: permission denied", says(bad, "claude/transcripts"), held},
		{"", func(s *scene) { s.label = "@two" }, whole},
		{"claude/transcripts@two: permission denied", func(s *scene) { s.label = "@two"; says(bad, "claude/transcripts@two")(s) }, held},
		{"fleet-observe-claude: no closing record", func(s *scene) { s.silent[sessions] = true }, []string{held[0], "HEAL unjudged !unjudged", "HEAL unjudged"}},
	} {
		s := solo(gone, func(a *agent) { a.heal.Deaf = 1 }).agent("b", deafFor(1)).agent("c", deaf).session("x", "9", ended).with(rule(func(r *record.HealRules) { r.FleetGapS = 0 })).with(tt.change)
		for i, d := range s.judge(t).Decisions {
			if got := brief(d.Decision); i >= len(tt.want) || got != tt.want[i] {
				t.Errorf("%s: %s: %s", tt.why, d.Subject, got)
			}
			if i == 0 && !strings.Contains(d.Decision.Detail, tt.why) {
				t.Errorf("%s: %s", tt.why, d.Decision.Detail)
			}
		}
	}
}

// Of an empty stream nothing is decided, whatever should run.
func TestEmpty(t *testing.T) {
	for name, judge := range bothJudges {
		j := judge(new(record.Set), Options{Desired: []desired.Agent{{Agent: "a", Workspace: "/w/a"}}})
		if len(j.Decisions) != 0 || j.RC != 2 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// What is of another machine changes nothing: neither what runs there nor what was
// done there.
func TestLaw_hosts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		other := []string{"attic", "zoo"}[i%2] // before and behind ours
		s, far := randomScene(rnd), randomScene(rnd)
		if s.tick == nil {
			continue // nothing says which machine the stream is about
		}
		rs := s.records(t)
		far.tick, far.silent = nil, map[string]bool{judges: true}
		both := slices.Clone(rs)
		for _, r := range far.records(t) {
			r.Host = other
			both = append(both, r)
		}
		for id, v := range far.verdicts { // of a classify that judged both
			r, err := record.New(record.KindVerdict, record.NewTime(noon), other, "fleet-classify-2", id, v)
			if err != nil {
				t.Fatal(err)
			}
			both = append(both, r)
		}
		for name, judge := range bothJudges {
			want, got := asText(t, judge(setOf(t, rs), Options{Desired: s.desired})), asText(t, judge(setOf(t, both), Options{Desired: s.desired}))
			if got != want {
				t.Fatalf("%s: beside another machine\n got %s\nwant %s", name, got, want)
			}
		}
	}
	j := Judge(setOf(t, twoMachines(t)), Options{Desired: []desired.Agent{{Agent: "a", Workspace: "/w/a"}}})
	if d := j.of(t, "a"); d.Reason != "blind" || d.Detail != "nothing is decided: no record says which machine this is about" {
		t.Errorf("of two machines and no tick: %+v", d)
	}
}

// twoMachines is a stream of two machines that does not say which it is about.
func twoMachines(t *testing.T) []record.Record {
	rs := solo(gone).with(func(s *scene) { s.tick = nil }).records(t)
	for _, r := range slices.Clone(rs) {
		if r.Host != "" {
			r.Host = "attic"
			rs = append(rs, r)
		}
	}
	return rs
}
