package reconcile

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

func upgraded(to, state string) func(*agent) {
	return func(a *agent) { a.heal.Upgrade = &record.UpgradeRun{To: to, State: state, Reason: "deaf"} }
}

// reason is why the upgrade that an agent was in failed.
func reason(why string) func(*agent) {
	return func(a *agent) { a.heal.Upgrade.Reason = why }
}

func runs(version string) func(*agent) { return func(a *agent) { a.health.Version = version } }

func works(busy *bool) func(*agent) { return func(a *agent) { a.health.Busy = busy } }

func inRegistry(id string) func(*agent) {
	return func(a *agent) { a.place.Registry = &record.Registry{Kind: "repo", ID: id} }
}

// upgradeTable are sweeps of a rolling upgrade to 2.0.0: each decision in brief.
var upgradeTable = []struct {
	name  string
	scene *scene
	want  string
	rc    int
}{
	{"the first of two", newScene().agent("a").agent("b"), "a UPGRADE behind upgrade; b SKIP one-at-a-time", 1},
	{"all at the version, or newer", newScene().agent("a", runs("2.0.0")).agent("b", runs("v3.0.0")), "a OK at-target; b OK at-target", 0},
	{"the second", newScene().agent("a", runs("2.0.0"), upgraded("2.0.0", "green")).agent("b"), "a OK at-target; b UPGRADE behind upgrade", 1},
	{"by registry", newScene().agent("a", inRegistry("x")).agent("b", inRegistry("w")).agent("c", inRegistry("x")), "b UPGRADE behind upgrade; a SKIP one-at-a-time; c SKIP one-at-a-time", 1},
	{"busy", newScene().agent("a", works(new(true))).agent("b"), "a SKIP busy; b UPGRADE behind upgrade", 1},
	{"no launcher", newScene().agent("a", unstartable).agent("b"), "a SKIP no-launcher; b UPGRADE behind upgrade", 1},
	{"no launcher, and a command", newScene().agent("a", unstartable).with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Command: []string{"/bin/run"}})), "a UPGRADE behind upgrade", 1},
	{"no launcher, and another failed", newScene().agent("a", unstartable).agent("b", deaf, upgraded("2.0.0", "failed")), "a SKIP stopped; b SKIP offline !upgrade-stopped", 1},
	{"no launcher, and at the version", newScene().agent("a", unstartable, runs("2.0.0")), "a OK at-target", 0},
	{"does not say whether it works", newScene().agent("a", works(nil)), "a SKIP busy", 1},
	{"judged to work", newScene().agent("a", class("5")).agent("b", class("3")).agent("c", class("unknown")), "a SKIP busy; b SKIP busy; c SKIP busy", 1},
	{"at rest", newScene().agent("a", class("9a")), "a UPGRADE behind upgrade", 1},
	{"not judged", newScene().agent("a", func(a *agent) { a.verdict = nil }), "a SKIP busy", 1},
	{"does not answer", newScene().agent("a", deaf).agent("b"), "a SKIP offline; b UPGRADE behind upgrade", 1},
	{"does not say its version", newScene().agent("a", runs("")), "a SKIP offline", 0},
	{"a version that is none", newScene().agent("a", runs("dev")), "a UPGRADE behind upgrade", 1},
	{"another instance answers", newScene().agent("a", func(a *agent) { a.health.Listed = "i0" }), "a SKIP offline", 0},
	{"runs on another machine", newScene().agent("a", func(a *agent) { a.proc = nil }), "a SKIP no-process", 0},
	{"paused", newScene().agent("a", paused).agent("b"), "a SKIP paused; b UPGRADE behind upgrade", 1},
	{"another's workspace", newScene().agent("a").agent("b").with(list(desired.Agent{Agent: "a", Workspace: "/w/b"})), "a SKIP mislabelled", 1},
	{"no workspace", newScene().agent("a").with(list(desired.Agent{Agent: "a", Workspace: "/x"})), "a SKIP no-workspace", 1},
	{"two workspaces", newScene().agent("a", runs("2.0.0"), func(a *agent) { a.place.Path = "/a" }).agent("a", second, func(a *agent) { a.health = nil }), "a SKIP ambiguous", 1},
	{"one is open", newScene().agent("a").agent("b", upgraded("2.0.0", "open"), func(a *agent) { a.heal.Open = []record.OpenAct{{ID: "act-1", Verb: "upgrade"}} }), "a SKIP one-at-a-time; b SKIP maintenance", 1},
	{"one to another version is open", newScene().agent("a").agent("b", deaf, upgraded("1.9.0", "open")), "a SKIP one-at-a-time; b SKIP offline", 1},
	{"one failed", newScene().agent("a", runs("2.0.0")).agent("b", deaf, upgraded("2.0.0", "failed")).agent("c"), "a OK at-target; b SKIP offline !upgrade-stopped; c SKIP stopped", 1},
	{"one failed, written otherwise", newScene().agent("b", deaf, upgraded("v2.0.0", "failed")).agent("c"), "b SKIP offline !upgrade-stopped; c SKIP stopped", 1},
	{"one failed, and was told", newScene().agent("b", upgraded("2.0.0", "failed"), told("upgrade-stopped")).agent("c"), "b SKIP stopped; c SKIP stopped", 1},
	{"one failed, and was made good", newScene().agent("b", upgraded("2.0.0", "failed"), runs("2.0.0")).agent("c"), "b OK at-target; c UPGRADE behind upgrade", 1},
	{"one came back in a newer version", newScene().agent("b", upgraded("2.0.0", "failed"), reason("wrong-version"), runs("2.1.0")).agent("c"), "b OK at-target !upgrade-stopped; c SKIP stopped", 1},
	{"one came back in another version, and was made good", newScene().agent("b", upgraded("2.0.0", "failed"), reason("wrong-version"), runs("v2.0.0")).agent("c"), "b OK at-target; c UPGRADE behind upgrade", 1},
	{"one was deaf, and runs a newer version by now", newScene().agent("b", upgraded("2.0.0", "failed"), reason("deaf"), runs("2.1.0")).agent("c"), "b OK at-target; c UPGRADE behind upgrade", 1},
	{"one failed, and is made good by another", newScene().agent("b", upgraded("2.0.0", "failed"), runs("2.0.0"), func(a *agent) { a.health.Listed = "i0" }).agent("c"), "b SKIP offline !upgrade-stopped; c SKIP stopped", 1},
	{"two failed", newScene().agent("b", deaf, upgraded("2.0.0", "failed")).agent("c", deaf, upgraded("2.0.0", "failed")), "b SKIP offline !upgrade-stopped; c SKIP offline", 1},
	{"one was done, and is deaf by now", newScene().agent("b", deaf, upgraded("2.0.0", "green")).agent("c"), "b SKIP offline; c UPGRADE behind upgrade", 1},
	{"one failed, and whether it was made good is not read", newScene().agent("b", upgraded("2.0.0", "failed"), runs("2.0.0"), func(a *agent) { a.place.Project, a.health.Project = "q", "q" }).agent("c").with(func(s *scene) {
		s.surfaces["macf/roster:q"] = record.Surface{Error: "no answer"}
	}), "c SKIP stopped; b SKIP blind !upgrade-stopped", 2},
	{"announced nowhere", newScene().agent("a", func(a *agent) { a.place.Registry = nil }).agent("b"), "a UPGRADE behind upgrade; b SKIP one-at-a-time", 1},
	{"one to another version failed", newScene().agent("b", deaf, upgraded("1.9.0", "failed")).agent("c"), "b SKIP offline; c UPGRADE behind upgrade", 1},
	{"macf upgrades one", newScene().agent("a", locked(0)), "a SKIP maintenance", 1},
	{"the last failed", newScene().agent("b", deaf, upgraded("2.0.0", "failed")), "b SKIP offline !upgrade-stopped", 1},
	{"not read", newScene().agent("a").with(blind), "a SKIP blind", 2},
	{"nothing read", newScene().with(blind), "", 2},
	{"another project's roster not read", newScene().agent("a").agent("b", func(a *agent) { a.place.Project, a.health.Project = "q", "q" }).with(func(s *scene) {
		s.surfaces["macf/roster:q"] = record.Surface{Error: "no answer"}
	}), "a SKIP unread; b SKIP blind", 2},
}

