package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Bounds of the look for workspaces.
const (
	scanDepth = 4       // levels below a root
	scanMost  = 200_000 // directories
)

// pruned are directories that hold no workspace; so do all whose name begins
// with a dot.
var pruned = map[string]bool{"node_modules": true, "dist": true}

// spot is a directory to look at, canonical, and how far below its root it is.
type spot struct {
	dir   string
	depth int
}

// scan looks for workspaces below every root. Symbolic links are followed. A
// directory that is met on two ways is looked at on the shorter one.
func (h *homes) scan(roots []string, named bool) {
	h.named = named
	var todo []spot
	for _, root := range roots {
		real, err := gitrepo.RealPath(h.w.Files(), root)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !named:
			continue
		case errors.Is(err, fs.ErrNotExist):
			h.blind(root, errors.New("no such directory"))
		case err != nil:
			h.blind(root, err)
		default:
			recordLinks(h.w, root)
			h.w.Rec.Mkdir(real)
			todo = append(todo, spot{real, 0})
		}
	}
	seen := map[string]bool{}
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen[at.dir] {
			continue
		}
		if seen[at.dir] = true; len(seen) > scanMost {
			h.blind(at.dir, fmt.Errorf("more than the %d directories that are looked at", scanMost))
			return
		}
		todo = append(todo, h.look(at)...)
	}
}

// look takes a directory when it is a workspace, and else returns those in it.
// A workspace is not entered: its worktrees are none of their own.
func (h *homes) look(at spot) (below []spot) {
	there, err := h.w.Exists(filepath.Join(at.dir, macf.Marker))
	if err != nil {
		h.blind(at.dir, err)
		return below
	}
	if there {
		h.add(at.dir)
		return below
	}
	if at.depth == scanDepth {
		return below
	}
	entries, _, err := h.w.ReadDir(at.dir)
	if err != nil {
		h.blind(at.dir, err)
		return below
	}
	for _, e := range entries {
		name, dir := e.Name(), filepath.Join(at.dir, e.Name())
		if strings.HasPrefix(name, ".") || pruned[name] || !h.w.IsDir(at.dir, e) {
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			real, err := gitrepo.RealPath(h.w.Files(), dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it leads nowhere
			}
			if err != nil {
				h.blind(dir, err)
				continue
			}
			recordLinks(h.w, dir)
			dir = real
		}
		below = append(below, spot{dir, at.depth + 1})
	}
	return below
}

// blind notes a directory that could not be looked at.
func (h *homes) blind(dir string, err error) {
	h.unread = append(h.unread, guard.Path(named(dir))+": "+unreadWhy(machine.Reason(err)))
}

// agents reads the process table: the sessions of Claude Code that are no
// helpers, and the channel servers.
func (h *homes) agents(s *record.Surface) (running []macf.Running) {
	table, notes, err := agentProcesses(h.w)
	if err != nil {
		h.w.Rec.Meta(h.w, nil)
		fail(s, err)
		return running
	}
	recordAgents(h.w, table)
	s.Notes = notes
	for _, p := range table {
		r := macf.Running{Process: p, Boot: h.w.BootAt}
		switch p.Kind() {
		case "":
			continue
		case macf.KindClaude:
			if !h.session(&r) {
				continue
			}
		default:
			r.Version = h.version(p)
		}
		r.Cwd = strings.TrimSuffix(r.Cwd, " (deleted)")
		r.Home = h.owner(r.Cwd)
		if r.Cwd == "" {
			s.Notes = merge(s.Notes, []string{fmt.Sprintf("the directory of pid %d cannot be told", p.PID)})
		}
		running = append(running, r)
	}
	s.Rows = len(running)
	return running
}

// session completes a process of Claude Code from its file, and tells whether
// it is a session: a daemon and a spare that waits for a job are none.
func (h *homes) session(r *macf.Running) bool {
	f := sessionOf(h.w, r.Process)
	if f == nil {
		return true // it has not written it yet, or waits at a dialog
	}
	if f.Spare || !f.Session() && f.Kind != "" {
		return false
	}
	if r.Session = f.SessionID; r.Cwd == "" && claude.SameStart(f.ProcStart, r.Start) == "same" {
		r.Cwd = f.Cwd
	}
	return true
}

// version is that of the package of a channel server; "" when it cannot be
// told. A command line may lead there through a link of npm's.
func (h *homes) version(p macf.Process) string {
	dir := p.Server
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Cwd, dir)
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	if real, err := gitrepo.RealPath(h.w.Files(), dir); err == nil {
		recordLinks(h.w, dir)
		dir = macf.NewProcess(0, "", "", real, []string{real}).Server
	}
	file := filepath.Join(dir, "package.json")
	b, err := h.w.ReadFile(file, macfLimit)
	if err != nil {
		return ""
	}
	version := macf.PackageVersion(b)
	h.w.Rec.File(file, macf.EncodePackage(version), nil)
	return version
}

// owner is the workspace that a working directory belongs to; "" for none.
func (h *homes) owner(cwd string) string {
	if home, known := h.owners[cwd]; known || !filepath.IsAbs(cwd) {
		return home
	}
	start := cwd
	if real, err := gitrepo.RealPath(h.w.Files(), cwd); err == nil {
		start = real
	}
	home := macf.Owner(start, func(dir string) bool {
		there, err := h.w.Exists(filepath.Join(dir, macf.Marker))
		return err == nil && there
	}, h.worktree)
	if home = named(home); home != "" && h.configs[home] == nil {
		h.w.Rec.File(filepath.Join(home, macf.Marker), []byte("null\n"), nil)
	}
	h.owners[cwd] = home
	return home
}

// worktree tells whether a directory is a further work tree of a repository.
func (h *homes) worktree(dir string) bool {
	b, err := h.w.ReadFile(filepath.Join(dir, ".git"), macfLimit)
	if err != nil || !macf.IsWorktree(b) {
		return false
	}
	h.w.Rec.File(filepath.Join(dir, ".git"), []byte("gitdir: /withheld/worktrees/x\n"), nil)
	return true
}
