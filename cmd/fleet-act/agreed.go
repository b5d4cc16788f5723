package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// freshFor is how old a stream may be that is acted on, also when the run has been on its way for a while.
const freshFor = 10 * time.Minute

// aheadFor is how far it may lie ahead of the present: clocks are set.
const aheadFor = 2 * time.Minute

// agreed is what the stream decides and we, of its records and the list as it is now,
// decide as well. A stream is a file, which others may have written: what else it
// decides is refused: the rest. What is switched off by now is asked before each act.
func (d *deed) agreed() (ds []record.Decision, rest []left, err error) {
	ours := map[string]record.Decision{}
	for _, x := range reconcile.Judge(d.set, reconcile.Options{Desired: d.desired, Now: d.std.Now}).Decisions {
		ours[x.Subject] = x.Decision
	}
	for _, r := range reconcile.Decisions(d.set) {
		p, ok := record.Payload[record.Decision](r)
		if !ok || r.By != "fleet-reconcile" || r.Host != d.host {
			continue
		}
		if d.actor.Dry != "" { // it is told as it was decided
			ds = append(ds, *p)
			continue
		}
		if !r.At.Equal(d.set.Now(time.Time{}).Time) {
			return nil, nil, fmt.Errorf("nothing is done: the decision about %s is of another time than the stream; look, and decide anew", strconv.Quote(guard.Text(r.Subject, 100)))
		}
		x, ok := ours[r.Subject]
		if ok && slices.Equal(fold.Marshal(x), fold.Marshal(*p)) {
			ds = append(ds, x)
			continue
		}
		l := left{theirs: *p, why: "of the records of this stream nothing is decided about it"}
		if ok {
			l.ours, l.why = &x, fmt.Sprintf("of the records of this stream it is decided otherwise: %s %s: %s", x.Decision, x.Reason, reconcile.Differs(*p, x))
		}
		rest = append(rest, l)
	}
	return ds, rest, nil
}

// left is a decision of a stream that is not done.
type left struct {
	theirs record.Decision
	ours   *record.Decision // of the same agent; nil: nothing is decided about it
	why    string
}

// leave tells of what is left of a stream.
func (d *deed) leave(rest []left) error {
	for _, l := range rest {
		err := d.actor.Leave(l.theirs, l.why)
		if err == nil && l.ours != nil && (l.theirs.Action != nil || l.ours.Action != nil || l.ours.Alert != nil) {
			err = d.actor.Undecided(d.ctx, *l.ours, l.why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fresh refuses a stream of another time: its oldest record of this machine is
// what an act goes by, its newest must not lie ahead.
func (d *deed) fresh() error {
	if d.actor.Dry != "" {
		return nil
	}
	if at, ok := d.ofNow(); !ok {
		return fmt.Errorf("nothing is done: the stream is of %s, which is not now; look, and decide anew", at.Format(time.RFC3339))
	}
	return nil
}

// present tells that a stream is of this scope, this machine and this moment, so that
// looking at what it is about says something.
func (d *deed) present() bool {
	_, ok := d.ofNow()
	return ok && d.tick != nil && d.tick.Scope == d.scope.ID && d.tick.Host == d.w.Host
}

// ofNow tells that all records about this machine were made now, else one moment that is not.
func (d *deed) ofNow() (record.Time, bool) {
	oldest, newest := d.span()
	if at := d.set.Now(time.Time{}); oldest.IsZero() || at.Before(oldest.Time) {
		oldest = at
	} else if at.After(newest.Time) {
		newest = at
	}
	for _, at := range []record.Time{oldest, newest} {
		if age := time.Since(at.Time); age > freshFor || age < -aheadFor {
			return at, false
		}
	}
	return newest, true
}

// span is when the first and the last of the records about this machine were made.
func (d *deed) span() (oldest, newest record.Time) {
	for _, r := range d.set.All() {
		if r.Host != d.host {
			continue
		}
		if oldest.IsZero() || r.At.Before(oldest.Time) {
			oldest = r.At
		}
		if r.At.After(newest.Time) {
			newest = r.At
		}
	}
	return oldest, newest
}
