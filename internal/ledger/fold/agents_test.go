package fold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// ledgerOf is a ledger with these entries, one a minute.
func ledgerOf(es ...record.Entry) string {
	var b strings.Builder
	for i, e := range es {
		e.V, e.TS, e.Scope = record.Version, at(i), "lamp"
		if e.ID == "" {
			e.ID = fmt.Sprint("e", i)
		}
		b.Write(Marshal(e))
		b.WriteByte('\n')
	}
	return b.String()
}

// An entry about an agent without one, or an end without its status, is damage.
func TestCheck_agents(t *testing.T) {
	well := 0
	for want, e := range map[string]record.Entry{
		"pause entry has no key":       {Kind: record.EntryPause, By: "owner:tty"},
		"unpause entry has no key":     {Kind: record.EntryUnpause, By: "owner:tty"},
		"agent_exit entry has no key":  {Kind: record.EntryAgentExit, By: "hook", Exit: &well},
		"agent_exit entry has no exit": {Kind: record.EntryAgentExit, By: "hook", Key: "a"},
		"sweep_exit entry has no exit": {Kind: record.EntrySweepExit, By: "act"},
	} {
		if ls := readAll(t, ledgerOf(e)); len(ls) != 1 || ls[0].Damage == nil || ls[0].Damage.Error() != want {
			t.Errorf("%+v, want %s", ls, want)
		}
	}
	for _, e := range []record.Entry{pausing, unpausing, exit(0), {Kind: record.EntrySweepExit, By: "act", Exit: &well}} {
		if ls := readAll(t, ledgerOf(e)); len(ls) != 1 || ls[0].Damage != nil {
			t.Errorf("%+v", ls)
		}
	}
}

// Of many sweeps the last that spoke of an agent, the last that found it well
// and the last end stay; the others go.
func TestCompact_sweeps(t *testing.T) {
	well, failed := 0, 1
	end := func(status *int) record.Entry {
		return record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: status}
	}
	ls := readAll(t, ledgerOf(aSweep("OK", 0, 0), end(&well), aSweep("OK", 0, 0), end(&well), aSweep("HEAL", 1, 0), end(&well), aSweep("HEAL", 2, 0), end(&failed)))
	c, err := Compact(ls)
	if err != nil || c.Dropped != 5 || len(c.Kept) != 3 {
		t.Fatalf("%d dropped, %q, %v", c.Dropped, c.Kept, err)
	}
	for i, id := range []string{"e2", "e6", "e7"} {
		if !strings.Contains(string(c.Kept[i]), `"id":"`+id+`"`) {
			t.Errorf("%s, want %s", c.Kept[i], id)
		}
	}
}

// An intent is open from its line to its outcome, and what is none never.
func TestIsOpen(t *testing.T) {
	s, err := Read(Lines(strings.NewReader(ledgerOf(begun("1", "restart"), begun("2", "restart"), became("1", record.EntryUnknown, "restart", "")))))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"1": false, "2": true, "e2": false, "3": false, "": false} {
		if s.IsOpen(id) != want {
			t.Errorf("%q is open: %t", id, !want)
		}
	}
}
