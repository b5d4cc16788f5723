package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Eyes look at one agent or session again, at this moment.
type Eyes struct {
	ClaudeDir string // Claude Code's directory; "": CLAUDE_CONFIG_DIR, else ~/.claude
	Ask       Health // how agents are asked
	// Known is what is told of the workspaces of this machine, nil when nothing is: an
	// agent is asked with what any workspace of its project has to ask with.
	Known *record.Set
}

// saidWindow is how much of the end of a transcript is searched for a message.
const saidWindow = 8 << 20

// Said returns the uuid of the user record with a text that the session's
// transcript has since a moment, "" when it has none. The session is known by its
// id, and without one by the directory that its records name.
func (e Eyes) Said(_ context.Context, s record.Seen, text string, since time.Time) (string, error) {
	dir, err := e.claudeDir()
	if err != nil {
		return "", err
	}
	files, err := saidFiles(filepath.Join(dir, "projects"), s.SessionID)
	if err != nil {
		return "", err
	}
	var unread error
	for _, file := range files {
		id, err := saidIn(file, s, strings.TrimSpace(text), since)
		if id != "" {
			return id, nil
		}
		unread = cmp.Or(unread, err)
	}
	return "", unread
}

// saidFiles are the files in which a session may write; without an id those
// of all sessions.
func saidFiles(projects, session string) (files []string, err error) {
	if strings.ContainsAny(session, `/\`) {
		return nil, errors.New("a session id that is none")
	}
	dirs, err := os.ReadDir(projects)
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		dir := filepath.Join(projects, d.Name())
		if session != "" {
			files = append(files, filepath.Join(dir, session+".jsonl"))
			continue
		}
		in, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		for _, f := range in {
			if filepath.Ext(f.Name()) == ".jsonl" {
				files = append(files, filepath.Join(dir, f.Name()))
			}
		}
	}
	return files, nil
}

// saidIn is Said in one file, which need not be there.
func saidIn(file string, s record.Seen, want string, since time.Time) (string, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.ModTime().Before(since.Add(-time.Minute)):
		return "", nil
	}
	b, err := endOf(file, saidWindow)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(b) {
		said, ok := claude.ReadSaid(line)
		if ok && said.Text == want && !said.At.Before(since.Add(-time.Second)) && (s.SessionID != "" || said.Cwd == s.Workspace) {
			return guard.ID(said.ID), nil
		}
	}
	return "", nil
}

// endOf returns the last bytes of a file, limit at most.
func endOf(name string, limit int64) ([]byte, error) {
	f, err := machine.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-limit, 0)
	b := make([]byte, info.Size()-from)
	n, err := f.ReadAt(b, from)
	if n < len(b) && err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Base(name), err)
	}
	return b, nil
}

func (e Eyes) claudeDir() (string, error) {
	if dir := cmp.Or(e.ClaudeDir, os.Getenv("CLAUDE_CONFIG_DIR")); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".claude"), err
}

// Process returns the Claude Code process of a session, or else the one in the
// workspace, the newest of several; nil when none runs there.
func (e Eyes) Process(_ context.Context, s record.Seen) (*record.AgentProc, error) {
	var newest *record.AgentProc
	own, err := e.claudes(s.Workspace, func(p *record.AgentProc, here bool) bool {
		if here && later(p, newest) {
			newest = p
		}
		return s.SessionID != "" && p.Session == s.SessionID
	})
	return cmp.Or(own, newest), err
}

// Other returns a Claude Code process in the workspace that is not the one that was
// seen, whichever began first; nil when none runs there.
func (e Eyes) Other(_ context.Context, s record.Seen) (*record.AgentProc, error) {
	return e.claudes(s.Workspace, func(p *record.AgentProc, here bool) bool { return here && p.PID != s.PID })
}

// claudes returns the first Claude Code process that is wanted; here tells that it
// works in the workspace.
func (e Eyes) claudes(workspace string, wanted func(p *record.AgentProc, here bool) bool) (*record.AgentProc, error) {
	set, err := e.workspaces(workspace, surfaceAgents)
	if err != nil {
		return nil, err
	}
	for _, r := range set.Of(record.KindWorkspace) {
		p, _ := record.Payload[record.Workspace](r)
		for i, proc := range p.Processes {
			if proc.Kind == "claude" && wanted(&p.Processes[i], p.Path == workspace || proc.Cwd == workspace) {
				return &p.Processes[i], nil
			}
		}
	}
	return nil, nil
}

func later(a, b *record.AgentProc) bool {
	return b == nil || a.Start != nil && (b.Start == nil || a.Start.After(b.Start.Time))
}

// Maintenance returns the lock that is on the agent in a workspace, as
// fleet-observe-workspaces reads it; nil: none.
func (e Eyes) Maintenance(_ context.Context, s record.Seen) (*record.Maintenance, error) {
	r, err := e.workspace(s.Workspace)
	if err != nil {
		return nil, err
	}
	p, _ := record.Payload[record.Workspace](r)
	return p.Maintenance, nil
}

// workspaces is what is told of the workspaces at and below a path, and of what
// runs; part is the surface that must be read.
func (e Eyes) workspaces(path, part string) (*record.Set, error) {
	return e.look(func(w *machine.World, sink Sink) ([]string, error) {
		return Workspaces{Roots: []string{path}}.Observe(w, sink)
	}, part)
}

// workspace is the record of an agent's workspace.
func (e Eyes) workspace(path string) (record.Record, error) {
	set, err := e.workspaces(path, surfaceWorkspaces)
	if err != nil {
		return record.Record{}, err
	}
	for _, r := range set.Of(record.KindWorkspace) {
		if p, ok := record.Payload[record.Workspace](r); ok && r.Subject == path && p.Agent != "" {
			return r, nil
		}
	}
	return record.Record{}, fmt.Errorf("%s is no workspace of an agent any more", path)
}

// look observes this machine now, and returns what was told. That a part was not
// read is an error when it is the named one.
func (e Eyes) look(observe func(*machine.World, Sink) ([]string, error), part string) (*record.Set, error) {
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		return nil, err
	}
	c := &Caught{By: "fleet-act", Set: new(record.Set)}
	unread, err := observe(w, c)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(unread, func(u string) bool { return strings.HasPrefix(u, part+":") }); i >= 0 {
		return nil, errors.New(unread[i])
	}
	return c.Set, nil
}

// Caught is a Sink that keeps what a program tells, in a set.
type Caught struct {
	By  string // the program
	Set *record.Set

	n int
}

// AddData keeps a record.
func (c *Caught) AddData(kind record.Kind, at record.Time, host, subject string, data any) error {
	r, err := record.New(kind, at, host, c.By, subject, data)
	if err == nil {
		c.Set.Add(record.Line{Record: r})
		c.n++
	}
	return err
}

// Close keeps the closing record.
func (c *Caught) Close(at record.Time, host, _ string) error {
	n := c.n
	return c.AddData(record.KindSurface, at, host, c.By, record.Surface{OK: true, Rows: n, Records: &n})
}

// Warn does nothing: what is warned of is in the records as well.
func (c *Caught) Warn(string, ...any) {}
