package limit

import (
	"testing"
	"time"
)

// Resets in the hours in which a clock changes, and words around them: inputs of
// our own.
func TestOwn(t *testing.T) {
	tests := []struct{ id, seen, text, want string }{
		{"own-zone-half-hour-step", "2026-10-03T12:00:00Z", "You've hit your session limit · resets 3:10am (Australia/Lord_Howe)", "2026-10-03T16:10:00Z"},
		{"own-zone-hour-that-is-not", "2026-03-08T05:00:00Z", "You've hit your session limit · resets 2:30am (America/New_York)", "no such time in America/New_York"},
		{"own-zone-date-line", "2026-05-03T09:30:00Z", "You've hit your session limit · resets 11:45pm (Pacific/Pago_Pago)", "2026-05-03T10:45:00Z"},
		{"own-zone-leap-day", "2028-02-28T12:00:00Z", "You've hit your weekly limit · resets Feb 29, 9am (UTC)", "2028-02-29T09:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			seen, err := time.Parse(time.RFC3339, tt.seen)
			if err != nil {
				t.Fatal(err)
			}
			l, ok := Parse(tt.text, seen, "Europe/Berlin")
			got := l.Reset.Why
			if !l.Reset.At.IsZero() {
				got = l.Reset.At.UTC().Format(time.RFC3339)
			}
			if !ok || got != tt.want {
				t.Errorf("%q seen %s: %s, want %s (%+v)", tt.text, tt.seen, got, tt.want, l)
			}
		})
	}
}
