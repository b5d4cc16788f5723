package fold

import (
	"errors"
	"reflect"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// Compacted is a ledger without what no reader asks for any more.
type Compacted struct {
	Kept    [][]byte // lines that stay, as they were, in order
	Damaged [][]byte // lines that are no entry
	Dropped int      // entries that are left out
}

// Compact sorts out the lines of a ledger. What stays folds to the same as the
// whole: every key that is open or answered, what the last ticks were and
// resolved, what is ours, every intent without an outcome, how each agent
// is kept alive, and every entry of a later release. The error says that it would not, and nothing may be left
// out.
func Compact(lines []Line) (Compacted, error) {
	var c Compacted
	for { // what goes may be all that another one was kept for
		before := len(lines)
		kept, damaged, err := pass(lines)
		if err != nil {
			return Compacted{}, err
		}
		lines, c.Damaged = kept, append(c.Damaged, damaged...)
		c.Dropped += before - len(kept) - len(damaged)
		if before == len(kept) {
			break
		}
	}
	for _, l := range lines {
		c.Kept = append(c.Kept, l.Raw)
	}
	return c, nil
}

// pass sorts out lines once.
func pass(lines []Line) (kept []Line, damaged [][]byte, err error) {
	whole := new(State)
	for _, l := range lines {
		whole.Add(l)
	}
	k := newKeeper(whole)
	if kept, damaged, err = sift(lines, whole, k.entry); err != nil { // a sweep within an act that is open says what may have ended by then
		k.allSweeps = true
		return sift(lines, whole, k.entry)
	}
	return kept, damaged, nil
}

func sift(lines []Line, whole *State, keep func(record.Entry) bool) (kept []Line, damaged [][]byte, err error) {
	rest := new(State)
	for _, l := range lines {
		switch {
		case l.Damage != nil:
			damaged = append(damaged, l.Raw)
		case l.Newer || keep(l.Entry):
			kept = append(kept, l)
			rest.Add(l)
		}
	}
	if !rest.same(whole) {
		return nil, nil, errors.New("what would stay does not say the same as the whole")
	}
	return kept, damaged, nil
}

// keeper knows what readers of a ledger ask for.
type keeper struct {
	since   int // ticks before it are not told of
	keys    map[string]bool
	batches map[string]bool // intents that ask one of keys, or an alert
	sweeps  map[string]bool // the last that spoke of an agent, the last that found it well, and those that ended something

	spare     map[string]bool // intents of alerts that were tried between the first time and the last
	allSweeps bool
}

func newKeeper(s *State) keeper {
	k := keeper{keys: map[string]bool{}, batches: map[string]bool{}, sweeps: map[string]bool{s.sweepID: true}, spare: s.spare}
	for _, ids := range s.swept {
		k.sweeps[ids.last], k.sweeps[ids.ok] = true, true
		for _, id := range ids.ends {
			k.sweeps[id] = true
		}
	}
	if ns := s.ticks(); len(ns) > 0 {
		k.since = ns[max(len(ns)-PastTicks, 0)]
	}
	for _, a := range s.Asked() {
		k.keys[a.Key] = true
	}
	for id, b := range s.batches {
		for _, a := range b.keys {
			k.batches[id] = k.batches[id] || k.keys[a.key]
		}
	}
	for _, a := range s.alerts {
		if a.asked != "" { // else it would be asked about once more
			k.batches[a.asked] = true
		}
	}
	for id := range k.batches { // a batch brings its other keys along
		for _, a := range s.batches[id].keys {
			k.keys[a.key] = k.keys[a.key] || k.batches[id]
		}
	}
	return k
}

func (k keeper) entry(e record.Entry) bool {
	switch e.Kind {
	case record.EntryFire, record.EntryExit, record.EntryStep:
		return e.Tick == nil || *e.Tick >= k.since
	case record.EntryIntent:
		return (e.Verb != "ask" || k.batches[e.ID]) && !k.spare[e.ID]
	case record.EntryFailed:
		return !k.spare[e.Of] && (e.Verb != record.VerbShow || k.batches[e.Of])
	case record.EntrySweep, record.EntrySweepExit:
		return k.allSweeps || k.sweeps[e.ID]
	case record.EntrySeen:
		return k.batches[e.Of]
	case record.EntryAck:
		if e.Resolved {
			return slices.ContainsFunc(e.Keys, func(key string) bool { return k.keys[key] })
		}
		return k.batches[e.Of]
	}
	return true
}

// same tells whether two folds give their readers the same.
func (s *State) same(o *State) bool {
	s.init()
	o.init()
	return s.LastTick == o.LastTick && s.MaxTick == o.MaxTick && reflect.DeepEqual(s.Asked(), o.Asked()) && reflect.DeepEqual(s.Owned(), o.Owned()) &&
		reflect.DeepEqual(s.Past(), o.Past()) && reflect.DeepEqual(s.Open(), o.Open()) && reflect.DeepEqual(s.Newer, o.Newer) &&
		reflect.DeepEqual(s.heals, o.heals) && reflect.DeepEqual(s.sweep, o.sweep) && reflect.DeepEqual(s.due(o.newest, Pace{}), o.due(o.newest, Pace{}))
}
