package limit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	epoch = lazy(`^\d{10}(?:\d{3})?$`)
	zoned = lazy(`^(.*?) ?\(([^()]*)\)$`)
	clock = lazy(`(?i)^(?:(?:at|on) )?(?:([a-z]{3})[a-z]*\.? (\d{1,2})(?:, (\d{4}))?,? (?:at )?)?(\d{1,2})(?::(\d\d))? ?(am|pm)?$`)
	dated = lazy(`^on (\d{4})-(\d\d)-(\d\d) at (\d\d):(\d\d) (\w+)$`)
)

// Claude Code cuts the seconds off, so a time of day may lie up to a minute before the line that names it.
const minute = time.Minute

// resolve turns a time as written into an instant. An unknown zone is never taken for another.
func resolve(s string, seen time.Time, host string) When {
	switch {
	case s == "":
		return When{Why: notNamed}
	case epoch().MatchString(s):
		n, _ := strconv.ParseInt(s[:10], 10, 64)
		return When{At: time.Unix(n, 0).UTC(), Zone: "UTC", From: FromText, Certain: true}
	}
	w, err := readWall(s)
	if err != nil {
		return When{Why: err.Error()}
	}
	from := FromText
	if w.zone == "" {
		w.zone, from = host, FromHost
	}
	if w.zone == "" {
		return When{Why: "no zone in the line, and the host's zone is unknown"}
	}
	loc, err := location(w.zone)
	if err != nil {
		return When{Why: err.Error()}
	}
	at, why := w.instant(seen, loc)
	switch {
	case at.IsZero():
		return When{Why: why}
	case from == FromHost && why == "":
		why = "no zone in the line"
	}
	return When{At: at, Zone: w.zone, From: from, Certain: why == "", Why: why}
}

// A wall is a time as a clock on the wall shows it. month is 0 when the line names no date, year 0 when it names none.
type wall struct {
	year      int
	month     time.Month
	day       int
	hour, min int
	zone      string
}

// readWall reads the forms "5pm", "4:58pm", "Dec 3, 1:48am", "Dec 31, 2027, 1am", each with or without "(zone)", and
// "on 2026-12-01 at 00:00 UTC".
func readWall(s string) (wall, error) {
	if m := dated().FindStringSubmatch(s); m != nil {
		w := wall{year: number(m[1]), month: time.Month(number(m[2])), day: number(m[3]), hour: number(m[4]), min: number(m[5]), zone: m[6]}
		if w.month == 0 {
			return w, fmt.Errorf("no such date: %q", s)
		}
		return w, w.check()
	}
	var w wall
	if m := zoned().FindStringSubmatch(s); m != nil {
		if s, w.zone = m[1], m[2]; w.zone == "" {
			return w, fmt.Errorf("unknown zone %q", w.zone)
		}
	}
	m := clock().FindStringSubmatch(s)
	if m == nil {
		return w, fmt.Errorf("time %q not understood", s)
	}
	if m[1] != "" {
		w.month = month(m[1])
		if w.month == 0 {
			return w, fmt.Errorf("time %q not understood", s)
		}
		w.day, w.year = number(m[2]), number(m[3])
	}
	w.hour, w.min = number(m[4]), number(m[5])
	switch half := strings.ToLower(m[6]); {
	case half != "" && (w.hour < 1 || w.hour > 12):
		return w, fmt.Errorf("no such hour: %q", s)
	case half != "":
		w.hour = w.hour % 12
		if half == "pm" {
			w.hour += 12
		}
	case m[5] == "" || w.hour >= 1 && w.hour <= 12:
		return w, fmt.Errorf("time %q is ambiguous: neither am nor pm", s)
	}
	return w, w.check()
}

func (w wall) check() error {
	if w.hour > 23 || w.min > 59 {
		return fmt.Errorf("no such time of day: %d:%02d", w.hour, w.min)
	}
	if w.month < 0 || w.month > 12 || w.month > 0 && (w.day < 1 || w.day > 31) {
		return fmt.Errorf("no such date: month %d, day %d", int(w.month), w.day)
	}
	return nil
}

