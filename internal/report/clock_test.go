package report

import (
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestWords(t *testing.T) {
	tests := map[time.Duration]string{
		0:                                "under 1 min",
		59 * time.Second:                 "under 1 min",
		time.Minute:                      "1 min",
		59*time.Minute + 59*time.Second:  "59 min",
		time.Hour:                        "1 h 00 min",
		125 * time.Minute:                "2 h 05 min",
		24*time.Hour - time.Second:       "23 h 59 min",
		24 * time.Hour:                   "1 d 0 h",
		9*24*time.Hour + 23*time.Hour:    "9 d 23 h",
		10 * 24 * time.Hour:              "10 d",
		400*24*time.Hour + 3*time.Minute: "400 d",
	}
	for d, want := range tests {
		if got := words(d); got != want {
			t.Errorf("words(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestReset(t *testing.T) {
	tests := []struct{ zone, now, reset, want string }{
		{"Europe/Berlin", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 18:00 CET (17:00 UTC), in 2 h 10 min"},
		{"Europe/Berlin", "2026-11-29T14:50:00Z", "2026-11-29T14:04:00Z", "reset 15:04 CET (14:04 UTC), passed 46 min ago"},
		{"Europe/Berlin", "2026-11-29T14:50:00Z", "2026-11-29T14:50:00Z", "reset 15:50 CET (14:50 UTC), passed under 1 min ago"},
		{"Europe/Berlin", "2026-11-29T22:50:00Z", "2026-11-29T23:30:00Z", "resets 30 Nov 00:30 CET (23:30 UTC), in 40 min"},                        // the day changes in one zone only
		{"Pacific/Auckland", "2026-05-03T00:00:00Z", "2026-05-03T11:20:00Z", "resets 23:20 NZST (11:20 UTC), in 11 h 20 min"},                      // far east
		{"America/Chicago", "2026-09-02T04:10:00Z", "2026-09-02T06:15:00Z", "resets 2 Sep 01:15 CDT (06:15 UTC), in 2 h 05 min"},                   // over midnight
		{"Europe/Berlin", "2026-12-31T23:50:00Z", "2027-01-01T02:00:00Z", "resets 03:00 CET (1 Jan 2027 02:00 UTC), in 2 h 10 min"},                // over New Year
		{"Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T01:30:00Z", "resets 02:30 CET (25 Oct 01:30 UTC), in 2 h 30 min"},                    // the hour that comes twice
		{"Asia/Kolkata", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 22:30 IST (17:00 UTC), in 2 h 10 min"},                            // half hours
		{"America/Sao_Paulo", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 14:00 UTC-03:00 (17:00 UTC), in 2 h 10 min"},                 // no abbreviation
		{"", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 17:00 UTC, in 2 h 10 min"},                                                    // no zone
		{"Mars/Base", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 17:00 UTC, in 2 h 10 min"},                                           // an unknown one
		{"Local", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 17:00 UTC, in 2 h 10 min"},                                               // never the renderer's own
		{"../../etc/passwd", "2026-11-29T14:50:00Z", "2026-12-03T05:00:00Z", "resets 3 Dec 05:00 UTC, in 3 d 14 h"},                                // and no path
		{"Europe/London", "2026-11-29T14:50:00Z", "2026-11-29T17:00:00Z", "resets 17:00 GMT (17:00 UTC), in 2 h 10 min"},                           // equal today, not in summer
		{"Europe/Berlin", "2026-11-29T14:50:00Z", "2025-11-29T17:00:00Z", "reset 29 Nov 2025 18:00 CET (29 Nov 2025 17:00 UTC), passed 364 d ago"}, // a year ago
	}
	for _, tt := range tests {
		c := newClock(tt.zone, instant(t, tt.now))
		if got := c.reset(instant(t, tt.reset).Time); got != tt.want {
			t.Errorf("%s at %s: %q, want %q", tt.zone, tt.now, got, tt.want)
		}
	}
}

func instant(t *testing.T, s string) record.Time {
	t.Helper()
	u, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return record.NewTime(u)
}

// The zone is that of the machine of the tick, else of the first that has one.
func TestZoneOf(t *testing.T) {
	s := newStream(t) // devbox, Europe/Berlin
	s.line(record.KindHost, "abox", "fleet-observe-claude", "abox", record.Host{})
	s.line(record.KindHost, "mac", "fleet-observe-claude", "mac", record.Host{Zone: "Asia/Tokyo"})
	set := setOf(s.b.Bytes())
	for home, want := range map[string]string{"": "Europe/Berlin", "mac": "Asia/Tokyo", "nobody": "Europe/Berlin", "abox": "Europe/Berlin"} {
		if got := zoneOf(set, home); got != want {
			t.Errorf("zone of %q: %q, want %q", home, got, want)
		}
	}
}

func TestSince(t *testing.T) {
	p := &page{clock: newClock("Europe/Berlin", look)}
	tests := map[time.Duration]string{
		125 * time.Minute:    "2 h 05 min, since 13:45",
		-time.Minute:         "under 1 min, since 15:51", // clocks differ a little
		-3 * time.Minute:     "since 15:53, which is in the future",
		50 * 24 * time.Hour:  "50 d, since 10 Oct 16:50",
		400 * 24 * time.Hour: "400 d, since 25 Oct 2025 16:50",
	}
	for d, want := range tests {
		row := &Row{At: look}
		row.Session.Since = ago(d)
		if got := p.since(row); got != want {
			t.Errorf("%s ago: %q, want %q", d, got, want)
		}
	}
}

// A zone that is UTC under another name is not told twice.
func TestClock_utcTwice(t *testing.T) {
	for zone, want := range map[string]string{
		"": "14:50 UTC", "UTC": "14:50 UTC", "Etc/UTC": "14:50 UTC",
		"Europe/London": "14:50 GMT (14:50 UTC)", "Etc/GMT": "14:50 GMT (14:50 UTC)",
	} {
		c := newClock(zone, look)
		if got := c.both(look.Time); got != want {
			t.Errorf("%q: %q, want %q", zone, got, want)
		}
		if got := c.full(look.Time); got != "Sun 29 Nov 2026 "+want {
			t.Errorf("%q: %q", zone, got)
		}
	}
}
