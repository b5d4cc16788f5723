// Package asks folds a judged stream and what the ledger remembers into the
// questions for the owner: each condition is asked once, stays asked until it
// is answered or no longer true, and an answer holds while the condition does.
package asks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/fleet-tools/fleet/internal/record"
)

// judge is the program whose verdicts raise asks. Without its closing record
// nothing is raised and nothing resolved.
const judge = "fleet-classify"

// Fold is what a stream says of the asks.
type Fold struct {
	Asks    []record.Ask   // by state: new, open, unchecked, acked, resolved; in it oldest first, then by key
	Entries []record.Entry // the batch of the new ones and the resolutions; none when nothing may be written
}

// When compiles the when expression of an ask_when: it tells whether a record
// meets it.
type When func(expr string) (func(record.Record) (bool, error), error)

// Of folds a stream that was read whole. now is the time of the entries. The
// error names an ask_when whose expression is broken.
func Of(set *record.Set, now record.Time, when When) (Fold, error) {
	s := newStream(set)
	raised, err := s.raise(when)
	if err != nil {
		return Fold{}, err
	}
	asked := s.asked()
	var f Fold
	var fresh, over []record.Ask
	for _, c := range raised {
		a, known := asked[c.key]
		switch {
		case known && a.State != record.AskResolved:
			state := record.AskOpen
			if a.State == record.AskAcked {
				state = record.AskAcked
			}
			f.Asks = append(f.Asks, of(a, state, c))
		default:
			fresh = append(fresh, record.Ask{Key: c.key, State: record.AskNew, Class: c.class, Question: c.question, Session: c.session, Since: &now})
		}
	}
	for key, a := range asked {
		if a.State == record.AskResolved || slices.ContainsFunc(raised, func(c condition) bool { return c.key == key }) {
			continue
		}
		switch {
		case s.read(key):
			over = append(over, of(a, record.AskResolved, condition{}))
		case a.State == record.AskAcked:
			f.Asks = append(f.Asks, of(a, record.AskAcked, condition{}))
		default:
			f.Asks = append(f.Asks, of(a, record.AskUnchecked, condition{}))
		}
	}
	number(fresh, s.number)
	f.Asks = append(append(f.Asks, fresh...), over...)
	slices.SortFunc(f.Asks, byState)
	if s.remembers {
		f.Entries = s.entries(fresh, over, now)
	}
	return f, nil
}

// of is the ask that the ledger remembers, with what this stream says of it.
func of(a record.Asked, state string, c condition) record.Ask {
	return record.Ask{Key: a.Key, ID: a.ID, Batch: a.Batch, State: state, Seen: a.Seen, Class: cmp.Or(c.class, a.Class),
		Question: cmp.Or(c.question, a.Question), FirstTick: a.FirstTick, Since: a.Since, Session: cmp.Or(c.session, sessionOf(a.Key))}
}

var stateOrder = []string{record.AskNew, record.AskOpen, record.AskUnchecked, record.AskAcked, record.AskResolved}

func byState(a, b record.Ask) int {
	return cmp.Or(cmp.Compare(slices.Index(stateOrder, a.State), slices.Index(stateOrder, b.State)), bySince(a, b), cmp.Compare(a.Key, b.Key))
}

func bySince(a, b record.Ask) int {
	switch {
	case a.Since == nil || b.Since == nil:
		return 0
	default:
		return a.Since.Compare(b.Since.Time)
	}
}

// number gives new asks their ids, by class, then key.
func number(fresh []record.Ask, tick *int) {
	slices.SortFunc(fresh, func(a, b record.Ask) int {
		return cmp.Or(cmp.Compare(classOrder(a.Class), classOrder(b.Class)), cmp.Compare(a.Key, b.Key))
	})
	if tick == nil {
		return
	}
	for i := range fresh {
		fresh[i].ID, fresh[i].Batch, fresh[i].FirstTick = "a"+strconv.Itoa(i+1), *tick, *tick
	}
}

// classOrder puts what is about no session behind the sessions.
func classOrder(class string) int {
	n, err := strconv.Atoi(class)
	if err != nil {
		return 99
	}
	return n
}

// entries are the batch, T-2, and the resolutions, T-3.
func (s *stream) entries(fresh, over []record.Ask, now record.Time) []record.Entry {
	var es []record.Entry
	entry := func(n int, e record.Entry) {
		e.V, e.ID, e.TS, e.Scope, e.Tick, e.DryRun = record.Version, fmt.Sprintf("%d-%d", *s.number, n), now, s.tick.Scope, s.number, s.tick.DryRun
		es = append(es, e)
	}
	if len(fresh) > 0 {
		batch := record.Batch{Batch: *s.number, Asks: []record.BatchAsk{}}
		for _, a := range fresh {
			batch.Asks = append(batch.Asks, record.BatchAsk{Class: a.Class, ID: a.ID, Key: a.Key, Question: a.Question})
		}
		entry(2, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "ask", Key: fmt.Sprintf("batch:%d", *s.number), Target: mustJSON(batch)})
	}
	if len(over) > 0 {
		var keys []string
		for _, a := range over {
			keys = append(keys, a.Key)
		}
		slices.Sort(keys)
		entry(3, record.Entry{Kind: record.EntryAck, By: "tick", Keys: keys, Resolved: true})
	}
	return es
}

// mustJSON writes a value of this package's own making, which always can be.
func mustJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
