package claude

import (
	"testing"
	"time"
)

func TestBegan(t *testing.T) {
	boot := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		start string
		boot  time.Time
		want  string
	}{
		{"360012", boot, "2026-11-29T11:00:00.12Z"}, {"0", boot, "2026-11-29T10:00:00Z"}, {"7", time.Time{}, ""}, {"-7", boot, ""},
		{"9223372036854775807", boot, ""}, {"", boot, ""}, {"Sun Nov 29  11:00:00 2026", time.Time{}, "2026-11-29T11:00:00Z"}, {"soon", boot, ""},
	} {
		got := ""
		if at := Began(tt.start, tt.boot); !at.IsZero() {
			got = at.Format(time.RFC3339Nano)
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.start, got, tt.want)
		}
	}
}
