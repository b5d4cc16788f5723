package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// own is the stream with what this scope's own ledger has at this moment in place of what
// the stream has of a ledger: that may be another's, or of before.
func (d *deed) own() (*record.Set, error) {
	state, err := d.l.ReadOrNone()
	if err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	set := new(record.Set)
	for _, r := range d.set.All() {
		if r.Host != d.host || r.By != "fleet-ledger" && r.Kind != record.KindHeal {
			set.Add(record.Line{Record: r})
		}
	}
	return set, ledger.Observe(&observe.Caught{By: "fleet-ledger", Set: set}, state, record.NewTime(time.Now()), d.host)
}

// held is what of the decisions our own ledger leads to as well, as it leads to them.
// What else they ask for is refused.
func (d *deed) held(ds []record.Decision) (kept []record.Decision, err error) {
	set, err := d.own()
	if err != nil {
		return nil, err
	}
	ours := map[string]record.Decision{}
	for _, x := range reconcile.Judge(set, reconcile.Options{Desired: d.desired, Now: d.std.Now}).Decisions {
		ours[x.Subject] = x.Decision
	}
	for _, p := range ds {
		x, ok := ours[p.Agent]
		switch {
		case ok && (x.Action == nil && p.Action == nil || slices.Equal(bare(x), bare(p))):
			kept = append(kept, x)
			continue
		case !ok:
			err = d.actor.Late(p, "changed", "by the ledger of this scope nothing is decided about it: the next sweep looks again")
		case x.Reason == "paused":
			err = d.actor.Late(p, x.Reason, "the owner paused it: fleet-ledger unpause ends that")
		default:
			err = d.actor.Late(p, "changed", fmt.Sprintf("by the ledger of this scope it is decided otherwise: %s %s; the next sweep looks again", x.Decision, x.Reason))
		}
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// bare is a decision without its place, and what a person is told: they may have been told meanwhile.
func bare(d record.Decision) []byte {
	d.Alert, d.Not, d.Order = nil, nil, 0
	return fold.Marshal(d)
}
