package act

import (
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// An agent that comes up, is seen well, and ends each time is not started for ever: a
// person is told, and the next tick has it.
func TestCrashLoop(t *testing.T) {
	s := ledgerOf(t)
	n := 0
	add := func(at time.Time, e record.Entry) string {
		n++
		e.V, e.TS, e.Scope, e.ID = record.Version, record.NewTime(at), "lamp", time.Duration(n).String()
		s.Add(fold.Line{Entry: e})
		return e.ID
	}
	var got []string
	for now := noon; now.Before(noon.Add(150 * time.Minute)); now = now.Add(20 * time.Minute) {
		d := reconcile.Decide(&reconcile.Facts{Now: now, Rules: record.DefaultHealRules(), Want: desired.Agent{Agent: "a", Workspace: "/w/a"},
			Workspace: &record.Workspace{Agent: "a", Path: "/w/a"}, Heal: s.Heal("a"), Cap: 9})
		says := d.Reason
		if d.Alert != nil {
			says += " !" + d.Alert.Severity
			add(now, record.Entry{Kind: record.EntryDone, Of: add(now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: record.VerbAlert, Key: "a", Target: fold.Marshal(record.ActTarget{Severity: d.Alert.Severity, Text: d.Alert.Text})})})
		}
		if d.Action != nil {
			add(now, record.Entry{Kind: record.EntryDone, Of: add(now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: d.Action.Verb, Key: "a"})})
			add(now.Add(10*time.Minute), record.Entry{Kind: record.EntrySweep, By: "act", Agents: []record.SweepAgent{{Agent: "a", Decision: "OK"}}})
		}
		got = append(got, says)
	}
	if want := []string{"gone", "gone", "gone", "rate !rate", "rate", "rate", "gone", "gone"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if h := s.Heal("a"); !slices.Equal(h.Unasked, []string{"rate"}) {
		t.Errorf("kept for the next tick: %q", h.Unasked)
	}
}
