package classify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// mutant is the judge with one thing wrong.
type mutant struct {
	name string
	judge
}

// TestMutate breaks the rules in every way that a slip could, one at a time,
// and requires that a situation of the table, or a pair, notices.
func TestMutate(t *testing.T) {
	suite := situations()
	var streams []*stream
	for _, s := range suite {
		streams = append(streams, newStream(setOf(s.world().records())))
	}
	want := outcomes(streams, standard())
	for i, s := range suite {
		if class, _, _ := strings.Cut(want[i], ":"); class != s.class {
			t.Fatalf("%s: class %s, want %s", s.name, want[i], s.class)
		}
	}
	killed, survived := 0, 0
	for _, m := range mutants() {
		if survives(streams, m, want) {
			t.Errorf("survived: %s", m.name)
			survived++
		} else {
			killed++
		}
	}
	t.Logf("mutants: %d killed, %d survived", killed, survived)
	fmt.Printf("mutants: %d killed, %d survived\n", killed, survived)
}

// survives tells whether the mutant judges as it should. One that breaks off
// does not.
func survives(streams []*stream, m mutant, want []string) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return slices.Equal(outcomes(streams, m.judge), want)
}

// situations are the tables and a situation for each pair.
func situations() []situation {
	all := slices.Concat(table, withoutListing)
	for _, p := range overlapping {
		all = append(all, situation{p.String(), p.world, p.first})
	}
	return all
}

// outcomes are the classes that a judge gives, with the reason of an unknown
// and the reset of a limit.
func outcomes(streams []*stream, j judge) []string {
	var classes []string
	for _, st := range streams {
		v := j.sessions(st)[0].verdict
		if v.Class == Unknown {
			v.Class += ": " + v.Why
		}
		if v.ResetAt != nil {
			v.Class += ": " + v.ResetAt.Format(record.Layout)
		}
		classes = append(classes, v.Class)
	}
	return classes
}

func mutants() []mutant {
	var ms []mutant
	for _, r := range Rules() {
		ms = append(ms, mutant{"rule " + r.ID + " deleted", judge{without(r.ID), Standard}},
			mutant{"rule " + r.ID + " negated", judge{mutated(r.ID, -1, not), Standard}},
			mutant{"rule " + r.ID + " guesses no where it cannot tell", judge{mutated(r.ID, -1, guessNo), Standard}})
		for i, w := range r.Ways {
			name := fmt.Sprintf("rule %s, %s, ", r.ID, w.Name)
			ms = append(ms, mutant{name + "deleted", judge{mutated(r.ID, i, never), Standard}},
				mutant{name + "negated", judge{mutated(r.ID, i, not), Standard}})
		}
	}
	for _, p := range overlapping {
		ms = append(ms, mutant{p.String() + " swapped", judge{p.swapped(), Standard}})
	}
	return slices.Concat(ms, moved(), misread())
}

// misread are the tables whose rules see one fact turned round, or guessed
// where its source was not read.
func misread() []mutant {
	facts := map[string]func(*Facts) *Reading{
		"in scope": func(f *Facts) *Reading { return &f.Place }, "ours": func(f *Facts) *Reading { return &f.Ours },
		"live": func(f *Facts) *Reading { return &f.Live }, "older than the boot": func(f *Facts) *Reading { return &f.Stale },
		"listed": func(f *Facts) *Reading { return &f.Listed }, "background": func(f *Facts) *Reading { return &f.Background },
		"job file": func(f *Facts) *Reading { return &f.Job }, "shell job": func(f *Facts) *Reading { return &f.Exec },
		"transcript": func(f *Facts) *Reading { return &f.Transcript }, "board": func(f *Facts) *Reading { return &f.Board },
		"no PR": func(f *Facts) *Reading { return &f.NoPR }, "acted": func(f *Facts) *Reading { return &f.Acted },
		"status unread": func(f *Facts) *Reading { return &f.Status.Unread }, "raw status unread": func(f *Facts) *Reading { return &f.Raw.Unread },
		"state unread": func(f *Facts) *Reading { return &f.State.Unread },
	}
	var ms []mutant
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		at := facts[name]
		warp := func(how string, change func(Reading) Reading) {
			ms = append(ms, mutant{"fact " + name + " " + how, judge{warped(func(f *Facts) {
				if r := at(f); r.Truth != Unread || how != "negated" {
					*r = change(*r)
				}
			}), Standard}})
		}
		if !strings.HasSuffix(name, "unread") {
			warp("negated", not)
		}
		// Background and shell job are unread only where the job file is, live
		// only where the status is: guessing those alone changes nothing.
		if !slices.Contains([]string{"background", "shell job", "live"}, name) {
			warp("guessed no", guessNo)
		}
	}
	return ms
}

// warped is the table whose rules see altered facts.
func warped(alter func(*Facts)) []Rule {
	rules := Rules()
	for i := range rules {
		for k := range rules[i].Ways {
			match := rules[i].Ways[k].Match
			rules[i].Ways[k].Match = func(f *Facts) Reading {
				g := *f
				alter(&g)
				return match(&g)
			}
		}
	}
	return rules
}

func never(r Reading) Reading { return Reading{No, r.Says} }

func guessNo(r Reading) Reading {
	if r.Truth == Unread {
		return never(r)
	}
	return r
}

// mutated is the table with the answer of one way of a rule changed, of every
// way when way is -1.
func mutated(id string, way int, change func(Reading) Reading) []Rule {
	rules := Rules()
	r := &rules[index(rules, id)]
	if way == -1 {
		whole := *r
		r.Ways = []Way{{"", func(f *Facts) Reading { return change(whole.Match(f)) }}}
		return rules
	}
	match := r.Ways[way].Match
	r.Ways[way].Match = func(f *Facts) Reading { return change(match(f)) }
	return rules
}

// moved are the bounds, each moved up and down by little and by much.
func moved() []mutant {
	var ms []mutant
	bounds := map[string]func(*Bounds) *time.Duration{
		"running": func(b *Bounds) *time.Duration { return &b.Running },
		"stall":   func(b *Bounds) *time.Duration { return &b.Stall },
		"grace":   func(b *Bounds) *time.Duration { return &b.Grace },
		"fresh":   func(b *Bounds) *time.Duration { return &b.Fresh },
		"assumed": func(b *Bounds) *time.Duration { return &b.Assumed },
	}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		for _, by := range []time.Duration{time.Second, -time.Second} {
			b := Standard
			*bounds[name](&b) += by
			ms = append(ms, mutant{strings.Join([]string{name, "bound moved by", by.String()}, " "), judge{Rules(), b}})
		}
	}
	return ms
}
