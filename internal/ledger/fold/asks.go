package fold

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// ask is the state of one key.
type ask struct {
	record.Asked
	resolvedIn int // last tick when it was resolved
}

// batch is an ask intent.
type batch struct {
	id      string
	tick    int
	keys    []idKey // of its asks
	seen    bool
	shown   []string        // ids of the entries that say so
	shownAt *record.Time    // the last of them
	shownIn int             // last tick that had begun by then
	shownNo int             // which of all showings that was, from 1; 0: none was
	missed  []string        // ids of the entries that say that it could not be
	unshown *record.Unshown // null when it was shown since
}

type idKey struct{ id, key string }

// key is that of an ask of the batch, "" when it has none of this id. Of two
// with one id the later counts.
func (b *batch) key(id string) string {
	for _, k := range slices.Backward(b.keys) {
		if k.id == id {
			return k.key
		}
	}
	return ""
}

// forget drops what was resolved before the ticks that are remembered: nobody
// can ask for it any more. That a batch was is remembered, so that a copy of it
// asks nothing again.
func (s *State) forget(oldest int) {
	for key, a := range s.asks {
		if a.State == record.AskResolved && a.resolvedIn < oldest {
			delete(s.asks, key)
			if b := s.batches[a.Intent]; b != nil {
				s.settled = append(s.settled, b)
			}
		}
	}
	for _, b := range s.settled {
		if !s.holds(b.id) && !slices.ContainsFunc(b.keys, func(k idKey) bool { return s.asks[k.key] != nil }) {
			b.keys, b.shown, b.missed = nil, nil, nil
		}
	}
	s.settled = s.settled[:0]
}

// addIntent takes an intent. An ask intent opens its keys; one that was copied
// does not open them again.
func (s *State) addIntent(e record.Entry) {
	if e.Verb != "ask" {
		if _, again := s.open[e.ID]; !again && !s.closed[e.ID] {
			s.open[e.ID] = e
			s.act(e)
		}
		return
	}
	if s.batches[e.ID] != nil {
		return
	}
	target := decode[record.Batch](e.Target)
	b := &batch{id: e.ID, tick: target.Batch}
	if b.tick == 0 && e.Tick != nil {
		b.tick = *e.Tick
	}
	s.batches[e.ID] = b
	for _, item := range target.Asks {
		if item.Key == "" {
			continue
		}
		item.Key = guard.Withhold(item.Key)
		b.keys = append(b.keys, idKey{item.ID, item.Key})
		a := &ask{Asked: record.Asked{Key: item.Key, ID: item.ID, Batch: b.tick, Intent: e.ID, State: record.AskOpen,
			Class: item.Class, Question: item.Question, Go: item.Go, FirstTick: b.tick, Since: record.TimeOf(e.TS.Time)}}
		if old := s.asks[item.Key]; old != nil && old.State == record.AskOpen {
			a.FirstTick, a.Since = old.FirstTick, old.Since
		}
		s.asks[item.Key] = a
		s.question(item.Key, e.ID)
	}
}

// addAck takes a resolution by a tick or an answer of the owner. An answer
// counts for what its batch still asks; a key that went on to a later batch is
// another question.
func (s *State) addAck(e record.Entry) {
	if e.Resolved {
		s.resolve(e)
		return
	}
	b := s.batches[e.Of]
	if b == nil {
		return
	}
	for _, key := range answered(e, b) {
		if a := s.asks[key]; a != nil && a.Intent == e.Of && a.State == record.AskOpen {
			a.State, a.AnsweredAt = record.AskAcked, record.TimeOf(e.TS.Time)
			if f := s.alerts[key]; f != nil { // who answered it need not be told any more
				h := s.heal(f.agent)
				h.Untold = without(h.Untold, f.severity)
			}
		}
	}
}

func (s *State) resolve(e record.Entry) {
	if s.undone[e.ID] {
		return
	}
	s.undone[e.ID] = true
	for _, key := range e.Keys {
		if a := s.asks[guard.Withhold(key)]; a != nil {
			a.State, a.resolvedIn = record.AskResolved, s.LastTick
		}
	}
}

