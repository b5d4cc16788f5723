package schedule

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Units that are read can be written and read again as the same, when nothing
// of them had to be cleaned, and make a record that is clean.
func FuzzParseUnits(f *testing.F) {
	f.Add([]byte(shownUnits), 2)
	f.Add([]byte("Id=a.timer\nLoadState=bad-setting\nLoadError=x \"y\"\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		var d Drift
		us, err := ParseUnits(b, n, &d)
		if err != nil {
			return
		}
		if len(us) != n {
			t.Fatalf("%d units of %d", len(us), n)
		}
		again, err := ParseUnits(EncodeUnits(us), n, new(Drift))
		if err != nil {
			t.Fatalf("%v\n%s", err, EncodeUnits(us))
		}
		twice, err := ParseUnits(EncodeUnits(again), n, new(Drift))
		if err != nil || !reflect.DeepEqual(again, twice) {
			t.Fatalf("%v %v", err, pretty.Diff(again, twice))
		}
		for i, u := range us {
			r := Timer{Unit: u, Service: &us[0]}.Record(looked, &d)
			for _, s := range []string{r.Name, r.Cadence, r.Zone, r.Status, r.LastResult, r.Detail} {
				if guard.Text(s, 4000) != s {
					t.Fatalf("unit %d: %q is not clean", i, s)
				}
			}
		}
	})
}

// Timers that are read can be written and read again as the same.
func FuzzParseTimers(f *testing.F) {
	f.Add([]byte(`[{"next":1795981862000000,"left":1,"last":0,"passed":2,"unit":"a.timer","activates":"a.service"},{"next":null,"last":18446744073709551615,"unit":"b\\x2dc.timer"}]`))
	f.Add([]byte(`[{"unit_file":"a.timer","state":"enabled"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if es, err := ParseTimers(b); err == nil {
			out, err := EncodeTimers(es)
			again, err2 := ParseTimers(out)
			clean := !slices.ContainsFunc(es, func(e Elapse) bool { return unitText(e.Unit) != e.Unit })
			if err != nil || err2 != nil || len(again) != len(es) || clean && !reflect.DeepEqual(again, es) {
				t.Fatalf("%v %v %v", err, err2, pretty.Diff(es, again))
			}
		}
		if names, err := ParseTimerFiles(b); err == nil {
			out, err := EncodeTimerFiles(names)
			again, err2 := ParseTimerFiles(out)
			if err != nil || err2 != nil || len(again) != len(names) {
				t.Fatalf("%v %v %q %q", err, err2, names, again)
			}
			for _, n := range names {
				if !IsUnit(n) || strings.Contains(n, "@.") {
					t.Fatalf("%q", n)
				}
			}
		}
	})
}

// A calendar is understood whole or not at all, with a bounded number of times.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"Mon..Fri *-*-* 09:30:00 America/New_York", "*-*-* *:00/15:00", "Sat,Sun *-02-29 00:00:00", "*-*~01 00:00:00", "Sun..Sat *-*-* 0/5:0:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slots, _, ok := parseSpec(s)
		if ok != (len(slots) > 0) || len(slots) > maxSlots {
			t.Fatalf("%t %d", ok, len(slots))
		}
		for _, s := range slots {
			in := func(n, low, high int) bool { return n == wild || low <= n && n <= high }
			if !in(s.Minute, 0, 59) || !in(s.Hour, 0, 23) || !in(s.Day, 1, 31) || !in(s.Weekday, 0, 6) || !in(s.Month, 1, 12) {
				t.Fatalf("%+v", s)
			}
		}
		if d, ok := timespan(s); ok != (d > 0) {
			t.Fatalf("%v %t", d, ok)
		}
	})
}
