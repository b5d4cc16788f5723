package act

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err", "last", "ok", "newer", "seen", "answered", "wrong", "fired", "n", "Result", "Reason", "Detail", "Proof", "Kind", "Alert"},
	Calls:  []string{"Warn"},
	Slips: map[string]string{
		"found: return record.Entry{Detail: err.Error()}":         "return record.Entry{}",
		"Actor.closing: return record.Entry{Detail: err.Error()}": "return record.Entry{}",
	},
	Equivalent: map[string]string{
		"plain: d.Decision, d.Reason, d.Detail = guard.Text(d.Decision, wordWidth), guard.Text(d.Reason, wordWidth), guard.Text(d.Detail, lineWidth) (2)": "nothing that is noted or told has a decision's detail",
		`Actor.stalled: d.Reason, d.Detail = "stall", "it shows the stall "+rule.ID`:                                                                      "the reason of a decision is noted with its sweep, and this one is of none",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
