package schedule

import "time"

// wild is the value of a field of Slot that matches everything.
const wild = -1

// Slot is one entry of a calendar, wall-clock time; a field of -1 matches
// everything. With both a day and a weekday either will do, as crontab and
// launchd have it. An empty entry matches every minute.
type Slot struct {
	Minute, Hour, Day, Weekday, Month int // Weekday 0 to 6 from Sunday
}

// wildSlot matches every minute.
var wildSlot = Slot{wild, wild, wild, wild, wild}

// Period is the longest wait between two runs that is in order, by which a
// late one is told: of a weekday a week, of a day of the month the longest
// month (two for a day that not every month has), of an hour a day, else an
// hour. What is bound to a month comes once a year, 29 February every eight
// years around 2100.
func (s Slot) Period() time.Duration {
	const year = 366 * day
	switch {
	case s.Month == 2 && s.Day == 29:
		return 8 * year
	case s.Month != wild:
		return year
	case s.Weekday != wild:
		return week
	case s.Day > 28:
		return 62 * day
	case s.Day != wild:
		return 31 * day
	case s.Hour != wild:
		return day
	}
	return time.Hour
}

// shortest is the period of several entries: each that comes is a run.
func shortest(slots []Slot) time.Duration {
	var p time.Duration
	for _, s := range slots {
		if q := s.Period(); p == 0 || q < p {
			p = q
		}
	}
	return p
}

// horizon is how far a next run is looked for: further than from one 29
// February to the next around 2100.
const horizon = 8*366 + 1

// nextOf is the earliest next run of several entries.
func nextOf(slots []Slot, t time.Time, zone *time.Location) (next time.Time, note string, ok bool) {
	for _, s := range slots {
		if at, says, found := s.Next(t, zone); found && (!ok || at.Before(next)) {
			next, note, ok = at, says, true
		}
	}
	return next, note, ok
}

// Next returns the first matching minute after t by the clock of zone; ok is
// false when there is none, as on 30 February. An hour that a change of the
// clocks repeats counts once where it is named, at its first time, and twice
// where it is not; one that it skips comes as much later as the clocks jump
// where it is named. note says that a change of the clocks was in the way.
func (s Slot) Next(t time.Time, zone *time.Location) (next time.Time, note string, ok bool) {
	hours, minutes := span(s.Hour, 23), span(s.Minute, 59)
	y, m, d := t.In(zone).Date()
	for i := range horizon {
		date := time.Date(y, m, d+i, 0, 0, 0, 0, time.UTC)
		if !s.on(date) {
			continue
		}
		for _, h := range hours {
			for _, min := range minutes {
				wall := date.Add(time.Duration(h)*time.Hour + time.Duration(min)*time.Minute)
				for _, c := range s.instants(wall, zone) {
					// A minute that is there goes before one that is put off to it.
					if c.at.After(t) && (!ok || c.at.Before(next) || c.at.Equal(next) && c.note == "") {
						next, note, ok = c.at, c.note, true
					}
				}
			}
		}
		if ok {
			return next, note, true
		}
	}
	return time.Time{}, "", false
}

// instant is a time and what a change of the clocks did to it.
type instant struct {
	at   time.Time
	note string
}

// instants are the times that a clock of zone shows as wall, which is written
// as if it were UTC.
func (s Slot) instants(wall time.Time, zone *time.Location) []instant {
	before := wall.Add(-offset(wall.Add(-day), zone))
	after := wall.Add(-offset(wall.Add(day), zone))
	shows := func(t time.Time) bool { return t.In(zone).Format(wallLayout) == wall.Format(wallLayout) }
	switch {
	case before.Equal(after):
		return []instant{{before, ""}}
	case shows(before) && shows(after) && s.Hour == wild:
		return []instant{{before, ""}, {after, ""}}
	case shows(before) && shows(after):
		return []instant{{before, wall.Format("15:04 comes twice on 2006-01-02; the first is shown")}}
	case shows(before):
		return []instant{{before, ""}}
	case shows(after):
		return []instant{{after, ""}}
	case s.Hour == wild:
		return nil
	}
	return []instant{{before, wall.Format("there is no 15:04 on 2006-01-02, when the clocks are put forward; ") + "the next run is as much later"}}
}

const wallLayout = "2006-01-02 15:04"

func offset(t time.Time, zone *time.Location) time.Duration {
	_, s := t.In(zone).Zone()
	return time.Duration(s) * time.Second
}

// on tells whether a date matches.
func (s Slot) on(date time.Time) bool {
	byDay, byWeekday := s.Day == date.Day(), s.Weekday == int(date.Weekday())
	switch {
	case s.Month != wild && s.Month != int(date.Month()):
		return false
	case s.Day != wild && s.Weekday != wild:
		return byDay || byWeekday
	case s.Day != wild:
		return byDay
	}
	return s.Weekday == wild || byWeekday
}

// span is n alone, or everything up to last.
func span(n, last int) []int {
	if n != wild {
		return []int{n}
	}
	ns := make([]int, last+1)
	for i := range ns {
		ns[i] = i
	}
	return ns
}
