package fold

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// Law: a ledger of agents is compacted, and what stays says the same as the whole, of
// what comes behind it too.
func TestCompact_alerts(t *testing.T) {
	dropped := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 11))
		whole := life(r, 1, 120)
		lines := linesOf(t, whole...)
		c, err := Compact(lines)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		dropped += c.Dropped
		var kept []Line
		for i, raw := range c.Kept {
			e, _, err := Parse(raw)
			kept = append(kept, Line{N: i + 1, Raw: raw, Entry: e, Damage: err})
		}
		if again, err := Compact(kept); err != nil || again.Dropped != 0 {
			t.Fatalf("seed %d: again: %d dropped, %v", seed, again.Dropped, err)
		}
		for n := range 4 {
			behind := linesOf(t, life(rand.New(rand.NewPCG(seed, 12)), 200, n*3)...)
			if !folded(kept, behind).same(folded(lines, behind)) {
				t.Fatalf("seed %d: not the same, with %d ticks behind", seed, n*3)
			}
		}
	}
	if dropped < 1000 {
		t.Errorf("%d entries dropped in all", dropped)
	}
}

// life draws n ticks of a scope that has an agent.
func life(r *rand.Rand, from, n int) (es []record.Entry) {
	add := func(parts ...record.Entry) {
		for _, e := range parts {
			if e.ID == "" {
				e.ID = fmt.Sprintf("act-%d-%d", from, len(es))
			}
			es = append(es, e)
		}
	}
	for tick := from; tick < from+n; tick++ {
		id := fmt.Sprint("i", tick)
		add(record.Entry{ID: fmt.Sprintf("%d-1", tick), Kind: "tick_fire", Tick: num(tick)})
		switch severity := []string{"restarted", "held", "stall-limit"}[r.IntN(3)]; r.IntN(10) {
		case 0, 1:
			add(filed(id, severity, false)...)
		case 2:
			add(filed(id, "stall-limit", true)...)
		case 8, 9:
			add(untold(id, severity)...)
		case 3:
			add(begun(id, "launch"), became(id, []string{record.EntryDone, record.EntryFailed}[r.IntN(2)], "launch", "gone"))
		case 4:
			add(begun(id, "restart"), became(id, record.EntryFailed, "restart", "deaf"))
		case 5:
			add(exit(r.IntN(2)))
		case 6:
			add(upgradeTo(id, "2.0.0", []string{record.EntryDone, record.EntryFailed}[r.IntN(2)])...)
			add(filed(id+"b", record.UpgradeStopped, false)...)
		case 7:
			if r.IntN(8) == 0 {
				add(pausing, unpausing)
			}
		}
		if r.IntN(2) == 0 {
			var keys []string
			for _, key := range []string{"heal:a:restarted", "heal:a:held", "heal:a:stall-limit", "heal:a:upgrade-stopped", "other"} {
				if r.IntN(3) == 0 {
					keys = append(keys, key)
				}
			}
			if r.IntN(2) == 0 {
				add(batchOf(tick, keys...))
			} else {
				add(resolved(tick, keys...))
			}
		}
		switch r.IntN(12) {
		case 0, 1, 2:
			add(aSweep("OK", 0, 0))
		case 3:
			add(aSweep("HEAL", r.IntN(3), 0))
		case 4:
			add(unlisted())
		case 5:
			add(runs([]string{"1.0.0", "2.0.0"}[r.IntN(2)]))
		}
	}
	return es
}
