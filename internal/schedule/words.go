package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// shown is how many groups of entries, and how many times of a day, are said
// one by one.
const shown = 4

// group is entries that are said together.
type group struct {
	weekdays, days []int
	month          int
	hours          bool     // its clocks name hours
	minutes        []int    // of every hour, when they do not; none: every minute
	clocks         []string // when they do
}

func groupOf(s Slot) group {
	g := group{month: s.Month, hours: s.Hour != wild}
	if s.Weekday != wild {
		g.weekdays = []int{s.Weekday}
	}
	if s.Day != wild {
		g.days = []int{s.Day}
	}
	switch {
	case !g.hours && s.Minute != wild:
		g.minutes = []int{s.Minute}
	case g.hours && s.Minute == wild:
		g.clocks = []string{fmt.Sprintf("every minute from %02d:00 to %02d:59", s.Hour, s.Hour)}
	case g.hours:
		g.clocks = []string{fmt.Sprintf("%02d:%02d", s.Hour, s.Minute)}
	}
	return g
}

// sameClock tells groups that differ only in their weekday, or only in their
// day of the month.
func (g group) sameClock(o group) bool {
	kind := func(g group) (bool, bool) { return len(g.weekdays) > 0, len(g.days) > 0 }
	w, d := kind(g)
	ow, od := kind(o)
	return g.month == o.month && g.hours == o.hours && slices.Equal(g.clocks, o.clocks) && slices.Equal(g.minutes, o.minutes) &&
		w == ow && d == od && w != d
}

// sameDays tells groups that differ only in their time.
func (g group) sameDays(o group) bool {
	some := g.hours || len(g.minutes) > 0 && len(o.minutes) > 0 // every minute stands alone
	return g.month == o.month && g.hours == o.hours && some &&
		slices.Equal(g.weekdays, o.weekdays) && slices.Equal(g.days, o.days)
}

// join merges groups that are the same, first in days and then in times.
func join(groups []group, same func(a, b group) bool) []group {
	var out []group
	for _, g := range groups {
		i := slices.IndexFunc(out, func(o group) bool { return same(o, g) })
		if i < 0 {
			out = append(out, g)
			continue
		}
		o := &out[i]
		o.weekdays, o.days, o.minutes = union(o.weekdays, g.weekdays), union(o.days, g.days), union(o.minutes, g.minutes)
		for _, c := range g.clocks {
			if !slices.Contains(o.clocks, c) {
				o.clocks = append(o.clocks, c)
			}
		}
	}
	return out
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Words says a calendar in words. zone is the name of its clock, "" when it is
// not known.
func Words(slots []Slot, zone string) string {
	var groups []group
	for _, s := range slots {
		groups = append(groups, groupOf(s))
	}
	groups = join(groups, group.sameClock)
	groups = join(groups, group.sameDays)
	var parts []string
	for _, g := range groups[:min(len(groups), shown)] {
		parts = append(parts, g.words())
	}
	s := strings.Join(parts, "; ")
	if n := len(groups) - shown; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	bound := func(g group) bool { return g.hours || g.when() != everyDay }
	if zone != "" && slices.ContainsFunc(groups, bound) {
		s += " " + zone
	}
	return s
}

func (g group) words() string {
	if !g.hours {
		if g.when() == everyDay {
			return often(g.minutes)
		}
		return often(g.minutes) + ", " + g.when()
	}
	clock := strings.Join(g.clocks[:min(len(g.clocks), shown)], ", ")
	if n := len(g.clocks) - shown; n > 0 {
		clock += fmt.Sprintf(" and %d more", n)
	}
	return g.when() + " " + clock
}

// often says minutes of every hour.
func often(minutes []int) string {
	n := len(minutes)
	if n == 0 {
		return "every minute"
	}
	step := 60 / n
	even := n > 1 && 60%n == 0
	var ms []string
	for i, m := range minutes {
		even = even && m == i*step
		ms = append(ms, fmt.Sprintf(":%02d", m))
	}
	switch {
	case even:
		return "every " + Every(time.Duration(step)*time.Minute)
	case n > shown:
		return fmt.Sprintf("every hour at %s and %d more", strings.Join(ms[:shown], ", "), n-shown)
	}
	return "every hour at " + strings.Join(ms, ", ")
}

const everyDay = "every day"

// when says the days and months.
func (g group) when() string {
	var parts []string
	if len(g.weekdays) > 0 {
		parts = append(parts, Ranges(g.weekdays, func(n int) string { return time.Weekday(n).String() }))
	}
	if len(g.days) > 0 {
		parts = append(parts, "day "+Ranges(g.days, func(n int) string { return fmt.Sprint(n) })+" of the month")
	}
	s := strings.Join(parts, " or ")
	if s == "" {
		s = everyDay
	}
	if g.month != wild {
		s += " in " + time.Month(g.month).String()
	}
	return s
}

// Ranges lists numbers by name; three or more in a row are first to last.
func Ranges(ns []int, name func(int) string) string {
	var parts []string
	for i := 0; i < len(ns); {
		j := i
		for j+1 < len(ns) && ns[j+1] == ns[j]+1 {
			j++
		}
		if j-i < 2 {
			j = i
			parts = append(parts, name(ns[i]))
		} else {
			parts = append(parts, name(ns[i])+" to "+name(ns[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Every says a period in its largest whole unit: minute, 90 minutes, 2 days.
func Every(d time.Duration) string {
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"day", day}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}, {"millisecond", time.Millisecond}} {
		switch {
		case d == u.d:
			return u.name
		case d%u.d == 0:
			return fmt.Sprintf("%d %ss", d/u.d, u.name)
		}
	}
	return d.String()
}
