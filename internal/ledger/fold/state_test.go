package fold

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

func at(min int) record.Time {
	return record.NewTime(time.Date(2026, 10, 1, 12, min, 0, 0, time.UTC))
}

func num(n int) *int { return &n }

func state(t testing.TB, entries ...record.Entry) *State {
	t.Helper()
	s := new(State)
	for i, e := range entries {
		e.V, e.Scope = 1, "lamp"
		if e.TS.IsZero() {
			e.TS = at(i)
		}
		if e.ID == "" {
			e.ID = fmt.Sprintf("e-%d", i)
		}
		got, newer, err := Parse(Marshal(e))
		if err != nil || newer {
			t.Fatalf("entry %d: %v", i, err)
		}
		s.Add(Line{N: i + 1, Entry: got})
	}
	return s
}

func batchOf(tick int, keys ...string) record.Entry {
	b := record.Batch{Batch: tick}
	for i, key := range keys {
		b.Asks = append(b.Asks, record.BatchAsk{ID: fmt.Sprintf("a%d", i+1), Key: key, Class: "3", Question: "Is it " + key + "?"})
	}
	return record.Entry{ID: fmt.Sprintf("%d-2", tick), Kind: "intent", Verb: "ask", Tick: num(tick), Target: Marshal(b)}
}

func ackOf(tick int, asks string) record.Entry {
	return record.Entry{Kind: "ack", By: "owner:tty", Of: fmt.Sprintf("%d-2", tick), Asks: json.RawMessage(asks)}
}

func resolved(tick int, keys ...string) record.Entry {
	return record.Entry{ID: fmt.Sprintf("%d-3", tick), Kind: "ack", By: "tick", Tick: num(tick), Keys: keys, Resolved: true}
}

func states(s *State) string {
	var parts []string
	for _, a := range s.Asked() {
		parts = append(parts, fmt.Sprintf("%s %s %d/%s", a.Key, a.State, a.Batch, a.ID))
	}
	return strings.Join(parts, ", ")
}

