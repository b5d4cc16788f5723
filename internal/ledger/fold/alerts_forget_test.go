package fold

import (
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// Of a batch whose asks nobody can ask for any more no keys are remembered, unless it is
// what says that an alert was asked about.
func TestForget_alerts(t *testing.T) {
	es := joined(filed("x", "restarted", false), batchOf(1, "heal:a:restarted", "old"), batchOf(2, "older"), resolved(3, "heal:a:restarted", "old", "older"))
	for n := range 3 * PastTicks {
		es = append(es, record.Entry{Kind: "tick_fire", Tick: num(n + 3)})
	}
	s := state(t, es...)
	if a, b := s.batches["1-2"].keys, s.batches["2-2"].keys; len(a) != 2 || len(b) > 0 {
		t.Errorf("%v, %v", a, b)
	}
}
