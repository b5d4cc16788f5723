package act

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Halves counts the damaged lines of a ledger that are the beginning of an entry,
// or nothing but zeros, as a machine leaves them that lost its power. Whoever wrote
// one was never told that it is on the disk, so nothing is lost with it.
func Halves(lines iter.Seq2[fold.Line, error]) (n int, err error) {
	for line, err := range lines {
		if err != nil {
			return n, err
		}
		if line.Damage != nil && len(line.Raw) < fold.MaxLine && half(bytes.Trim(line.Raw, "\x00")) {
			n++
		}
	}
	return n, nil
}

func half(raw []byte) bool {
	if len(raw) == 0 {
		return true
	}
	_, err := jsontext.NewDecoder(bytes.NewReader(raw)).ReadValue()
	return raw[0] == '{' && errors.Is(err, io.ErrUnexpectedEOF)
}

// trusted says why a ledger, as it stands now, is none to act by: what cannot be
// read of it may be the owner's pause, or an act.
func (a *Actor) trusted(s *fold.State) error {
	newer := s.NewerLines()
	switch {
	case s.Damaged > a.Halves:
		return refused("ledger", "%d damaged lines of the ledger may be a pause or an act; fleet-ledger verify names them, fleet-ledger compact sets them aside", s.Damaged-a.Halves)
	case newer > 0:
		return refused("ledger", "%d entries of the ledger are of a later release, and may be a pause or an act; use that release", newer)
	case s.Entries < a.entries:
		return refused("ledger", "the ledger has lost entries since this run began: another was put in its place; the next sweep goes by that one")
	}
	return nil
}

// since tells that a moment of the ledger is not before what was decided about was
// looked at. One that lies ahead was noted by a clock that was wrong, and tells nothing.
// When what was decided about was looked at ahead of the present, nobody knows how
// long before: what was noted shortly before counts too.
func (a *Actor) since(at *record.Time) bool {
	if at == nil || a.SeenAt == nil {
		return false
	}
	seen := a.SeenAt.Time
	if seen.After(a.Now()) {
		seen = seen.Add(-skew)
	}
	return !at.Before(seen) && at.Sub(a.Now()) < skew
}

// skew is how far a clock may be wrong.
const skew = 2 * time.Minute

// again is an error when a sweep was noted after what was decided about was looked
// at: this one, when its stream is read a second time, or a later one. What it would
// note would put the past in the place of the present.
func (a *Actor) again() error {
	s, err := a.Book.ReadOrNone()
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	for _, h := range s.Heals(a.Now()) {
		if a.since(h.SweptAt) {
			return fmt.Errorf("nothing is done: the sweep of %s is in the ledger, and this stream is of before, %s; look again, then decide anew",
				h.SweptAt.Format(time.RFC3339), a.SeenAt.Format(time.RFC3339))
		}
	}
	return nil
}
