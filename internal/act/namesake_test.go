package act

import (
	"context"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// stalls shows a stall wherever it is looked.
type stalls struct {
	*desk
	looked []string // workspaces
}

func (s *stalls) Look(_ context.Context, t driver.Target) (driver.State, error) {
	s.looked = append(s.looked, t.Cwd)
	return driver.State{Alive: true, PID: t.PID, Prompt: true, Stall: "limit"}, nil
}

// Of two workspaces that have one name, the one that starts nothing is neither looked
// at nor written to, whichever comes first.
func TestStalled_namesake(t *testing.T) {
	for _, ours := range []string{"/w/0", "/w/1", ""} {
		d := newDesk(t)
		set := new(record.Set)
		for i, path := range []string{"/w/0", "/w/1"} {
			p := record.Workspace{Agent: "agent-0", Project: []string{"crane", "lamp"}[i], Path: path, Processes: []record.AgentProc{*d.agents[i].process()}}
			r, err := record.New(record.KindWorkspace, record.NewTime(d.now), "devbox", "fleet-observe-workspaces", path, p)
			if err != nil {
				t.Fatal(err)
			}
			set.Add(record.Line{Record: r})
		}
		dr := &stalls{desk: d}
		a := d.at(d.now)
		a.Drivers = map[string]driver.Driver{"tmux": dr}
		a.Rules.Stalls = []record.StallRule{{ID: "limit", Action: "nudge", Max: 3}}
		a.Command = func(_, workspace string) []string {
			if workspace != ours {
				return nil
			}
			return starts("", workspace)
		}
		if err := handed(a, a.Stalled(context.Background(), set, "devbox")); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(dr.looked, func(cwd string) bool { return cwd != ours }) || (len(d.said) > 0) != (ours != "") {
			t.Errorf("ours is %q: looked at %q, written to %q", ours, dr.looked, d.said)
		}
	}
}
