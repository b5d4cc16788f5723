package limit

import (
	"testing"
	"time"
)

func TestReset(t *testing.T) {
	const (
		line   = "You've hit your session limit · resets "
		weekly = "You've hit your weekly limit · resets "
		old    = "Claude usage limit reached. Your limit will reset "
	)
	tests := []struct {
		id, seen, text, host string
		want                 When // At: see at
		at                   string
	}{
		{id: "lim-weekly-date", seen: "2026-09-12T02:00:00Z", text: weekly + "Sep 12, 6am (Europe/Madrid)",
			at: "2026-09-12T04:00:00Z", want: When{Zone: "Europe/Madrid", From: FromText, Certain: true}},
		{id: "lim-weekly-date/ahead", seen: "2026-09-06T02:00:00Z", text: weekly + "Sep 12, 6:05am (Europe/Madrid)",
			at: "2026-09-12T04:05:00Z", want: When{Zone: "Europe/Madrid", From: FromText, Certain: true}},
		{id: "lim-weekly-date/across-dst", seen: "2026-10-24T12:00:00Z", text: weekly + "Oct 27, 6am (Europe/Madrid)",
			at: "2026-10-27T05:00:00Z", want: When{Zone: "Europe/Madrid", From: FromText, Certain: true}},

		{id: "lim-legacy-epoch", seen: "2025-10-09T05:00:00Z", text: "Claude AI usage limit reached|1760000400",
			at: "2025-10-09T09:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-legacy-epoch/read-later", seen: "2026-10-09T05:00:00Z", text: "Claude AI usage limit reached|1760000400",
			at: "2025-10-09T09:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-legacy-epoch/no-number", seen: "2025-10-09T05:00:00Z", text: "Claude AI usage limit reached",
			want: When{Why: "not named"}},

		{id: "lim-midnight", seen: "2026-09-01T23:10:00-05:00", text: line + "1:15am (America/Chicago)",
			at: "2026-09-02T06:15:00Z", want: When{Zone: "America/Chicago", From: FromText, Certain: true}},
		{id: "lim-midnight/after-it", seen: "2026-09-02T00:10:00-05:00", text: line + "1:15am (America/Chicago)",
			at: "2026-09-02T06:15:00Z", want: When{Zone: "America/Chicago", From: FromText, Certain: true}},
		{id: "lim-midnight/exactly", seen: "2026-09-01T23:10:00-05:00", text: line + "12am (America/Chicago)",
			at: "2026-09-02T05:00:00Z", want: When{Zone: "America/Chicago", From: FromText, Certain: true}},

		{id: "lim-east-zone", seen: "2026-05-03T00:00:00Z", text: line + "11:20pm (Pacific/Auckland)",
			at: "2026-05-03T11:20:00Z", want: When{Zone: "Pacific/Auckland", From: FromText, Certain: true}},
		{id: "lim-east-zone/furthest", seen: "2026-05-03T09:00:00Z", text: line + "1am (Pacific/Kiritimati)",
			at: "2026-05-03T11:00:00Z", want: When{Zone: "Pacific/Kiritimati", From: FromText, Certain: true}},
		{id: "lim-east-zone/half-hour", seen: "2026-05-03T00:00:00Z", text: line + "7:45am (Asia/Kathmandu)",
			at: "2026-05-03T02:00:00Z", want: When{Zone: "Asia/Kathmandu", From: FromText, Certain: true}},

		{id: "lim-24h-form", seen: "2026-05-03T10:00:00Z", text: line + "12:30", host: "UTC",
			want: When{Why: `time "12:30" is ambiguous: neither am nor pm`}},
		{id: "lim-24h-form/zone", seen: "2026-05-03T10:00:00Z", text: line + "9:05 (Europe/Rome)",
			want: When{Why: `time "9:05" is ambiguous: neither am nor pm`}},
		{id: "lim-24h-form/afternoon", seen: "2026-05-03T10:00:00Z", text: line + "17:30 (UTC)",
			at: "2026-05-03T17:30:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-24h-form/hour-only", seen: "2026-05-03T10:00:00Z", text: line + "17 (UTC)",
			want: When{Why: `time "17" is ambiguous: neither am nor pm`}},

		{id: "lim-new-year", seen: "2026-12-31T23:50:00Z", text: weekly + "Jan 1, 2am (UTC)",
			at: "2027-01-01T02:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-new-year/same-day", seen: "2026-12-31T20:00:00Z", text: weekly + "Dec 31, 10pm (UTC)",
			at: "2026-12-31T22:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-new-year/read-after", seen: "2027-01-01T00:30:00Z", text: weekly + "Dec 31, 10pm (UTC)",
			at: "2026-12-31T22:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-new-year/written-out", seen: "2026-12-31T23:50:00Z", text: weekly + "Jan 1, 2027, 2am (UTC)",
			at: "2027-01-01T02:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-new-year/of-the-zone", seen: "2026-12-31T18:00:00Z", text: line + "3:30am (Asia/Tokyo)",
			at: "2026-12-31T18:30:00Z", want: When{Zone: "Asia/Tokyo", From: FromText, Certain: true}},

		{id: "lim-posix-sign", seen: "2026-02-10T12:00:00Z", text: old + "at 3pm (Etc/GMT+5).",
			at: "2026-02-10T20:00:00Z", want: When{Zone: "Etc/GMT+5", From: FromText, Certain: true}},
		{id: "lim-posix-sign/east", seen: "2026-02-10T02:00:00Z", text: old + "at 3pm (Etc/GMT-5).",
			at: "2026-02-10T10:00:00Z", want: When{Zone: "Etc/GMT-5", From: FromText, Certain: true}},
		{id: "lim-posix-sign/none", seen: "2026-02-10T12:00:00Z", text: old + "at 3pm (GMT+5).",
			want: When{Why: `unknown zone "GMT+5"`}},

		{id: "lim-no-zone", seen: "2026-02-10T12:00:00Z", host: "Europe/Berlin", text: old + "at 12am.",
			at: "2026-02-10T23:00:00Z", want: When{Zone: "Europe/Berlin", From: FromHost, Why: "no zone in the line"}},
		{id: "lim-no-zone/no-host", seen: "2026-02-10T12:00:00Z", text: old + "at 12am.",
			want: When{Why: "no zone in the line, and the host's zone is unknown"}},
		{id: "lim-no-zone/bad-host", seen: "2026-02-10T12:00:00Z", host: "Local", text: old + "at 12am.",
			want: When{Why: `unknown zone "Local"`}},

		{id: "lim-unknown-zone", seen: "2026-02-10T12:00:00Z", host: "UTC", text: line + "5pm (Mars/Base)",
			want: When{Why: `unknown zone "Mars/Base"`}},
		{id: "lim-unknown-zone/local", seen: "2026-02-10T12:00:00Z", host: "UTC", text: line + "5pm (Local)",
			want: When{Why: `unknown zone "Local"`}},
		{id: "lim-unknown-zone/file", seen: "2026-02-10T12:00:00Z", host: "UTC", text: line + "5pm (localtime)",
			want: When{Why: `unknown zone "localtime"`}},
		{id: "lim-unknown-zone/words", seen: "2026-02-10T12:00:00Z", host: "UTC", text: line + "5pm (Pacific Time)",
			want: When{Why: `unknown zone "Pacific Time"`}},
		{id: "lim-unknown-zone/outside", seen: "2026-02-10T12:00:00Z", host: "UTC", text: line + "5pm (../UTC)",
			want: When{Why: `unknown zone "../UTC"`}},

		{id: "lim-very-old", seen: "2026-11-20T10:00:00Z", text: line + "2pm (UTC)",
			at: "2026-11-20T14:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-very-old/dated", seen: "2026-11-29T10:00:00Z", text: weekly + "Nov 20, 2pm (UTC)",
			at: "2026-11-20T14:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "lim-very-old/season", seen: "2026-12-29T10:00:00Z", text: weekly + "Jun 20, 2pm (UTC)",
			at: "2027-06-20T14:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},

		{id: "lim-reset-late", seen: "2026-11-29T14:00:46Z", text: line + "2pm (UTC)", // seconds are cut off, not rounded
			at: "2026-11-29T14:00:00Z", want: When{Zone: "UTC", From: FromText, Why: "the same time comes again within 24 hours"}},
		{id: "lim-reset-late/minutes", seen: "2026-11-29T14:46:00Z", text: line + "2pm (UTC)",
			at: "2026-11-30T14:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},

		{id: "dst-gap", seen: "2026-03-29T00:30:00+01:00", text: line + "2:30am (Europe/Berlin)",
			want: When{Why: "no such time in Europe/Berlin"}},
		{id: "dst-gap/dated", seen: "2026-03-20T00:30:00+01:00", text: weekly + "Mar 29, 2:30am (Europe/Berlin)",
			want: When{Why: "no such time in Europe/Berlin"}},
		{id: "dst-gap/half-hour", seen: "2026-10-03T20:00:00+10:30", text: line + "2:15am (Australia/Lord_Howe)",
			want: When{Why: "no such time in Australia/Lord_Howe"}},
		{id: "dst-gap/after-it", seen: "2026-03-29T00:30:00+01:00", text: line + "3am (Europe/Berlin)",
			at: "2026-03-29T01:00:00Z", want: When{Zone: "Europe/Berlin", From: FromText, Certain: true}},
		{id: "dst-twice", seen: "2026-10-25T00:30:00+02:00", text: line + "2:30am (Europe/Berlin)",
			at: "2026-10-25T01:30:00Z", want: When{Zone: "Europe/Berlin", From: FromText, Why: "the clocks go back: this is the later of two such times"}},
		{id: "dst-twice/first-is-past", seen: "2026-10-25T00:45:00Z", text: line + "2:30am (Europe/Berlin)",
			at: "2026-10-25T01:30:00Z", want: When{Zone: "Europe/Berlin", From: FromText, Certain: true}},
		{id: "dst-twice/dated", seen: "2026-10-20T00:30:00+02:00", text: weekly + "Oct 25, 2:30am (Europe/Berlin)",
			at: "2026-10-25T01:30:00Z", want: When{Zone: "Europe/Berlin", From: FromText, Why: "the clocks go back: this is the later of two such times"}},
		{id: "dst-twice/host", seen: "2026-10-25T00:30:00+02:00", host: "Europe/Berlin", text: line + "2:30am",
			at: "2026-10-25T01:30:00Z", want: When{Zone: "Europe/Berlin", From: FromHost, Why: "the clocks go back: this is the later of two such times"}},
		{id: "dst-23h-day", seen: "2026-03-28T07:00:00+01:00", text: line + "7:59am (Europe/Berlin)", // in 59 min or 23 h 59 min
			at: "2026-03-28T06:59:00Z", want: When{Zone: "Europe/Berlin", From: FromText, Why: "the same time comes again within 24 hours"}},
		{id: "dst-25h-day", seen: "2026-10-24T03:02:00+02:00", text: line + "3am (Europe/Berlin)", // 24 h 58 min ahead would have a date
			want: When{Why: "no such time in Europe/Berlin"}},

		{id: "leap-day", seen: "2028-02-27T10:00:00Z", text: weekly + "Feb 29, 1am (UTC)",
			at: "2028-02-29T01:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
		{id: "leap-day/no-such-year", seen: "2026-02-27T10:00:00Z", text: weekly + "Feb 29, 1am (UTC)",
			want: When{Why: "no such time in UTC"}},
		{id: "no-such-day", seen: "2026-11-27T10:00:00Z", text: weekly + "Nov 31, 1am (UTC)",
			want: When{Why: "no such time in UTC"}},
		{id: "no-such-month", seen: "2026-11-27T10:00:00Z", text: "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-00-01 at 00:00 UTC.",
			want: When{Why: `no such date: "on 2026-00-01 at 00:00 UTC"`}},
		{id: "no-such-hour", seen: "2026-11-27T10:00:00Z", text: line + "13pm (UTC)",
			want: When{Why: `no such hour: "13pm"`}},
		{id: "no-such-minute", seen: "2026-11-27T10:00:00Z", text: line + "1:75pm (UTC)",
			want: When{Why: "no such time of day: 13:75"}},
		{id: "no-hour", seen: "2026-11-27T10:00:00Z", text: weekly + "Dec 3 (UTC)",
			want: When{Why: `time "Dec 3" not understood`}},
		{id: "weekday", seen: "2026-11-27T10:00:00Z", text: weekly + "Monday 3pm (UTC)",
			want: When{Why: `time "Monday 3pm" not understood`}},
		{id: "no-seen", text: line + "3pm (UTC)",
			want: When{Why: "unknown when the line was written"}},
		{id: "no-seen/full-date", text: weekly + "Dec 3, 2026, 3pm (UTC)",
			at: "2026-12-03T15:00:00Z", want: When{Zone: "UTC", From: FromText, Certain: true}},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			var seen time.Time
			if tt.seen != "" {
				seen = at(t, tt.seen)
			}
			if tt.at != "" {
				tt.want.At = at(t, tt.at).UTC()
			}
			got, ok := Parse(tt.text, seen, tt.host)
			if !ok || got.Reset != tt.want {
				t.Errorf("%q: %v\ngot  %+v\nwant %+v", tt.text, ok, got.Reset, tt.want)
			}
		})
	}
}

// lim-hot-loop: rejections of one window, minutes apart, name one reset.
func TestOneWindowOneReset(t *testing.T) {
	want := at(t, "2026-11-29T16:58:00Z")
	for seen := want.Add(-5 * time.Hour); seen.Before(want.Add(time.Minute)); seen = seen.Add(150 * time.Second) {
		got, ok := Parse("You've hit your session limit · resets 5:58pm (Europe/Berlin)", seen, "")
		if !ok || !got.Reset.At.Equal(want) {
			t.Fatalf("seen at %s: reset %s", seen, got.Reset.At)
		}
	}
}

// What Claude Code prints of a reset less than a day away is read back, in every zone and across every change of clocks
// of a year, as that minute, or as another marked uncertain.
func TestRoundTrip(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Chatham", "Africa/Casablanca", "Etc/GMT+5"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		start := at(t, "2026-01-01T00:00:20Z")
		for i := range 365 * 4 {
			seen := start.Add(time.Duration(i) * 6 * time.Hour)
			for _, ahead := range []time.Duration{0, 47 * time.Minute, 5 * time.Hour, 24*time.Hour - time.Minute} {
				reset := seen.Add(ahead).Truncate(time.Minute)
				got, _ := Parse("You've hit your usage limit · resets "+reset.In(loc).Format("3:04pm")+" ("+zone+")", seen, "")
				if got.Reset.At.Equal(reset) {
					continue
				}
				if got.Reset.Certain || got.Reset.At.Sub(reset).Abs() > 24*time.Hour {
					t.Fatalf("%s, seen %s: %s read as %+v", zone, seen, reset, got.Reset)
				}
			}
		}
	}
}
