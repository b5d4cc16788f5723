package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// ends tells whether a verb ends a process and starts another in its place.
func ends(verb string) bool { return verb == "restart" || verb == "upgrade" }

// after is what is looked for when a verb was done. What is started by the agent's
// own script begins a session of its own: that of the process that was is no sign of it.
func after(verb string, s record.Seen) record.Seen {
	if ends(verb) || verb == "launch" {
		s.SessionID = ""
	}
	return s
}

// reached says why the process that was seen must not be ended: its driver cannot
// reach it, another works beside it, or it shows no prompt, in which case it may wait
// for a person, or hold what one wrote.
func (a *Actor) reached(ctx context.Context, d record.Decision, s driver.State, t driver.Target) error {
	if d.Seen.PID == 0 {
		if d.Action.Verb == "upgrade" && !s.Alive {
			return refused("absent", "no session %q is there", t.Session)
		}
		return nil
	}
	if s.PID != d.Seen.PID {
		return astray(d, t)
	}
	p, err := a.Eyes.Other(ctx, *d.Seen)
	switch {
	case err != nil:
		return refused("unknown", "its workspace could not be looked at: %v", err)
	case p != nil:
		return refused("runs", "process %d works in its workspace beside it: end one of them", p.PID)
	case !s.Prompt:
		return refused("no-prompt", "no prompt is shown, so nobody can tell what of yours may stand there: look at it, and end it if nothing does")
	}
	return nil
}

// astray says that the agent's process runs, and not in the session that has its name.
func astray(d record.Decision, t driver.Target) error {
	return refused("absent", "process %d works in %s, and not in the session %q: end it where it runs, and it is started there", d.Seen.PID, d.Seen.Workspace, t.Session)
}

// beside is the newest Claude Code process in the workspace, of whatever session.
func (a *Actor) beside(ctx context.Context, d record.Decision) (*record.AgentProc, error) {
	return a.Eyes.Process(ctx, after(d.Action.Verb, *d.Seen))
}

// restart ends the process that was seen and starts another. It looks once more
// before, as an update takes its time, and again after: two in one workspace would fight.
// What goes wrong after it ended that process says so.
func (a *Actor) restart(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) error {
	if err := a.allowed(ctx, d, dr, t); err != nil {
		return err
	}
	err := dr.Stop(ctx, t, a.Patient.Grace)
	if err != nil && !errors.Is(err, driver.ErrAbsent) {
		return err
	}
	p, last := (*record.AgentProc)(nil), error(nil)
	free := func() bool { p, last = a.beside(ctx, d); return last == nil && p == nil }
	switch {
	case err == nil && a.until(ctx, a.Patient.Grace, free), err != nil && free(): // what it began itself may end a little later
		last = a.start(ctx, d, dr, t)
	case last != nil:
		last = fmt.Errorf("nothing was started, since what works in %s could not be looked at: %w", d.Seen.Workspace, last)
	case err != nil:
		return refused("absent", "process %d works in %s, and its session %q is gone", p.PID, d.Seen.Workspace, t.Session)
	default:
		last = fmt.Errorf("nothing was started: %w: process %d works in %s", driver.ErrBeside, p.PID, d.Seen.Workspace)
	}
	if last != nil && err == nil && d.Seen.PID != 0 {
		return fmt.Errorf("its process %d was ended; %w", d.Seen.PID, last)
	}
	return last
}

// start begins the session anew. One of its name in which nothing runs any more,
// as a run leaves that was killed, is ended before; one in which something else
// runs is somebody's, and stays: then nothing is started.
func (a *Actor) start(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) error {
	t.PID, t.Start, t.Place = 0, time.Time{}, ""
	how := driver.Launch{Argv: d.Action.Argv}
	if len(a.Then) > 0 {
		how.Then = append(slices.Clone(a.Then), d.Agent)
	}
	_, err := dr.Start(ctx, t, how)
	if errors.Is(err, driver.ErrRuns) {
		if s, lerr := dr.Look(ctx, t); lerr == nil && !s.Alive && dr.Stop(ctx, t, a.Patient.Grace) == nil {
			_, err = dr.Start(ctx, t, how)
		}
	}
	return err
}

// update brings an agent to a version, then starts it again. What fails before
// its session is ended leaves it as it runs.
func (a *Actor) update(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) error {
	if err := a.Update(ctx, d.Seen.Workspace); err != nil {
		return fmt.Errorf("bringing %s to %s: %w", d.Agent, d.Action.To, err)
	}
	return a.restart(ctx, d, dr, t)
}
