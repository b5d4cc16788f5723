package observe

import (
	"errors"
	"io/fs"
	"path"
	"sync"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// places remembers where directories stand: sessions share them. Several may
// ask at a time.
type places struct {
	w     *machine.World
	mu    sync.Mutex
	known map[string]placed
}

// placed is a directory's place in a Placed… word, and its path without symbolic
// links, "" when that cannot be told.
type placed struct {
	gitrepo.Place
	how  string
	real string
}

func (p *places) of(dir string) placed {
	p.mu.Lock()
	at, ok := p.known[dir]
	p.mu.Unlock()
	if ok {
		return at
	}
	at.Place, at.how = locate(p.w, dir)
	at.real, _ = gitrepo.RealPath(p.w.FS, dir) // the place has the error
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]placed{}
	}
	p.known[dir] = at
	return at
}

// above is the place of the nearest directory above one that is gone, when it is in a
// repository. Its branch is not that of what was below it.
func (p *places) above(dir string) (repo string, ok bool) {
	for d := path.Dir(dir); d != "/" && d != "."; d = path.Dir(d) {
		if at := p.of(d); at.how != record.PlacedGone {
			return at.CommonDir, at.how == record.PlacedByCwd
		}
	}
	return "", false
}

// session places a draft by its cwd; when that is gone, by the work tree of its
// job, then by the repository in which one of the two was.
func (p *places) session(d *claude.Draft) {
	at := p.of(d.Cwd)
	place, how := at.Place, at.how
	if how == record.PlacedGone {
		if at := p.of(d.WorktreePath); at.how == record.PlacedByCwd {
			place, how = at.Place, record.PlacedByWorktree
		}
	}
	if how == record.PlacedGone {
		repo, ok := p.above(d.WorktreePath)
		if !ok {
			repo, ok = p.above(d.Cwd)
		}
		if ok {
			place, how = gitrepo.Place{CommonDir: repo}, record.PlacedAbove
			if d.WorktreeBranch != "" {
				place.Branch, place.BranchID = d.WorktreeBranch, gitrepo.BranchID(d.WorktreeBranch)
			}
		}
	}
	d.Repo, d.Branch, d.BranchID, d.Worktree, d.Placement = place.CommonDir, place.Branch, place.BranchID, place.Worktree, how
	if at.real != "" && at.real != d.Cwd {
		d.Cwds = []string{at.real}
	}
}

// locate places one directory, in a Placed… word.
func locate(w *machine.World, dir string) (gitrepo.Place, string) {
	if dir == "" {
		return gitrepo.Place{}, record.PlacedUnknown
	}
	p, err := gitrepo.Locate(w.FS, dir)
	switch {
	case err == nil:
		recordPlace(w, dir, p)
		return p, record.PlacedByCwd
	case errors.Is(err, gitrepo.ErrNoRepository):
		recordPlace(w, dir, p)
		return p, record.PlacedNone
	case errors.Is(err, fs.ErrNotExist):
		return p, record.PlacedGone
	}
	return p, record.PlacedUnreadable
}