func TestState_asks(t *testing.T) {
	fire := func(n int) record.Entry { return record.Entry{Kind: "tick_fire", Tick: num(n)} }
	tests := []struct {
		name    string
		entries []record.Entry
		want    string
	}{
		{"a batch opens its keys, oldest first", []record.Entry{batchOf(1, "x", "y"), batchOf(2, "w")}, "x open 1/a1, y open 1/a2, w open 2/a1"},
		{"an answer to all", []record.Entry{batchOf(1, "x", "y"), ackOf(1, `"all"`)}, "x acked 1/a1, y acked 1/a2"},
		{"an answer to one", []record.Entry{batchOf(1, "x", "y"), ackOf(1, `["a2"]`)}, "x open 1/a1, y acked 1/a2"},
		{"an answer to no id", []record.Entry{batchOf(1, "x"), ackOf(1, `["a2"]`)}, "x open 1/a1"},
		{"an answer of another shape", []record.Entry{batchOf(1, "x"), ackOf(1, `{"all":true}`)}, "x open 1/a1"},
		{"an answer to a batch that is lost", []record.Entry{batchOf(1, "x"), ackOf(2, `"all"`)}, "x open 1/a1"},
		{"an answer holds", []record.Entry{batchOf(1, "x"), ackOf(1, `"all"`), fire(2), fire(3)}, "x acked 1/a1"},
		{"what ends and returns is new", []record.Entry{batchOf(1, "x"), ackOf(1, `"all"`), resolved(2, "x"), batchOf(3, "x")}, "x open 3/a1"},
		{"an answer to the old batch is none to the new", []record.Entry{batchOf(1, "x"), resolved(2, "x"), batchOf(3, "x"), ackOf(1, `"all"`)}, "x open 3/a1"},
		{"an answer does not open what a tick resolved", []record.Entry{batchOf(1, "x"), resolved(2, "x"), ackOf(1, `"all"`)}, "x resolved 1/a1"},
		{"a resolution of nothing", []record.Entry{batchOf(1, "x"), resolved(2, "y")}, "x open 1/a1"},
		{"a copied batch does not open again", []record.Entry{batchOf(1, "x"), resolved(2, "x"), batchOf(1, "x")}, "x resolved 1/a1"},
		{"a copied resolution does not resolve again", []record.Entry{batchOf(1, "x"), resolved(2, "x"), batchOf(3, "x"), resolved(2, "x")}, "x open 3/a1"},
		{"keys without resolved are no resolution", []record.Entry{batchOf(1, "x"), {Kind: "ack", By: "tick", Tick: num(2), Keys: []string{"x"}}}, "x open 1/a1"},
		{"a batch without a number has its tick's", []record.Entry{{ID: "3-2", Kind: "intent", Verb: "ask", Tick: num(3), Target: json.RawMessage(`{"asks":[{"id":"a1","key":"x"}]}`)}}, "x open 3/a1"},
		{"a batch of another number", []record.Entry{{ID: "3-2", Kind: "intent", Verb: "ask", Tick: num(3), Target: json.RawMessage(`{"asks":[{"id":"a1","key":"x"}],"batch":2}`)}}, "x open 2/a1"},
		{"a batch of no tick", []record.Entry{{ID: "3-2", Kind: "intent", Verb: "ask", Target: json.RawMessage(`{"asks":[{"id":"a1","key":"x"}]}`)}}, "x open 0/a1"},
		{"an ask without a key is none", []record.Entry{batchOf(1, "")}, ""},
		{"ids in the order of their numbers", []record.Entry{batchOf(1, "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "b10", "a11")},
			"k1 open 1/a1, k2 open 1/a2, k3 open 1/a3, k4 open 1/a4, k5 open 1/a5, k6 open 1/a6, k7 open 1/a7, k8 open 1/a8, k9 open 1/a9, b10 open 1/a10, a11 open 1/a11"},
	}
	for _, tt := range tests {
		if got := states(state(t, tt.entries...)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestState_firstTick(t *testing.T) {
	s := state(t, batchOf(1, "x"), batchOf(4, "x"))
	if a := s.Asked()[0]; a.FirstTick != 1 || a.Batch != 4 || !a.Since.Equal(at(0).Time) {
		t.Errorf("an open key that is asked again keeps its age: %+v", a)
	}
	s = state(t, batchOf(1, "x"), ackOf(1, `"all"`), batchOf(4, "x"))
	if a := s.Asked()[0]; a.FirstTick != 4 || a.State != "open" {
		t.Errorf("an answered key that is asked again is new: %+v", a)
	}
}

func TestState_seen(t *testing.T) {
	seen := func(button string) record.Entry {
		return record.Entry{Kind: "seen", Of: "1-2", Result: Marshal(record.Shown{Button: button})}
	}
	a := state(t, batchOf(1, "x"), seen("Later")).Asked()[0]
	if a.Seen || a.ShownAt == nil || !a.ShownAt.Equal(at(1).Time) {
		t.Errorf("Later marks nothing seen: %+v", a)
	}
	a = state(t, batchOf(1, "x"), seen("Seen"), seen("Later"), record.Entry{Kind: "seen", Of: "9-2"}).Asked()[0]
	if !a.Seen || !a.ShownAt.Equal(at(2).Time) {
		t.Errorf("Seen stays: %+v", a)
	}
	if a := state(t, batchOf(1, "x")).Asked()[0]; a.Seen || a.ShownAt != nil {
		t.Errorf("never shown: %+v", a)
	}
	if s := state(t, batchOf(1, "x")); !s.HasBatch("1-2") || s.HasBatch("2-2") {
		t.Error("a batch is known by the id of its intent, and only then")
	}
}

// Resolved keys are told for as long as their tick is.
func TestState_forgets(t *testing.T) {
	es := []record.Entry{batchOf(1, "old", "kept"), resolved(1, "old")}
	for n := 1; n <= 200; n++ {
		es = append(es, record.Entry{Kind: "tick_fire", Tick: num(n)})
	}
	es = append(es, batchOf(200, "new"), resolved(200, "new"))
	s := state(t, es...)
	if got := states(s); got != "kept open 1/a2, new resolved 200/a1" {
		t.Error(got)
	}
	past := s.Past()
	if len(past) != PastTicks || past[0].Tick != 153 || past[47].Tick != 200 {
		t.Errorf("%d ticks, %d to %d", len(past), past[0].Tick, past[len(past)-1].Tick)
	}
	if len(s.past) > 2*PastTicks {
		t.Errorf("%d ticks are held", len(s.past))
	}
}

// A ledger that the seed's program left goes on: numbers, answers, spawns,
// adoptions.
func TestState_seed(t *testing.T) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(Lines(strings.NewReader(string(b))))
	if err != nil || s.Entries != 11 || s.Damaged != 0 || s.LastTick != 13 || s.MaxTick != 13 {
		t.Fatalf("%+v %v", s, err)
	}
	want := "prompt:5f0c1d2e-1111-4222-8333-444455556666:1a2b3c4d resolved 12/a1, rules:acme/lamp:no required status checks acked 12/a2, " +
		"blocked:6a0c1d2e-1111-4222-8333-444455556666:99aa00bb open 12/a3"
	if got := states(s); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if a := s.Asked()[2]; !a.Seen || a.Question != "Session mantle is blocked" || a.Class != "7" || a.Intent != "12-2" || a.FirstTick != 12 {
		t.Errorf("%+v", a)
	}
	owned := []record.Owned{
		{SessionID: "7b0c1d2e-1111-4222-8333-444455556666", PaseoAgentID: "3f0c2a5e-9a41-4d0b-8a57-0c1d2e3f4a5b", Why: "adopted"},
		{SessionID: "8c0c1d2e-1111-4222-8333-444455556666", Key: "acme/lamp#41", Why: "spawned in tick 13"},
	}
	for _, d := range pretty.Diff(s.Owned(), owned) {
		t.Error(d)
	}
	past := s.Past()
	if len(past) != 2 || past[0].Tick != 12 || *past[0].Exit != 0 || past[0].Counts != nil || past[0].FireAt == nil || past[1].ExitAt == nil {
		t.Errorf("%+v", past)
	}
}

func TestState_surface(t *testing.T) {
	var s State
	for _, text := range []string{fire12, "{", "\x00", `{"v":1,"kind":"label_v2"}`, `{"v":1,"kind":"label_v2"}`, `{"v":1,"kind":"a_new_one"}`} {
		l := Line{Raw: []byte(text)}
		l.Entry, l.Newer, l.Damage = Parse(l.Raw)
		s.Add(l)
	}
	want := record.Surface{OK: true, Rows: 1, Unparsed: 2, Drift: []string{"ledger kind a_new_one", "ledger kind label_v2"}}
	for _, d := range pretty.Diff(s.Surface(), want) {
		t.Error(d)
	}
	if s.MaxTick != 12 || s.HasID("12-1") || s.NewerLines() != 3 {
		t.Errorf("%+v", s)
	}
}

func TestState_answers(t *testing.T) {
	s := state(t, batchOf(1, "x", "y"), batchOf(2, "z"), batchOf(3, "w"), ackOf(1, `["a1"]`), resolved(3, "w"))
	tests := []struct {
		pick Pick
		want string
		err  string
	}{
		{Pick{All: true}, `1-2 "all" y; 2-2 "all" z`, ""},
		{Pick{Batch: 1}, `1-2 "all" y`, ""},
		{Pick{Batch: 1, IDs: []string{"a2"}}, `1-2 ["a2"] y`, ""},
		{Pick{Batch: 1, IDs: []string{"a1"}}, "", ""}, // answered before
		{Pick{Batch: 3}, "", ""},                      // no longer true
		{Pick{Batch: 1, IDs: []string{"a2", "a9"}}, "", `batch 1 has no ask "a9"`},
		{Pick{Batch: 7}, "", "no batch 7"},
	}
	for _, tt := range tests {
		answers, err := s.Answers(tt.pick)
		var got []string
		for _, a := range answers {
			got = append(got, fmt.Sprintf("%s %s %s", a.Of, a.Asks, strings.Join(a.Keys, ",")))
		}
		if strings.Join(got, "; ") != tt.want || fmt.Sprint(err) != cmpOr(tt.err, "<nil>") {
			t.Errorf("%+v: %v %v, want %s %s", tt.pick, got, err, tt.want, tt.err)
		}
	}
}

func TestState_answersNothing(t *testing.T) {
	if answers, err := new(State).Answers(Pick{All: true}); len(answers) != 0 || err != nil {
		t.Errorf("%v %v", answers, err)
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
