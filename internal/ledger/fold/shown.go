package fold

import (
	"slices"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// addSeen takes the outcome of showing a batch; one that was copied does not
// count again. Only the button Seen marks it seen. The last time is that of the
// last line, not the latest: a clock that was wrong once must not hold for ever.
func (s *State) addSeen(e record.Entry) {
	b := s.batches[e.Of]
	if b == nil || slices.Contains(b.shown, e.ID) {
		return
	}
	b.shown = append(b.shown, e.ID)
	if decode[record.Shown](e.Result).Button == "Seen" {
		b.seen = true
	}
	b.unshown = nil
	s.shows++
	b.shownAt, b.shownIn, b.shownNo = record.TimeOf(e.TS.Time), s.LastTick, s.shows
}

// addMissed takes that a batch could not be shown, which is no showing; one that was
// copied does not count again. Nothing was since the first of them in a row.
func (s *State) addMissed(e record.Entry) {
	b := s.batches[e.Of]
	if b == nil || slices.Contains(b.missed, e.ID) {
		return
	}
	b.missed = append(b.missed, e.ID)
	u := record.Unshown{Since: e.TS, Why: guard.Text(e.Detail, 300)}
	if b.unshown != nil {
		u.Since = b.unshown.Since
	}
	b.unshown = &u
}

// ForgetMissed drops that batches could not be shown, for an owner who by now has it that
// none is.
func (s *State) ForgetMissed() {
	for _, b := range s.batches {
		b.unshown = nil
	}
}

// Missed tells whether the last that is known of a batch is that it could not be shown,
// for that reason.
func (s *State) Missed(intent, why string) bool {
	b := s.batches[intent]
	return b != nil && b.unshown != nil && b.unshown.Why == why
}
