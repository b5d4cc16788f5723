package act

import (
	"testing"

	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// What a stream asks for and the judge makes of no such decision is refused,
// and nothing of it is in the ledger.
func TestFits(t *testing.T) {
	for _, tt := range []struct {
		decision string
		action   record.Action
		fits     bool
	}{
		{"LAUNCH", record.Action{Verb: "launch"}, true},
		{"LAUNCH", record.Action{Verb: "launch", Argv: []string{"/w/claude.sh"}}, true},
		{"LAUNCH", record.Action{Verb: "launch", Argv: []string{"/usr/bin/touch", "/w/x"}}, false},
		{"SKIP", record.Action{Verb: "launch"}, false},
		{"OK", record.Action{Verb: "restart"}, false},
		{"LAUNCH", record.Action{Verb: "restart"}, false},
		{"LAUNCH", record.Action{Verb: "upgrade", To: "1.2.3"}, false},
		{"UPGRADE", record.Action{Verb: "upgrade", To: "1.2.3"}, true},
		{"UPGRADE", record.Action{Verb: "upgrade"}, false},
		{"HEAL", record.Action{Verb: "exec"}, false},
		{"HEAL", record.Action{Verb: "inject", Text: reconcile.InjectText}, true},
		{"HEAL", record.Action{Verb: "inject", Text: reconcile.InjectText + "!"}, false},
		{"RESUME", record.Action{Verb: "nudge", Text: NudgeText}, true},
	} {
		d := record.Decision{Agent: "a", Decision: tt.decision, Action: &tt.action, Seen: &record.Seen{Workspace: "/w"}}
		if err := (&Actor{Command: starts}).fits(d); (err == nil) != tt.fits {
			t.Errorf("%s %+v: %v", tt.decision, tt.action, err)
		}
	}
	d := newDesk(t)
	dec := d.decided(0, "restart")
	dec.Decision = "SKIP"
	want(t, d.run(dec), "restart refused decision")
	if n := len(d.state.Open()); n > 0 || d.state.Heal(dec.Agent).Attempts > 0 {
		t.Errorf("%d intents", n)
	}
}
