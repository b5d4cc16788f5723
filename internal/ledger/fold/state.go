package fold

import (
	json "encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	fast "github.com/go-json-experiment/json"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// PastTicks is how many ticks State.Past tells of.
const PastTicks = 48

// State is a ledger folded, line by line, in the order in which it was
// written. The zero State is an empty ledger. What it tells has no credentials,
// although a ledger may be older than what withholds them.
type State struct {
	Entries  int            // lines that are entries, newer ones left out
	Damaged  int            // lines that are none
	Newer    map[string]int // kinds that this release does not know, and how many lines of each
	LastTick int            // the largest number of a tick_fire; 0 when there is none
	MaxTick  int            // the largest number that any entry bears

	asks    map[string]*ask          // by key
	batches map[string]*batch        // by the id of their intent
	shows   int                      // how many showings there were
	undone  map[string]bool          // ids of resolutions that were folded
	past    map[int]*record.Past     // by number
	open    map[string]record.Entry  // intents without an outcome, by id
	closed  map[string]bool          // ids of intents with one
	owned   map[string]*record.Owned // by subject
	order   []string                 // subjects of owned, as they came
	owners  map[uint64]bool          // hashes of the ids of entries outside a tick
	seed    maphash.Seed             // of owners
	settled []*batch                 // whose asks forget dropped

	heals   map[string]*record.Heal // by agent
	swept   map[string]swept        // by agent
	alerts  map[string]*alert       // by the key of their question
	spare   map[string]bool         // ids of intents of alerts that say nothing which others don't
	newest  time.Time               // of any entry
	sweep   *record.Swept           // the last that ended
	sweepID string                  // of the entry that says so
}

// Read folds a ledger. It returns what was read together with an error of
// lines.
func Read(lines func(yield func(Line, error) bool)) (*State, error) {
	s := new(State)
	for line, err := range lines {
		if err != nil {
			return s, err
		}
		s.Add(line)
	}
	return s, nil
}

// Add takes the next line.
func (s *State) Add(l Line) {
	s.init()
	switch {
	case l.Damage != nil:
		s.Damaged++
		return
	case l.Newer:
		s.Newer[l.Entry.Kind]++
		return
	}
	s.Entries++
	e := l.Entry
	if e.Tick == nil {
		s.owners[maphash.String(s.seed, e.ID)] = true
	} else {
		s.MaxTick = max(s.MaxTick, *e.Tick)
	}
	if e.TS.After(s.newest) {
		s.newest = e.TS.Time
	}
	switch e.Kind {
	case record.EntryFire:
		s.LastTick = max(s.LastTick, *e.Tick)
		p := s.tick(*e.Tick)
		p.FireAt, p.Clock = record.TimeOf(e.TS.Time), e.Clock
	case record.EntryExit:
		p := s.tick(*e.Tick)
		p.ExitAt, p.Exit, p.Counts, p.Read = record.TimeOf(e.TS.Time), e.Exit, e.Counts, e.Read
	case record.EntryIntent:
		s.addIntent(e)
	case record.EntryDone, record.EntryFailed, record.EntryUnknown:
		if e.Verb == record.VerbShow {
			s.addMissed(e)
		} else {
			s.addOutcome(e)
		}
	case record.EntrySeen:
		s.addSeen(e)
	case record.EntryAck:
		s.addAck(e)
	case record.EntryAdopt:
		s.addAdopt(e)
	case record.EntrySweep:
		s.addSweep(e)
	case record.EntrySweepExit:
		s.addSweepExit(e)
	case record.EntryPause, record.EntryUnpause:
		s.addPause(e)
	case record.EntryAgentExit:
		s.addExit(e)
	}
}

func (s *State) init() {
	if s.asks != nil {
		return
	}
	s.seed = maphash.MakeSeed()
	s.Newer, s.asks, s.batches = map[string]int{}, map[string]*ask{}, map[string]*batch{}
	s.undone, s.past, s.owners = map[string]bool{}, map[int]*record.Past{}, map[uint64]bool{}
	s.heals, s.swept, s.alerts, s.spare = map[string]*record.Heal{}, map[string]swept{}, map[string]*alert{}, map[string]bool{}
	s.open, s.closed, s.owned = map[string]record.Entry{}, map[string]bool{}, map[string]*record.Owned{}
}

// tick returns what is known of a tick, and forgets those that nobody asks for.
func (s *State) tick(n int) *record.Past {
	p := s.past[n]
	if p == nil {
		p = &record.Past{Tick: n}
		s.past[n] = p
		if len(s.past) > 2*PastTicks {
			for _, old := range s.ticks()[:PastTicks] {
				delete(s.past, old)
			}
			s.forget(s.ticks()[0])
		}
	}
	return p
}

// ticks returns the numbers of the ticks that are remembered, in order.
func (s *State) ticks() []int { return slices.Sorted(maps.Keys(s.past)) }

// Past returns the last PastTicks ticks, oldest first.
func (s *State) Past() []record.Past {
	ns := s.ticks()
	ps := []record.Past{}
	for _, n := range ns[max(len(ns)-PastTicks, 0):] {
		p := *s.past[n]
		p.Read, p.Counts = withheld(p.Read), withheldNames(p.Counts)
		ps = append(ps, p)
	}
	return ps
}

// withheld is each of list without what is withheld; null stays null.
func withheld(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = guard.Withhold(out[i])
	}
	return out
}

func withheldNames(counts map[string]int) map[string]int {
	if counts == nil {
		return nil
	}
	out := map[string]int{}
	for name, n := range counts {
		out[guard.Withhold(name)] += n
	}
	return out
}

// HasID tells whether an entry outside a tick may bear the id: once in 10^19 it
// is another.
func (s *State) HasID(id string) bool {
	s.init()
	return s.owners[maphash.String(s.seed, id)]
}

// IsOpen tells whether an intent of an act has no outcome.
func (s *State) IsOpen(id string) bool { return s.open[id].ID != "" }

// Open returns the intents of acts that have no outcome, by id.
func (s *State) Open() []record.Entry {
	es := []record.Entry{}
	for _, id := range slices.Sorted(maps.Keys(s.open)) {
		es = append(es, s.open[id])
	}
	return es
}

// decode reads a part of an entry; one of another shape reads as empty.
func decode[T any](raw json.RawMessage) T {
	var v T
	if fast.Unmarshal(raw, &v, quick) != nil {
		var none T
		return none
	}
	return v
}

// NewerLines is how many lines are of kinds that this release does not know.
func (s *State) NewerLines() (n int) {
	for _, of := range s.Newer {
		n += of
	}
	return n
}
