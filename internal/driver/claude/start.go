package claude

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
)

// Start runs a command that begins, wakes or respawns a background session: see
// Wake and Respawn. Without a command it takes the session up where it
// ended, as the job file says. With no Session in the target the session is a new
// one, whose id is the Place of the State. A command of the launch cannot be run
// at its end: Claude Code's daemon keeps the session.
//
// A copy that was begun in its place is stopped, and is ErrContradicts.
func (d *Driver) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	s, err := d.start(ctx, t, how)
	if err != nil {
		return s, fmt.Errorf("%s: starting job %s: %w", t.Agent, t.Session, err)
	}
	return s, nil
}

func (d *Driver) start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	if how.Argv == nil {
		argv, err := d.again(t, how.Text)
		if err != nil {
			return driver.State{}, err
		}
		how.Argv = argv
	}
	if len(how.Argv) < 2 || len(how.Then) > 0 {
		return driver.State{}, errors.New("nothing to run, or something to run at its end")
	}
	if t.Session != "" {
		if s, err := d.look(ctx, t); err != nil || s.Alive {
			if err == nil {
				err = driver.ErrRuns
			}
			return s, err
		}
	}
	if info, err := os.Stat(t.Cwd); err != nil || !info.IsDir() {
		return driver.State{}, fmt.Errorf("its directory %s is gone: %v", t.Cwd, err)
	}
	out, err := d.run(ctx, t.Cwd, how.Env, how.Argv...)
	if r, ok := errors.AsType[*refusal](err); ok && held().MatchString(r.says) {
		return driver.State{}, fmt.Errorf("%w: %w", driver.ErrContradicts, err)
	}
	if err != nil {
		return driver.State{}, err
	}
	id := t.Session
	if how.Argv[1] != "respawn" {
		m := backgrounded().FindStringSubmatch(out)
		if m == nil {
			return driver.State{}, fmt.Errorf("%w: it said: %s", driver.ErrUnseen, guard.Text(out, 300))
		}
		if id = m[1]; t.Session != "" && id != t.Session {
			_, stop := d.run(context.WithoutCancel(ctx), "", d.Env, "claude", "stop", id)
			return driver.State{}, errors.Join(fmt.Errorf("%w: it began a copy, job %s, which was stopped", driver.ErrContradicts, id), stop)
		}
	}
	t.Session = id
	return d.begun(ctx, t)
}

// begun waits until the process of a session has lived for a while in the right
// directory.
func (d *Driver) begun(ctx context.Context, t driver.Target) (driver.State, error) {
	var s driver.State
	var err error
	driver.Until(ctx, d.Begin, func() bool {
		s, err = d.look(ctx, t)
		return err != nil || s.Alive
	})
	first := s
	if err == nil && first.Alive && driver.Pause(ctx, d.Stays) {
		s, err = d.look(ctx, t)
	}
	switch {
	case err != nil:
		return s, fmt.Errorf("%w: %w", driver.ErrUnseen, err)
	case !first.Alive:
		return s, driver.ErrUnseen
	case !s.Alive || s.PID != first.PID:
		return s, driver.ErrGone
	}
	cwd, err := driver.Cwd(ctx, s.PID)
	if err != nil {
		return s, fmt.Errorf("%w: where process %d works: %w", driver.ErrUnseen, s.PID, err)
	}
	if cwd != t.Cwd {
		return s, fmt.Errorf("%w: process %d works in %s, and not in %s", driver.ErrUnseen, s.PID, guard.Quote(cwd), guard.Quote(t.Cwd))
	}
	return s, nil
}
