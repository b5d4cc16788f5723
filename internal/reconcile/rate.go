package reconcile

import (
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// rate is what holds a launch or a restart back of an agent that was started too often
// of late, also when it was well in between.
func (d draft) rate(f *Facts, verb string) (record.Decision, bool) {
	window := time.Duration(f.Rules.WindowS) * time.Second
	n := f.startsWithin(window)
	if n < f.Rules.WindowMax {
		return record.Decision{}, false
	}
	return d.not("rate", verb, "%d starts in %v", n, window).
		told("rate", "it was started %d times in %v, and is not again: find out why it does not stay up", n, window), true
}

// startsWithin counts the restarts and launches of the agent in the last d.
func (f *Facts) startsWithin(d time.Duration) int {
	n := 0
	for _, a := range f.Heal.Acts {
		if record.ActVerbs[a.Verb] && within(f.Now, a.At.Time, d) {
			n++
		}
	}
	return n
}
