package reconcile

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// note counts what a decision will start. What was refused before, and may be again,
// does not keep the next in line from its turn: who acts keeps the gap between them, and
// the cap.
func (w *world) note(d record.Decision) {
	if d.Action == nil {
		return
	}
	refused := slices.ContainsFunc(w.heals[d.Agent].Alerts, func(severity string) bool { return strings.HasPrefix(severity, "kept-") })
	switch d.Action.Verb {
	case "launch":
		w.starts++
		if !refused {
			w.running++
		}
	case "restart", "resume":
		if !refused {
			w.restarted = w.at.Time
		}
	}
}

// Room is how many agents may be started on a machine, by what runs there and the cap of
// the scope: who acts counts those that it has started. False: any number.
func Room(set *record.Set, host string) (int, bool) {
	_, tick, ok := set.Tick()
	if !ok {
		return 0, false
	}
	room := tick.Caps.FleetSessions
	for _, r := range set.Of(record.KindWorkspace) {
		if p, ok := record.Payload[record.Workspace](r); ok && r.Host == host && p.Agent != "" && Claude(p) != nil {
			room--
		}
	}
	return max(room, 0), true
}
