package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

// version has the version to come to, if there is one, as decisions have it.
func (o *options) version() (err error) {
	if o.To == "" {
		return nil
	}
	if o.To, err = versions.Parse(o.To); err == nil && guard.Withhold(o.To) != o.To {
		err = errors.New("it looks like a credential")
	}
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return nil
}

// upgrade has the judge decide, does its one decision, looks again, until nothing
// is left that can be upgraded now. Without --execute it says what would be first. An
// agent to which nothing could be done is passed by; one that did not come back green, or
// of which nobody knows, is the last. Agents that are left are named; that somebody is
// left, or failed, is status 1.
func (d *deed) upgrade() error {
	if err := d.fresh(); err != nil {
		return err
	}
	if d.actor.Dry == "" {
		if err := d.actor.Recover(d.ctx); err != nil {
			return err
		}
	}
	set := d.set
	if d.actor.Dry == "" {
		var err error
		if set, err = d.own(); err != nil {
			return err
		}
	}
	for o := (reconcile.Options{Desired: d.desired, Left: map[string]string{}}); ; {
		j := reconcile.Upgrade(set, o, d.opts.To)
		next := slices.IndexFunc(j.Decisions, func(x reconcile.Judged) bool { return x.Decision.Action != nil })
		if next < 0 || d.ctx.Err() != nil {
			return errors.Join(d.ended(j), context.Cause(d.ctx))
		}
		x := j.Decisions[next]
		if err := d.actor.One(d.ctx, x.Decision); err != nil || d.actor.Dry != "" {
			return errors.Join(err, d.ended(j))
		}
		o.Left[x.Subject] = "it was upgraded, and is behind again"
		switch d.last.Result {
		case record.Failed, record.Unknown:
			o.Stopped = x.Subject
			fallthrough
		case record.Refused:
			o.Left[x.Subject] = d.last.Reason + ": " + d.last.Detail
		}
		var err error
		if set, err = d.again(); err != nil {
			return err
		}
	}
}

// ended adds the last decisions, has a person told what they are to be told, and says
// what is left and why.
func (d *deed) ended(j reconcile.Judgement) error {
	var err error
	for _, x := range j.Decisions {
		if err := d.std.AddData(record.KindDecision, record.NewTime(time.Now()), d.host, x.Subject, x.Decision); err != nil {
			return err
		}
		if x.Decision.Alert == nil || x.Decision.Action != nil {
			continue
		}
		if err := d.actor.One(d.ctx, x.Decision); err != nil {
			return err
		}
	}
	switch {
	case len(j.Notes) > 0:
		err = errors.New(j.Notes[len(j.Notes)-1])
	case len(j.Decisions) == 0 && len(j.Undecided) > 0:
		err = fmt.Errorf("nothing is decided about %s", strings.Join(j.Undecided, "; "))
	}
	if left := leftBehind(j); d.actor.Dry == "" && left != "" {
		err = errors.Join(err, fmt.Errorf("not every agent is upgraded to %s; left: %s", d.opts.To, left))
	}
	return errors.Join(err, d.close())
}

// leftBehind names the agents that an upgrade has left, each with why: that are behind,
// or could not be judged. One that does not answer, that runs elsewhere or that the
// owner paused is none of them, and one that another holds up is named with that.
func leftBehind(j reconcile.Judgement) string {
	var all []string
	for _, x := range j.Decisions {
		if d := x.Decision; d.Decision != "OK" && !slices.Contains([]string{"offline", "no-process", "paused", "stopped"}, d.Reason) {
			all = append(all, fmt.Sprintf("%s (%s: %s)", x.Subject, d.Reason, guard.Text(d.Detail, 300)))
		}
	}
	return strings.Join(all, "; ")
}

// again is the stream with what may have changed looked at anew.
func (d *deed) again() (*record.Set, error) {
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		return nil, err
	}
	set, roots := lasting(d.set, d.host)
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

// lasting is what of a stream is not looked at anew: all but what is told of the
// workspaces, the health and the ledger of this machine, whose agents' workspaces are
// the roots.
func lasting(old *record.Set, host string) (set *record.Set, roots []string) {
	set = new(record.Set)
	for _, r := range old.All() {
		if r.Host != host || !slices.Contains([]string{"fleet-ledger", "fleet-observe-health", "fleet-observe-workspaces"}, r.By) {
			set.Add(record.Line{Record: r})
		} else if p, ok := record.Payload[record.Workspace](r); ok && p.Agent != "" {
			roots = append(roots, p.Path)
		}
	}
	return set, roots
}
