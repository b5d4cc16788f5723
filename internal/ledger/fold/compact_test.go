package fold

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// history draws n ticks of a ledger, the first of which has the number from.
func history(r *rand.Rand, from, n int) []Line {
	var lines []Line
	add := func(e record.Entry) {
		e.V, e.Scope, e.TS = 1, "lamp", at(60*from+len(lines))
		if e.ID == "" {
			e.ID = fmt.Sprintf("owner-%d-%d", from, len(lines))
		}
		raw := Marshal(e)
		got, newer, err := Parse(raw)
		lines = append(lines, Line{N: len(lines) + 1, Raw: raw, Entry: got, Newer: newer, Damage: err})
	}
	keys := []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6"}
	for tick := from; tick < from+n; tick++ {
		add(record.Entry{ID: fmt.Sprintf("%d-1", tick), Kind: "tick_fire", Tick: num(tick)})
		some := func() []string {
			return slices.DeleteFunc(slices.Clone(keys), func(string) bool { return r.IntN(3) > 0 })
		}
		if r.IntN(3) == 0 {
			add(batchOf(tick, some()...))
		}
		if r.IntN(3) == 0 {
			add(resolved(tick, some()...))
		}
		switch r.IntN(12) {
		case 0:
			add(ackOf(1+r.IntN(tick), `"all"`))
		case 1:
			add(ackOf(1+r.IntN(tick), `["a1"]`))
		case 2:
			add(record.Entry{Kind: "seen", By: "owner:tty", Of: fmt.Sprintf("%d-2", tick-r.IntN(5)), Result: Marshal(record.Shown{Button: []string{"Seen", "Later"}[r.IntN(2)]})})
			add(missed(tick-r.IntN(5), 60*from+len(lines), []string{"no display", "exit status 7"}[r.IntN(2)]))
		case 3:
			add(record.Entry{Kind: "adopt", By: "owner:tty", Target: Marshal(record.Adopted{SessionID: fmt.Sprintf("session-%d", tick)})})
		case 4:
			add(record.Entry{ID: fmt.Sprintf("%d-9", tick), Kind: "intent", Verb: "spawn", Key: "pr", Tick: num(tick)})
		case 5:
			add(record.Entry{ID: fmt.Sprintf("%d-8", tick), Kind: "done", Of: fmt.Sprintf("%d-9", 1+r.IntN(tick)), Tick: num(tick), Result: Marshal(map[string]string{"session_id": "s"})})
		case 6:
			lines = append(lines, readAll(t0, `{"v":1,"kind":"of the future","id":"x","ts":"2026-11-29T12:00:00.000Z","scope":"lamp"}`+"\n"+"rubbish\n")...)
		}
		if r.IntN(5) > 0 {
			exit := 0
			add(record.Entry{ID: fmt.Sprintf("%d-4", tick), Kind: "runner_exit", Tick: num(tick), Exit: &exit, Counts: map[string]int{"5": tick}})
		}
	}
	return lines
}

var t0 = new(testing.T) // for readAll, which only reports a reader's failure

// Law: what stays of a ledger says the same as the whole, to every reader, also
// of what comes behind it; and what stays stays when it is done again.
func TestCompact(t *testing.T) {
	dropped := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		lines := history(r, 1, 20+r.IntN(120))
		c, err := Compact(lines)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		dropped += c.Dropped
		damaged := 0
		for _, l := range lines {
			if l.Damage != nil {
				damaged++
			}
		}
		if len(c.Damaged) != damaged || len(c.Kept)+len(c.Damaged)+c.Dropped != len(lines) {
			t.Fatalf("seed %d: %d kept, %d damaged, %d dropped of %d", seed, len(c.Kept), len(c.Damaged), c.Dropped, len(lines))
		}
		behind := history(rand.New(rand.NewPCG(seed, 4)), 200, 3)
		var kept []Line
		for i, raw := range c.Kept {
			e, newer, err := Parse(raw)
			kept = append(kept, Line{N: i + 1, Raw: raw, Entry: e, Newer: newer, Damage: err})
		}
		again, err := Compact(kept)
		if err != nil || again.Dropped != 0 {
			t.Errorf("seed %d: again: %d dropped, %v", seed, again.Dropped, err)
		}
		for _, more := range [][]Line{nil, behind} {
			whole, rest := folded(lines, more), folded(kept, more)
			if !rest.same(whole) {
				t.Fatalf("seed %d: not the same", seed)
			}
			for _, min := range []int{0, 100, 5000} {
				for _, p := range []Pace{{}, {time.Hour, 6 * time.Hour}} {
					d, ok := whole.Due(at(min).Time, p)
					e, also := rest.Due(at(min).Time, p)
					if ok != also || !reflect.DeepEqual(d, e) {
						t.Fatalf("seed %d: due %v %v, want %v %v", seed, e, also, d, ok)
					}
				}
			}
		}
	}
	if dropped < 3000 {
		t.Errorf("%d entries dropped in all: the histories have nothing to drop", dropped)
	}
}

func folded(parts ...[]Line) *State {
	s := new(State)
	for _, lines := range parts {
		for _, l := range lines {
			s.Add(l)
		}
	}
	return s
}

// Nothing is left out when what would stay says something else.
func TestCompact_refuses(t *testing.T) {
	for _, kind := range []string{record.EntryFire, record.EntryExit, record.EntryIntent, record.EntryDone, record.EntryAck, record.EntrySeen, record.EntryAdopt} {
		refused := 0
		for seed := range uint64(20) {
			lines := history(rand.New(rand.NewPCG(seed, 3)), 1, 100)
			if _, _, err := sift(lines, folded(lines), func(e record.Entry) bool { return e.Kind != kind }); err != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("without %s: refused %d of 20 times", kind, refused)
		}
	}
}

