package reconcile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// A ruled scene is about the agent "a"; the row of Rules that decides about it is
// row, and the decision in brief is want.
type ruled struct {
	name, row, want string
	scene           *scene
}

// solo is a scene of one agent.
func solo(changes ...func(*agent)) *scene { return newScene().agent("a", changes...) }

func (s *scene) with(change func(*scene)) *scene { change(s); return s }

// Changes of agents and scenes that the table has more than once.

func calls(a *agent) { a.session.Transcript.OpenCalls = []string{"Bash"} }

func locked(at time.Duration) func(*agent) {
	return func(a *agent) { a.place.Maintenance = &record.Maintenance{HeartbeatAt: *ago(at)} }
}

func began(at time.Duration) func(*agent) { return func(a *agent) { a.proc.Start = ago(at) } }

func launched(at time.Duration, end string) func(*agent) {
	return func(a *agent) { tried(1, "launch", ago(at))(a); a.heal.LastEnd = end }
}

// endedBy is when fleet may have ended its process.
func endedBy(from, until *record.Time) func(*agent) {
	return func(a *agent) { a.heal.Ends = append(a.heal.Ends, record.Ended{From: *from, Until: until}) }
}

// noted is what macf's own launcher left of how its session ended.
func noted(code int, at *record.Time) func(*agent) {
	return func(a *agent) { a.place.LastExit = &record.AgentExit{Code: code, At: at} }
}

// often is an agent that had these acts in the window, and that was well after each.
func often(verbs ...string) func(*agent) {
	return func(a *agent) {
		for _, verb := range verbs {
			a.heal.Acts = append(a.heal.Acts, record.ActTime{At: *ago(4 * time.Minute), Verb: verb})
		}
	}
}

// unstartable is an agent whose workspace has no launcher.
func unstartable(a *agent) { a.place.Unstartable = "claude.sh is not there" }

// unseen is what was not seen well since it may have been ended.
func unseen(a *agent) { a.heal.AliveAt = ago(3 * time.Hour) }

// second is another workspace of an agent.
func second(a *agent) { a.heal, a.place.Path = nil, "/x/a" }

func elsewhere(s *scene) {
	s.places = append(s.places, &record.Workspace{Path: "/other", Processes: []record.AgentProc{{PID: 77, Kind: "claude", Cwd: "/other", Agent: "a"}}})
}

func list(ds ...desired.Agent) func(*scene) { return func(s *scene) { s.desired = ds } }

func blind(s *scene) { s.surfaces["macf/processes"] = record.Surface{Error: "permission denied"} }

func rule(change func(*record.HealRules)) func(*scene) {
	return func(s *scene) { change(s.tick.Heal) }
}

// limited adds an agent at a usage limit.
func limited(name string) func(*scene) {
	return func(s *scene) { s.agent(name, deaf, resets(nil)) }
}

