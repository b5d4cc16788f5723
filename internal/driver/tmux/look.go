package tmux

import (
	"context"
	"fmt"
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
		v, err = choose(out, sessionName(t.Session), table)
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
	v.Dialog = guard.Text(v.shown.Dialog, maxDialog)
	v.Moving, v.Stall = v.shown.Working, d.stalls.Stall(v.shown)
	return v, nil
}

// choose reads list-panes and returns the pane that holds the Claude Code
// process, else the first one. The active one may be any. Another session than
// that of the name is none: to tmux "=$0:" is one too.
func choose(out, name string, table driver.Table) (view, error) {
	var v view
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 8)
		if len(f) != 8 {
			return view{}, fmt.Errorf("tmux list-panes: %d fields: %q", len(f), line)
		}
		if f[7] != name {
			return view{}, nil
		}
		var n [7]int
		for i := 1; i < len(n); i++ {
			var err error
			if n[i], err = strconv.Atoi(f[i]); err != nil {
				return view{}, fmt.Errorf("tmux list-panes: %q is no number: %q", f[i], line)
			}
		}
		dead := n[2] != 0
		state := driver.State{Place: f[0], Alive: !dead, Mode: n[3] != 0, Attached: n[4]+n[5]+n[6] > 0}
		var process *driver.Process
		if !dead {
			process = table.Session(n[1])
		}
		if v.Place == "" || v.process == nil && process != nil || v.process == nil && !v.Alive && state.Alive {
			attached := v.Attached || state.Attached
			v.State, v.process = state, process
			v.Attached = attached
		}
		v.Attached = v.Attached || state.Attached
	}
	if v.process != nil {
		v.PID, v.Start = v.process.PID, v.process.Start
	}
	return v, nil
}
