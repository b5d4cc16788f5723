package fold

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// refer is the fold in other words: for each key, the history backwards to the
// last line that decides.
func refer(es []record.Entry, key string) string {
	answers, ended := map[string][]string{}, ""
	for i := len(es) - 1; i >= 0; i-- {
		switch e := es[i]; {
		case e.Resolved && slices.Contains(e.Keys, key):
			ended = "resolved"
		case e.Kind == "ack":
			answers[e.Of] = append(answers[e.Of], string(e.Asks))
		case e.Kind == "intent":
			for _, a := range decode[record.Batch](e.Target).Asks {
				if a.Key != key {
					continue
				}
				if ended != "" {
					return ended
				}
				for _, asks := range answers[e.ID] {
					if asks == `"all"` || strings.Contains(asks, `"`+a.ID+`"`) {
						return "acked"
					}
				}
				return "open"
			}
		}
	}
	return ""
}

func TestState_model(t *testing.T) {
	keys := []string{"k0", "k1", "k2", "k3", "k4"}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		var es []record.Entry
		for n := 1; n < 12; n++ {
			some := slices.DeleteFunc(slices.Clone(keys), func(string) bool { return r.IntN(2) == 0 })
			switch r.IntN(4) {
			case 0, 1:
				es = append(es, batchOf(n, some...))
			case 2:
				es = append(es, resolved(n, some...))
			default:
				es = append(es, ackOf(1+r.IntN(n), []string{`"all"`, `["a1"]`, `["a2","a3"]`}[r.IntN(3)]))
			}
		}
		got := map[string]string{}
		for _, a := range state(t, es...).Asked() {
			got[a.Key] = a.State
		}
		for _, key := range keys {
			if want := refer(es, key); got[key] != want {
				t.Fatalf("seed %d: %s is %q, want %q:\n%s", seed, key, got[key], want, Marshal(es))
			}
		}
	}
}
