package main

import (
	"errors"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// upgrade has the judge decide, does its one decision, looks again, until nothing
// is left that can be upgraded now. Without --execute it says what would be first.
// Agents that are left are named; that one failed is status 1.
func (d *deed) upgrade() error {
	if !reconcile.IsVersion(d.opts.To) || guard.Withhold(d.opts.To) != d.opts.To {
		return cli.Usage(errors.New("--to: want a version such as 1.2.3"))
	}
	o := reconcile.Options{Desired: d.desired}
	if err := d.fresh(); err != nil {
		return err
	}
	if d.actor.Dry == "" {
		if err := d.actor.Recover(d.ctx); err != nil {
			return err
		}
	}
	for set, tried := d.set, map[string]bool{}; ; {
		j := reconcile.Upgrade(set, o, d.opts.To)
		next := -1
		for i, x := range j.Decisions {
			if x.Decision.Action != nil && !tried[x.Subject] {
				next = i
			}
		}
		if next < 0 || d.ctx.Err() != nil {
			return errors.Join(d.ended(j), d.ctx.Err())
		}
		tried[j.Decisions[next].Subject] = true
		if err := d.actor.One(d.ctx, j.Decisions[next].Decision); err != nil || d.actor.Dry != "" {
			return errors.Join(err, d.ended(j))
		}
		var err error
		if set, err = d.again(); err != nil {
			return err
		}
	}
}

// ended adds the last decisions, and says what is left and why.
func (d *deed) ended(j reconcile.Judgement) error {
	var err error
	for _, x := range j.Decisions {
		if aerr := d.std.AddData(record.KindDecision, record.NewTime(time.Now()), d.host, x.Subject, x.Decision); aerr != nil {
			return aerr
		}
	}
	if len(j.Notes) > 0 {
		err = errors.New(j.Notes[len(j.Notes)-1])
	}
	return errors.Join(err, d.close())
}

// again is the stream with what may have changed looked at anew.
func (d *deed) again() (*record.Set, error) {
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		return nil, err
	}
	set, roots := new(record.Set), []string{}
	for _, r := range d.set.All() {
		switch r.By {
		case "fleet-ledger", "fleet-observe-health", "fleet-observe-workspaces":
			if p, ok := record.Payload[record.Workspace](r); ok && p.Agent != "" {
				roots = append(roots, p.Path)
			}
		default:
			set.Add(record.Line{Record: r})
		}
	}
	if _, err := (observe.Workspaces{Roots: roots}).Observe(w, &observe.Caught{By: "fleet-observe-workspaces", Set: set}); err != nil {
		return nil, err
	}
	if _, err := d.health().Observe(d.ctx, w, set, &observe.Caught{By: "fleet-observe-health", Set: set}); err != nil {
		return nil, err
	}
	state, err := d.l.ReadOrNone()
	if err != nil {
		return nil, err
	}
	return set, ledger.Observe(&observe.Caught{By: "fleet-ledger", Set: set}, state, record.NewTime(time.Now()), d.host)
}
