package fold

import (
	"cmp"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Pace is how soon and how often the owner is shown what is open.
type Pace struct {
	RaiseAfter time.Duration // how long an ask is open before its batch is shown; 0: at once
	Renotify   time.Duration // the least time between two showings of a batch, from the third on
}

// Due is a batch that is to be shown.
type Due struct {
	Intent string         // its ledger id
	Batch  int            // tick number
	Asks   []record.Asked // its open asks, oldest first; one at least
	Open   int            // how many asks of the scope are open, in any batch
}

// ahead is how far ahead of the present a time may be and still be believed.
const ahead = 2 * time.Minute

// Due returns the newest batch that is to be shown now; ok is false when none
// is. Such a batch has an open ask and was not seen; its oldest open ask is open
// for RaiseAfter; and it was never shown, or once and a tick began since, or
// more often and the last time is Renotify ago. A time that is missing or lies
// in the future holds nothing back: rather shown too early than never.
func (s *State) Due(now time.Time, p Pace) (d Due, ok bool) {
	byIntent := map[string][]record.Asked{}
	open := 0
	for _, a := range s.Asked() {
		if a.State == record.AskOpen {
			byIntent[a.Intent] = append(byIntent[a.Intent], a)
			open++
		}
	}
	due := []*batch{}
	for _, b := range s.batches {
		asks := byIntent[b.id]
		raised := func(a record.Asked) bool { return passed(now, a.Since, p.RaiseAfter) }
		if slices.ContainsFunc(asks, raised) && s.again(b, now, p.Renotify) {
			due = append(due, b)
		}
	}
	if len(due) == 0 {
		return Due{}, false
	}
	b := slices.MaxFunc(due, func(a, b *batch) int { return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.id, b.id)) })
	return Due{Intent: b.id, Batch: b.tick, Asks: byIntent[b.id], Open: open}, true
}

// again tells whether a batch may be shown as often as it was shown so far.
func (s *State) again(b *batch, now time.Time, renotify time.Duration) bool {
	switch {
	case b.seen:
		return false
	case len(b.shown) == 0:
		return true
	case len(b.shown) == 1:
		return s.LastTick > b.shownIn
	}
	return passed(now, b.shownAt, renotify)
}

// passed tells whether t is d or longer ago, or is no time to go by.
func passed(now time.Time, t *record.Time, d time.Duration) bool {
	if t == nil {
		return true
	}
	age := now.Sub(t.Time)
	return age >= d || age < -ahead
}
