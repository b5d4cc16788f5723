package fold

import (
	"fmt"

	"github.com/fleet-tools/fleet/internal/record"
)

// Verify calls say for everything in a ledger that should not be there: lines
// that are no entry, an id that comes twice, a tick number that does not rise,
// an answer or an outcome of what is not there. It returns how many lines are
// entries.
func Verify(lines func(yield func(Line, error) bool), say func(n int, says string)) (entries int, err error) {
	first := map[string]int{} // id to line
	intents := map[string]bool{}
	last := 0
	for line, err := range lines {
		if err != nil {
			return entries, err
		}
		if line.Damage != nil {
			say(line.N, line.Damage.Error())
			continue
		}
		entries++
		if line.Newer {
			continue
		}
		e := line.Entry
		if n, ok := first[e.ID]; ok {
			say(line.N, fmt.Sprintf("its id is that of line %d", n))
		} else {
			first[e.ID] = line.N
		}
		switch e.Kind {
		case record.EntryFire:
			if *e.Tick <= last {
				say(line.N, fmt.Sprintf("tick %d begins after tick %d", *e.Tick, last))
			}
			last = max(last, *e.Tick)
		case record.EntryIntent:
			intents[e.ID] = true
		case record.EntrySeen, record.EntryAck, record.EntryDone, record.EntryFailed, record.EntryUnknown:
			if !e.Resolved && !intents[e.Of] {
				say(line.N, "of an intent that is not there")
			}
		}
	}
	return entries, nil
}
