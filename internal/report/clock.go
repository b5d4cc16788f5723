package report

import (
	"fmt"
	"time"
	_ "time/tzdata" // zones must not depend on the machine that renders

	"github.com/fleet-tools/fleet/internal/record"
)

// skew is how far a time may lie after the look that found it before it is
// distrusted.
const skew = 120 * time.Second

// clock writes instants for one reader: in one zone, seen from one moment.
type clock struct {
	zone *time.Location
	now  time.Time
}

// newClock reads zone, an IANA name. Without one, or with one that the
// database does not know, times are written in UTC.
func newClock(zone string, now record.Time) clock {
	c := clock{time.UTC, now.Time}
	if zone != "" && zone != "Local" {
		if l, err := time.LoadLocation(zone); err == nil {
			c.zone = l
		}
	}
	return c
}

// local writes t as the reader's clock shows it: with the day unless it is
// today's, with the year unless it is this one.
func (c clock) local(t time.Time) string {
	return c.in(t, c.zone)
}

func (c clock) in(t time.Time, zone *time.Location) string {
	t, now := t.In(zone), c.now.In(zone)
	switch {
	case t.Year() != now.Year():
		return t.Format("2 Jan 2006 15:04")
	case t.YearDay() != now.YearDay():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("15:04")
}

// both writes t in the reader's zone and in UTC, each with its name.
func (c clock) both(t time.Time) string {
	utc := c.in(t, time.UTC) + " UTC"
	if c.isUTC(t) {
		return utc
	}
	return c.local(t) + " " + zoneName(t.In(c.zone)) + " (" + utc + ")"
}

// isUTC tells that the reader's clock shows UTC by that name: Etc/UTC does too.
func (c clock) isUTC(t time.Time) bool {
	name, offset := t.In(c.zone).Zone()
	return name == "UTC" && offset == 0
}

// full is both with the weekday and the day, for the head of a report.
func (c clock) full(t time.Time) string {
	const layout = "Mon 2 Jan 2006 15:04"
	if c.isUTC(t) {
		return t.UTC().Format(layout) + " UTC"
	}
	l := t.In(c.zone)
	utc := "15:04"
	if l.Format(time.DateOnly) != t.UTC().Format(time.DateOnly) {
		utc = "Mon 15:04"
	}
	return l.Format(layout) + " " + zoneName(l) + " (" + t.UTC().Format(utc) + " UTC)"
}

// reset says when a limit ends: both clocks and how far off it is, or that it
// has passed.
func (c clock) reset(t time.Time) string {
	if d := c.now.Sub(t); d >= 0 {
		return "reset " + c.both(t) + ", passed " + words(d) + " ago"
	}
	return "resets " + c.both(t) + ", in " + words(t.Sub(c.now))
}

// zoneName is the zone's abbreviation; a zone that has none is UTC+05:30.
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if name == "" || name[0] == '+' || name[0] == '-' {
		return "UTC" + t.Format("-07:00")
	}
	return name
}

// words writes a duration as a person says it, in its two largest units.
func words(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "under 1 min"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
	case d < 10*day:
		return fmt.Sprintf("%d d %d h", d/day, d%day/time.Hour)
	}
	return fmt.Sprintf("%d d", d/day)
}
