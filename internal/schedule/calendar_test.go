package schedule

import (
	"strings"
	"testing"
	"time"
)

func slotOf(fields map[string]int) Slot {
	s := wildSlot
	for key, into := range map[string]*int{"m": &s.Minute, "h": &s.Hour, "d": &s.Day, "w": &s.Weekday, "mo": &s.Month} {
		if n, ok := fields[key]; ok {
			*into = n
		}
	}
	return s
}

type f = map[string]int

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name, zone, from string
		slot             f
		want             string // "" for none
		note             string // part of it
	}{
		{"later today", "Europe/Lisbon", "2026-11-29T01:00:00Z", f{"h": 2, "m": 0}, "2026-11-29T02:00:00Z", ""},
		{"tomorrow", "Europe/Lisbon", "2026-11-29T02:00:00Z", f{"h": 2, "m": 0}, "2026-11-30T02:00:00Z", ""},
		{"summer time", "Europe/Lisbon", "2026-07-01T02:00:00Z", f{"h": 2, "m": 0}, "2026-07-02T01:00:00Z", ""},
		{"every minute", "Europe/Lisbon", "2026-11-29T01:00:30Z", f{}, "2026-11-29T01:01:00Z", ""},
		{"every hour at", "Asia/Kathmandu", "2026-11-29T01:00:00Z", f{"m": 5}, "2026-11-29T01:20:00Z", ""},
		{"an hour without a minute", "Europe/Lisbon", "2026-11-29T09:20:30Z", f{"h": 9}, "2026-11-29T09:21:00Z", ""},
		{"a weekday", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"w": 1, "h": 9, "m": 30}, "2026-11-30T09:30:00Z", ""},
		{"Sunday", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"w": 0, "h": 9, "m": 30}, "2026-12-06T09:30:00Z", ""},
		{"a day of the month", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"d": 1, "h": 4, "m": 0}, "2026-12-01T04:00:00Z", ""},
		{"a day that not every month has", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"d": 31, "h": 4, "m": 0}, "2026-12-31T04:00:00Z", ""},
		{"over a year's end", "America/New_York", "2026-12-31T10:00:00Z", f{"d": 1, "mo": 1, "h": 0, "m": 0}, "2027-01-01T05:00:00Z", ""},
		{"either a day or a weekday: the weekday", "Europe/Lisbon", "2026-11-25T10:00:00Z", f{"d": 1, "w": 6, "h": 4, "m": 0}, "2026-11-28T04:00:00Z", ""},
		{"either a day or a weekday: the day", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"d": 1, "w": 6, "h": 4, "m": 0}, "2026-12-01T04:00:00Z", ""},
		{"the next leap day", "Europe/Lisbon", "2026-11-29T10:00:00Z", f{"d": 29, "mo": 2, "h": 4, "m": 0}, "2028-02-29T04:00:00Z", ""},
		{"the leap day after 2096", "UTC", "2096-03-01T10:00:00Z", f{"d": 29, "mo": 2, "h": 4, "m": 0}, "2104-02-29T04:00:00Z", ""},
		{"no such day", "UTC", "2026-11-29T10:00:00Z", f{"d": 30, "mo": 2}, "", ""},

		// Lisbon goes from 01:00 to 02:00 on 28 March 2027 and from 02:00 to 01:00 on 31 October 2027.
		{"a time that is skipped", "Europe/Lisbon", "2027-03-27T10:00:00Z", f{"h": 1, "m": 30}, "2027-03-28T01:30:00Z", "there is no 01:30 on 2027-03-28"},
		{"the time before", "Europe/Lisbon", "2027-03-27T10:00:00Z", f{"h": 0, "m": 30}, "2027-03-28T00:30:00Z", ""},
		{"the time after", "Europe/Lisbon", "2027-03-28T00:40:00Z", f{"h": 2, "m": 30}, "2027-03-28T01:30:00Z", ""},
		{"the day after", "Europe/Lisbon", "2027-03-28T01:30:00Z", f{"h": 1, "m": 30}, "2027-03-29T00:30:00Z", ""},
		{"every hour skips none", "Europe/Lisbon", "2027-03-28T00:30:00Z", f{"m": 15}, "2027-03-28T01:15:00Z", ""},
		{"a time that comes twice", "Europe/Lisbon", "2027-10-30T10:00:00Z", f{"h": 1, "m": 30}, "2027-10-31T00:30:00Z", "01:30 comes twice on 2027-10-31"},
		{"not again an hour later", "Europe/Lisbon", "2027-10-31T00:30:00Z", f{"h": 1, "m": 30}, "2027-11-01T01:30:00Z", ""},
		{"every hour comes in both", "Europe/Lisbon", "2027-10-31T00:30:00Z", f{"m": 15}, "2027-10-31T01:15:00Z", ""},
		// New York goes from 02:00 to 03:00 on 14 March 2027 and from 02:00 to 01:00 on 7 November 2027.
		{"skipped in New York", "America/New_York", "2027-03-13T12:00:00Z", f{"h": 2, "m": 30}, "2027-03-14T07:30:00Z", "there is no 02:30"},
		{"twice in New York", "America/New_York", "2027-11-06T12:00:00Z", f{"h": 1, "m": 0}, "2027-11-07T05:00:00Z", "comes twice"},
		{"on Sunday, skipped", "America/New_York", "2027-03-13T12:00:00Z", f{"w": 0, "h": 2, "m": 30}, "2027-03-14T07:30:00Z", "there is no 02:30"},
		{"half an hour, skipped", "Australia/Lord_Howe", "2027-10-02T00:00:00Z", f{"h": 2, "m": 15}, "2027-10-02T15:45:00Z", "there is no 02:15"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, err := time.Parse(time.RFC3339, tt.from)
		if err != nil {
			t.Fatal(err)
		}
		next, note, ok := slotOf(tt.slot).Next(from, zone)
		got := ""
		if ok {
			got = next.UTC().Format(time.RFC3339)
		}
		if got != tt.want || !strings.Contains(note, tt.note) || (tt.note == "") != (note == "") {
			t.Errorf("%s: %s %q, want %s %q", tt.name, got, note, tt.want, tt.note)
		}
	}
}

