package fold

import (
	"cmp"
	"math/rand/v2"
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

// Due returns the batch that is to be shown now; ok is false when none is. Such a
// batch has an open ask and was not seen; its oldest open ask is open for
// RaiseAfter; and it was never shown, or once and a tick began since, or more
// often and the last time is Renotify ago. A time that is missing or lies in the
// future holds nothing back: rather shown too early than never. Of several it is
// the oldest that was never shown; when each was, the one that was longest ago.
func (s *State) Due(now time.Time, p Pace) (d Due, ok bool) {
	due := s.due(now, p)
	if len(due) == 0 {
		return Due{}, false
	}
	return due[0], true
}

// Instead returns what is to be tried when the batch with that intent, which was
// due, could not be shown: what is wrong with one must not keep the others from the
// owner. Of the others that are due it is the next as often as not, else any. The
// tick draws it, as the ledger does not have every try.
func (s *State) Instead(now time.Time, p Pace, intent string) (d Due, ok bool) {
	due := slices.DeleteFunc(s.due(now, p), func(d Due) bool { return d.Intent == intent })
	if len(due) == 0 {
		return Due{}, false
	}
	draw := rand.New(rand.NewPCG(uint64(s.LastTick), 0)).IntN(2 * len(due))
	return due[max(draw-len(due), 0)], true
}

// due returns every batch that is due, in the order in which they are to be shown.
// The times of showings don't order them, as a clock may have been wrong: their lines do.
func (s *State) due(now time.Time, p Pace) []Due {
	byIntent := map[string][]record.Asked{}
	open := 0
	for _, a := range s.Asked() {
		if a.State == record.AskOpen {
			byIntent[a.Intent] = append(byIntent[a.Intent], a)
			open++
		}
	}
	bs := []*batch{}
	for _, b := range s.batches {
		asks := byIntent[b.id]
		raised := func(a record.Asked) bool { return passed(now, a.Since, p.RaiseAfter) }
		if slices.ContainsFunc(asks, raised) && s.again(b, now, p.Renotify) {
			bs = append(bs, b)
		}
	}
	slices.SortFunc(bs, func(a, b *batch) int {
		return cmp.Or(cmp.Compare(a.shownNo, b.shownNo), cmp.Compare(a.tick, b.tick), cmp.Compare(a.id, b.id))
	})
	due := []Due{}
	for _, b := range bs {
		due = append(due, Due{Intent: b.id, Batch: b.tick, Asks: byIntent[b.id], Open: open})
	}
	return due
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
