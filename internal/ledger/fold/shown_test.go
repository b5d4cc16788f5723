package fold

import (
	"fmt"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// missed is that a batch could not be shown.
func missed(tick, min int, why string) record.Entry {
	return record.Entry{Kind: "failed", Verb: "show", By: "act", Of: fmt.Sprintf("%d-2", tick), TS: at(min), Detail: why}
}

// A batch that could not be shown says so, since the first time in a row and with the
// last reason, until it was shown; it is due all the same.
func TestMissed(t *testing.T) {
	later := record.Shown{Button: "Later"}
	fire := record.Entry{Kind: "tick_fire", Tick: num(2)}
	tests := []struct {
		name    string
		entries []record.Entry
		want    string // minute and reason of key x; "" none
		due     bool
	}{
		{"nobody tried", []record.Entry{batchOf(1, "x")}, "", true},
		{"once", []record.Entry{batchOf(1, "x"), missed(1, 5, "exit status 7")}, "5 exit status 7", true},
		{"twice, for another reason", []record.Entry{batchOf(1, "x"), missed(1, 5, "exit status 7"), missed(1, 65, "no display")}, "5 no display", true},
		{"shown since", []record.Entry{batchOf(1, "x"), missed(1, 5, "exit status 7"), shownAs(1, 65, later), fire}, "", true},
		{"shown before", []record.Entry{batchOf(1, "x"), shownAs(1, 5, later), missed(1, 65, "exit status 7"), fire}, "65 exit status 7", true},
		{"shown in between", []record.Entry{batchOf(1, "x"), missed(1, 5, "one"), shownAs(1, 6, later), missed(1, 65, "two"), fire}, "65 two", true},
		{"a copied line, when it was shown since", []record.Entry{batchOf(1, "x"), {ID: "f", Kind: "failed", Verb: "show", Of: "1-2", TS: at(5), Detail: "one"},
			shownAs(1, 6, later), {ID: "f", Kind: "failed", Verb: "show", Of: "1-2", TS: at(5), Detail: "one"}, fire}, "", true},
		{"another was shown since", []record.Entry{batchOf(1, "x"), missed(1, 5, "one"), batchOf(2, "y"), shownAs(2, 65, later)}, "5 one", true},
		{"another was shown before", []record.Entry{batchOf(1, "x"), batchOf(2, "y"), shownAs(2, 4, later), missed(1, 5, "one")}, "5 one", true},
		{"answered", []record.Entry{batchOf(1, "x"), missed(1, 5, "one"), ackOf(1, `"all"`)}, "", false},
		{"of another batch", []record.Entry{batchOf(1, "x"), batchOf(2, "y"), missed(2, 5, "one")}, "", true},
		{"of no batch", []record.Entry{batchOf(1, "x"), missed(3, 5, "one")}, "", true},
		{"asked again in a later batch", []record.Entry{batchOf(1, "x"), missed(1, 5, "one"), batchOf(2, "x")}, "", true},
		{"a credential in it", []record.Entry{batchOf(1, "x"), missed(1, 5, "token "+"ghp_"+"FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12\nmore")}, "5 token [withheld: github-token] more", true},
	}
	for _, tt := range tests {
		s := state(t, tt.entries...)
		got := ""
		for _, a := range s.Asked() {
			if u := a.Unshown; a.Key == "x" && u != nil {
				got = fmt.Sprintf("%d %s", int(u.Since.Sub(at(0).Time).Minutes()), u.Why)
				if !s.Missed(a.Intent, u.Why) || s.Missed(a.Intent, u.Why+"!") {
					t.Errorf("%s: it is not the last word, or another one is", tt.name)
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if _, due := s.Due(at(9999).Time, Pace{}); due != tt.due {
			t.Errorf("%s: due is %t", tt.name, due)
		}
		if len(s.Open()) > 0 {
			t.Errorf("%s: an act is open", tt.name)
		}
		s.ForgetMissed()
		for _, a := range s.Asked() {
			if a.Unshown != nil {
				t.Errorf("%s: not forgotten: %+v", tt.name, a.Unshown)
			}
		}
	}
	if new(State).Missed("1-2", "") {
		t.Error("no batch could not be shown")
	}
}

// Compaction keeps it as long as its batch, and no longer.
func TestMissed_compacted(t *testing.T) {
	var lines []Line
	add := func(es ...record.Entry) {
		for _, e := range es {
			e.V, e.Scope = 1, "lamp"
			if e.TS.IsZero() {
				e.TS = at(len(lines))
			}
			if e.ID == "" {
				e.ID = fmt.Sprintf("owner-%d", len(lines))
			}
			raw := Marshal(e)
			got, newer, err := Parse(raw)
			lines = append(lines, Line{N: len(lines) + 1, Raw: raw, Entry: got, Newer: newer, Damage: err})
		}
	}
	add(batchOf(1, "x"), batchOf(2, "y"), missed(1, 5, "one"), missed(2, 6, "two"), resolved(3, "y"))
	for n := 4; n < 4+3*PastTicks; n++ {
		add(record.Entry{ID: fmt.Sprintf("%d-1", n), Kind: "tick_fire", Tick: num(n)})
	}
	c, err := Compact(lines)
	if err != nil {
		t.Fatal(err)
	}
	shows := ""
	for _, raw := range c.Kept {
		if e, _, _ := Parse(raw); e.Verb == "show" {
			shows += e.Of + " "
		}
	}
	if shows != "1-2 " {
		t.Errorf("what stays is of %q", shows)
	}
}
