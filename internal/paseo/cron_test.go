package paseo

import (
	"strings"
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func instant(t testing.TB, s string) time.Time {
	t.Helper()
	u, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The runs below are those of Paseo's own schedule/cron.ts.
func TestCronNext(t *testing.T) {
	tests := []struct {
		expr, zone, after string
		want              []string // the runs that follow each other; none when Paseo gives up
	}{
		{"0 9 * * *", "UTC", "2026-11-29T08:59:59Z", []string{"2026-11-29T09:00:00Z", "2026-11-30T09:00:00Z"}},
		{"0 9 * * *", "UTC", "2026-11-29T09:00:00Z", []string{"2026-11-30T09:00:00Z"}},                                       // the minute itself is past
		{"0 9 * * *", "America/Bogota", "2026-11-29T00:00:00Z", []string{"2026-11-29T14:00:00Z"}},                            // UTC-5
		{"30 2 * * *", "America/New_York", "2026-03-07T00:00:00Z", []string{"2026-03-07T07:30:00Z", "2026-03-09T06:30:00Z"}}, // 8 March has no 02:30
		{"30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"}},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-02T00:00:00Z", []string{"2026-10-02T15:45:00Z", "2026-10-04T15:15:00Z"}}, // the clocks move by half an hour
		{"0 0 * * *", "Asia/Kathmandu", "2026-11-29T00:00:00Z", []string{"2026-11-29T18:15:00Z"}},                               // a quarter past
		{"0 0 1 * 5", "UTC", "2026-01-02T00:00:00Z", []string{"2026-05-01T00:00:00Z"}},                                          // a Friday that is the first: both days must match
		{"5/10 * * * *", "UTC", "2026-01-01T06:00:00Z", []string{"2026-01-01T06:05:00Z", "2026-01-01T07:05:00Z"}},               // the step of a single number is ignored
		{"1-10/4 * * * *", "UTC", "2026-01-01T06:00:00Z", []string{"2026-01-01T06:01:00Z", "2026-01-01T06:05:00Z", "2026-01-01T06:09:00Z", "2026-01-01T07:01:00Z"}},
		{"5abc 0 * * *", "UTC", "2026-01-01T06:00:00Z", []string{"2026-01-02T00:05:00Z"}}, // read by parseInt
		{"0 9 1-31 10 *", "UTC", "2026-11-29T00:00:00Z", []string{"2027-10-01T09:00:00Z"}},
		{"0 0 29 2 *", "UTC", "2027-01-01T00:00:00Z", nil}, // the next one is over 366 days away
		{"0 0 29 2 *", "UTC", "2027-03-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
		{"0 0 31 2 *", "UTC", "2027-01-01T00:00:00Z", nil},
	}
	for _, tt := range tests {
		c, err := ParseCron(tt.expr, zone(t, tt.zone))
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		at := instant(t, tt.after)
		for i, want := range tt.want {
			next, ok := c.Next(at)
			if !ok || !next.Equal(instant(t, want)) {
				t.Errorf("%s %s: run %d after %s is %v %v, want %s", tt.expr, tt.zone, i, tt.after, next, ok, want)
			}
			at = next
		}
		if next, ok := c.Next(at); len(tt.want) == 0 && ok {
			t.Errorf("%s: next is %v, want none", tt.expr, next)
		}
	}
}

func TestParseCron_refuses(t *testing.T) {
	for expr, want := range map[string]string{
		"":                "0 fields",
		"* * * *":         "4 fields",
		"* * * * * *":     "6 fields",
		"@daily":          "1 fields",
		"60 * * * *":      "minute: not within 0 to 59",
		"* 24 * * *":      "hour: not within 0 to 23",
		"* * 0 * *":       "day of month: not within 1 to 31",
		"* * * JAN *":     "month: not within 1 to 12",
		"* * * * MON":     "day of week: not within 0 to 6",
		"* * * * 7":       "day of week: not within 0 to 6",
		"* 22-2 * * *":    "hour: not within 0 to 23", // ranges do not wrap
		"*/0 * * * *":     "minute: not a step",
		"*/ * * * *":      "minute: not a step",
		"*/5/5 * * * *":   "minute: not a step",
		"1,,2 * * * *":    "minute: not within 0 to 59",
		"-5 * * * *":      "minute: not within 0 to 59",
		"? * * * *":       "minute: not within 0 to 59",
		"* * L * *":       "day of month: not within 1 to 31",
		"9999999 * * * *": "minute: not within 0 to 59",
	} {
		if _, err := ParseCron(expr, time.UTC); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", expr, err, want)
		}
	}
}

// walk is the rule as Paseo has it: minute by minute for 366 days.
func walk(c Cron, t time.Time, days int) (time.Time, bool) {
	t = t.UTC().Truncate(time.Minute)
	for range days * 24 * 60 {
		t = t.Add(time.Minute)
		l := t.In(c.zone)
		if has(c.minute, l.Minute()) && has(c.hour, l.Hour()) && has(c.dom, l.Day()) && has(c.month, int(l.Month())) && has(c.dow, int(l.Weekday())) {
			return t, true
		}
	}
	return time.Time{}, false
}

// FuzzCron: what parses is found where a walk of every minute finds it.
func FuzzCron(f *testing.F) {
	for _, s := range []string{"* * * * *", "0 9 * * *", "*/7 1-5 * * 1,3", "30 2 8 3 *", "5/10 22 31 12 0", "1-10/4 * 1-31/2 * *"} {
		f.Add(s, int64(1795965000), uint8(0))
		f.Add(s, int64(1772924400), uint8(1)) // an hour before New York's clocks go forward
		f.Add(s, int64(1793509200), uint8(2))
	}
	zones := []string{"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Berlin"}
	f.Fuzz(func(t *testing.T, expr string, unix int64, z uint8) {
		if unix < 1<<30 || unix > 1<<33 {
			t.Skip("the offsets of long ago were no quarters of an hour")
		}
		c, err := ParseCron(expr, zone(t, zones[int(z)%len(zones)]))
		if err != nil {
			return
		}
		after := time.Unix(unix, 0)
		const days = 40
		want, found := walk(c, after, days)
		got, ok := c.Next(after)
		switch {
		case found && (!ok || !got.Equal(want)):
			t.Fatalf("%q after %v: %v %v, a walk finds %v", expr, after, got, ok, want)
		case !found && ok && got.Sub(after) < (days-1)*24*time.Hour:
			t.Fatalf("%q after %v: %v, a walk finds none", expr, after, got)
		case ok && got.Sub(after) > cronHorizon+time.Minute:
			t.Fatalf("%q: %v is beyond the horizon", expr, got)
		}
	})
}

// What is shown of an expression has no credential, also none that an invisible character
// divides, and as many fields as it has.
func TestCronText(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for expr, want := range map[string]string{
		"0 9\t* * *":            "0 9 * * *",
		"0 \u200b * * é":        "0 ? * * ?",
		"0 " + token + " * * *": "0 [withheld: github-token] * * *",
		"0 " + token[:20] + "\u200b" + token[20:] + " * * *": "0 [withheld: github-token] * * *",
		"0 " + token[:20] + "\x01" + token[20:] + " é * *":   "0 [withheld: github-token] ? * *",
	} {
		if got := CronText(expr); got != want || CronText(got) != got {
			t.Errorf("%q: %q, want %q", expr, got, want)
		}
	}
}