// ruleTable has the rows of Rules in their order, each several times.
var ruleTable = []ruled{
	{"answers", "reachable", "OK reachable", solo()},
	{"the process table was not read", "blind", "SKIP blind", solo().with(blind)},
	{"not read, and paused", "blind", "SKIP blind", solo(paused).with(blind)},
	{"paused and well", "paused", "SKIP paused", solo(paused)},
	{"paused and deaf", "paused", "SKIP paused", solo(deafFor(3), paused)},
	{"paused and upgraded by its owner", "paused", "SKIP paused", solo(paused, locked(time.Minute))},
	{"paused, and its workspace is another's", "paused", "SKIP paused", solo(paused).with(list(desired.Agent{Agent: "a", Workspace: "/gone"}))},
	{"its path has a credential", "secret", "SKIP secret !secret", solo(gone).with(list(desired.Agent{Agent: "a", Workspace: "/w/" + token + "/a"}))},
	{"its project has, and it is well", "secret", "SKIP secret !secret", solo().with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Project: token}))},
	{"its path has, and it is paused", "paused", "SKIP paused", solo(paused).with(list(desired.Agent{Agent: "a", Workspace: "/w/" + token}))},
	{"its project has, and macf upgrades it", "maintenance", "SKIP maintenance", solo(locked(time.Minute)).with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Project: token}))},
	{"macf upgrades it", "maintenance", "SKIP maintenance", solo(gone, locked(time.Minute))},
	{"macf upgrades it, a moment ahead of the tick", "maintenance", "SKIP maintenance", solo(gone, locked(-30*time.Second))},
	{"macf's upgrade died", "gone", "LAUNCH gone launch", solo(gone, locked(15*time.Minute))},
	{"macf's lock is of the far future", "gone", "LAUNCH gone launch", solo(gone, locked(-time.Hour))},
	{"our upgrade is open", "maintenance", "SKIP maintenance", solo(gone, func(a *agent) { a.heal.Open = []record.OpenAct{{ID: "act-1", Verb: "upgrade"}} })},
	{"in its list a workspace that is none", "no-workspace", "SKIP no-workspace !no-workspace", solo().with(list(desired.Agent{Agent: "a", Workspace: "/gone"}))},
	{"its workspace is of another", "mislabelled", "SKIP mislabelled !mislabelled", solo().with(list(desired.Agent{Agent: "a", Workspace: "/w/b"})).agent("b")},
	{"its workspace is of another project", "mislabelled", "SKIP mislabelled !mislabelled", solo().with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Project: "q"}))},
	{"another's workspace, and none of its own answers", "mislabelled", "SKIP mislabelled !mislabelled", solo(gone).with(list(desired.Agent{Agent: "a", Workspace: "/w/b"})).agent("b", gone)},
	{"its project written otherwise", "reachable", "OK reachable", solo().with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Project: "P"}))},
	{"two workspaces are its", "ambiguous", "SKIP ambiguous !ambiguous", solo(gone).agent("a", gone, second)},
	{"two workspaces are its, and the list names one", "gone", "LAUNCH gone launch", solo(gone).agent("a", gone, second).with(list(desired.Agent{Agent: "a", Workspace: "/w/a"}))},
	{"two workspaces are its, and one answers", "ambiguous", "SKIP ambiguous !ambiguous", solo().agent("a", gone, second)},
	{"answers from another process", "reachable", "OK reachable", solo(func(a *agent) { a.proc = nil }).with(elsewhere)},
	{"answers, and began a moment ago", "reachable", "OK reachable", solo(began(time.Second))},
	{"answers, and left", "reachable", "OK reachable", solo(func(a *agent) { a.proc = nil }, exited(0, ago(time.Minute)))},
	{"answers, and is at a limit", "reachable", "OK reachable", solo(resets(nil))},
	{"answers, and works", "reachable", "OK reachable", solo(class("5"))},
	{"answers without a process", "reachable", "OK reachable", solo(func(a *agent) { a.proc = nil })},
	{"answers, and others are at a limit", "reachable", "OK reachable", solo().with(limited("b")).with(limited("c"))},
	{"another instance than the registry's answers", "deaf", "HEAL deaf inject", solo(func(a *agent) { a.health.Listed = "i0" })},
	{"it says no instance", "reachable", "OK reachable", solo(func(a *agent) { a.health.Listed, a.health.Instance = "i0", "" })},
	{"answers, and no scope is configured", "reachable", "OK reachable", solo().with(func(s *scene) { s.tick = nil })},
	{"its registry says no instance", "reachable", "OK reachable", solo(func(a *agent) { a.health.Listed = "" })},
	{"runs elsewhere", "elsewhere", "HEAL elsewhere !elsewhere", solo(gone).with(elsewhere)},
	{"runs elsewhere, launched a moment ago", "elsewhere", "HEAL elsewhere !elsewhere", solo(gone, launched(time.Minute, "")).with(elsewhere)},
	{"runs elsewhere, and left", "elsewhere", "HEAL elsewhere !elsewhere", solo(gone, exited(0, ago(time.Minute))).with(elsewhere)},
	{"runs here, and another elsewhere", "deaf", "HEAL deaf inject", solo(deaf).with(elsewhere)},
	{"another kind of process says that it is it", "gone", "LAUNCH gone launch", solo(gone).with(elsewhere).with(func(s *scene) { s.places[1].Processes[0].Kind = "channel" })},
	{"its namesake's workspace has one that says so", "gone", "LAUNCH gone launch", solo(gone).agent("a", second, func(a *agent) { a.proc.Agent, a.health = "a", nil }).with(list(desired.Agent{Agent: "a", Workspace: "/w/a"}))},
	{"launched a moment ago", "starting", "SKIP starting", solo(gone, launched(time.Minute, "done"))},
	{"launched a moment ago, and the launch failed", "gone", "LAUNCH backoff", solo(gone, launched(time.Minute, "gone"))},
	{"launched a moment ago, and left", "starting", "SKIP starting", solo(gone, launched(time.Minute, "done"), exited(0, ago(30*time.Second)))},
	{"its process began a moment ago", "starting", "SKIP starting", solo(deaf, began(time.Minute))},
	{"its process began after the tick", "starting", "SKIP starting", solo(deaf, began(-5*time.Second))},
	{"its process began a moment ago, at a limit", "starting", "SKIP starting", solo(deaf, began(time.Minute), resets(nil))},
	{"began a moment ago, and waits for its owner", "starting", "SKIP starting", solo(deafFor(1), began(time.Minute), class("3"))},
	{"left", "left", "SKIP left", solo(gone, exited(0, ago(time.Minute)))},
	{"left, and its registry still lists it", "left", "SKIP left", solo(deaf, func(a *agent) { a.proc = nil }, exited(0, ago(time.Minute)))},
	{"ended by a restart that is open", "gone", "LAUNCH gone launch", solo(gone, exited(0, ago(time.Hour)), endedBy(ago(61*time.Minute), nil), unseen)},
	{"ended by a restart that failed", "gone", "LAUNCH gone launch", solo(gone, exited(0, ago(time.Hour)), endedBy(ago(61*time.Minute), ago(time.Hour)), unseen)},
	{"a start of fleet's gave up", "gone", "LAUNCH gone launch", solo(gone, exited(0, ago(time.Hour)), endedBy(ago(61*time.Minute), ago(time.Hour)), endedBy(ago(40*time.Minute), ago(39*time.Minute)), unseen)},
	{"macf noted that a start of fleet's gave up", "gone", "LAUNCH gone launch", solo(gone, noted(0, ago(time.Hour)), endedBy(ago(61*time.Minute), ago(time.Hour)), unseen)},
	{"left between two starts of fleet's", "left", "SKIP left", solo(gone, exited(0, ago(50*time.Minute)), endedBy(ago(61*time.Minute), ago(time.Hour)), endedBy(ago(40*time.Minute), ago(39*time.Minute)), unseen)},
	{"left, macf noted it at a time that has not come", "gone", "LAUNCH gone launch", solo(gone, noted(0, ago(-time.Hour)))},
	{"left after a restart", "left", "SKIP left", solo(gone, exited(0, ago(time.Hour)), endedBy(ago(62*time.Minute), ago(61*time.Minute)), unseen)},
	{"left before a restart", "left", "SKIP left", solo(gone, exited(0, ago(time.Hour)), endedBy(ago(59*time.Minute), nil), unseen)},
	{"left before it was last well", "gone", "LAUNCH gone launch", solo(gone, exited(0, ago(time.Hour)))},
	{"gone, and its launcher is not there", "no-launcher", "SKIP no-launcher !no-launcher", solo(gone, unstartable)},
	{"gone, its launcher is not there, and told so", "no-launcher", "SKIP no-launcher", solo(gone, unstartable, told("no-launcher"))},
	{"gone, its launcher is not there, launched before", "no-launcher", "SKIP no-launcher !no-launcher", solo(gone, unstartable, tried(3, "launch", ago(79*time.Minute)))},
	{"gone, its launcher is not there, and left", "left", "SKIP left", solo(gone, unstartable, exited(0, ago(time.Minute)))},
	{"gone, its launcher is not there, and a command starts it", "gone", "LAUNCH gone launch", solo(gone, unstartable).with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Command: []string{"/bin/run"}}))},
	{"well, and its launcher is not there", "reachable", "OK reachable", solo(unstartable)},
	{"deaf, and its launcher is not there", "deaf", "HEAL deaf inject", solo(deaf, unstartable)},
	{"deaf again, and its launcher is not there", "deaf", "HEAL no-launcher !no-launcher", solo(deafFor(1), unstartable)},
	{"deaf again, its launcher is not there, and may not be restarted", "deaf", "HEAL no-launcher !no-launcher", solo(deafFor(1), unstartable).with(rule(func(r *record.HealRules) { r.AllowRestart = false }))},
	{"deaf again, its launcher is not there, and a command starts it", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1), unstartable).with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Command: []string{"/bin/run"}}))},
	{"killed", "gone", "LAUNCH gone launch", solo(gone, exited(143, ago(time.Minute)))},
	{"gone", "gone", "LAUNCH gone launch", solo(gone)},
	{"gone, and listed", "gone", "LAUNCH gone launch", solo(deaf, func(a *agent) { a.proc = nil })},
	{"gone, and others are at a limit", "gone", "LAUNCH gone launch", solo(gone).with(limited("b")).with(limited("c"))},
	{"gone, launched before", "gone", "LAUNCH backoff", solo(gone, tried(1, "launch", ago(19*time.Minute)))},
	{"gone, launched long ago", "gone", "LAUNCH gone launch", solo(gone, tried(1, "launch", ago(20*time.Minute)))},
	{"gone, launched three times", "gone", "LAUNCH stuck !stuck", solo(gone, tried(3, "launch", ago(79*time.Minute)))},
	{"gone, launched three times, long ago", "gone", "LAUNCH exhausted !exhausted", solo(gone, tried(3, "launch", ago(80*time.Minute)))},
	{"gone, started often, and well in between", "gone", "LAUNCH rate !rate", solo(gone, often("launch", "launch", "restart"))},
	{"gone, started often, and told so", "gone", "LAUNCH rate", solo(gone, often("launch", "launch", "restart"), told("rate"))},
	{"gone, started twice", "gone", "LAUNCH gone launch", solo(gone, often("launch", "inject", "restart"))},
	{"gone, started often, in a limit of the account", "gone", "LAUNCH limit", solo(gone, often("launch", "launch", "launch")).with(func(s *scene) { s.pause = ago(-time.Hour) })},
	{"gone, and nobody judged the sessions", "gone", "LAUNCH unjudged !unjudged", solo(gone).with(func(s *scene) { s.silent[judges] = true })},
	{"gone in a limit of the account", "gone", "LAUNCH limit", solo(gone).with(func(s *scene) { s.pause = ago(-time.Hour) })},
	{"gone after a limit of the account", "gone", "LAUNCH gone launch", solo(gone).with(func(s *scene) { s.pause = ago(0) })},
	{"gone, and as many run as may", "gone", "LAUNCH cap !cap", solo(gone).agent("b").with(func(s *scene) { s.tick.Caps.FleetSessions = 1 })},
	{"at a limit", "throttled", "SKIP throttled", solo(deafFor(4), resets(ago(-time.Hour)))},
	{"at a limit, and others too", "throttled", "SKIP throttled", solo(deafFor(4), resets(nil)).with(limited("b"))},
	{"at a limit for long", "throttled", "SKIP throttled !throttled", solo(deaf, resets(nil), func(a *agent) { a.heal.Throttled = 2 })},
	{"at a limit, a call open", "throttled", "SKIP throttled", solo(deafFor(4), resets(nil), calls)},
	{"after its limit, clocks aside", "throttled", "SKIP throttled", solo(deaf, resets(ago(119*time.Second)))},
	{"after its limit", "deaf", "HEAL deaf inject", solo(deaf, resets(ago(2*time.Minute)))},
	{"two others at a limit", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4)).with(limited("b")).with(limited("c"))},
	{"two others at a limit, its session not judged", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4), class("unknown")).with(limited("b")).with(limited("c"))},
	{"two others at a limit, and it works", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4), class("5")).with(limited("b")).with(limited("c"))},
	{"two others at a limit, and it hangs", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4), class("6")).with(limited("b")).with(limited("c"))},
	{"two others at a limit, and it waits", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4), class("3")).with(limited("b")).with(limited("c"))},
	{"two others at a limit, a call open", "fleet-throttled", "SKIP fleet-throttled", solo(deafFor(4), calls).with(limited("b")).with(limited("c"))},
	{"two others at a limit, and one of them answers", "deaf", "HEAL deaf inject", solo(deaf).with(limited("b")).agent("c", resets(nil))},
	{"one other at a limit", "deaf", "HEAL deaf inject", solo(deaf).with(limited("b"))},
	{"not judged", "unjudged", "HEAL unjudged", solo(deaf, func(a *agent) { a.verdict = nil })},
	{"not judged for two sweeps", "unjudged", "HEAL unjudged !unjudged", solo(deafFor(1), func(a *agent) { a.verdict = nil })},
	{"of its session nothing is there but a file", "unjudged", "HEAL unjudged", solo(deaf, func(a *agent) { a.session.Process.Alive = new(false) })},
	{"whether its session lives is not told", "unjudged", "HEAL unjudged", solo(deaf, func(a *agent) { a.session.Process.Alive = nil })},
	{"judged unknown, a call open", "unjudged", "HEAL unjudged", solo(deaf, class("unknown"), calls)},
	{"out of scope", "unjudged", "HEAL unjudged", solo(deaf, class("1"))},
	{"works", "busy", "HEAL busy", solo(deaf, class("5"))},
	{"works for two sweeps, a call open", "busy", "HEAL busy !busy", solo(deafFor(1), class("5"), calls)},
	{"hangs", "hung", "HEAL hung", solo(deaf, class("6"))},
	{"hangs for two sweeps, a call open", "hung", "HEAL hung !hung", solo(deafFor(1), class("6"), calls)},
	{"asks", "prompt", "HEAL prompt", solo(deaf, class("3"))},
	{"blocked for two sweeps, a call open", "prompt", "HEAL prompt !prompt", solo(deafFor(1), class("7"), calls)},
	{"a call is open", "open-call", "HEAL open-call", solo(deaf, calls)},
	{"a call is open for two sweeps", "open-call", "HEAL open-call !open-call", solo(deafFor(1), calls)},
	{"deaf", "deaf", "HEAL deaf inject", solo(deaf)},
	{"deaf, and without a transcript", "deaf", "HEAL deaf inject", solo(deaf, func(a *agent) { a.session.Transcript = nil })},
	{"deaf and not listed", "deaf", "HEAL deaf inject", solo(unlisted)},
	{"deaf, left before", "deaf", "HEAL deaf inject", solo(deaf, exited(0, ago(time.Minute)))},
	{"deaf again", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1))},
	{"deaf for long, and never told so", "deaf", "HEAL deaf inject", solo(deafFor(3), untold)},
	{"deaf again, and only nudged", "deaf", "HEAL deaf inject", solo(deafFor(1), untold, nudged(5*time.Minute))},
	{"deaf again, told so and nudged", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1), nudged(5*time.Minute))},
	{"deaf again, nudged before it was last well", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1), nudged(11*time.Minute), untold, func(a *agent) { a.heal.Injects = 1 })},
	{"deaf again, told so once of two times", "deaf", "HEAL deaf inject", solo(deafFor(4), untold, func(a *agent) { a.heal.Injects = 1 }).with(rule(func(r *record.HealRules) { r.EscalateAfter = 2 }))},
	{"deaf, and to be told nothing", "deaf", "HEAL deaf restart !restarted", solo(deaf).with(rule(func(r *record.HealRules) { r.EscalateAfter = 0 }))},
	{"deaf again, and may not be restarted", "deaf", "HEAL held !held", solo(deafFor(1)).with(rule(func(r *record.HealRules) { r.AllowRestart = false }))},
	{"deaf again, restarted a moment ago", "deaf", "HEAL backoff", solo(deafFor(2), tried(1, "restart", ago(5*time.Minute)))},
	{"deaf again, told before", "deaf", "HEAL deaf restart", solo(deafFor(1), told("restarted"))},
	{"deaf after three restarts", "deaf", "HEAL exhausted !exhausted", solo(deafFor(9), tried(3, "restart", ago(4*time.Hour)), told("restarted", "stuck"))},
	{"deaf again in a limit of the account", "deaf", "HEAL limit", solo(deafFor(1)).with(func(s *scene) { s.pause = ago(-time.Hour) })},
	{"restarted often", "deaf", "HEAL rate !rate", solo(deafFor(9), tried(1, "restart", ago(20*time.Minute)), tried(1, "restart", ago(20*time.Minute))).
		with(rule(func(r *record.HealRules) { r.WindowMax, r.WindowS = 2, 3600 }))},
	{"restarted often, but not of late", "deaf", "HEAL deaf restart !restarted", solo(deafFor(9), tried(1, "restart", ago(61*time.Minute)), tried(1, "restart", ago(20*time.Minute))).
		with(rule(func(r *record.HealRules) { r.WindowMax, r.WindowS = 2, 3600 }))},
	{"told often, and restarted once", "deaf", "HEAL deaf restart !restarted", solo(deafFor(9), tried(1, "inject", ago(30*time.Minute)), tried(1, "restart", ago(20*time.Minute))).
		with(rule(func(r *record.HealRules) { r.WindowMax, r.WindowS = 2, 3600 }))},
	{"another was launched", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1)).agent("b", tried(1, "launch", ago(10*time.Second)))},
	{"another was told", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1)).agent("b", tried(0, "inject", ago(10*time.Second)))},
	{"another was restarted, and others before", "deaf", "HEAL fleet-gap", solo(deafFor(1)).agent("b", tried(1, "restart", ago(10*time.Second)), tried(1, "restart", ago(time.Hour))).agent("c", tried(1, "restart", ago(2*time.Hour)))},
	{"another was restarted", "deaf", "HEAL fleet-gap", solo(deafFor(1)).agent("b", tried(1, "restart", ago(59*time.Second)))},
	{"another was restarted a minute ago", "deaf", "HEAL deaf restart !restarted", solo(deafFor(1)).agent("b", tried(1, "restart", ago(time.Minute)))},
}

