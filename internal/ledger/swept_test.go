package ledger

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Since when sweeps leave something undecided is that of the first of them in a row.
func TestSwept(t *testing.T) {
	l := New(filepath.Join(t.TempDir(), "lamp"), "lamp")
	zero, one := 0, 1
	for i, tt := range []struct {
		exit      *int
		detail    string
		undecided string
		since     int // minute; -1: none
	}{
		{&zero, "", "", -1}, {&zero, "", "code: gone", 1}, {&zero, "", "code: no right", 1}, {&zero, "", "", -1}, {&zero, "x", "docs: gone", 4},
		{&one, "the records were not judged", "", -1}, {&zero, "", "docs: gone", 6},
	} {
		at := actTime.Add(time.Duration(i) * time.Minute)
		if err := l.Swept(at, record.Entry{Exit: tt.exit, Detail: tt.detail}, tt.undecided); err != nil {
			t.Fatal(err)
		}
		s, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		last := s.Sweep()
		if last == nil || !last.At.Equal(at) || last.Exit != *tt.exit || last.Undecided != tt.undecided || (last.Since == nil) != (tt.since < 0) || last.Detail != map[bool]string{true: tt.detail}[*tt.exit != 0] {
			t.Fatalf("%d: %+v", i, last)
		}
		if last.Since != nil && !last.Since.Equal(actTime.Add(time.Duration(tt.since)*time.Minute)) {
			t.Errorf("%d: since %v", i, last.Since)
		}
	}
	ahead := actTime.Add(24 * time.Hour)
	for _, undecided := range []string{"", "docs: gone"} {
		if err := l.Swept(ahead, record.Entry{Exit: &zero}, undecided); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []time.Time{actTime.Add(time.Hour), actTime.Add(2 * time.Hour)} { // the clock was set back
		if err := l.Swept(at, record.Entry{Exit: &zero}, "docs: gone"); err != nil {
			t.Fatal(err)
		}
		if s, err := l.Read(); err != nil || !s.Sweep().Since.Equal(actTime.Add(time.Hour)) {
			t.Errorf("since %v, %v", s.Sweep().Since, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := New(file, "lamp").Swept(actTime, record.Entry{Exit: &zero}, ""); err == nil {
		t.Error("a sweep whose end is written nowhere is noted")
	}
	before, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Compact(); err != nil {
		t.Fatal(err)
	}
	if after, err := l.Read(); err != nil || after.Sweep() == nil || after.Sweep().Undecided != before.Sweep().Undecided {
		t.Errorf("after compaction: %+v, %v", after.Sweep(), err)
	}
}
