package paseo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// cadenceFile is the cadence of a schedule as it is written.
type cadenceFile struct {
	Type       string  `json:"type"`
	Expression string  `json:"expression"`
	Timezone   *string `json:"timezone"` // newer than 0.1.65; absent means UTC
	EveryMS    float64 `json:"everyMs"`
}

// Cadence is when a schedule runs.
type Cadence struct {
	Zone  string        // IANA zone of a cron cadence; "" of any other
	every time.Duration // 0 when it is none
	cron  *Cron         // nil when it is none, or was not understood
	raw   string        // a cron expression, cleaned
	Note  string        // why the cadence was not understood; "" when it was
}

// cadence reads a cadence. What is not understood is noted, and never keeps
// the schedule from being shown.
func (f cadenceFile) cadence(d *Drift) Cadence {
	switch f.Type {
	case "every":
		if f.EveryMS < 1 || f.EveryMS > float64(1<<53) {
			d.Add("cadence every", "is not a period")
			return Cadence{Note: "its period is not understood"}
		}
		ms := min(int64(f.EveryMS), int64(1<<63-1)/int64(time.Millisecond))
		return Cadence{every: time.Duration(ms) * time.Millisecond}
	case "cron":
		return f.cronCadence(d)
	}
	d.Add("cadence type", f.Type)
	return Cadence{Note: "a cadence of an unknown type"}
}

func (f cadenceFile) cronCadence(d *Drift) Cadence {
	c := Cadence{Zone: "UTC", raw: guard.Text(CronText(f.Expression), nameWidth)}
	zone := time.UTC
	if name := value(f.Timezone); name != "" {
		c.Zone = guard.Text(name, wordWidth)
		var err error
		if zone, err = location(name); err != nil {
			d.Add("cadence timezone", name)
			c.Note = "its time zone is not known here"
			return c
		}
	}
	cron, err := ParseCron(f.Expression, zone)
	if err != nil {
		d.Add("cadence cron", "is not understood")
		c.Note = "its cron expression is not understood: " + err.Error()
		return c
	}
	c.cron = &cron
	return c
}

// location is time.LoadLocation without the names that mean this machine.
func location(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("%q names no zone", name)
	}
	return time.LoadLocation(name)
}

// Words says the cadence in words, for times on the day of near, and beside
// its own clock that of the host when that shows another time. zone is the
// host's; "" when it is not known.
func (c Cadence) Words(near time.Time, zone string) string {
	switch {
	case c.every > 0:
		return "every " + schedule.Every(c.every)
	case c.cron == nil && c.raw != "":
		return strings.TrimSpace("cron " + c.raw + " " + c.Zone)
	case c.cron == nil:
		return c.Note
	}
	when := c.cron.days()
	if often := c.cron.often(); often != "" {
		if when == "every day" {
			return often
		}
		return often + ", " + when + ", " + c.Zone
	}
	own, host := c.cron.clock(near, zone)
	if own == "" {
		return "cron " + c.raw + " " + c.Zone
	}
	s := when + " " + own + " " + c.Zone
	if host != "" {
		s += " (" + host + " " + zone + ")"
	}
	return s
}

// Next returns when a cron cadence is due after t; ok is false when that
// cannot be told from the cadence alone.
func (c Cadence) Next(t time.Time) (next time.Time, ok bool) {
	if c.cron == nil {
		return time.Time{}, false
	}
	return c.cron.Next(t)
}

// often says how often within an hour or within every hour, "" when the
// expression names hours.
func (c Cron) often() string {
	if !full(c.hour, 1) {
		return ""
	}
	ms := members(c.minute)
	if len(ms) == 1 {
		return fmt.Sprintf("every hour at :%02d", ms[0])
	}
	step := 60 / len(ms)
	for i, m := range ms {
		if m != i*step || 60%step != 0 {
			return ""
		}
	}
	return "every " + schedule.Every(time.Duration(step)*time.Minute)
}

// shownTimes is how many times of a day are named one by one.
const shownTimes = 4

// clock names the times of a day by the cadence's own clock and, when it
// differs, by the host's; "" when there are too many to name.
func (c Cron) clock(near time.Time, zone string) (own, host string) {
	hours, minutes := members(c.hour), members(c.minute)
	if len(hours)*len(minutes) > shownTimes {
		return "", ""
	}
	here, err := location(zone)
	var owns, hosts []string
	y, mo, d := near.In(c.zone).Date()
	for _, h := range hours {
		for _, m := range minutes {
			owns = append(owns, fmt.Sprintf("%02d:%02d", h, m))
			if err == nil {
				hosts = append(hosts, hostClock(time.Date(y, mo, d, h, m, 0, 0, c.zone), here))
			}
		}
	}
	if err != nil || slices.Equal(owns, hosts) {
		return strings.Join(owns, ", "), ""
	}
	return strings.Join(owns, ", "), strings.Join(hosts, ", ")
}

// hostClock is t by another clock, with the day when that is another one.
func hostClock(t time.Time, here *time.Location) string {
	l := t.In(here)
	s := l.Format("15:04")
	switch {
	case l.Format(time.DateOnly) > t.Format(time.DateOnly):
		s += " next day"
	case l.Format(time.DateOnly) < t.Format(time.DateOnly):
		s += " day before"
	}
	return s
}

// days names the days and months.
func (c Cron) days() string {
	var parts []string
	if dow := members(c.dow); !full(c.dow, 4) {
		parts = append(parts, schedule.Ranges(dow, func(n int) string { return time.Weekday(n).String() }))
	}
	if dom := members(c.dom); !full(c.dom, 2) {
		parts = append(parts, "day "+schedule.Ranges(dom, func(n int) string { return fmt.Sprint(n) })+" of the month")
	}
	if len(parts) == 0 {
		parts = []string{"every day"}
	}
	s := strings.Join(parts, " that is ")
	if mon := members(c.month); !full(c.month, 3) {
		s += " in " + schedule.Ranges(mon, func(n int) string { return time.Month(n).String() })
	}
	return s
}
