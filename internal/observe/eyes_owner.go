package observe

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Owner returns the workspace that a session's directory belongs to, with what runs
// there; nil when it belongs to none. One whose configuration is not understood has no
// agent.
func (e Eyes) Owner(_ context.Context, s record.Seen) (*record.Workspace, error) {
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		return nil, err
	}
	dir := s.Workspace
	if real, err := gitrepo.RealPath(w.FS, dir); err == nil {
		dir = real
	}
	h, unread := &homes{w: w}, error(nil)
	home := macf.Owner(dir, func(dir string) bool {
		there, err := w.Exists(filepath.Join(dir, macf.Marker))
		if err != nil {
			unread = err
		}
		return there || err != nil
	}, h.worktree)
	if unread != nil || home == "" {
		return nil, unread
	}
	set, err := e.workspaces(home, surfaceWorkspaces)
	if err != nil {
		return nil, err
	}
	if r, ok := set.Get(record.Identity{Host: w.Host, Kind: record.KindWorkspace, Subject: home}); ok {
		p, _ := record.Payload[record.Workspace](r)
		return p, nil
	}
	return nil, fmt.Errorf("%s: it could not be told whose workspace it is", home)
}
