package reconcile

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// owner returns the workspace that a session belongs to, nil when there is none: where
// its process was found, else the nearest at or above its directory. A workspace that
// the list names is one too when nothing was found there.
func (w *world) owner(s *record.Session) *record.Workspace {
	if p := w.home(s); p != nil {
		return p
	}
	var owner *record.Workspace
	for _, dir := range append([]string{s.Cwd}, s.Cwds...) {
		for ; path.IsAbs(dir) && owner == nil; dir = path.Dir(dir) {
			if owner = w.spaces[dir]; owner == nil && w.wanted[dir] {
				owner = &record.Workspace{Path: dir}
			}
			if dir == "/" {
				break
			}
		}
	}
	if owner == nil || apart(s, owner.Path) {
		return nil
	}
	return owner
}

// home is the workspace in which the process of a session runs.
func (w *world) home(s *record.Session) *record.Workspace {
	if s.Process == nil || s.Process.Alive == nil || !*s.Process.Alive {
		return nil
	}
	for _, p := range here[record.Workspace](w, record.KindWorkspace) {
		if p.Agent == "" && p.Unread == "" {
			continue // of no workspace
		}
		for _, proc := range p.Processes {
			if proc.PID == s.Process.PID {
				return p
			}
		}
	}
	return nil
}

// apart tells that a session is in a further work tree of a repository that lies in a
// workspace: that is another checkout, and none of its agent's. A module in it is one.
func apart(s *record.Session, workspace string) bool {
	return s.Worktree != "" && s.Repo != "" && strings.HasPrefix(s.Worktree, strings.TrimSuffix(workspace, "/")+"/") &&
		!strings.HasPrefix(s.Repo, s.Worktree+"/") && !strings.Contains(s.Repo, "/modules/")
}

// agents says what of the agent in whose workspace a session is keeps it from being
// touched.
func (w *world) agents(f *sessionFacts, owner *record.Workspace) {
	switch {
	case owner == nil:
	case owner.Agent == "":
		f.nameless = fmt.Sprintf("%s is the workspace of an agent whose name is not known: %s", owner.Path, cmp.Or(w.unfit(owner.Path), owner.Unread))
	case w.heals[owner.Agent].Paused:
		f.paused = owner.Agent
	case (&Facts{Now: f.now, Workspace: owner, Heal: w.heals[owner.Agent]}).maintained():
		f.upgraded = owner.Agent
	}
}
