package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// overlapping are the pairs of classes whose evidence can meet; the earlier
// wins.
var overlapping = pairs("1:2,3,4,5,6,7,8,9,9a,10 2:3,4,5,6,7,8,9,9a,10 3:4,7,8,10 4:5,6,7,8,9,9a,10 5:7,8,10 6:7,8,10 7:8,9,9a,10 8:10")

// exclusive are the pairs whose evidence never meets.
var exclusive = pairs("3:5,6,9,9a 5:6,9,9a 6:9,9a 8:9,9a 9:9a,10 9a:10")

type pair struct{ first, second string }

func pairs(text string) []pair {
	var ps []pair
	for f := range strings.FieldsSeq(text) {
		first, rest, _ := strings.Cut(f, ":")
		for second := range strings.SplitSeq(rest, ",") {
			ps = append(ps, pair{first, second})
		}
	}
	return ps
}

func (p pair) String() string { return p.first + " over " + p.second }

// world is one in which both rules match.
func (p pair) world() *world {
	age := 10 * time.Minute
	if p.has("9") {
		age = 90 * time.Minute
	}
	if p.has("6") {
		age = 3 * time.Hour
	}
	s := session("s", active(age))
	w := scoped(s)
	row := record.Board{SessionID: "s"}
	for _, c := range []string{p.first, p.second} {
		switch c {
		case "1":
			s.Repo = stove
		case "2":
			row.Died = &record.BoardDeath{At: *ago(age - time.Second), Class: "rate_limit"}
		case "3":
			status("waiting", "permission prompt")(s)
		case "4":
			fails("server_error", 500, "API Error: 500 Internal server error")(s)
		case "5", "6":
			status("busy")(s)
		case "7":
			word("BLOCKED")(s)
		case "8":
			row.Arc = &record.ArcStatus{At: ago(age), Status: "DONE"}
		}
	}
	if !p.has("10") {
		w.adopt("s")
	}
	if p.has("1") {
		w.repos[0].CommonDir = stove
	}
	return w.row(&row)
}

func (p pair) has(class string) bool { return p.first == class || p.second == class }

// index is where a rule stands in a table.
func index(rules []Rule, id string) int {
	return slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
}

// swapped is the table with the rules of the pair in each other's place.
func (p pair) swapped() []Rule {
	rules := Rules()
	a, b := index(rules, p.first), index(rules, p.second)
	rules[a], rules[b] = rules[b], rules[a]
	return rules
}

// without is the table without a rule.
func without(id string) []Rule {
	rules := Rules()
	i := index(rules, id)
	return slices.Delete(rules, i, i+1)
}

func TestPairs(t *testing.T) {
	if len(overlapping) != 41 || len(exclusive) != 14 {
		t.Fatalf("%d overlapping and %d exclusive pairs", len(overlapping), len(exclusive))
	}
	for _, p := range overlapping {
		t.Run(p.String(), func(t *testing.T) {
			w := p.world()
			v := w.class(t, p.first)
			if !slices.Contains(v.Matched, p.first) || !slices.Contains(v.Matched, p.second) {
				t.Errorf("matched %v", v.Matched)
			}
			if got := w.verdict(judge{p.swapped(), Standard}).Class; got != p.second {
				t.Errorf("with the rows swapped: class %s", got)
			}
			if got := w.verdict(judge{without(p.first), Standard}).Class; got == p.first {
				t.Errorf("without row %s: class %s", p.first, got)
			}
		})
	}
}

// TestPairsAreAll checks that the two lists name every pair of classes once.
func TestPairsAreAll(t *testing.T) {
	var want, got []string
	rules := Rules()
	for i := range rules {
		for j := i + 1; j < len(rules); j++ {
			want = append(want, fmt.Sprint(pair{rules[i].ID, rules[j].ID}))
		}
	}
	for _, p := range slices.Concat(overlapping, exclusive) {
		got = append(got, p.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
}
