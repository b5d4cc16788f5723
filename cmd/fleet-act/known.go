package main

import (
	"slices"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// command is what starts an agent in a workspace, nil when the list does not name
// it there, or, without a list, when that is not the one workspace of the stream
// that has the name.
func (d *deed) command(agent, workspace string) []string {
	if d.desired == nil {
		n, there := 0, false
		for _, p := range d.workspaces() {
			if p.Agent == agent {
				n, there = n+1, there || p.Path == workspace
			}
		}
		if n != 1 || !there {
			return nil
		}
		return desired.Agent{Workspace: workspace}.Start()
	}
	i := slices.IndexFunc(d.desired, func(w desired.Agent) bool { return w.Agent == agent && w.Workspace == workspace })
	if i < 0 {
		return nil
	}
	return d.desired[i].Start()
}

// workspaces are those of the stream on this machine that are an agent's.
func (d *deed) workspaces() (ps []*record.Workspace) {
	for _, r := range d.set.Of(record.KindWorkspace) {
		if p, ok := record.Payload[record.Workspace](r); ok && r.Host == d.host && p.Agent != "" {
			ps = append(ps, p)
		}
	}
	return ps
}
