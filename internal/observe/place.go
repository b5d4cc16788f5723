package observe

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/record"
)

// placeSession places a draft by its cwd; when that is gone, by the work tree
// of its job, then by the repository above a /.claude/worktrees/ part.
func placeSession(w *World, d *claude.Draft) {
	place, how := w.place(d.Cwd)
	if how == record.PlacedGone {
		if p, h := w.place(d.WorktreePath); h == record.PlacedByCwd {
			place, how = p, record.PlacedByWorktree
		}
	}
	if how == record.PlacedGone {
		above, _, inWorktrees := strings.Cut(cmp.Or(d.WorktreePath, d.Cwd), "/.claude/worktrees/")
		if p, h := w.place(above); inWorktrees && h == record.PlacedByCwd {
			// The branch of the checkout above is not that of the session.
			place, how = gitrepo.Place{CommonDir: p.CommonDir}, record.PlacedAbove
			if d.WorktreeBranch != "" {
				place.Branch, place.BranchID = d.WorktreeBranch, gitrepo.BranchID(d.WorktreeBranch)
			}
		}
	}
	d.Repo, d.Branch, d.BranchID, d.Worktree, d.Placement = place.CommonDir, place.Branch, place.BranchID, place.Worktree, how
	if real, err := gitrepo.RealPath(w.FS, d.Cwd); err == nil && real != d.Cwd {
		d.Cwds = []string{real}
	}
}

// place places one directory, in a Placed… word.
func (w *World) place(dir string) (gitrepo.Place, string) {
	if dir == "" {
		return gitrepo.Place{}, record.PlacedUnknown
	}
	p, err := gitrepo.Locate(w.FS, dir)
	switch {
	case err == nil:
		w.rec.place(w.FS, dir, p)
		return p, record.PlacedByCwd
	case errors.Is(err, gitrepo.ErrNoRepository):
		w.rec.place(w.FS, dir, p)
		return p, record.PlacedNone
	case errors.Is(err, fs.ErrNotExist):
		return p, record.PlacedGone
	}
	return p, record.PlacedUnreadable
}
