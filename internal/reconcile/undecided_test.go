package reconcile

import (
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/record"
)

// About what nothing is decided, and why, is in one text for each reason.
func TestUndecided(t *testing.T) {
	unread := func(name, why string) func(*scene) {
		return func(s *scene) { s.surfaces[name] = record.Surface{Error: why} }
	}
	project := func(name string) func(*agent) { return func(a *agent) { a.place.Project = name } }
	nameless := func(s *scene) {
		s.places = append(s.places, &record.Workspace{Path: "/w/x", Unread: "agent_role is missing"}, &record.Workspace{Path: "/w/y"}, &record.Workspace{Path: "/else/z", Unread: macf.Outside})
	}
	for name, tt := range map[string]struct {
		scene *scene
		want  []string
		rc    int
	}{
		"all is well":               {newScene().agent("a"), nil, 0},
		"something is to be done":   {newScene().agent("a", gone), nil, 1},
		"a roster":                  {newScene().agent("a").agent("b", gone).agent("c", project("q")).with(unread("macf/roster:p", "gone")), []string{"a, b: macf/roster:p: gone"}, 2},
		"two rosters":               {newScene().agent("a").agent("c", project("q")).with(unread("macf/roster:p", "gone")).with(unread("macf/roster:q", "401")), []string{"a: macf/roster:p: gone", "c: macf/roster:q: 401"}, 2},
		"the ledger":                {newScene().agent("a").with(unread("ledger", "permission denied")), []string{"a: ledger: permission denied"}, 2},
		"the ledger, of no agent":   {newScene().with(unread("ledger", "permission denied")), []string{"ledger: permission denied"}, 2},
		"a workspace":               {newScene().agent("a").with(nameless), []string{"/w/x: agent_role is missing"}, 2},
		"a workspace, and a list":   {newScene().agent("a").with(nameless).with(list(desired.Agent{Agent: "a", Workspace: "/w/a"})), nil, 0},
		"a workspace, and all else": {newScene().agent("a").with(nameless).with(unread("macf/processes", "no")), []string{"a: macf/processes: no"}, 2},
	} {
		if j := tt.scene.judge(t); !slices.Equal(j.Undecided, tt.want) || j.RC != tt.rc {
			t.Errorf("%s: rc %d, %q", name, j.RC, j.Undecided)
		}
	}
	if j := Judge(setOf(t, nil), Options{}); !slices.Equal(j.Undecided, []string{"the stream is empty"}) || j.RC != 2 {
		t.Errorf("rc %d, %q", j.RC, j.Undecided)
	}
	s := newScene().agent("a").with(unread("macf/roster:p", "gone"))
	if j := Upgrade(setOf(t, s.records(t)), Options{}, "2.0.0"); !slices.Equal(j.Undecided, []string{"a: macf/roster:p: gone"}) || j.RC != 2 {
		t.Errorf("rc %d, %q", j.RC, j.Undecided)
	}
}
