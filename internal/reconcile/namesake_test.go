package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// in puts an agent into a project, with a workspace of its own there.
func in(project string) func(*agent) {
	return func(a *agent) {
		a.verdict.Cause = "network"
		path := "/" + project + "/" + a.place.Agent
		a.place.Project, a.place.Path, a.place.Session = project, path, project+"@"+a.place.Agent
		if a.health != nil {
			a.health.Project = project
		}
		if a.proc != nil {
			a.proc.Cwd, a.session.SessionID = path, a.session.SessionID+"-"+project
			a.session.Cwd, a.proc.Session = path, a.session.SessionID
		}
	}
}

func lastExit(code int) func(*agent) {
	return func(a *agent) { a.place.LastExit = &record.AgentExit{Code: code, At: ago(time.Minute)} }
}

// Of two projects that have an agent of one name: without a list neither is touched,
// nor what runs in their workspaces; a list says which is the agent, and every part of
// a decision is about that one.
func TestNamesake(t *testing.T) {
	two := func(of ...func(*agent)) *scene {
		crane := append(append([]func(*agent){in("crane"), class("4")}, of...), func(a *agent) { a.heal = nil }) // the ledger has one of a name
		return newScene().agent("code", crane...).agent("code", append([]func(*agent){in("lamp"), class("4")}, of...)...)
	}
	list := func(project string) func(*scene) {
		return func(s *scene) { s.desired = []desired.Agent{{Agent: "code", Workspace: "/" + project + "/code"}} }
	}
	for _, tt := range []struct {
		name, want string
		scene      *scene
	}{
		{"both down, no list", "code SKIP ambiguous !ambiguous", two(gone)},
		{"both deaf, no list", "code SKIP ambiguous !ambiguous", two(deafFor(3))},
		{"both answer, no list", "code SKIP ambiguous !ambiguous", two()},
		{"both down, one listed", "code LAUNCH gone launch", two(gone).with(list("lamp"))},
		{"both deaf, one listed", "code HEAL deaf restart !restarted", two(deafFor(3), class("9")).with(list("lamp"))},
		{"an exit that may be the other's", "code LAUNCH gone launch", two(gone, lastExit(0)).with(list("lamp"))},
		{"one alone, the same exit", "code SKIP left", newScene().with(list("lamp")).agent("code", in("lamp"), gone, lastExit(0))},
	} {
		ds := tt.scene.judge(t).Decisions
		if got := fmt.Sprint(ds[0].Subject, " ", brief(ds[0].Decision)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, d := range ds {
			if tt.scene.desired == nil && d.Subject != "code" {
				t.Errorf("%s: %s %s", tt.name, d.Subject, brief(d.Decision))
			}
			switch a, s := d.Decision.Action, d.Decision.Seen; {
			case a == nil:
			case d.Subject != "code", s.Project != "lamp", s.Workspace != "/lamp/code", s.Tmux != "lamp@code", len(a.Argv) != 1, a.Argv[0] != "/lamp/code/claude.sh":
				t.Errorf("%s: %s: %+v %+v", tt.name, d.Subject, a, s)
			}
		}
	}
}

// A session's process is known by its start in the process table: what its own file
// says is later, and would be taken for another process.
func TestSessions_began(t *testing.T) {
	alone := &record.Workspace{Path: "/src/s", Processes: []record.AgentProc{{PID: 499, Start: ago(time.Minute), Kind: "claude"}, {PID: 500, Start: ago(90 * time.Minute), Kind: "claude", Cwd: "/src/s"}}}
	for _, told := range []bool{false, true} {
		f := sessionScene{class: "9"}.one(t, func(s *scene) {
			if told {
				s.places = append(s.places, alone)
			}
		})
		seen := decideSession(f).Seen
		if seen.PID != 500 || (seen.Start != nil) != told || told && !seen.Start.Equal(ago(90*time.Minute).Time) {
			t.Errorf("told: %t: %+v", told, seen)
		}
	}
}