// decide is the decision of a table of rules about the agent a, and the row that
// decided.
func (r ruled) decide(t *testing.T, rules []Rule) (row, decision string) {
	t.Helper()
	defer func() {
		if e := recover(); e != nil {
			row, decision = "none", "broke off"
		}
	}()
	whole := Rules
	Rules = rules
	defer func() { Rules = whole }()
	w := gather(setOf(t, r.scene.records(t)), Options{})
	for _, want := range w.desired(r.scene.desired) {
		if want.Agent == "a" {
			f := w.facts(want)
			return rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Match(f) })].ID, brief(Decide(f))
		}
	}
	t.Fatalf("%s: no agent", r.name)
	return "", ""
}

func TestRules(t *testing.T) {
	fired := map[string]bool{}
	for _, r := range ruleTable {
		t.Run(r.name, func(t *testing.T) {
			row, got := r.decide(t, Rules)
			if got != r.want || row != r.row {
				t.Errorf("%s, by row %s\nwant %s, by row %s", got, row, r.want, r.row)
			}
			if whole := brief(r.scene.judge(t).of(t, "a")); whole != got {
				t.Errorf("alone %s, in the stream %s", got, whole)
			}
			fired[row] = true
		})
	}
	for _, r := range Rules {
		if !fired[r.ID] {
			t.Errorf("row %s never decides", r.ID)
		}
	}
}

