package tmux

import (
	"context"
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
)

// closes is how long a session may take to close when its process has ended.
const closes = 3 * time.Second

// Stop ends the process of the session, and the session when it stays. It
// refuses with ErrAttached while a person has it before them, and ends neither when
// anything runs in the session beside the target's process. A session in which
// nothing runs any more is ended for a target without a process.
func (d *Driver) Stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	if err := d.stop(ctx, t, grace); err != nil {
		return fmt.Errorf("%s: stopping %s: %w", t.Agent, t.Session, err)
	}
	return nil
}

func (d *Driver) stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	v, err := d.peek(ctx, t)
	switch {
	case err != nil:
		return err
	case v.Place == "":
		return driver.ErrAbsent
	case v.Attached:
		return driver.ErrAttached
	case t.PID == 0 && v.process != nil, t.PID != 0 && v.process != nil && !t.Same(v.process):
		return fmt.Errorf("%w: process %d", driver.ErrChanged, v.PID)
	case t.PID != 0 && v.process == nil:
		return fmt.Errorf("%w with process %d in it", driver.ErrAbsent, t.PID)
	case v.beside || v.others:
		return fmt.Errorf("%w, and something else runs in it", driver.ErrRuns)
	}
	if v.process != nil {
		cwd, err := driver.Cwd(ctx, v.PID)
		if err != nil {
			return fmt.Errorf("%w: where process %d works: %w", driver.ErrChanged, v.PID, err)
		}
		if t.Cwd != "" && !t.Holds(cwd) {
			return fmt.Errorf("%w: process %d works in %s, and not in %s", driver.ErrChanged, v.PID, guard.Quote(cwd), guard.Quote(t.Cwd))
		}
		if err := driver.End(ctx, *v.process, grace); err != nil {
			return err
		}
		// Its launcher has something to note before the session closes.
		driver.Until(ctx, closes, func() bool { now, err := d.peek(ctx, t); return err == nil && now.Place == "" })
	}
	if err = d.shut(ctx, t, v.Place); err != nil && v.process != nil {
		return fmt.Errorf("%w, and its session stays: %w", driver.ErrEnded, err)
	}
	return err
}

// shut ends a session whose process has ended, unless something else came to be in it.
func (d *Driver) shut(ctx context.Context, t driver.Target, place string) error {
	v, err := d.peek(ctx, t)
	if err != nil || v.Place == "" {
		return err
	}
	if v.process != nil {
		return fmt.Errorf("%w: process %d began meanwhile", driver.ErrChanged, v.PID)
	}
	if v.Attached {
		return driver.ErrAttached
	}
	if v.beside || v.Place != place || t.PID == 0 && v.Alive {
		return fmt.Errorf("%w, and something else began to run in it", driver.ErrRuns)
	}
	if _, err := d.run(ctx, t, "", "kill-session", "-t", word(exactly(t))); err != nil && !missing(err) {
		return err
	}
	return nil
}
