package fold

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// yard is a scope whose owner is shown what is asked, tick by tick. What it knows of
// batches it has from what it wrote, not from the fold.
type yard struct {
	t     *testing.T
	r     *rand.Rand
	pace  Pace
	lines []Line
	s     *State
	tick  int
	n     int              // entries so far
	open  map[int][]string // by batch: its open keys
	since map[int]int      // by batch: the minute when it was asked
	times map[int]int      // by batch: how often it was shown
	last  map[int]int      // by batch: the tick of its last showing
	seen  map[int]bool
}

func newYard(t *testing.T, seed uint64, pace Pace) *yard {
	return &yard{t: t, r: rand.New(rand.NewPCG(seed, 11)), pace: pace, s: new(State), open: map[int][]string{}, since: map[int]int{},
		times: map[int]int{}, last: map[int]int{}, seen: map[int]bool{}}
}

func (y *yard) minute() int { return 60 * y.tick }

func (y *yard) add(e record.Entry) {
	e.TS = at(y.minute())
	if y.n++; e.ID == "" {
		e.ID = fmt.Sprintf("owner-%d", y.n)
	}
	l := linesOf(y.t, e)[0]
	y.lines = append(y.lines, l)
	y.s.Add(l)
}

// next begins a tick, which may ask, and finds that some of what was asked is no more or
// was answered. Every tenth tick the ledger is compacted.
func (y *yard) next(asks bool) {
	y.tick++
	y.add(record.Entry{ID: fmt.Sprintf("%d-1", y.tick), Kind: "tick_fire", Tick: num(y.tick)})
	if asks {
		keys := []string{}
		for i := range 1 + y.r.IntN(3) {
			keys = append(keys, fmt.Sprintf("k%d.%d", y.tick, i))
		}
		y.add(batchOf(y.tick, keys...))
		y.open[y.tick], y.since[y.tick] = keys, y.minute()
	}
	for n, keys := range y.open {
		if len(keys) > 0 && n%7 == 3 && y.tick > n+n%5 {
			y.add(resolved(y.tick, keys...))
			delete(y.open, n)
			break
		}
	}
	if n := 1 + y.r.IntN(y.tick); y.r.IntN(8) == 0 && len(y.open[n]) > 0 {
		y.add(ackOf(n, `"all"`))
		delete(y.open, n)
	}
	if y.tick%10 == 0 {
		c, err := Compact(y.lines)
		if err != nil {
			y.t.Fatal(err)
		}
		y.lines, y.s = nil, new(State)
		for i, raw := range c.Kept {
			e, _, err := Parse(raw)
			y.lines = append(y.lines, Line{N: i + 1, Raw: raw, Entry: e, Damage: err})
			y.s.Add(y.lines[i])
		}
	}
}