// Why a workspace is not known is told in the words of who looked for it, when they are about it.
func TestLost(t *testing.T) {
	const none = "no root of workspace_roots leads to /gone, or it has no .macf/macf-agent.json, or its path has a link in it"
	for name, tt := range map[string]struct {
		notes []string
		want  string
	}{
		"no note":      {nil, none},
		"its note":     {[]string{"/w/.macf/macf-agent.json: torn", "/gone/.macf/macf-agent.json: agent_name is missing"}, "/gone/.macf/macf-agent.json: agent_name is missing"},
		"others' only": {[]string{"/gone/x/.macf/macf-agent.json: torn", "/x/gone/.macf/macf-agent.json: torn", "/gone/.macf/macf-agent.json2: torn", "/gone: torn"}, none},
		"cut":          {[]string{"/w/.macf/macf-agent.json: torn", claude.MoreDrift}, "/gone/.macf/macf-agent.json: it is not there, or one of those that were not understood and are not named"},
		"its, and cut": {[]string{"/gone/.macf/macf-agent.json: torn", claude.MoreDrift}, "/gone/.macf/macf-agent.json: torn"},
	} {
		s := newScene().with(list(desired.Agent{Agent: "a", Workspace: "/gone"}))
		s.surfaces["macf/workspaces"] = record.Surface{OK: true, Unparsed: len(tt.notes), Notes: tt.notes}
		d := s.judge(t).of(t, "a")
		if d.Detail != tt.want || d.Alert == nil || !strings.Contains(d.Alert.Text, tt.want) {
			t.Errorf("%s: %q, %+v", name, d.Detail, d.Alert)
		}
		if d := Upgrade(setOf(t, s.records(t)), Options{Desired: s.desired}, "2.0.0").of(t, "a"); d.Reason != "no-workspace" || d.Detail != tt.want {
			t.Errorf("%s: an upgrade says %q", name, d.Detail)
		}
	}
}
