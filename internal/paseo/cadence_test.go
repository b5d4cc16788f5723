package paseo

import (
	"encoding/json"
	"testing"
)

func TestWords(t *testing.T) {
	const summer, winter = "2026-07-01T09:00:00Z", "2026-12-01T09:00:00Z"
	tests := []struct {
		cadence, near, host, want string
	}{
		{`{"type":"cron","expression":"0 9 * * *"}`, summer, "Europe/Berlin", "every day 09:00 UTC (11:00 Europe/Berlin)"},
		{`{"type":"cron","expression":"0 9 * * *"}`, winter, "Europe/Berlin", "every day 09:00 UTC (10:00 Europe/Berlin)"},
		{`{"type":"cron","expression":"0 9 * * *"}`, summer, "UTC", "every day 09:00 UTC"},
		{`{"type":"cron","expression":"0 9 * * *"}`, summer, "", "every day 09:00 UTC"},
		{`{"type":"cron","expression":"0 9 * * *"}`, winter, "Europe/London", "every day 09:00 UTC"}, // the same clock
		{`{"type":"cron","expression":"0 9 * * *","timezone":"America/Bogota"}`, summer, "America/Bogota", "every day 09:00 America/Bogota"},
		{`{"type":"cron","expression":"0 9 * * *","timezone":"America/Bogota"}`, summer, "Asia/Tokyo", "every day 09:00 America/Bogota (23:00 Asia/Tokyo)"},
		{`{"type":"cron","expression":"0,30 23 * * *"}`, summer, "Asia/Tokyo", "every day 23:00, 23:30 UTC (08:00 next day, 08:30 next day Asia/Tokyo)"},
		{`{"type":"cron","expression":"30 2 * * 1-5"}`, summer, "America/Bogota", "Monday to Friday 02:30 UTC (21:30 day before America/Bogota)"},
		{`{"type":"cron","expression":"0 9 1-31 10 *"}`, summer, "UTC", "every day in October 09:00 UTC"},
		{`{"type":"cron","expression":"0 9 13 * 5"}`, summer, "UTC", "Friday that is day 13 of the month 09:00 UTC"},
		{`{"type":"cron","expression":"0 9 1,15 1-3,12 *"}`, summer, "UTC", "day 1, 15 of the month in January to March, December 09:00 UTC"},
		{`{"type":"cron","expression":"* * * * *"}`, summer, "Europe/Berlin", "every minute"},
		{`{"type":"cron","expression":"*/15 * * * *"}`, summer, "Europe/Berlin", "every 15 minutes"},
		{`{"type":"cron","expression":"*/7 * * * *"}`, summer, "Europe/Berlin", "cron */7 * * * * UTC"}, // the last step of an hour is shorter
		{`{"type":"cron","expression":"5 * * * *"}`, summer, "Europe/Berlin", "every hour at :05"},
		{`{"type":"cron","expression":"0 * * * 0,6"}`, summer, "Europe/Berlin", "every hour at :00, Sunday, Saturday, UTC"},
		{`{"type":"cron","expression":"0 8-18 * * *"}`, summer, "Europe/Berlin", "cron 0 8-18 * * * UTC"},
		{`{"type":"cron","expression":"0 9 * * MON"}`, summer, "Europe/Berlin", "cron 0 9 * * MON UTC"},
		{`{"type":"cron","expression":"0 9 * * *","timezone":"Mars/Base"}`, summer, "Europe/Berlin", "cron 0 9 * * * Mars/Base"},
		{`{"type":"every","everyMs":60000}`, summer, "UTC", "every minute"},
		{`{"type":"every","everyMs":900000}`, summer, "UTC", "every 15 minutes"},
		{`{"type":"every","everyMs":5400000}`, summer, "UTC", "every 90 minutes"},
		{`{"type":"every","everyMs":172800000}`, summer, "UTC", "every 2 days"},
		{`{"type":"every","everyMs":1500}`, summer, "UTC", "every 1500 milliseconds"},
		{`{"type":"every","everyMs":9e300}`, summer, "UTC", "its period is not understood"},
		{`{"type":"every","everyMs":0}`, summer, "UTC", "its period is not understood"},
		{`{"type":"moon"}`, summer, "UTC", "a cadence of an unknown type"},
	}
	for _, tt := range tests {
		var f cadenceFile
		if err := json.Unmarshal([]byte(tt.cadence), &f); err != nil {
			t.Fatal(err)
		}
		if got := f.cadence(new(Drift)).Words(instant(t, tt.near), tt.host); got != tt.want {
			t.Errorf("%s near %s in %q: %q, want %q", tt.cadence, tt.near, tt.host, got, tt.want)
		}
	}
}
