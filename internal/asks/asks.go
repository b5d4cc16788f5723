// Package asks folds a judged stream and what the ledger remembers into the
// questions for the owner: each condition is asked once, stays asked until it
// is answered or no longer true, and an answer holds while the condition does.
//
// A condition has a key. A key names what is wrong and where: no count, age or
// error text is in it, so it is the same tick after tick. Of the key's two
// ends, raising takes a judge that was read whole; resolving takes that, the
// configuration, the ledger, and every surface that could have raised it. To
// read less can therefore leave an ask unchecked and never resolves one.
package asks

import (
	"cmp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// Ask is an ask and the machine of the session that it is about, "" when it is
// about none.
type Ask struct {
	Host string
	record.Ask
}

// Fold is what a stream says of the asks.
type Fold struct {
	Asks    []Ask          // by state: new, open, unchecked, acked, resolved; in it oldest first, then by key
	Entries []record.Entry // the batch of the new ones and the resolutions; none when nothing may be written
	Broken  []string       // questions of the configuration that could not be evaluated, and why
}

// When compiles the expression of an ask_when: what it returns tells whether a
// record meets it.
type When func(expr string) (func(record.Record) (bool, error), error)

// Of folds a stream that was read whole. now is the time of the entries. The
// error names an ask_when whose expression does not compile.
func Of(set *record.Set, now record.Time, when When) (Fold, error) {
	s := newStream(set)
	raised, err := s.raise(when)
	if err != nil {
		return Fold{}, err
	}
	var f Fold
	var fresh, over []Ask
	holds := map[string]bool{}
	for _, c := range raised {
		holds[c.key] = true
		a, asked := s.asked[c.key]
		switch {
		case asked && c.renews(a):
			fresh = append(fresh, c.ask(record.AskNew))
		case asked:
			f.Asks = append(f.Asks, c.again(a))
		case !s.known: // perhaps it was asked, perhaps answered
			f.Asks = append(f.Asks, c.ask(record.AskUnchecked))
		default:
			fresh = append(fresh, c.ask(record.AskNew))
		}
	}
	for key, a := range s.asked {
		if holds[key] {
			continue
		}
		if s.over(key) {
			over = append(over, s.remembered(a, record.AskResolved))
		} else if a.State == record.AskAcked {
			f.Asks = append(f.Asks, s.remembered(a, record.AskAcked))
		} else {
			f.Asks = append(f.Asks, s.remembered(a, record.AskUnchecked))
		}
	}
	slices.SortFunc(fresh, byClass)
	slices.SortFunc(over, func(a, b Ask) int { return cmp.Compare(a.Key, b.Key) })
	if s.persists() {
		number(fresh, *s.tick.Tick, now)
		f.Entries = s.entries(fresh, over, now)
	}
	f.Asks = slices.Concat(f.Asks, fresh, over)
	slices.SortFunc(f.Asks, byState)
	f.Broken = s.broken
	return f, nil
}

// renews tells whether a condition is the same question asked again after the
// answer: that one ended with what was answered, also when no tick saw it.
func (c condition) renews(a record.Asked) bool {
	return a.State == record.AskAcked && a.AnsweredAt != nil && c.began != nil && c.began.After(a.AnsweredAt.Time)
}

// ask is a condition that the ledger does not remember.
func (c condition) ask(state string) Ask {
	return Ask{c.host, record.Ask{Key: c.key, State: state, Class: c.class, Question: c.question, Session: c.session, Go: c.lead}}
}

// again is a condition that the ledger remembers, and that is still true.
func (c condition) again(a record.Asked) Ask {
	state := record.AskOpen
	if a.State == record.AskAcked {
		state = record.AskAcked
	}
	out := remember(a, state)
	out.Host, out.Session, out.Class, out.Question, out.Go = c.host, c.session, cmp.Or(c.class, a.Class), cmp.Or(c.question, a.Question), c.lead
	return out
}

// remembered is an ask of the ledger that this stream does not raise.
func (s *stream) remembered(a record.Asked, state string) Ask {
	out := remember(a, state)
	if k, ok := s.sessionKey(a.Key); ok {
		out.Host, out.Session = k.host, k.name+k.label
	}
	return out
}

func remember(a record.Asked, state string) Ask {
	if state == record.AskAcked || state == record.AskResolved {
		a.Unshown = nil
	}
	return Ask{"", record.Ask{Key: a.Key, ID: a.ID, Batch: a.Batch, State: state, Seen: a.Seen, Unshown: a.Unshown, Class: a.Class,
		Question: a.Question, Go: a.Go, FirstTick: a.FirstTick, Since: a.Since}}
}

var states = []string{record.AskNew, record.AskOpen, record.AskUnchecked, record.AskAcked, record.AskResolved}

func byState(a, b Ask) int {
	return cmp.Or(cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)), bySince(a.Since, b.Since),
		cmp.Compare(a.Key, b.Key))
}

// bySince puts what has no time last.
func bySince(a, b *record.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(b.Time)
}