// instant returns the instant that w means in loc for a reader at seen; or the zero time and why there is none; or an
// instant and why it isn't certain.
func (w wall) instant(seen time.Time, loc *time.Location) (time.Time, string) {
	if seen.IsZero() && w.year == 0 {
		return time.Time{}, "unknown when the line was written"
	}
	var all []time.Time
	switch {
	case w.month == 0:
		return w.next(seen, loc)
	case w.year != 0:
		all = w.on(w.year, loc)
	default:
		all = w.nearest(seen, loc)
	}
	return latest(all, loc)
}

// next is instant for a time without a date: the first day that shows it within 24 hours of seen, because Claude Code
// adds a date to any other.
func (w wall) next(seen time.Time, loc *time.Location) (at time.Time, why string) {
	y, m, d := seen.In(loc).Date()
	for day := d - 1; day <= d+1; day++ {
		all := slices.DeleteFunc(instants(y, m, day, w.hour, w.min, loc), func(t time.Time) bool {
			return t.Before(seen.Add(-minute)) || t.After(seen.Add(24*time.Hour))
		})
		switch {
		case at.IsZero():
			at, why = latest(all, loc)
		case len(all) > 0:
			why = "the same time comes again within 24 hours"
		}
	}
	return at, why
}

// latest returns the last of the instants that one wall time names.
func latest(all []time.Time, loc *time.Location) (time.Time, string) {
	switch len(all) {
	case 0:
		return time.Time{}, "no such time in " + loc.String()
	case 1:
		return all[0], ""
	}
	return all[len(all)-1], "the clocks go back: this is the later of two such times"
}

// nearest returns the times of the year in which w comes nearest to seen, if that is within half a year. Claude Code
// leaves the year out of a date of this year only, and no limit resets later than in a month; but a line may be read long
// after it was written, and one of 31 December about the next day has been seen without a year.
func (w wall) nearest(seen time.Time, loc *time.Location) []time.Time {
	best := 184 * 24 * time.Hour
	var found []time.Time
	for year := seen.In(loc).Year() - 1; year <= seen.In(loc).Year()+1; year++ {
		all := w.on(year, loc)
		if len(all) > 0 && all[0].Sub(seen).Abs() < best {
			best, found = all[0].Sub(seen).Abs(), all
		}
	}
	return found
}

// on returns the instants that w names in year: none for a date that the year doesn't have.
func (w wall) on(year int, loc *time.Location) []time.Time {
	if time.Date(year, w.month, w.day, 0, 0, 0, 0, time.UTC).Day() != w.day {
		return nil
	}
	return instants(year, w.month, w.day, w.hour, w.min, loc)
}

// instants returns every instant at which clocks in loc show the given time, in order: none when the clocks jump over
// it, two when they show it twice. A day outside its month counts on, as in time.Date.
func instants(year int, m time.Month, day, hour, min int, loc *time.Location) []time.Time {
	naive := time.Date(year, m, day, hour, min, 0, 0, time.UTC)
	var all []time.Time
	for _, near := range []time.Duration{-36 * time.Hour, 36 * time.Hour} {
		_, offset := naive.Add(near).In(loc).Zone()
		t := naive.Add(-time.Duration(offset) * time.Second)
		_, got := t.In(loc).Zone()
		if got == offset && !slices.ContainsFunc(all, t.Equal) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// location is time.LoadLocation without the names that mean the zone of the machine we run on.
func location(name string) (*time.Location, error) {
	switch strings.ToLower(name) {
	case "", "local", "localtime", "posixrules", "factory":
		return nil, fmt.Errorf("unknown zone %q", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown zone %q", name)
	}
	return loc, nil
}

func month(abbreviation string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String()[:3], abbreviation) {
			return m
		}
	}
	return 0
}

// number returns the value of digits that a pattern matched, 0 for none.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
