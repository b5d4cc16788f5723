package observe

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/tests/broken"
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

// The process table is not empty when it cannot be listed.
func TestProcesses(t *testing.T) {
	w := new(machine.World)
	broken.Without(t, 0, func() {
		if ps, err := claudeProcesses(w, nil); ps != nil || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%v %v", ps, err)
		}
	})
	ps, err := claudeProcesses(w, map[int]bool{os.Getpid(): true})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		if p.PID == os.Getpid() && p.Start != "" {
			return
		}
	}
	t.Errorf("this process is not there: %+v", ps)
}
