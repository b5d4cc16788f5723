package reconcile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// What a person was told of an agent that should run no longer is over, once all was
// read that says so.
func TestUnlisted(t *testing.T) {
	const none, some = "", "SKIP unlisted"
	only := list(desired.Agent{Agent: "a", Workspace: "/w/a"})
	heals := func(h record.Heal) func(*scene) { return func(s *scene) { s.heals = append(s.heals, &h) } }
	alerted := heals(record.Heal{Agent: "b", Alerts: []string{"no-workspace"}})
	for _, tt := range []struct {
		name  string
		scene *scene
		want  string // of b
	}{
		{"the list has it no more", solo().with(only).with(alerted), some},
		{"no list, and no workspace is its", solo().with(alerted), some},
		{"what is over and was not asked", solo().with(only).with(heals(record.Heal{Agent: "b", Unasked: []string{"restarted"}})), some},
		{"nobody was told of it", solo().with(only).with(heals(record.Heal{Agent: "b", Attempts: 1})), none},
		{"its workspace is there, and the list has it no more", solo().agent("b", gone, told("held")).with(only), some},
		{"its workspace is there, and there is no list", solo().agent("b", told("held")), "OK reachable"},
		{"not read", solo().with(only).with(alerted).with(blind), none},
		{"the ledger was not read", solo().with(only).with(alerted).with(func(s *scene) { s.surfaces["ledger"] = record.Surface{Error: "permission denied"} }), none},
		{"no list, and a workspace was not understood", solo().with(alerted).with(unread), none},
		{"a list, and a workspace was not understood", solo().with(only).with(alerted).with(unread), some},
		{"in no scope", solo().with(only).with(alerted).with(func(s *scene) { s.tick = nil }), some},
	} {
		j, got := tt.scene.judge(t), none
		for _, d := range j.Decisions {
			if d.Subject == "b" {
				got = brief(d.Decision)
				if got == some && (d.Decision.Seen == nil || d.Decision.Seen.Host != "devbox" || d.Decision.Order != len(j.Decisions) || d.Decision.Agent != "b" || d.Decision.Detail == "") {
					t.Errorf("%s: %+v", tt.name, d.Decision)
				}
			}
			if d.Subject == "session:s" {
				t.Errorf("%s: %+v", tt.name, d)
			}
		}
		if got != tt.want || got == some && j.RC != 0 {
			t.Errorf("%s: %q rc %d, want %q", tt.name, got, j.RC, tt.want)
		}
	}
	for want, s := range map[string]*scene{"the list does not name it": solo().with(only).with(alerted), "no workspace is its": solo().with(alerted)} {
		if d := s.judge(t).of(t, "b"); !strings.HasPrefix(d.Detail, want+" any more: ") {
			t.Error(d.Detail)
		}
	}
	s := solo().with(only).with(heals(record.Heal{Agent: "session:s", Alerts: []string{"hung"}}))
	if j := s.judge(t); len(j.Decisions) != 1 {
		t.Errorf("of a session it is decided: %+v", j.Decisions)
	}
}

func unread(s *scene) {
	s.places = append(s.places, &record.Workspace{Path: "/w/x", Unread: "torn", Processes: []record.AgentProc{}})
}

// Where no workspace of any agent is there any more of which there were some of late,
// nobody knows whether they are gone: nothing that was told of them is over.
func TestVanished(t *testing.T) {
	s := newScene()
	for _, name := range []string{"b", "a"} {
		s.heals = append(s.heals, &record.Heal{Agent: name, SweptAt: ago(23 * time.Hour), Alerts: []string{"held"}})
	}
	s.heals = append(s.heals, &record.Heal{Agent: "session:s", SweptAt: ago(time.Hour)})
	if j := s.judge(t); len(j.Decisions) != 0 || j.RC != 2 || !slices.Equal(j.Undecided, []string{"a, b: no workspace of any agent is there any more"}) {
		t.Errorf("%+v", j)
	}
	if j := s.agent("c").judge(t); j.RC != 0 || brief(j.of(t, "a")) != "SKIP unlisted" {
		t.Errorf("another is there: %+v", j)
	}
}

// An agent in a repository that another scope names, or more than one does, is left to
// that, whether it runs or not, unless a list gives it to this one.
func TestForeign(t *testing.T) {
	theirs := func(a *agent) { a.place.Repo = "/src/.git" }
	scope := func(s *scene) { s.tick.Others = []string{"/src/.git"} }
	s := newScene().with(scope).agent("a", theirs, gone).agent("b", theirs, deafFor(3)).agent("c", gone).session("s", "9", ended, func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Cwd = "/w/b/x" })
	s.heals[0].Alerts = []string{"held"}
	j := s.judge(t)
	var got []string
	for _, d := range j.Decisions {
		got = append(got, d.Subject+" "+brief(d.Decision))
	}
	if want := []string{"c LAUNCH gone launch", "a SKIP unlisted"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, p := range []string{"a", "b"} {
		if want := p + " is left to another scope, which names its repository, or more than one does: /w/" + p; !slices.Contains(j.Notes, want) {
			t.Errorf("%q lacks %s", j.Notes, want)
		}
	}
	j = s.with(list(desired.Agent{Agent: "a", Workspace: "/w/a"})).judge(t)
	if got := brief(j.of(t, "a")); got != "LAUNCH gone launch" || len(j.Notes) > 0 {
		t.Errorf("of the list: %s, %q", got, j.Notes)
	}
	s = newScene().agent("a", theirs, gone).with(func(s *scene) { s.tick.Shared = map[string][]string{"/src/.git": {"lamp", "oven"}} })
	if j := s.judge(t); len(j.Decisions) > 0 || len(j.Notes) != 1 {
		t.Errorf("of two scopes: %+v", j)
	}
	s = newScene().agent("a", theirs, gone)
	if s.tick = nil; brief(s.judge(t).of(t, "a")) != "LAUNCH gone launch" {
		t.Error("without a scope")
	}
}