// answered returns the keys of a batch that an answer covers.
func answered(e record.Entry, b *batch) []string {
	keys := []string{}
	all, ids := decode[string](e.Asks) == "all", decode[[]string](e.Asks)
	for _, k := range b.keys {
		if all || slices.Contains(ids, k.id) {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// Covers tells whether the asks part of an answer, "all" or a list of ids,
// covers an ask id.
func Covers(asks json.RawMessage, id string) bool {
	return decode[string](asks) == "all" || slices.Contains(decode[[]string](asks), id)
}

// Asked returns the state of every key that is open or answered, or was
// resolved within the last PastTicks ticks: oldest first.
func (s *State) Asked() []record.Asked {
	since := 0
	if ns := s.ticks(); len(ns) > 0 {
		since = ns[max(len(ns)-PastTicks, 0)]
	}
	list := []record.Asked{}
	for _, a := range s.asks {
		if a.State == record.AskResolved && a.resolvedIn < since {
			continue
		}
		out := a.Asked
		out.Session = record.SessionOf(out.Key)
		for _, text := range []*string{&out.Question, &out.ID, &out.Class, &out.Intent} {
			*text = guard.Withhold(*text)
		}
		if guard.Text(out.Go, len(out.Go)) != out.Go { // a command is whole or none
			out.Go = ""
		}
		if b := s.batches[a.Intent]; b != nil {
			out.Seen, out.ShownAt = b.seen, b.shownAt
			if out.State == record.AskOpen {
				out.Unshown = b.unshown
			}
		}
		list = append(list, out)
	}
	slices.SortFunc(list, func(a, b record.Asked) int {
		return cmp.Or(cmp.Compare(a.FirstTick, b.FirstTick), cmp.Compare(a.Batch, b.Batch),
			cmp.Compare(askNumber(a.ID), askNumber(b.ID)), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// askNumber is 12 for a12.
func askNumber(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "a"))
	return n
}

// Pick is what the owner answers.
type Pick struct {
	All   bool     // every open ask
	Batch int      // else those of this batch
	IDs   []string // of which these; all of them when empty
}

// Answer is one ack to be written.
type Answer struct {
	Of   string          // the intent
	Asks json.RawMessage // "all" or ids
	Keys []string        // the open keys that it answers
}

// Answers returns the acks that answer what p picks and is open, by batch. The
// error names a batch or an ask that is not there.
func (s *State) Answers(p Pick) ([]Answer, error) {
	byIntent := map[string][]record.Asked{}
	for _, a := range s.Asked() {
		if a.State == record.AskOpen {
			byIntent[a.Intent] = append(byIntent[a.Intent], a)
		}
	}
	found := []*batch{}
	for _, b := range s.batches {
		if p.All || b.tick == p.Batch {
			found = append(found, b)
		}
	}
	if !p.All && len(found) == 0 {
		return nil, fmt.Errorf("no batch %d", p.Batch)
	}
	slices.SortFunc(found, func(a, b *batch) int { return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.id, b.id)) })
	for _, id := range p.IDs {
		if !slices.ContainsFunc(found, func(b *batch) bool { return b.key(id) != "" }) {
			return nil, fmt.Errorf("batch %d has no ask %q", p.Batch, id)
		}
	}
	answers := []Answer{}
	for _, b := range found {
		a := Answer{Of: b.id, Asks: json.RawMessage(`"all"`)}
		ids := []string{}
		for _, open := range byIntent[b.id] {
			if len(p.IDs) == 0 || slices.Contains(p.IDs, open.ID) {
				a.Keys, ids = append(a.Keys, open.Key), append(ids, open.ID)
			}
		}
		if len(p.IDs) > 0 {
			a.Asks, _ = json.Marshal(ids)
		}
		if len(a.Keys) > 0 {
			answers = append(answers, a)
		}
	}
	return answers, nil
}

// HasBatch tells whether an ask intent bears the id.
func (s *State) HasBatch(intent string) bool { return s.batches[intent] != nil }