func TestNextOf(t *testing.T) {
	slots := []Slot{slotOf(f{"h": 17, "m": 0}), slotOf(f{"h": 9, "m": 0}), slotOf(f{"d": 30, "mo": 2})}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	if next, _, ok := nextOf(slots, at, time.UTC); !ok || next.Hour() != 17 {
		t.Error(next, ok)
	}
	if _, _, ok := nextOf(slots[2:], at, time.UTC); ok {
		t.Error("30 February came")
	}
}

func TestWordsAndPeriod(t *testing.T) {
	weekdays := func(ns ...int) (slots []Slot) {
		for _, n := range ns {
			slots = append(slots, slotOf(f{"w": n, "h": 9, "m": 30}))
		}
		return slots
	}
	quarters := []Slot{slotOf(f{"m": 0}), slotOf(f{"m": 15}), slotOf(f{"m": 30}), slotOf(f{"m": 45})}
	var six []Slot
	for n := range 6 {
		six = append(six, slotOf(f{"h": n, "m": 10}))
	}
	for _, tt := range []struct {
		slots  []Slot
		want   string
		period time.Duration
	}{
		{[]Slot{wildSlot}, "every minute", time.Hour},
		{[]Slot{slotOf(f{"m": 5})}, "every hour at :05", time.Hour},
		{quarters, "every 15 minutes", time.Hour},
		{quarters[:2], "every hour at :00, :15", time.Hour},
		{[]Slot{quarters[0], quarters[2]}, "every 30 minutes", time.Hour},
		{[]Slot{slotOf(f{"h": 2, "m": 0})}, "every day 02:00 X/Y", day},
		{[]Slot{slotOf(f{"h": 2})}, "every day every minute from 02:00 to 02:59 X/Y", day},
		{[]Slot{slotOf(f{"h": 9, "m": 0}), slotOf(f{"h": 17, "m": 0})}, "every day 09:00, 17:00 X/Y", day},
		{six, "every day 00:10, 01:10, 02:10, 03:10 and 2 more X/Y", day},
		{weekdays(1), "Monday 09:30 X/Y", week},
		{weekdays(0), "Sunday 09:30 X/Y", week},
		{weekdays(1, 2, 3, 4, 5), "Monday to Friday 09:30 X/Y", week},
		{weekdays(3, 1), "Monday, Wednesday 09:30 X/Y", week},
		{[]Slot{slotOf(f{"w": 1})}, "every minute, Monday X/Y", week},
		{[]Slot{slotOf(f{"d": 1, "h": 4, "m": 0})}, "day 1 of the month 04:00 X/Y", 31 * day},
		{[]Slot{slotOf(f{"d": 31, "h": 4, "m": 0})}, "day 31 of the month 04:00 X/Y", 62 * day},
		{[]Slot{slotOf(f{"d": 1, "w": 6, "h": 4, "m": 0})}, "Saturday or day 1 of the month 04:00 X/Y", week},
		{[]Slot{slotOf(f{"mo": 3, "h": 4, "m": 0})}, "every day in March 04:00 X/Y", 366 * day},
		{[]Slot{slotOf(f{"d": 29, "mo": 2, "h": 4, "m": 0})}, "day 29 of the month in February 04:00 X/Y", 8 * 366 * day},
		{[]Slot{slotOf(f{"d": 1, "h": 4, "m": 0}), slotOf(f{"w": 1, "h": 4, "m": 0}), slotOf(f{"m": 1})},
			"day 1 of the month 04:00; Monday 04:00; every hour at :01 X/Y", time.Hour},
		{[]Slot{wildSlot, slotOf(f{"m": 5})}, "every minute; every hour at :05", time.Hour},
		{append(weekdays(1), slotOf(f{"h": 1, "m": 1, "d": 1}), slotOf(f{"h": 1, "m": 1, "mo": 1}), slotOf(f{"h": 1, "m": 1, "mo": 2}), slotOf(f{"h": 1, "m": 1, "mo": 3})),
			"Monday 09:30; day 1 of the month 01:01; every day in January 01:01; every day in February 01:01; and 1 more X/Y", week},
	} {
		if got := Words(tt.slots, "X/Y"); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if got := shortest(tt.slots); got != tt.period {
			t.Errorf("%s: period %v, want %v", tt.want, got, tt.period)
		}
	}
	if got := Words(weekdays(1), ""); got != "Monday 09:30" {
		t.Errorf("without a zone: %q", got)
	}
}

