package observe

import (
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// recordAgents writes meta.json with what a process table says of agents: its
// rows may have env, an object of the variables that macf.Environ keeps, and
// server, where the package of a channel server is.
func recordAgents(w *machine.World, table []macf.Process) {
	kept := []macf.Process{}
	for _, p := range table {
		kept = append(kept, p.Clean())
	}
	w.Rec.Meta(w, kept)
}
