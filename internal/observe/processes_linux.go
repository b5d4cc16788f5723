package observe

import (
	"context"
	"slices"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/process"
)

// processCwd is the directory of a process; "" when it cannot be told.
func processCwd(p process.Process) string {
	cwd, _ := p.Cwd(context.Background())
	return cwd
}

// environ is what is read of the environment of a process; nil of another user's.
func environ(p process.Process) map[string]string {
	b, _ := p.Environ()
	return macf.Environ(b)
}

// notShown says what a process table lacks.
func notShown(table []process.Process) (notes []string) {
	if !slices.ContainsFunc(table, func(p process.Process) bool { return p.PID == 1 && !p.Hidden }) {
		notes = append(notes, "the process table hides the processes of other users")
	}
	return notes
}
