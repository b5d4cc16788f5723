package asks

import (
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// TestNeeds drops each check of each need, one at a time, and requires that a
// case of a key notices.
func TestNeeds(t *testing.T) {
	was := needs
	defer func() { needs = was }()
	tried := 0
	for i, n := range was {
		for j := range n.checks {
			needs = slices.Clone(was)
			needs[i].checks = slices.Delete(slices.Clone(n.checks), j, j+1)
			tried++
			if !slices.ContainsFunc(keyCases, func(c keyCase) bool { return strings.HasPrefix(c.key, n.prefix) && len(c.check(t)) > 0 }) {
				t.Errorf("check %d of %q can go and nothing notices", j+1, n.prefix)
			}
		}
	}
	t.Logf("%d checks dropped", tried)
}

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err", "failed"},
	Slips: map[string]string{
		"stream.raise: return nil, nil": "return s.sessions(), nil",
		"stream.listing: return nil":    `return []condition{{key: "listing"}}`,
		"stream.heals: return nil":      `return []condition{{key: "heal:sweep"}}`,
		"stream.sweeps: return nil":     `return []condition{{key: "heal:sweep"}}`,
	},
	Equivalent: map[string]string{
		"beganAsking: return nil":                  "the zero time is after no answer, as no time is",
		"stream.sessionKey: return place{}, false": "an empty place leaves the ask's host and session as they are, empty",
	},
}

// Every row has a return.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every return that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
