package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Begin notes that something is about to be done, and returns the id of the
// intent when the disk has it. may looks at the ledger as it stands under the
// lock and says why it must not be done after all: then nothing is written and
// its error is returned. Begun is what the intent says but for its id.
func (l Ledger) Begin(at time.Time, begun record.Entry, may func(*fold.State) error) (string, error) {
	return l.acting(at, func(s *fold.State) ([]record.Entry, error) {
		if err := may(s); err != nil {
			return nil, err
		}
		begun.Kind, begun.By = record.EntryIntent, "act"
		return []record.Entry{begun}, nil
	})
}

// End notes what became of an intent: kind is done, failed or unknown. A second
// outcome of one intent is an error, and not written.
func (l Ledger) End(at time.Time, of string, outcome record.Entry) error {
	_, err := l.acting(at, func(s *fold.State) ([]record.Entry, error) {
		if !s.IsOpen(of) {
			return nil, fmt.Errorf("%s is no intent without an outcome", of)
		}
		outcome.Of = of
		return []record.Entry{outcome}, nil
	})
	return err
}

// Note appends an entry about an agent, or about a sweep, that answers nothing.
func (l Ledger) Note(at time.Time, e record.Entry) error {
	_, err := l.acting(at, func(*fold.State) ([]record.Entry, error) { return []record.Entry{e}, nil })
	return err
}

// Swept notes that a sweep ended: an entry with its status. undecided is about what it
// decided nothing, and why, "" when it could read everything.
func (l Ledger) Swept(at time.Time, e record.Entry, undecided string) error {
	_, err := l.acting(at, func(s *fold.State) ([]record.Entry, error) {
		e.Kind, e.By = record.EntrySweepExit, "act"
		if undecided != "" {
			e.Detail, e.Blind = undecided, record.TimeOf(at)
			if last := s.Sweep(); last != nil && last.Since != nil && !last.Since.After(at) {
				e.Blind = last.Since
			}
		}
		return []record.Entry{e}, nil
	})
	return err
}

// acting appends entries of what acts, which begin a ledger that is missing. It returns
// the id of the last.
func (l Ledger) acting(at time.Time, build func(*fold.State) ([]record.Entry, error)) (last string, err error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return "", err
	}
	return l.outsideTick(os.O_CREATE, at, "act", build)
}

// outsideTick appends the entries that build makes, which belong to no tick, with ids that
// begin with prefix, and returns the id of the last. flag is that of update.
func (l Ledger) outsideTick(flag int, at time.Time, prefix string, build func(*fold.State) ([]record.Entry, error)) (last string, err error) {
	err = l.update(flag, func(h held) ([][]byte, error) {
		s, err := l.fold(io.NewSectionReader(h, 0, h.size))
		if err != nil {
			return nil, err
		}
		es, err := build(s)
		if err != nil {
			return nil, err
		}
		lines := [][]byte{}
		n := 0
		for _, e := range es {
			e.V, e.TS, e.Scope = record.Version, record.NewTime(at), l.Scope
			e.ID, n = outsideID(s, prefix, at, n)
			last = e.ID
			line := fold.Marshal(e)
			if len(line) > fold.MaxLine { // nobody would read it, and nobody act by what has it
				return nil, fmt.Errorf("an entry of %d bytes is not written: %d are read of one", len(line), fold.MaxLine)
			}
			lines = append(lines, line)
		}
		return lines, nil
	})
	return last, err
}

// ReadOrNone is Read; of a ledger that is not there it returns an empty one.
func (l Ledger) ReadOrNone() (*fold.State, error) {
	s, err := l.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return fold.Read(fold.Lines(io.MultiReader()))
	}
	return s, err
}
