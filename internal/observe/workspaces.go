package observe

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Workspaces says how the agents of macf are observed: where they live, and
// what runs there.
type Workspaces struct {
	Roots      []string // directories to look through; none: those of Configured
	Configured []string // those of the configuration; none: beside the project of the working directory, and ~/repos
}

// macfLimit is the largest file of macf that is read.
const macfLimit = 1 << 20

// The surfaces of macf on a machine.
const (
	surfaceWorkspaces = "macf/workspaces"
	surfaceAgents     = "macf/processes"
)

// Observe writes a record for every workspace, and for every directory in which
// an agent's processes run outside of all. It returns the surfaces that could
// not be read, one line each.
//
// A process belongs to the nearest workspace at or above its working directory.
// When no root leads to that, or it is not understood, its record has its path and
// no name: anybody may run something in a directory that claims to be an agent's.
// A process in a git worktree that lies in a workspace and is none itself belongs
// to none: it is another checkout.
func (o Workspaces) Observe(w *machine.World, sink Sink) (unread []string, err error) {
	h := &homes{w: w, places: places{w: w}, surface: &record.Surface{OK: true}, configs: map[string]*macf.Space{}, owners: map[string]string{}, nameless: map[string]bool{}}
	h.scan(o.roots(w))
	agents := &record.Surface{OK: true}
	running := h.agents(agents)
	spaces := h.spaces()
	h.finish(running)
	rows := macf.Join(spaces, running)
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	for _, row := range rows {
		emit.add(record.KindWorkspace, row.Subject, row.Data)
	}
	emit.surface(surfaceWorkspaces, "", h.surface)
	emit.surface(surfaceAgents, "", agents)
	emit.close("")
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// roots are the directories to look through, absolute. named tells that
// somebody named them, so that they must be there.
func (o Workspaces) roots(w *machine.World) (dirs []string, named bool) {
	dirs = o.Roots
	if len(dirs) == 0 {
		for dir := range strings.SplitSeq(w.Getenv("MACF_WORKSPACE_ROOT"), ":") {
			if dir = strings.TrimSpace(dir); dir != "" {
				dirs = append(dirs, dir)
			}
		}
	}
	if len(dirs) == 0 {
		dirs = o.Configured
	}
	if named = len(dirs) > 0; !named {
		dirs = usualRoots(w)
	}
	all := []string{}
	for _, dir := range dirs {
		dir = w.Expand(dir)
		if abs, err := filepath.Abs(dir); err == nil && !w.Recorded() {
			dir = abs
		}
		all = append(all, dir)
	}
	return all, named
}

// usualRoots are what macf looks through when nobody names a root: the parent
// of the workspace that the working directory lies in, and ~/repos.
func usualRoots(w *machine.World) (dirs []string) {
	if cwd, err := os.Getwd(); err == nil && !w.Recorded() {
		for dir := cwd; dir != "/"; dir = filepath.Dir(dir) {
			if there, err := w.Exists(filepath.Join(dir, macf.Marker)); there || err != nil {
				dirs = append(dirs, filepath.Dir(dir))
				break
			}
		}
	}
	return append(dirs, w.Expand("~/repos"))
}

// homes are the workspaces of a machine.
type homes struct {
	w       *machine.World
	surface *record.Surface
	paths   []string               // canonical, of every workspace, as named
	configs map[string]*macf.Space // by path; nil: it is not known whose it is
	places  places
	owners  map[string]string // by working directory: its workspace; "" for none
	unread  []string          // directories that could not be looked at, and why
	named   bool
	// nameless are the paths that are not as the machine has them.
	nameless map[string]bool
}

// note tells of something that was there and is not understood.
func (h *homes) note(path string, err error) {
	h.surface.Unparsed++
	h.remark(guard.Path(path) + ": " + unreadWhy(machine.Reason(err)))
}

// remark adds a line to the notes, as many as a surface takes.
func (h *homes) remark(says string) { h.surface.Notes = merge(h.surface.Notes, []string{says}) }

// add takes a workspace and reads its configuration, once.
func (h *homes) add(dir string) {
	path := named(dir)
	if _, known := h.configs[path]; known {
		return
	}
	h.paths, h.configs[path] = append(h.paths, path), nil
	file := filepath.Join(path, macf.Marker)
	b, err := h.w.ReadFile(filepath.Join(dir, macf.Marker), macfLimit)
	if path != dir {
		h.nameless[path], err = true, errNameless
	}
	var c macf.Config
	if err == nil {
		c, err = macf.ParseConfig(b)
	}
	if err != nil {
		h.note(file, err)
		h.w.Rec.File(file, []byte("null\n"), nil)
		return
	}
	if c.Registry.Kind == "local" {
		c.Registry.ID = filepath.Clean(h.w.Expand(c.Registry.ID)) // so that two ways to write it are one
	}
	h.configs[path] = &macf.Space{Path: path, Config: c, Repo: h.places.of(path).CommonDir}
	kept, err := c.Encode()
	h.w.Rec.File(file, kept, err)
}

// spaces are the workspaces; those that are understood with what lies beside the
// names of their agents in ~/.macf.
func (h *homes) spaces() (spaces []macf.Space) {
	told := map[string]bool{} // two workspaces of one name share the files
	for _, path := range h.paths {
		s := h.configs[path]
		if s == nil {
			s = &macf.Space{Path: path, Unread: macf.Marker + " is not understood"}
			if h.nameless[path] {
				s.Unread = unnamed
			}
			spaces = append(spaces, *s)
			continue
		}
		label := s.Config.Label
		at := h.w.At
		lock := func(label string) string {
			return h.w.Expand("~/.macf/maintenance-locks/" + macf.FileName(label) + ".lock")
		}
		h.beside(lock, label, told, func(b []byte) (kept []byte, err error) {
			if s.Lock, err = macf.ParseLock(b, label, at); err == nil {
				kept = macf.EncodeLock(*s.Lock, label)
			}
			return kept, err
		})
		exit := func(label string) string {
			return filepath.Join(h.w.Expand(cmp.Or(h.w.Getenv("MACF_LAST_EXIT_DIR"), "~/.macf/last-exit")), macf.FileName(label))
		}
		h.beside(exit, label, told, func(b []byte) (kept []byte, err error) {
			if s.Exit, err = macf.ParseExit(b); err == nil {
				kept = fmt.Append(nil, s.Exit.Code)
			}
			return kept, err
		})
		s.Unable = h.unable(path)
		spaces = append(spaces, *s)
	}
	return spaces
}

// beside reads the file of an agent, which need not be there. It is told and
// recorded under the name that a record has.
func (h *homes) beside(at func(label string) string, label string, told map[string]bool, parse func(b []byte) (kept []byte, err error)) {
	b, err := h.w.ReadFile(at(label), macfLimit)
	file := at(guard.ID(label))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var kept []byte
	if err == nil {
		kept, err = parse(b)
	}
	if err != nil && !told[file] {
		h.note(file, err)
	}
	told[file] = true
	h.w.Rec.File(file, kept, nil)
}

// finish completes the surface of the workspaces.
func (h *homes) finish(running []macf.Running) {
	for _, s := range h.configs {
		if s != nil {
			h.surface.Rows++
		}
	}
	if n := len(h.unread); n > 0 {
		says := h.unread[0]
		if n > 1 {
			says += fmt.Sprintf(", and %d more that could not be read", n-1)
		}
		fail(h.surface, errors.New(says))
		return
	}
	there, err := h.w.Exists(h.w.Expand("~/.macf"))
	channel := slices.ContainsFunc(running, func(r macf.Running) bool { return r.Kind() == macf.KindChannel })
	switch {
	case err != nil:
		fail(h.surface, at(h.w.Expand("~/.macf"), err))
	case there:
		h.w.Rec.Mkdir(h.w.Expand("~/.macf"))
	case !h.named && len(h.paths) == 0 && !channel:
		h.surface.Absent = true
	}
}

// sessionOf is what Claude Code's own file says of a process; nil when there is
// none, or it is that of an earlier process.
func sessionOf(w *machine.World, p macf.Process) *claude.ProcessFile {
	file := filepath.Join(w.Expand(cmp.Or(w.Getenv("CLAUDE_CONFIG_DIR"), "~/.claude")), "sessions", fmt.Sprint(p.PID)+".json")
	b, err := w.ReadFile(file, processLimit)
	if err != nil {
		return nil
	}
	f, _, err := claude.ReadProcessFile(b, p.PID)
	if err != nil || claude.SameStart(f.ProcStart, p.Start) == "other" {
		return nil
	}
	kept, err := f.Encode()
	w.Rec.File(file, kept, err)
	return &f
}