// In each sweep one agent, none beside one that is not done, none after one that
// failed.
func TestUpgrade(t *testing.T) {
	for _, tt := range upgradeTable {
		t.Run(tt.name, func(t *testing.T) {
			j := Upgrade(setOf(t, tt.scene.records(t)), Options{Desired: tt.scene.desired}, "2.0.0")
			var got []string
			for _, d := range j.Decisions {
				got = append(got, d.Subject+" "+brief(d.Decision))
				if a := d.Decision.Action; a != nil && (a.To != "2.0.0" || len(a.Argv) == 0 || d.Decision.Seen == nil) {
					t.Errorf("%+v", a)
				}
			}
			if all := strings.Join(got, "; "); all != tt.want || j.RC != tt.rc {
				t.Errorf("%s, rc %d\nwant %s, rc %d", all, j.RC, tt.want, tt.rc)
			}
		})
	}
}

// An agent that is passed by does not hold the others up, and its decision says why.
func TestUpgrade_passed(t *testing.T) {
	for _, tt := range []struct {
		scene *scene
		left  []string
		want  string
	}{
		{newScene().agent("a").agent("b"), []string{"a"}, "a SKIP refused; b UPGRADE behind upgrade"},
		{newScene().agent("a").agent("b"), []string{"a", "b"}, "a SKIP refused; b SKIP refused"},
		{newScene().agent("a", runs("2.0.0")).agent("b"), []string{"a"}, "a OK at-target; b UPGRADE behind upgrade"},
		{newScene().agent("a", upgraded("2.0.0", "failed")).agent("b"), []string{"a"}, "a SKIP stopped !upgrade-stopped; b SKIP stopped"},
		{newScene().agent("a").agent("b", deaf, upgraded("2.0.0", "failed")).agent("c"), []string{"a"}, "a SKIP refused; b SKIP offline !upgrade-stopped; c SKIP stopped"},
	} {
		o := Options{Left: map[string]string{}}
		for _, name := range tt.left {
			o.Left[name] = "draft: a text"
		}
		var got []string
		for _, d := range Upgrade(setOf(t, tt.scene.records(t)), o, "2.0.0").Decisions {
			got = append(got, d.Subject+" "+brief(d.Decision))
			if d.Decision.Reason == "refused" && !strings.HasSuffix(d.Decision.Detail, "behind 2.0.0; upgrade: draft: a text") {
				t.Error(d.Decision.Detail)
			}
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%s\nwant %s", all, tt.want)
		}
	}
}

