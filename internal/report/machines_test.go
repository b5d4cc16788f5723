package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// looked is the stream of two machines with what is known of the look at one of
// them through ssh.
func looked(t *testing.T, s record.Surface) (Report, record.Time) {
	t.Helper()
	set := new(record.Set)
	for line, err := range record.All(bytes.NewReader(written(t, "hosts"))) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(line)
	}
	tick, _, _ := set.Tick()
	r, err := record.New(record.KindSurface, tick.At, "mac", "fleet-observe-claude", "ssh", s)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := r.Line()
	set.Add(record.Line{Raw: raw, Record: r})
	return Build(set, tick.At), tick.At
}

// A machine that answered in this tick has no old picture, whatever its clock
// says; one that did not has its reason.
func TestMachines_answered(t *testing.T) {
	r, at := looked(t, record.Surface{OK: true, Via: "ana@mac"})
	for _, row := range r.verdicts {
		if lead := row.attach(); lead != "" && strings.HasPrefix(lead, "ssh -t ana@mac ") != (row.Host == "mac") {
			t.Errorf("%s: %q", row.Host, lead)
		}
	}
	if slices.ContainsFunc(r.NotRead, func(n NotRead) bool { return n.Why == WhyOld }) || r.AsOf == nil || !r.AsOf.Equal(at.Time) {
		t.Errorf("%+v, as of %v", r.NotRead, r.AsOf)
	}
	r, at = looked(t, record.Surface{Error: "refused"})
	i := slices.IndexFunc(r.NotRead, func(n NotRead) bool { return n.Why == WhyHost && n.Host == "mac" })
	if i < 0 || r.NotRead[i].Name != "mac" || r.NotRead[i].Says != "refused" || r.AsOf.Equal(at.Time) || !strings.HasPrefix(r.Alarm, "INCOMPLETE: ") {
		t.Errorf("%+v, as of %v: %s", r.NotRead, r.AsOf, r.Alarm)
	}
}

// Without a tick nobody knows which clock is right: that is said, once, and of
// no third machine.
func TestApart(t *testing.T) {
	at := func(minutes int) record.Time {
		return record.NewTime(time.Date(2026, 11, 29, 12, minutes, 0, 0, time.UTC))
	}
	for _, tt := range []struct {
		seen        map[string]record.Time
		first, last string
	}{
		{nil, "", ""},
		{map[string]record.Time{"a": at(0)}, "a", "a"},
		{map[string]record.Time{"a": at(0), "b": at(10)}, "a", "a"},
		{map[string]record.Time{"a": at(0), "b": at(11)}, "a", "b"},
		{map[string]record.Time{"a": at(180), "b": at(0), "c": at(1)}, "b", "a"},
	} {
		if first, last := apart(tt.seen); first != tt.first || last != tt.last {
			t.Errorf("%v: %s and %s", tt.seen, first, last)
		}
	}
}
