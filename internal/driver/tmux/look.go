package tmux

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/screen"
)

// maxDialog is how wide the words of a dialog get.
const maxDialog = 400

// view is a session at one moment.
type view struct {
	driver.State
	process *driver.Process // the Claude Code process in it; nil when there is none
	root    int             // pid of what was started in its pane
	beside  bool            // another pane of the session runs something
	others  bool            // this pane runs something that is not of that process
	text    string          // of its pane, as captured
	shown   screen.Screen
}

// Look tells how the session is now: three looks at uneven distances, so that
// what changes in a rhythm is not missed.
func (d *Driver) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	v, err := d.watch(ctx, t)
	return v.State, err
}

// watch is peek, again and again. It returns the last, in which Moving tells of
// all.
func (d *Driver) watch(ctx context.Context, t driver.Target) (view, error) {
	first, err := d.peek(ctx, t)
	last := first
	for _, gap := range d.Gaps {
		if err != nil || !last.Alive {
			break
		}
		if !driver.Pause(ctx, gap) {
			return view{}, fmt.Errorf("%s: looking at %s: %w", t.Agent, t.Session, ctx.Err())
		}
		moving := last.Moving
		last, err = d.peek(ctx, t)
		last.Moving = last.Moving || moving || last.text != first.text || last.Place != first.Place
	}
	return last, err
}

// paneFormat is what is asked of each pane. The name, which may hold blanks, is
// last.
const paneFormat = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{session_attached} #{?session_group_attached,#{session_group_attached},0} #{?window_active_clients,#{window_active_clients},0} #{session_name}"

// peek looks once. A session that is not there is not Alive, and no error.
func (d *Driver) peek(ctx context.Context, t driver.Target) (view, error) {
	if err := check(t); err != nil {
		return view{}, err
	}
	out, err := d.run(ctx, t, "", "list-panes", "-s", "-t", word(exactly(t)), "-F", paneFormat)
	if missing(err) {
		return view{}, nil
	}
	var table driver.Table
	if err == nil {
		table, err = driver.Processes(ctx)
	}
	var v view
	if err == nil {
		v, err = choose(out, t, table)
	}
	if err == nil && v.Place != "" {
		v.text, err = d.run(ctx, t, "", "capture-pane", "-p", "-e", "-t", v.Place)
		if missing(err) { // it closed meanwhile
			return view{}, nil
		}
	}
	if err != nil {
		return view{}, fmt.Errorf("%s: looking at %s: %w", t.Agent, t.Session, err)
	}
	v.shown = screen.Read(v.text)
	v.Prompt, v.Draft, v.Viewer = v.shown.Prompt, v.shown.Draft, v.shown.Viewer
	v.Dialog = words(v.shown.Dialog)
	v.Moving, v.Stall = v.shown.Working, d.stalls.Stall(v.shown)
	return v, nil
}

// words are those of a dialog. It breaks what is longer than its rows by itself, so that
// tmux cannot join them: where more of them is a credential together than row by row, none
// of them is told.
func words(dialog string) string {
	join := strings.NewReplacer("\n", "").Replace
	if guard.Withhold(join(dialog)) != join(guard.Withhold(dialog)) {
		return "its words are withheld: they look like a credential"
	}
	return guard.Text(dialog, maxDialog)
}

// choose reads list-panes and returns the pane that the target names; of one that
// names none the pane that holds the target's process, else one that holds a Claude
// Code process, else the first. The active one may be any. Another session than
// that of the name is none: to tmux "=$0:" is one too.
func choose(out string, t driver.Target, table driver.Table) (view, error) {
	var v view
	var panes []pane
	attached, best := false, 0
	for line := range strings.Lines(out) {
		p, name, err := readPane(line)
		if err != nil {
			return view{}, err
		}
		if name != sessionName(t.Session) {
			return view{}, nil
		}
		panes, attached = append(panes, p), attached || p.Attached
		if t.Place != "" && p.Place != t.Place {
			continue
		}
		process := p.process(t, table)
		if rank := rank(p, process, t); rank > best {
			v.State, v.process, v.root, best = p.State, process, p.root, rank
		}
	}
	if v.Place == "" {
		return view{}, nil
	}
	v.Attached = attached
	if v.process != nil {
		v.PID, v.Start = v.process.PID, v.process.Start
	}
	v.beside = slices.ContainsFunc(panes, func(p pane) bool { return p.Alive && p.Place != v.Place })
	v.others = others(v, table)
	return v, nil
}

// pane is a row of list-panes.
type pane struct {
	driver.State
	root int // the pid of what was started in it
}

// readPane reads a row, in paneFormat.
func readPane(line string) (p pane, session string, err error) {
	f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 8)
	if len(f) != 8 {
		return p, "", fmt.Errorf("tmux list-panes: %d fields: %s", len(f), guard.Quote(line))
	}
	var n [7]int
	for i := 1; i < len(n); i++ {
		if n[i], err = strconv.Atoi(f[i]); err != nil {
			return p, "", fmt.Errorf("tmux list-panes: %s is no number: %s", guard.Quote(f[i]), guard.Quote(line))
		}
	}
	return pane{driver.State{Place: f[0], Alive: n[2] == 0, Mode: n[3] != 0, Attached: n[4]+n[5]+n[6] > 0}, n[1]}, f[7], nil
}

// process returns the Claude Code process in a pane, of several that of the target;
// nil when there is none.
func (p pane) process(t driver.Target, table driver.Table) *driver.Process {
	if !p.Alive {
		return nil
	}
	if own := table.Find(t.PID); t.PID != 0 && own != nil && own.Session() && table.Below(p.root, t.PID) {
		return own
	}
	return table.Session(p.root)
}

// rank is how well a pane fits a target: it holds its process, a Claude Code
// process, something that runs, nothing.
func rank(p pane, process *driver.Process, t driver.Target) int {
	switch {
	case process != nil && t.PID != 0 && process.PID == t.PID:
		return 4
	case process != nil:
		return 3
	case p.Alive:
		return 2
	}
	return 1
}

// shells are programs in which a person may run several things beside each other.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "fish": true, "tcsh": true, "csh": true}

// others tells whether a pane without a Claude Code process runs anything, or one
// with such a process runs something beside it: another job of an interactive shell.
// What a script runs beside it is the script's.
func others(v view, table driver.Table) bool {
	if v.process == nil {
		return v.Alive
	}
	root := table.Find(v.root)
	if root == nil || len(root.Argv) == 0 || !shells[strings.TrimPrefix(path.Base(root.Argv[0]), "-")] ||
		slices.ContainsFunc(root.Argv[1:], func(w string) bool { return !strings.HasPrefix(w, "-") || w == "-c" }) {
		return false
	}
	return slices.ContainsFunc(table, func(p driver.Process) bool { return p.PPID == root.PID && !table.Below(p.PID, v.PID) })
}