// What nobody asks for any more goes: an ask that was resolved, with its batch,
// its showing and its answer, and ticks that are not told of.
func TestCompact_drops(t *testing.T) {
	seen := record.Entry{ID: "owner-1", Kind: "seen", Of: "1-2", Result: Marshal(record.Shown{Button: "Seen"})}
	ack := ackOf(1, `"all"`)
	ack.ID = "owner-2"
	old := []record.Entry{batchOf(1, "old"), seen, ack, resolved(2, "old"), {ID: "1-3", Kind: record.EntryStep, Tick: num(1)}}
	want := []string{"3-2"}
	es := append(old, batchOf(3, "new"))
	for n := range 60 {
		es = append(es, record.Entry{ID: fmt.Sprintf("%d-1", n+1), Kind: "tick_fire", Tick: num(n + 1)})
		if n >= 60-PastTicks {
			want = append(want, fmt.Sprintf("%d-1", n+1))
		}
	}
	c, err := Compact(linesOf(t, es...))
	if err != nil || c.Dropped != len(es)-len(want) || len(c.Kept) != len(want) {
		t.Fatalf("%d dropped, %d kept, %v; want %d, %d", c.Dropped, len(c.Kept), err, len(es)-len(want), len(want))
	}
	for i, raw := range c.Kept {
		if e, _, err := Parse(raw); err != nil || e.ID != want[i] {
			t.Errorf("kept %s, %v; want %s", e.ID, err, want[i])
		}
	}
}

// Of two resolutions with one id only the first counts. Without it the second
// would: nothing is left out of such a ledger.
func TestCompact_oneIDTwice(t *testing.T) {
	es := []record.Entry{batchOf(1, "old"), resolved(2, "old")}
	for n := range 60 {
		es = append(es, record.Entry{ID: fmt.Sprintf("%d-1", n+1), Kind: "tick_fire", Tick: num(n + 1)})
	}
	es = append(es, batchOf(60, "new"), resolved(2, "new"))
	if c, err := Compact(linesOf(t, es...)); c.Kept != nil || c.Dropped != 0 || fmt.Sprint(err) != "what would stay does not say the same as the whole" {
		t.Errorf("%d kept, %d dropped, %v", len(c.Kept), c.Dropped, err)
	}
}

// linesOf are the lines of a ledger of these entries.
func linesOf(t *testing.T, es ...record.Entry) []Line {
	t.Helper()
	var lines []Line
	for i, e := range es {
		e.V, e.Scope = 1, "lamp"
		if e.TS.IsZero() {
			e.TS = at(i)
		}
		if e.ID == "" {
			e.ID = fmt.Sprintf("x-%d", i)
		}
		raw := Marshal(e)
		got, newer, err := Parse(raw)
		if err != nil || newer {
			t.Fatalf("entry %d: %v", i, err)
		}
		lines = append(lines, Line{N: i + 1, Raw: raw, Entry: got})
	}
	return lines
}

// An entry of a time that has not come yet keeps nobody from compacting.
func TestCompact_ahead(t *testing.T) {
	zero := 0
	ahead := record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: &zero, TS: record.NewTime(at(0).Add(365 * 24 * time.Hour))}
	entries := joined([]record.Entry{ahead}, filed("1", "stuck", false), []record.Entry{begun("2", "launch"), became("2", record.EntryFailed, "launch", "gone"),
		{Kind: record.EntrySweepExit, By: "act", Exit: &zero}})
	c, err := Compact(linesOf(t, entries...))
	if err != nil || c.Dropped == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
}

// A sweep that found an agent well within an act that is open says what had ended by then:
// it stays, also when a later one found the same.
func TestCompact_openAct(t *testing.T) {
	entries := []record.Entry{begun("1", "launch"), became("1", record.EntryFailed, "launch", "gone"), begun("2", "launch"), aSweep("OK", 0, 0),
		became("2", record.EntryFailed, "launch", "changed"), aSweep("OK", 0, 0)}
	lines := linesOf(t, entries...)
	if h := folded(lines).Heal("a"); len(h.Ends) > 0 {
		t.Fatalf("%+v: the first is forgotten since the sweep within the second", h.Ends)
	}
	if c, err := Compact(lines); err != nil || len(c.Kept) != len(lines) {
		t.Errorf("%+v, %v", c, err)
	}
}

// What is said of a session is the same when a clock that was ahead makes it seem long over.
func TestCompact_sessionAhead(t *testing.T) {
	of := func(es ...record.Entry) []record.Entry {
		for i := range es {
			if es[i].Key == "a" {
				es[i].Key = "session:s"
			}
			for j := range es[i].Agents {
				es[i].Agents = slices.Clone(es[i].Agents)
				es[i].Agents[j].Agent = "session:s"
			}
		}
		return es
	}
	zero := 0
	say := func(text string, es []record.Entry) []record.Entry {
		es[0].Target = Marshal(record.ActTarget{Severity: "stuck", Text: text})
		return es
	}
	lines := linesOf(t, joined(of(say("A", filed("1", "stuck", false))...), of(aSweep("OK", 0, 0)), of(say("B", untold("2", "stuck"))...), of(aSweep("OK", 0, 0)),
		record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: &zero, TS: record.NewTime(at(0).Add(14 * 24 * time.Hour))})...)
	c, err := Compact(lines)
	if err != nil {
		t.Fatal(err)
	}
	rest := new(State)
	for i, raw := range c.Kept {
		e, _, _ := Parse(raw)
		rest.Add(Line{N: i + 1, Raw: raw, Entry: e})
	}
	if got, want := rest.Heal("session:s").Texts["stuck"], folded(lines).Heal("session:s").Texts["stuck"]; got != want {
		t.Errorf("it says %q, and said %q", got, want)
	}
}
