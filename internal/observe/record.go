package observe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
)

// Recording writes what an observer read as --fixtures reads it: only what the
// parsers decode, cleaned, never a raw file. Observing it gives the same
// sessions. What no parser understood is not in it, nor is the reason why a
// transcript's end did not tell. A nil Recording writes nothing.
type Recording struct {
	root *os.Root // what is written never leaves it, whatever symbolic link is recorded
	err  error    // the first failure
}

// Record starts a recording of w in dir, which must be empty or not there.
func (w *World) Record(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o700)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = fs.ReadDir(root.FS(), ".")
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	w.rec = &Recording{root: root}
	return nil
}

// failed returns the first failure of the recording, nil when there is none. One
// that failed has no meta.json, so that nothing takes it for a whole one.
func (r *Recording) failed() error {
	if r == nil || r.err == nil {
		return nil
	}
	r.root.Remove("meta.json") // when it is there, the last of what was written may still be missing
	return fmt.Errorf("--record: %w", r.err)
}

func (r *Recording) write(path string, b []byte, err error) {
	if r == nil || r.err != nil {
		return
	}
	if err == nil {
		if err = r.root.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			if err = r.root.WriteFile(path, b, 0o600); err != nil {
				r.root.Remove(path) // half of it, or nothing
			}
		}
	}
	r.err = err
}

// stored is where a path of the machine stands in a recording.
func stored(abs string) string {
	return filepath.Join("root", dotGit{}.stored(Path(guard.Path(abs))))
}

// file writes a file of the machine.
func (r *Recording) file(abs string, b []byte, err error) {
	r.write(stored(abs), b, err)
}

// mkdir makes a directory of the machine.
func (r *Recording) mkdir(abs string) {
	if r == nil || r.err != nil || abs == "" {
		return
	}
	r.err = r.root.MkdirAll(stored(abs), 0o700)
}

// links writes the symbolic links on the way to a path of the machine, each
// where it really stands and relative, so that it leads to the recording.
func (r *Recording) links(fsys fs.FS, abs string) {
	if r == nil || r.err != nil || abs == "/" {
		return
	}
	r.links(fsys, filepath.Dir(abs))
	parent, err := gitrepo.RealPath(fsys, filepath.Dir(abs))
	if err != nil {
		return
	}
	at := filepath.Join(parent, filepath.Base(abs))
	info, err := fs.Lstat(fsys, Path(at))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	real, err := gitrepo.RealPath(fsys, at)
	if err != nil {
		return
	}
	r.mkdir(parent)
	r.mkdir(real)
	target, err := filepath.Rel(stored(parent), stored(real))
	if err == nil {
		err = r.root.Symlink(target, stored(at))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		r.err = cmp.Or(r.err, err)
	}
}

// command writes the answer of a command.
func (r *Recording) command(s command.Spec, stdout []byte, status string, err error) {
	dir := filepath.Join("commands", CommandDir(s.Argv, s.Variant))
	r.write(filepath.Join(dir, "argv"), []byte(strings.Join(s.Argv, "\n")+"\n"), err)
	r.write(filepath.Join(dir, "stdout"), stdout, err)
	r.write(filepath.Join(dir, "stderr"), nil, nil)
	r.write(filepath.Join(dir, "status"), []byte(status+"\n"), nil)
}

// failure writes the status of a command that did not answer.
func (r *Recording) failure(s command.Spec, res command.Result, err error) {
	switch {
	case errors.Is(err, command.ErrTimeout):
		r.command(s, nil, "timeout", nil)
	case err == nil:
		r.command(s, nil, strconv.Itoa(res.Status), nil)
	}
}

// machine writes meta.json.
func (r *Recording) machine(w *World, table []claude.Process, read bool) {
	if r == nil {
		return
	}
	m := Meta{Home: w.Home, Host: w.Host, OS: w.OS, Zone: w.Zone, At: w.At, BootAt: w.BootAt, AwakeS: w.AwakeS}
	if read {
		m.Processes = []claude.Process{}
	}
	for _, p := range table {
		p.Start, p.Exe, p.Cwd, p.Args = guard.Text(p.Start, errorWidth), guard.Path(p.Exe), guard.Path(p.Cwd), guard.Text(p.Args, errorWidth)
		m.Processes = append(m.Processes, p)
	}
	r.mkdir("/") // also when no file is kept
	b, err := json.MarshalIndent(m, "", "  ")
	r.write("meta.json", append(b, '\n'), err)
}

// directory writes what was read of a Claude directory, its listing and
// transcripts left out.
func (r *Recording) directory(fsys fs.FS, d *claudeDir) {
	if r == nil || !d.installed {
		return
	}
	r.links(fsys, d.path)
	r.mkdir(d.path)
	for _, f := range d.Files {
		b, err := f.Encode()
		r.file(filepath.Join(d.path, "sessions", strconv.Itoa(f.PID)+".json"), b, err)
	}
	for pid := range d.FileErrors {
		r.file(filepath.Join(d.path, "sessions", strconv.Itoa(pid)+".json"), []byte("null\n"), nil)
	}
	for _, j := range d.Jobs {
		b, err := j.Encode()
		r.file(filepath.Join(d.path, "jobs", j.ID, "state.json"), b, err)
	}
	for id := range d.JobErrors {
		r.file(filepath.Join(d.path, "jobs", id, "state.json"), []byte("null\n"), nil)
	}
	if d.Prompted != nil {
		r.file(filepath.Join(d.path, "history.jsonl"), claude.EncodeHistory(d.Prompted), nil)
	}
}

// place writes what places a directory: the directory, the symbolic links on
// the way to it, and the skeleton of its repository.
func (r *Recording) place(fsys fs.FS, dir string, p gitrepo.Place) {
	if r == nil || dir == "" {
		return
	}
	r.links(fsys, filepath.Clean(dir))
	if real, err := gitrepo.RealPath(fsys, dir); err == nil {
		r.mkdir(real)
	}
	if p.CommonDir == "" {
		return
	}
	head := "ref: refs/heads/" + guard.Text(p.Branch, errorWidth) + "\n"
	if hex, ok := strings.CutPrefix(p.Branch, "detached@"); ok {
		head = hex + strings.Repeat("0", 40-len(hex)) + "\n"
	}
	r.mkdir(filepath.Join(p.CommonDir, "refs"))
	if p.Worktree == "" || p.Worktree == filepath.Dir(p.CommonDir) {
		r.file(filepath.Join(p.CommonDir, "HEAD"), []byte(head), nil)
		return
	}
	gitDir := filepath.Join(p.CommonDir, "worktrees", filepath.Base(p.Worktree))
	r.file(filepath.Join(gitDir, "HEAD"), []byte(head), nil)
	r.file(filepath.Join(gitDir, "commondir"), []byte("../..\n"), nil)
	r.file(filepath.Join(p.Worktree, ".git"), []byte("gitdir: "+gitDir+"\n"), nil)
	r.placeholder(p.CommonDir)
}

// placeholder gives a repository of which only a work tree was met a HEAD
// without a branch.
func (r *Recording) placeholder(commonDir string) {
	head := filepath.Join(commonDir, "HEAD")
	if r.err != nil {
		return
	}
	if _, err := r.root.Stat(stored(head)); err != nil {
		r.file(head, []byte("ref: refs/heads/.invalid\n"), nil)
	}
}
