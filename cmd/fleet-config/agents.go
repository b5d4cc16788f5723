package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// lists returns what is wrong in the lists of agents that a scope, or any scope,
// names.
func (p program) lists(f *config.File, only string) (err error) {
	for _, id := range f.Scopes() {
		s, _ := f.Scope(id)
		if s.Desired == "" || only != "" && only != id || p.w.Recorded() {
			continue
		}
		b, bad := cli.ReadFile(s.Desired)
		if bad != nil {
			bad = errors.New(f.Mistake(s, "desired_agents", bad.Error()).String())
		} else {
			_, bad = desired.Parse(s.Desired, b)
		}
		err = errors.Join(err, bad)
	}
	return err
}

// missing tells what the list of agents and the roots of their workspaces name and
// is not there: no sweep finds it, and none says so before it looks.
func (p program) missing(f *config.File, s *config.Scope) {
	if p.w.Recorded() || s.Heal == nil {
		return
	}
	for _, root := range s.WorkspaceRoots {
		if there, err := p.w.Exists(root); err == nil && !there {
			p.std.Warn("%s: scope %s: workspace_roots: %s: is not there", f.Path, s.ID, root)
		}
	}
	b, err := cli.ReadFile(s.Desired)
	if err != nil {
		return // there is none, or lists has told why not
	}
	list, err := desired.Parse(s.Desired, b)
	if err != nil {
		return
	}
	for _, d := range list {
		if says := p.lost(d); says != "" {
			p.std.Warn("%s:%d: agent %s: %s", s.Desired, d.Line, d.Agent, says)
		}
		p.open(fmt.Sprintf("%s:%d: agent %s", s.Desired, d.Line, d.Agent), d.Start()[0])
	}
}

// lost says what of an agent of the list is not there, "" when all is.
func (p program) lost(d desired.Agent) string {
	if real, err := gitrepo.RealPath(p.w.FS, d.Workspace); err == nil && real != d.Workspace {
		return fmt.Sprintf("workspace: %s: its path has a link in it, and it is known as %s", d.Workspace, real)
	}
	if there, err := p.w.Exists(filepath.Join(d.Workspace, macf.Marker)); err == nil && !there {
		return fmt.Sprintf("workspace: %s: it has no %s, or is not there", d.Workspace, macf.Marker)
	}
	if err := machine.Startable(d.Start()[0], d.Workspace); err != nil {
		return fmt.Sprintf("%s, which starts it, %v", d.Start()[0], err)
	}
	return ""
}
