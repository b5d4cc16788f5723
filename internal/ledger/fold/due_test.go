package fold

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// shownAs is a showing of a batch.
func shownAs(tick, min int, r record.Shown) record.Entry {
	return record.Entry{Kind: "seen", By: "act", Of: fmt.Sprintf("%d-2", tick), TS: at(min), Result: Marshal(r)}
}

func TestDue(t *testing.T) {
	later, seen := record.Shown{Button: "Later"}, record.Shown{Button: "Seen"}
	gaveUp, delivered := record.Shown{Button: "Later", GaveUp: true}, record.Shown{Delivered: true}
	fire := func(n int) record.Entry { return record.Entry{Kind: "tick_fire", Tick: num(n)} }
	asked := func(tick, min int, keys ...string) record.Entry {
		e := batchOf(tick, keys...)
		e.TS = at(min)
		return e
	}
	const raise, again = 50, 6 * 60 // minutes
	tests := []struct {
		name    string
		entries []record.Entry
		now     int    // minute
		want    string // batch: the ids of its open asks of how many; "" none
	}{
		{"an empty ledger", nil, 0, ""},
		{"no ask", []record.Entry{fire(1)}, 999, ""},
		{"too young", []record.Entry{fire(1), asked(1, 0, "x")}, 49, ""},
		{"old enough", []record.Entry{fire(1), asked(1, 0, "x")}, 50, "1: a1 of 1"},
		{"answered", []record.Entry{fire(1), asked(1, 0, "x"), ackOf(1, `"all"`)}, 60, ""},
		{"resolved", []record.Entry{fire(1), asked(1, 0, "x"), resolved(1, "x")}, 60, ""},
		{"what is answered of it is left out", []record.Entry{fire(1), asked(1, 0, "x", "y", "z"), ackOf(1, `["a2"]`)}, 60, "1: a1 a3 of 2"},
		{"the oldest", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y", "z")}, 60, "1: a1 of 3"},
		{"the oldest in number, not in line", []record.Entry{asked(10, 0, "x"), asked(9, 5, "y")}, 60, "9: a1 of 2"},
		{"the oldest that is old enough", []record.Entry{fire(1), asked(1, 20, "x"), fire(2), asked(2, 5, "y")}, 60, "2: a1 of 2"},
		{"the oldest with an open ask", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), ackOf(1, `"all"`)}, 60, "2: a1 of 1"},
		{"one that was never shown before one that was", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), shownAs(1, 58, later), fire(3)}, 60, "2: a1 of 2"},
		{"an older one too", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), shownAs(2, 58, later), fire(3)}, 60, "1: a1 of 2"},
		{"one that could not be shown was not", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), missed(1, 58, "no display"), shownAs(2, 59, later), fire(3)}, 60, "1: a1 of 2"},
		{"of those that were, the one longest ago", []record.Entry{asked(1, 0, "x"), asked(2, 5, "y"), asked(3, 6, "z"), shownAs(2, 57, later), shownAs(3, 58, later), shownAs(1, 59, later), fire(4)}, 60, "2: a1 of 3"},
		{"by its last time", []record.Entry{asked(1, 0, "x"), asked(2, 5, "y"), shownAs(1, 57, later), fire(3), shownAs(2, 58, later), shownAs(1, 59, later), fire(4)}, 500, "2: a1 of 2"},
		{"by line, not by a clock that was ahead", []record.Entry{asked(1, 0, "x"), asked(2, 5, "y"), shownAs(1, 9000, later), shownAs(2, 59, later), fire(3)}, 60, "1: a1 of 2"},
		{"a copied line is none", []record.Entry{asked(1, 0, "x"), asked(2, 5, "y"), {ID: "1-3", Kind: "seen", Of: "1-2", TS: at(57), Result: Marshal(later)}, shownAs(2, 58, later),
			{ID: "1-3", Kind: "seen", Of: "1-2", TS: at(57), Result: Marshal(later)}, fire(3)}, 60, "1: a1 of 2"},
		{"one that was not seen", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), shownAs(2, 58, seen)}, 60, "1: a1 of 2"},
		{"one that was not just shown", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 5, "y"), shownAs(2, 58, later)}, 60, "1: a1 of 2"},
		{"an open key that went on to a later batch keeps its age", []record.Entry{fire(1), asked(1, 0, "x"), fire(2), asked(2, 40, "x", "y")}, 60, "2: a1 a2 of 2"},
		{"seen", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, seen), fire(2), fire(3)}, 9999, ""},
		{"seen, and later Later", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, seen), shownAs(1, 61, later), fire(2)}, 9999, ""},
		{"a new batch after one that was seen", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, seen), fire(2), asked(2, 65, "y")}, 120, "2: a1 of 2"},
		{"shown in this tick", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, later)}, 9999, ""},
		{"shown once, and a tick began", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, later), fire(2)}, 61, "1: a1 of 1"},
		{"given up is not seen", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, gaveUp), fire(2)}, 61, "1: a1 of 1"},
		{"delivered is not seen", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, delivered), fire(2)}, 61, "1: a1 of 1"},
		{"another result is not seen", []record.Entry{fire(1), asked(1, 0, "x"), {Kind: "seen", Of: "1-2", TS: at(60), Result: []byte(`"Seen"`)}, fire(2)}, 61, "1: a1 of 1"},
		{"shown twice, not long ago", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, later), fire(2), shownAs(1, 61, later), fire(3)}, 61 + again - 1, ""},
		{"shown twice, long ago", []record.Entry{fire(1), asked(1, 0, "x"), shownAs(1, 60, later), fire(2), shownAs(1, 61, later)}, 61 + again, "1: a1 of 1"},
		{"shown three times, the last not long ago", []record.Entry{asked(1, 0, "x"), shownAs(1, 60, later), shownAs(1, 61, later), shownAs(1, 421, later), fire(2)}, 421 + again - 1, ""},
		{"a copied line is no second showing", []record.Entry{fire(1), asked(1, 0, "x"),
			{ID: "1-3", Kind: "seen", Of: "1-2", TS: at(60), Result: Marshal(later)}, fire(2), {ID: "1-3", Kind: "seen", Of: "1-2", TS: at(60), Result: Marshal(later)}}, 61, "1: a1 of 1"},
		{"a clock that went back: asked a little ahead", []record.Entry{fire(1), asked(1, 12, "x")}, 10, ""},
		{"a clock that went back: asked far ahead", []record.Entry{fire(1), asked(1, 13, "x")}, 10, "1: a1 of 1"},
		{"a clock that went back: shown far ahead", []record.Entry{asked(1, 0, "x"), shownAs(1, 60, later), shownAs(1, 9000, later)}, 100, "1: a1 of 1"},
		{"and then shown again", []record.Entry{asked(1, 0, "x"), shownAs(1, 60, later), shownAs(1, 9000, later), shownAs(1, 100, later)}, 101, ""},
	}
	for _, tt := range tests {
		d, ok := state(t, tt.entries...).Due(at(tt.now).Time, Pace{raise * time.Minute, again * time.Minute})
		got := ""
		if ok {
			got = fmt.Sprintf("%d:", d.Batch)
			for _, a := range d.Asks {
				got += " " + a.ID
			}
			got += fmt.Sprintf(" of %d", d.Open)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if want := fmt.Sprintf("%d-2", d.Batch); ok && d.Intent != want {
			t.Errorf("%s: intent %q, want %q", tt.name, d.Intent, want)
		}
	}
}

// 0 for either is no delay at all.
func TestDue_atOnce(t *testing.T) {
	later := shownAs(1, 5, record.Shown{Button: "Later"})
	s := state(t, batchOf(1, "x"), later, later, later)
	if d, ok := s.Due(at(5).Time, Pace{}); !ok || d.Batch != 1 {
		t.Errorf("%t %+v", ok, d)
	}
	if _, ok := s.Due(at(5).Time, Pace{RaiseAfter: 6 * time.Minute}); ok {
		t.Error("a batch is due before its time")
	}
}

// A ledger that the first program left: what was seen stays so, until its asks
// come in another batch.
func TestDue_seed(t *testing.T) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(Lines(bytes.NewReader(b)))
	if err != nil || len(s.Asked()) != 3 {
		t.Fatal(err, len(s.Asked()))
	}
	if d, ok := s.Due(time.Date(2026, 10, 9, 0, 0, 0, 0, time.UTC), Pace{}); ok {
		t.Errorf("batch 12 was seen: %+v", d)
	}
}
