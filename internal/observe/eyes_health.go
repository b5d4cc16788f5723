package observe

import (
	"context"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Health asks an agent once, by its registry's entry of this moment. Nil: no
// registry lists it.
func (e Eyes) Health(ctx context.Context, agent string, s record.Seen) (*record.Health, error) {
	if s.Project == "" {
		return nil, nil // a session of no list: nobody asks it
	}
	r, err := e.workspace(s.Workspace)
	if err != nil {
		return nil, err
	}
	roster := surfaceRoster + s.Project
	set, err := e.look(func(w *machine.World, sink Sink) ([]string, error) {
		ask := e.Ask
		ask.Only = agent
		return ask.Observe(ctx, w, e.only(r), sink)
	}, roster)
	if err != nil {
		return nil, err
	}
	for _, r := range set.Of(record.KindHealth) {
		if p, ok := record.Payload[record.Health](r); ok && p.Agent == agent {
			return p, nil
		}
	}
	return nil, nil
}

// only is a stream of one workspace, and of what is known of the others of its project.
func (e Eyes) only(r record.Record) *record.Set {
	set, n := new(record.Set), 3
	set.Add(record.Line{Record: r})
	if e.Known == nil {
		e.Known = new(record.Set)
	}
	of, _ := record.Payload[record.Workspace](r)
	for _, o := range e.Known.Of(record.KindWorkspace) {
		if p, ok := record.Payload[record.Workspace](o); ok && o.Host == r.Host && o.Subject != r.Subject && p.Project == of.Project && p.Agent != "" {
			o.By, n = r.By, n+1
			set.Add(record.Line{Record: o})
		}
	}
	for subject, s := range map[string]record.Surface{surfaceWorkspaces: {OK: true, Rows: 1}, surfaceAgents: {OK: true}, byWorkspaces: {OK: true, Rows: n, Records: &n}} {
		if p, err := record.New(record.KindSurface, r.At, r.Host, byWorkspaces, subject, s); err == nil {
			set.Add(record.Line{Record: p})
		}
	}
	return set
}
