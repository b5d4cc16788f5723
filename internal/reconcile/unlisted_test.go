package reconcile

import (
	"strings"
	"testing"

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