// The agent at which this run stopped holds up the rest, also when it came back well in the
// moment after.
func TestUpgrade_stops(t *testing.T) {
	s := newScene().agent("a", runs("2.0.0"), upgraded("2.0.0", "failed"), reason("deaf")).agent("b")
	var got []string
	j := Upgrade(setOf(t, s.records(t)), Options{Stopped: "a"}, "2.0.0")
	for _, d := range j.Decisions {
		got = append(got, d.Subject+" "+brief(d.Decision))
	}
	if all := strings.Join(got, "; "); all != "a OK at-target !upgrade-stopped; b SKIP stopped" || j.RC != 1 {
		t.Errorf("%s, rc %d", all, j.RC)
	}
	if text := j.Decisions[0].Decision.Alert.Text; text != "the upgrade to 2.0.0 stopped here: deaf" {
		t.Error(text)
	}
}

// What sweeps have counted of an agent an upgrade takes along, but for one that is well.
func TestUpgrade_counts(t *testing.T) {
	counted := func(a *agent) { a.heal.Deaf, a.heal.Throttled = 3, 2 }
	s := newScene().agent("a", counted, runs("2.0.0")).agent("b", counted, deaf).agent("c", counted).agent("d", counted, paused)
	for _, d := range Upgrade(setOf(t, s.records(t)), Options{}, "2.0.0").Decisions {
		want := [2]int{3, 2}
		if d.Subject == "a" {
			want = [2]int{}
		}
		if got := [2]int{d.Decision.Deaf, d.Decision.Throttled}; got != want {
			t.Errorf("%s: %v, want %v", d.Subject, got, want)
		}
	}
}

// What is left is named.
func TestUpgrade_left(t *testing.T) {
	s := newScene().agent("a", runs("2.0.0")).agent("b", deaf, upgraded("2.0.0", "failed")).agent("c").agent("d")
	j := Upgrade(setOf(t, s.records(t)), Options{}, "2.0.0")
	if len(j.Notes) != 1 || j.Notes[0] != "the upgrade to 2.0.0 stopped at b; left: c, d" {
		t.Errorf("%q", j.Notes)
	}
}
