package observe

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
)

// recordLinks writes the symbolic links on the way to a path of the machine, each
// where it really stands.
func recordLinks(w *machine.World, abs string) {
	if w.Rec == nil || abs == "/" {
		return
	}
	recordLinks(w, filepath.Dir(abs))
	parent, err := gitrepo.RealPath(w.FS, filepath.Dir(abs))
	if err != nil {
		return
	}
	at := filepath.Join(parent, filepath.Base(abs))
	info, err := fs.Lstat(w.FS, machine.Path(at))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	if real, err := gitrepo.RealPath(w.FS, at); err == nil {
		w.Rec.Link(at, real)
	}
}

// recordTable writes meta.json with a process table that was read.
func recordTable(w *machine.World, table []claude.Process) {
	kept := []claude.Process{}
	for _, p := range table {
		p.Start, p.Exe, p.Cwd, p.Args = guard.Text(p.Start, errorWidth), guard.Path(p.Exe), guard.Path(p.Cwd), guard.Text(p.Args, errorWidth)
		kept = append(kept, p)
	}
	w.Rec.Meta(w, kept)
}

// recordDirectory writes what was read of a Claude directory, its listing and
// transcripts left out.
func recordDirectory(w *machine.World, d *claudeDir) {
	r := w.Rec
	if r == nil || !d.installed {
		return
	}
	recordLinks(w, d.path)
	r.Mkdir(d.path)
	for _, f := range d.Files {
		f.Tmux, f.JobID = terminal(f.Tmux), job(f.JobID)
		b, err := f.Encode()
		r.File(filepath.Join(d.path, "sessions", strconv.Itoa(f.PID)+".json"), b, err)
	}
	for pid := range d.FileErrors {
		r.File(filepath.Join(d.path, "sessions", strconv.Itoa(pid)+".json"), []byte("null\n"), nil)
	}
	for _, j := range d.Jobs {
		b, err := j.Encode()
		r.File(filepath.Join(d.path, "jobs", job(j.ID), "state.json"), b, err)
	}
	for id := range d.JobErrors {
		r.File(filepath.Join(d.path, "jobs", job(id), "state.json"), []byte("null\n"), nil)
	}
	if d.Prompted != nil {
		r.File(filepath.Join(d.path, "history.jsonl"), claude.EncodeHistory(d.Prompted), nil)
	}
}

// recordPlace writes what places a directory: the directory, the symbolic links on
// the way to it, and the skeleton of its repository.
func recordPlace(w *machine.World, dir string, p gitrepo.Place) {
	r := w.Rec
	if r == nil || dir == "" {
		return
	}
	recordLinks(w, filepath.Clean(dir))
	if real, err := gitrepo.RealPath(w.FS, dir); err == nil {
		r.Mkdir(real)
	}
	if p.CommonDir == "" {
		return
	}
	head := "ref: refs/heads/" + guard.Text(p.Branch, errorWidth) + "\n"
	if hex, ok := strings.CutPrefix(p.Branch, "detached@"); ok {
		head = hex + strings.Repeat("0", 40-len(hex)) + "\n"
	}
	r.Mkdir(filepath.Join(p.CommonDir, "refs"))
	if p.Worktree == "" || p.Worktree == filepath.Dir(p.CommonDir) {
		r.File(filepath.Join(p.CommonDir, "HEAD"), []byte(head), nil)
		return
	}
	gitDir := filepath.Join(p.CommonDir, "worktrees", filepath.Base(p.Worktree))
	r.File(filepath.Join(gitDir, "HEAD"), []byte(head), nil)
	r.File(filepath.Join(gitDir, "commondir"), []byte("../..\n"), nil)
	r.File(filepath.Join(p.Worktree, ".git"), []byte("gitdir: "+gitDir+"\n"), nil)
	recordHead(r, p.CommonDir)
}

// recordHead gives a repository of which only a work tree was met a HEAD
// without a branch.
func recordHead(r *machine.Recording, commonDir string) {
	r.Fill(filepath.Join(commonDir, "HEAD"), []byte("ref: refs/heads/.invalid\n"))
}
