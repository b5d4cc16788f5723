package ledger

import (
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Ack notes the owner's answer to what p picks and returns the keys of the
// asks that it answers. by is owner:<tty>. What is already answered or no
// longer true is no part of it; when nothing is left, nothing is written.
func (l Ledger) Ack(by string, at time.Time, p fold.Pick) ([]string, error) {
	var keys []string
	err := l.outside(at, func(s *fold.State) ([]record.Entry, error) {
		answers, err := s.Answers(p)
		if err != nil {
			return nil, err
		}
		es := []record.Entry{}
		for _, a := range answers {
			keys = append(keys, a.Keys...)
			es = append(es, record.Entry{Kind: record.EntryAck, By: by, Of: a.Of, Asks: a.Asks})
		}
		return es, nil
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

// Seen notes how the owner took the showing of the batch with that intent.
func (l Ledger) Seen(by string, at time.Time, intent string, shown record.Shown) error {
	return l.outside(at, func(s *fold.State) ([]record.Entry, error) {
		if !s.HasBatch(intent) {
			return nil, fmt.Errorf("no batch has the intent %q", intent)
		}
		return []record.Entry{{Kind: record.EntrySeen, By: by, Of: intent, Result: fold.Marshal(shown)}}, nil
	})
}

// Missed notes that the batch with that intent could not be shown, and why. What is the
// last that the ledger has of the batch anyway is not written again: a channel that is
// broken does not make the ledger grow with each tick.
func (l Ledger) Missed(by string, at time.Time, intent, why string) error {
	why = guard.Text(why, 300)
	return l.outside(at, func(s *fold.State) ([]record.Entry, error) {
		if !s.HasBatch(intent) {
			return nil, fmt.Errorf("no batch has the intent %q", intent)
		}
		es := []record.Entry{}
		if !s.Missed(intent, why) {
			es = append(es, record.Entry{Kind: record.EntryFailed, By: by, Of: intent, Verb: record.VerbShow, Detail: why})
		}
		return es, nil
	})
}

// outside appends entries that belong to no tick to a ledger that is there. It
// reads the whole ledger: a person waits for it, no tick does.
func (l Ledger) outside(at time.Time, build func(*fold.State) ([]record.Entry, error)) error {
	_, err := l.outsideTick(0, at, "owner", build)
	return err
}

// outsideID returns the next free id of a millisecond, and its number:
// <prefix>-<ms>, then <prefix>-<ms>-2. used is how many numbers the same append has taken.
func outsideID(s *fold.State, prefix string, at time.Time, used int) (string, int) {
	for n := used + 1; ; n++ {
		id := fmt.Sprintf("%s-%d", prefix, at.UnixMilli())
		if n > 1 {
			id = fmt.Sprintf("%s-%d", id, n)
		}
		if !s.HasID(id) {
			return id, n
		}
	}
}
