package schedule

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// cadence says when a timer elapses, in which zone, and how long it may be
// between two runs; 0 when that cannot be told.
func (u Unit) cadence(l Look) (cadence, zone string, period time.Duration) {
	var parts []string
	shorter := func(p time.Duration) {
		if p > 0 && (period == 0 || p < period) {
			period = p
		}
	}
	for _, c := range u.Calendar {
		slots, own, ok := parseSpec(c)
		if own == "" {
			own = l.Zone
		}
		if zone == "" {
			zone = own
		}
		if !ok {
			parts = append(parts, "OnCalendar="+guard.Text(c, nameWidth))
			continue
		}
		parts = append(parts, Words(slots, own))
		shorter(shortest(slots))
	}
	for _, m := range u.Monotonic {
		key, value, _ := strings.Cut(m, "=")
		d, ok := timespan(value)
		repeats := key == "OnUnitActiveSec" || key == "OnUnitInactiveSec"
		switch {
		case ok && repeats:
			words := map[string]string{"OnUnitActiveSec": "every ", "OnUnitInactiveSec": "after each run, in "}[key]
			parts = append(parts, words+Every(d))
			shorter(d)
		default:
			parts = append(parts, guard.Text(m, wordWidth))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no time known"}
	}
	return guard.Text(strings.Join(parts, "; "), errorWidth), guard.Text(zone, wordWidth), period
}

// parseSpec reads a calendar as systemd writes it back: "Mon..Fri *-*-* 09:30:00
// America/New_York". ok is false for what Slot cannot say: a year, a second, a
// day counted from the end, and a day with a weekday, which systemd wants both.
func parseSpec(s string) (slots []Slot, zone string, ok bool) {
	words := strings.Fields(s)
	weekdays := []int{wild}
	if len(words) > 0 && !strings.Contains(words[0], "-") && !strings.Contains(words[0], "~") {
		if weekdays, ok = field(words[0], 0, 6, weekdayNames); !ok {
			return nil, "", false
		}
		words = words[1:]
	}
	if len(words) == 3 {
		zone = words[2]
	}
	if len(words) != 2 && len(words) != 3 {
		return nil, "", false
	}
	date, clock := strings.Split(words[0], "-"), strings.Split(words[1], ":")
	if len(date) != 3 || len(clock) != 3 || date[0] != "*" || strings.Trim(clock[2], "0") != "" {
		return nil, zone, false
	}
	months, ok1 := field(date[1], 1, 12, nil)
	days, ok2 := field(date[2], 1, 31, nil)
	hours, ok3 := field(clock[0], 0, 23, nil)
	minutes, ok4 := field(clock[1], 0, 59, nil)
	both := days[0] != wild && weekdays[0] != wild
	if !ok1 || !ok2 || !ok3 || !ok4 || both || len(months)*len(days)*len(weekdays)*len(hours)*len(minutes) > maxSlots {
		return nil, zone, false
	}
	for _, mo := range months {
		for _, d := range days {
			for _, w := range weekdays {
				for _, h := range hours {
					for _, m := range minutes {
						slots = append(slots, Slot{Minute: m, Hour: h, Day: d, Weekday: w, Month: mo})
					}
				}
			}
		}
	}
	return slots, zone, true
}

// maxSlots is how many times a calendar may name; one with more is shown as it
// is written.
const maxSlots = 128

var weekdayNames = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

// field reads *, or numbers and names, ranges a..b and steps a/n in a list. The
// numbers are sorted; [-1] for a star. They are never empty.
func field(s string, low, high int, names []string) (ns []int, ok bool) {
	none := []int{wild}
	if s == "*" {
		return none, true
	}
	for part := range strings.SplitSeq(s, ",") {
		base, stepText, stepped := strings.Cut(part, "/")
		from, to, isRange := strings.Cut(base, "..")
		a, okA := value(from, names)
		b, okB := a, true
		switch {
		case isRange:
			b, okB = value(to, names)
		case stepped:
			b = high
		}
		step := 1
		if stepped {
			var err error
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
				return none, false
			}
		}
		if names != nil && isRange && b == 0 { // systemd's week ends on Sunday
			ns, b = append(ns, 0), high
		}
		if !okA || !okB || a < low || b > high || a > b {
			return none, false
		}
		for n := a; n <= b; n += step {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return slices.Compact(ns), true
}

func value(s string, names []string) (int, bool) {
	if names != nil {
		i := slices.Index(names, s)
		return i, i >= 0
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// timespan reads a span as systemd writes it: "1h 30min".
func timespan(s string) (time.Duration, bool) {
	units := map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour,
		"d": day, "w": week, "month": 2629800 * time.Second, "y": 31557600 * time.Second}
	var sum time.Duration
	for _, part := range strings.Fields(s) {
		i := strings.IndexFunc(part, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i < 1 {
			return 0, false
		}
		n, err := strconv.ParseFloat(part[:i], 64)
		unit := units[part[i:]]
		if err != nil || unit == 0 || n > float64(100*366*day)/float64(unit) {
			return 0, false
		}
		sum += time.Duration(n * float64(unit))
	}
	return sum, sum > 0
}
