package act

import (
	"context"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// rehearsed is what becomes of a decision where nothing is done: why not, and what would
// keep it from being done as things are now.
func (a *Actor) rehearsed(ctx context.Context, d record.Decision) record.Outcome {
	o := record.Outcome{Agent: d.Agent, Verb: d.Action.Verb, Result: record.Dry, Reason: record.Dry, Detail: a.Dry}
	if a.Rehearse {
		if err := a.hinders(ctx, d); err != nil {
			o.Kept = err.Error()
			if says := a.tells(d, refuse(record.Outcome{Agent: d.Agent, Verb: d.Action.Verb}, err)); says != nil {
				o.Tells = says.Text
			}
		}
	}
	return o
}

// hinders looks at all that act looks at before it begins something, and begins nothing.
func (a *Actor) hinders(ctx context.Context, d record.Decision) error {
	dr, t, err := a.reach(d)
	if err != nil {
		return err
	}
	if err := a.idle(d); err != nil {
		return err
	}
	if err := a.ready(ctx, d, dr, t); err != nil {
		return err
	}
	s, err := a.Book.ReadOrNone()
	if err != nil {
		return err
	}
	return a.may(ctx, d)(s)
}

// reach is what a decision is done with, and to.
func (a *Actor) reach(d record.Decision) (driver.Driver, driver.Target, error) {
	if err := a.fits(d); err != nil {
		return nil, driver.Target{}, err
	}
	dr := a.Drivers[d.Action.Driver]
	if dr == nil {
		return nil, driver.Target{}, refused("driver", "no driver is called %q", d.Action.Driver)
	}
	return dr, target(d), nil
}

// idle says that an update still works which a run began that died, where another is to be begun.
func (a *Actor) idle(d record.Decision) error {
	if d.Action.Verb != "upgrade" {
		return nil
	}
	if err := a.Updates(); err != nil {
		return refused("open", "%v", err)
	}
	return nil
}
