package paseo

import (
	"testing"
	"time"
)

// Laws: a daemon that was read has a pid; a cut file tells of no other; and who
// wrote a thing is told only of what is known to be later or earlier.
func FuzzParsePID(f *testing.F) {
	f.Add([]byte(`{"pid":77,"startedAt":"2026-11-29T12:00:00.000Z","hostname":"h"}`), int64(1795965000))
	f.Add([]byte(`{"pid":77,"startedAt":"2026-11-29T12:00:00Z"}`), int64(1795953600))
	f.Add([]byte(`{"pid":1,"startedAt":7}`), int64(0))
	f.Add([]byte(`{"pid":1}`), int64(1795965000))
	f.Fuzz(func(t *testing.T, b []byte, unix int64) {
		d, err := ParsePID(b, new(Drift))
		if err != nil {
			if d != (Daemon{}) {
				t.Fatalf("%+v beside %v", d, err)
			}
			return
		}
		if d.PID <= 0 || d.Lives != nil {
			t.Fatalf("%+v", d)
		}
		cut(t, b, d, func(b []byte) (Daemon, error) { return ParsePID(b, new(Drift)) })
		at, yes, no := time.Unix(unix%(1<<33), 0), true, false
		for _, lives := range []*bool{nil, &yes, &no} {
			d.Lives = lives
			left := d.Leftover(at)
			switch {
			case lives == nil && left != nil, lives == &no && (left == nil || !*left), lives == &yes && d.StartedAt.IsZero() && left != nil:
				t.Fatalf("%+v at %v: %v", d, at, left)
			case lives == &yes && left != nil && *left != at.Before(d.StartedAt):
				t.Fatalf("%+v at %v: %v", d, at, *left)
			}
		}
	})
}
