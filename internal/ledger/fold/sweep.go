package fold

import (
	"io"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

func (s *State) addSweepExit(e record.Entry) {
	s.sweepID, s.sweep = e.ID, &record.Swept{At: e.TS, Exit: *e.Exit, Since: e.Blind}
	switch {
	case e.Blind != nil:
		s.sweep.Undecided = e.Detail
	case s.sweep.Exit != 0:
		s.sweep.Detail = guard.Withhold(e.Detail)
	}
}

// Sweep is the last sweep that ended; nil when none ever did.
func (s *State) Sweep() *record.Swept { return s.sweep }

// Undecided is about what the sweep of a saved stream decided nothing, and why, "" when it
// could read everything, and of an empty stream.
func Undecided(r io.Reader) (string, error) {
	set := new(record.Set)
	for line, err := range record.All(r) {
		if err != nil {
			return "", err
		}
		set.Add(line)
	}
	judged, _ := set.Get(record.Identity{Kind: record.KindSurface, Subject: "fleet-reconcile"})
	p, ok := record.Payload[record.Surface](judged)
	if !ok {
		return "", nil
	}
	return strings.Join(p.Undecided, "; "), nil
}
