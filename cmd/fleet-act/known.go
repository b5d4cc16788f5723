package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/act"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/reconcile"
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

// known says why a decision is about nothing that is there: an agent that neither
// the list nor the stream has in that workspace, a session that the stream does not
// have so, or that is an agent's.
func (d *deed) known(x record.Decision) error {
	subject, isSession := strings.CutPrefix(x.Agent, "session:")
	if isSession {
		return d.session(subject, *x.Seen)
	}
	wanted := slices.ContainsFunc(d.desired, func(w desired.Agent) bool { return w.Agent == x.Agent && w.Workspace == x.Seen.Workspace })
	if d.desired == nil {
		wanted = slices.ContainsFunc(d.workspaces(), func(p *record.Workspace) bool { return p.Agent == x.Agent && p.Path == x.Seen.Workspace })
	}
	if !wanted {
		return act.Refused("decision", fmt.Sprintf("no agent of that name should run in %s, or several have it", x.Seen.Workspace))
	}
	return nil
}

// session says why a session is none of ours that no list names.
func (d *deed) session(subject string, seen record.Seen) error {
	if agent := d.whose(seen); agent != "" {
		return act.Refused("decision", "it is of the agent "+agent+", which it is decided about")
	}
	err := act.Refused("decision", "the stream has no session of ours that is so")
	for _, r := range d.set.Of(record.KindVerdict) {
		v, ok := record.Payload[record.Verdict](r)
		if ok && r.Host == d.host && r.Subject == subject && v.Session.Ours && v.Session.Tmux == seen.Tmux && v.Session.JobID == seen.JobID {
			err = nil
		}
	}
	for _, r := range d.set.Of(record.KindSession) {
		if s, ok := record.Payload[record.Session](r); ok && r.Host == d.host && r.Subject == subject && s.SessionID == seen.SessionID && s.Cwd == seen.Workspace {
			return err
		}
	}
	return act.Refused("decision", "the stream has no session of ours that is so")
}

// whose is the agent that a session is: of the workspace in which it runs, or of
// the process that runs there; "" of none. With a list only its agents count.
func (d *deed) whose(seen record.Seen) string {
	for _, w := range d.desired {
		if w.Workspace == seen.Workspace {
			return w.Agent
		}
	}
	for _, p := range d.workspaces() {
		listed := d.desired == nil || slices.ContainsFunc(d.desired, func(w desired.Agent) bool { return w.Workspace == p.Path })
		proc := reconcile.Claude(p)
		if listed && (p.Path == seen.Workspace || proc != nil && proc.PID == seen.PID) {
			return p.Agent
		}
	}
	return ""
}
