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
	reports := func(s *scene) { s.tick.Mode = "report" }
	silent := func(name string) func(*scene) { return func(s *scene) { s.silent[name] = true } }
	project := func(name string) func(*agent) { return func(a *agent) { a.place.Project = name } }
	nameless := func(s *scene) {
		s.places = append(s.places, &record.Workspace{Path: "/w/x", Unread: "agent_role is missing"}, &record.Workspace{Path: "/w/y"}, &record.Workspace{Path: "/else/z", Unread: macf.Outside})
	}
	for name, tt := range map[string]struct {
		scene *scene
		want  []string
		rc    int
	}{
		"all is well":                {newScene().agent("a"), nil, 0},
		"something is to be done":    {newScene().agent("a", gone), nil, 1},
		"a roster":                   {newScene().agent("a").agent("b", gone).agent("c", project("q")).with(unread("macf/roster:p", "gone")), []string{"a, b: macf/roster:p: gone"}, 2},
		"two rosters":                {newScene().agent("a").agent("c", project("q")).with(unread("macf/roster:p", "gone")).with(unread("macf/roster:q", "401")), []string{"a: macf/roster:p: gone", "c: macf/roster:q: 401"}, 2},
		"the ledger":                 {newScene().agent("a").with(unread("ledger", "permission denied")), []string{"a, sessions: ledger: permission denied"}, 2},
		"the ledger, of no agent":    {newScene().with(unread("ledger", "permission denied")), []string{"agents, sessions: ledger: permission denied"}, 2},
		"a workspace":                {newScene().agent("a").with(nameless), []string{"/w/x: agent_role is missing"}, 2},
		"a workspace, and a list":    {newScene().agent("a").with(nameless).with(list(desired.Agent{Agent: "a", Workspace: "/w/a"})), nil, 0},
		"a workspace, and all else":  {newScene().agent("a").with(nameless).with(unread("macf/processes", "no")), []string{"a, sessions: macf/processes: no"}, 2},
		"the ledger, and it reports": {newScene().agent("a").with(unread("ledger", "permission denied")).with(reports), []string{"a: ledger: permission denied"}, 2},
		"workspaces, and it reports": {newScene().with(unread("macf/workspaces", "no")).with(reports), []string{"agents: macf/workspaces: no"}, 2},
		"sessions":                   {newScene().agent("a").with(unread("claude/sessions", "no")), []string{"sessions: claude/sessions: no"}, 2},
		"sessions, and one stopped":  {newScene().session("x", "9").with(unread("claude/jobs", "no")), []string{"sessions: claude/jobs: no"}, 2},
		"sessions, and it reports":   {newScene().agent("a").with(unread("claude/sessions", "no")).with(reports), nil, 0},
		"the listing":                {newScene().agent("a").with(unread("claude/listing", "no")), nil, 0},
		"nobody saw sessions":        {newScene().agent("a").with(silent(sessions)), []string{"sessions: fleet-observe-claude: no closing record"}, 2},
		"nobody judged":              {newScene().agent("a").with(silent(judges)), []string{"sessions: fleet-classify: no closing record"}, 2},
		"one is not judged":          {newScene().agent("a").agent("b", func(a *agent) { a.verdict = nil }), []string{"sessions: fleet-classify: no verdict about 1 of 2"}, 2},
	} {
		if j := tt.scene.judge(t); !slices.Equal(j.Undecided, tt.want) || j.RC != tt.rc {
			t.Errorf("%s: rc %d, %q", name, j.RC, j.Undecided)
		}
	}
	for name, want := range map[string]string{"judge": "agents, sessions: the stream is empty", "upgrade": "agents: the stream is empty"} {
		if j := bothJudges[name](new(record.Set), Options{}); !slices.Equal(j.Undecided, []string{want}) || j.RC != 2 {
			t.Errorf("%s: rc %d, %q", name, j.RC, j.Undecided)
		}
	}
	lost := newScene().with(silent(workspaces)).records(t)
	if j := Upgrade(setOf(t, lost), Options{}, "2.0.0"); !slices.Equal(j.Undecided, []string{"agents: fleet-observe-workspaces: no closing record"}) || j.RC != 2 {
		t.Errorf("rc %d, %q", j.RC, j.Undecided)
	}
	s := newScene().agent("a").with(unread("macf/roster:p", "gone"))
	if j := Upgrade(setOf(t, s.records(t)), Options{}, "2.0.0"); !slices.Equal(j.Undecided, []string{"a: macf/roster:p: gone"}) || j.RC != 2 {
		t.Errorf("rc %d, %q", j.RC, j.Undecided)
	}
}