// waiting are the batches that were open long enough and never shown, oldest first.
func (y *yard) waiting() []int {
	ns := []int{}
	for n := range y.open {
		if y.times[n] == 0 && time.Duration(y.minute()-y.since[n])*time.Minute >= y.pace.RaiseAfter {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns
}

// show tries what is due, and one other where that fails. It returns what was shown, 0 when
// nothing was.
func (y *yard) show(works func(batch int) bool) int {
	d, ok := y.s.Due(at(y.minute()).Time, y.pace)
	if ok && y.try(d, works) {
		return d.Batch
	}
	if ok {
		if d, ok = y.s.Instead(at(y.minute()).Time, y.pace, d.Intent); ok && y.try(d, works) {
			return d.Batch
		}
	}
	return 0
}

func (y *yard) try(d Due, works func(batch int) bool) bool {
	if !works(d.Batch) {
		if !y.s.Missed(d.Intent, "exit status 1") {
			y.add(missed(d.Batch, 0, "exit status 1"))
		}
		return false
	}
	button := "Later"
	if y.r.IntN(5) == 0 {
		button = "Seen"
		y.seen[d.Batch] = true
	}
	y.add(shownAs(d.Batch, 0, record.Shown{Button: button}))
	y.times[d.Batch]++
	y.last[d.Batch] = y.tick
	return true
}

// Law: after an outage of any length every open question is shown as soon as those that
// wait longer were, and no batch again before. That it could not be shown is told until
// then, and no longer.
func TestDue_everyTurn(t *testing.T) {
	shown := 0
	for seed := range uint64(16) {
		y := newYard(t, seed, []Pace{{}, {50 * time.Minute, 6 * time.Hour}, {0, time.Hour}, {3 * time.Hour, 0}}[seed%4])
		for range 2 { // outages
			for range y.r.IntN(20) {
				y.next(y.r.IntN(3) > 0)
				y.show(func(int) bool { return false })
			}
			for range 12 + y.r.IntN(20) {
				y.next(y.r.IntN(3) == 0)
				told, waiting := unshown(y.s), y.waiting()
				n := y.show(func(int) bool { return true })
				if len(waiting) > 0 && n != waiting[0] {
					t.Fatalf("seed %d, tick %d: batch %d is shown, and %v wait", seed, y.tick, n, waiting)
				}
				if n > 0 {
					shown++
				}
				if told = slices.DeleteFunc(told, func(b int) bool { return b == n }); !slices.Equal(unshown(y.s), told) {
					t.Fatalf("seed %d, tick %d: with batch %d shown, %v are told as not shown, want %v", seed, y.tick, n, unshown(y.s), told)
				}
			}
		}
		for range 60 { // all that is asked was asked
			y.next(false)
			y.show(func(int) bool { return true })
		}
		for n := range y.open {
			if y.times[n] == 0 {
				t.Errorf("seed %d: batch %d was never shown", seed, n)
			}
		}
		if y.pace.Renotify > 0 {
			continue
		}
		before := y.tick // with no time between showings, each in turn
		var left []int
		for n := range y.open {
			if !y.seen[n] {
				left = append(left, n)
			}
		}
		for range left {
			y.next(false)
			y.show(func(int) bool { return true })
		}
		for _, n := range left {
			if len(y.open[n]) > 0 && y.last[n] <= before {
				t.Errorf("seed %d: batch %d had no turn among %v", seed, n, left)
			}
		}
	}
	if shown < 200 {
		t.Errorf("%d showings in all", shown)
	}
}

// unshown are the batches of which it is told that they could not be shown.
func unshown(s *State) []int {
	ns := []int{}
	for _, a := range s.Asked() {
		if a.Unshown != nil {
			ns = append(ns, a.Batch)
		}
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

// What is wrong with some batches is not in the way of the others, after an outage that all
// share too: each is shown, and shown again.
func TestInstead(t *testing.T) {
	for seed := range uint64(6) {
		y := newYard(t, seed, []Pace{{}, {50 * time.Minute, 6 * time.Hour}}[seed%2])
		bad := func(n int) bool { return n < 4 || n%5 == 0 }
		for range 12 {
			y.next(true)
			y.show(func(int) bool { return false })
		}
		for range 160 {
			y.next(false)
			y.show(func(n int) bool { return !bad(n) })
		}
		told := unshown(y.s)
		for n := range y.open {
			switch {
			case bad(n) && !slices.Contains(told, n):
				t.Errorf("seed %d: batch %d could not be shown, and %v are told", seed, n, told)
			case !bad(n) && !y.seen[n] && y.times[n] < 3:
				t.Errorf("seed %d: batch %d was shown %d times", seed, n, y.times[n])
			}
		}
	}
	s := state(t, batchOf(1, "x"))
	if d, ok := s.Instead(at(9).Time, Pace{}, "1-2"); ok {
		t.Errorf("%+v instead of the only one", d)
	}
	if d, ok := s.Instead(at(9).Time, Pace{}, "0-2"); !ok || d.Batch != 1 {
		t.Errorf("%+v, %t instead of another", d, ok)
	}
}

// No showing is left out that decides whose turn it is.
func TestDue_compacted(t *testing.T) {
	later := record.Shown{Button: "Later"}
	lines := linesOf(t, batchOf(1, "x"), batchOf(2, "y"), shownAs(1, 5, later), shownAs(2, 6, later), shownAs(1, 7, later))
	for i, refused := range []bool{2: true, 3: true, 4: true} {
		_, _, err := sift(lines, folded(lines), func(e record.Entry) bool { return e.ID != lines[i].Entry.ID || !refused })
		if (err != nil) != refused {
			t.Errorf("without line %d: %v", i+1, err)
		}
	}
}
