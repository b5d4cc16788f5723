package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// The size of the chart in its own units: a slot for each tick.
const (
	slotWidth   = 10
	chartHeight = 100
)

// chart is the class counts of the last ticks as stacked bars, oldest first.
type chart struct {
	Width  int
	Most   int // sessions at the top of the scale
	Bars   []bar
	Marks  []mark
	Labels []string // when the first, the middle and the last slot were
	Says   string
	Legend []tally
	Rows   []tickCell
}

// A bar is the sessions of one class in one tick. Y and Height are in
// hundredths of the chart.
type bar struct {
	Section       string
	X             int
	Y, Height     string
	Count         int
	Tick          int
	SectionCalled string
}

// A mark is a tick that has no counts, and why.
type mark struct {
	X    int
	Kind string // failed, endless, missing
}

// tickCell is a tick of the table beneath the chart.
type tickCell struct {
	Tick               int
	Began, State, Mark string
	Counts             string
	Total              string // "–" when it is not known
}

// Chart is the last ticks; nil when none is remembered.
func (s *sheet) Chart() *chart {
	slots := s.slots()
	if len(slots) == 0 {
		return nil
	}
	c := &chart{Width: slotWidth * len(slots), Most: 1, Says: s.ticksSay(s.clock)}
	counts := make([]map[string]int, len(slots))
	for i, t := range slots {
		counts[i] = s.countsOf(t)
		c.Most = max(c.Most, total(counts[i]))
	}
	seen := map[string]int{}
	for i, t := range slots {
		c.stack(i, t, counts[i])
		for id, n := range counts[i] {
			seen[id] += n
		}
	}
	for _, k := range kinds {
		if seen[k.id] > 0 {
			c.Legend = append(c.Legend, tally{ID: k.id, Title: k.title})
		}
	}
	c.Labels = []string{s.moment(slots[0]), s.moment(slots[len(slots)/2]), s.moment(slots[len(slots)-1])}
	for i := len(slots) - 1; i >= 0; i-- {
		c.Rows = append(c.Rows, s.tickCell(slots[i], counts[i]))
	}
	return c
}

// NoTicks says why there is no chart.
func (s *sheet) NoTicks() string {
	switch {
	case s.Past.Looked == LookedPart:
		return "No earlier tick is known. " + s.ticksSay(s.clock)
	case s.Past.Looked == LookedNot && s.Tick != nil:
		return "No earlier tick is known: the ledger was not read."
	case s.Past.Looked == LookedNot:
		return "No earlier tick is known: this is no tick, and nothing of it is remembered."
	}
	return "The ledger remembers no tick."
}

// slots is a slot for each number up to the last tick's, with State missing
// where no tick of that number is remembered.
func (s *sheet) slots() []Past {
	rows := s.Past.Rows
	if len(rows) == 0 {
		return nil
	}
	last := rows[len(rows)-1].Tick
	first := max(rows[0].Tick, last-pastTicks+1)
	slots := make([]Past, last-first+1)
	for i := range slots {
		slots[i].Tick, slots[i].State = first+i, "missing"
	}
	for _, t := range rows {
		if t.Tick >= first {
			slots[t.Tick-first] = t
		}
	}
	return slots
}

// countsOf is the sessions of a tick by section, nil when they are not known.
// Those of the tick that runs are the report's own.
func (s *sheet) countsOf(t Past) map[string]int {
	counts := map[string]int{}
	if t.State == TickRunning && s.Tick != nil && t.Tick == *s.Tick {
		if s.Total == 0 && s.Alarm != "" {
			return nil
		}
		for _, section := range s.Sections {
			counts[section.ID] += section.Count
		}
		return counts
	}
	if t.Counts == nil {
		return nil
	}
	for class, n := range t.Counts {
		if n > 0 {
			counts[sectionOf(class)] += n
		}
	}
	return counts
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// stack adds the bars of a slot, the classes in the order of the report from
// the top down, or the mark of one without counts.
func (c *chart) stack(i int, t Past, counts map[string]int) {
	x := i * slotWidth
	switch {
	case t.State == TickFailed:
		c.Marks = append(c.Marks, mark{x, t.State})
	case t.State == TickEndless:
		c.Marks = append(c.Marks, mark{x, "endless"})
	case counts == nil:
		c.Marks = append(c.Marks, mark{x, "missing"})
	}
	from := c.Most - total(counts)
	for _, k := range kinds {
		n := counts[k.id]
		if n == 0 {
			continue
		}
		c.Bars = append(c.Bars, bar{k.id, x + 1, c.scale(from), c.scale(n), n, t.Tick, k.title})
		from += n
	}
}

func (c *chart) scale(n int) string {
	return fmt.Sprintf("%.2f", float64(n)*chartHeight/float64(c.Most))
}

// moment is when a tick began, else ended.
func (s *sheet) moment(t Past) string {
	if at := t.FireAt; at != nil {
		return s.local(at.Time)
	}
	if t.ExitAt != nil {
		return s.local(t.ExitAt.Time)
	}
	return fmt.Sprintf("tick %d", t.Tick)
}

func (s *sheet) tickCell(t Past, counts map[string]int) tickCell {
	cell := tickCell{Tick: t.Tick, State: t.State, Began: "not known", Total: "–", Counts: "none known"}
	cell.Mark = map[string]string{TickGood: "good", TickFailed: "bad", TickEndless: "bad", "missing": "warn", TickRunning: "dim"}[t.State]
	if t.FireAt != nil {
		cell.Began = s.local(t.FireAt.Time)
	}
	if t.State == TickFailed && t.Exit != nil {
		cell.State = fmt.Sprintf("failed, status %d", *t.Exit)
	}
	var parts []string
	for _, k := range kinds {
		if n := counts[k.id]; n > 0 {
			parts = append(parts, count(n, k.one, k.many))
		}
	}
	if counts != nil {
		cell.Total, cell.Counts = strconv.Itoa(total(counts)), cmp.Or(strings.Join(parts, ", "), "no sessions")
	}
	return cell
}
