package observe

import (
	"slices"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/claude"
)

// A process that /proc hides is there, and nothing else is known of it: it is
// not gone.
func TestHidden(t *testing.T) {
	signals := map[int]error{1: syscall.EPERM, 2: syscall.EPERM, 3: syscall.ESRCH, 4: nil}
	got := hidden(map[int]bool{1: true, 2: true, 3: true, 4: true}, map[int]bool{2: true}, func(pid int) error { return signals[pid] })
	if want := []claude.Process{{PID: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	ds := claude.Join(claude.Reading{TableRead: true, Table: got, Files: []claude.ProcessFile{{PID: 1, Kind: "interactive", SessionID: "s", ProcStart: "9"}}})
	if p := ds[0].Process; p.Alive != nil || p.Start != "cannot tell" {
		t.Errorf("got %+v", p)
	}
}