// What Next returns is after the time it was given, is a minute that the clock
// shows, and no other minute before it matches; where a change of the clocks
// skips the time, it says so.
func FuzzNext(f *testing.F) {
	f.Add(int64(1795965000), int8(30), int8(1), int8(-1), int8(-1), int8(-1), uint8(0))
	f.Add(int64(1806105600), int8(30), int8(2), int8(-1), int8(0), int8(-1), uint8(1))
	f.Add(int64(1825000000), int8(15), int8(-1), int8(31), int8(-1), int8(10), uint8(2))
	zones := []string{"Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Kathmandu"}
	f.Fuzz(func(t *testing.T, unix int64, m, h, d, w, mo int8, z uint8) {
		if unix < 0 || unix > 4e9 {
			return
		}
		in := func(n int8, low, high int) int { return max(wild, low-1+int(uint8(n))%(high-low+2)) }
		s := Slot{in(m, 0, 59), in(h, 0, 23), in(d, 1, 31), in(w, 0, 6), in(mo, 1, 12)}
		if s.Day == 0 {
			s.Day = wild
		}
		if s.Month == 0 {
			s.Month = wild
		}
		zone, err := time.LoadLocation(zones[int(z)%len(zones)])
		if err != nil {
			t.Fatal(err)
		}
		from := time.Unix(unix, 0)
		next, note, ok := s.Next(from, zone)
		match := func(t time.Time) bool {
			l := t.In(zone)
			return s.on(l) && (s.Hour == wild || s.Hour == l.Hour()) && (s.Minute == wild || s.Minute == l.Minute())
		}
		if !ok {
			if s.Day < 30 || s.Month == wild || s.Weekday != wild {
				t.Fatalf("%+v never comes", s)
			}
			return
		}
		skipped := strings.HasPrefix(note, "there is no ")
		if !next.After(from) || !next.Equal(next.Truncate(time.Minute)) || match(next) == skipped {
			t.Fatalf("%+v after %v: %v %q", s, from, next.In(zone), note)
		}
		minute := from.Truncate(time.Minute).Add(time.Minute)
		for end := next.Add(-time.Minute); minute.Before(end) && minute.Sub(from) < 72*time.Hour; minute = minute.Add(time.Minute) {
			shows := func(d time.Duration) bool { // the clock showed the same earlier
				return minute.Add(-d).In(zone).Format(wallLayout) == minute.In(zone).Format(wallLayout)
			}
			if match(minute) && (s.Hour == wild || !shows(time.Hour) && !shows(30*time.Minute)) {
				t.Fatalf("%+v after %v: %v comes before %v", s, from, minute.In(zone), next.In(zone))
			}
		}
	})
}
