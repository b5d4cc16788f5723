package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Of a ledger that was not read whole nobody says that no tick failed.
func TestTicks_cut(t *testing.T) {
	zero, one := 0, 1
	tests := []struct {
		name  string
		exits []*int
		edit  func(*stream)
		want  string
	}{
		{"whole", []*int{&zero, &zero}, func(*stream) {}, "Of the last 2 ticks none failed."},
		{"cut", []*int{&zero, &zero}, func(s *stream) { s.wrote["fleet-ledger"]++ }, "Not read whole: the ledger. How the ticks that are missing ended is not known."},
		{"cut, one", []*int{&zero}, func(s *stream) { s.wrote["fleet-ledger"]++ }, "Not read whole: the ledger. How the ticks that are missing ended is not known."},
		{"cut, failed", []*int{&zero, &one}, func(s *stream) { s.wrote["fleet-ledger"]++ }, "Not read whole: the ledger. Of 2 ticks that were read 1 failed; the last good one was tick 1, 14:50 CET (13:50 UTC)."},
		{"lines not understood", nil, func(s *stream) {
			s.add(record.KindSurface, "fleet-ledger", "ledger", record.Surface{OK: true, Unparsed: 2})
		}, "Not read whole: the ledger."},
	}
	for _, tt := range tests {
		s := newStream(t)
		n := 14
		s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
		for i, exit := range tt.exits {
			s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", i+1), record.Past{Tick: i + 1, ExitAt: ago(time.Hour), Exit: exit})
		}
		tt.edit(s)
		stream := s.bytes()
		md, _ := render(t, stream, time.Time{})
		if !strings.Contains(md, "\n"+tt.want+"\n") {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, md)
		}
		if page := htmlOf(t, stream); !strings.Contains(page, tt.want) {
			t.Errorf("%s: the page lacks %q", tt.name, tt.want)
		}
	}
}

// What is not known of a tick is no zero.
func TestTicks_unknownCounts(t *testing.T) {
	zero := 0
	s := newStream(t)
	for i, counts := range []map[string]int{nil, {}, {"5": 2}} {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", i+1), record.Past{Tick: i + 1, ExitAt: ago(time.Hour), Exit: &zero, Counts: counts})
	}
	chart := newSheet(Build(setOf(s.bytes()), look)).Chart()
	want := []string{"2 2 running", "0 no sessions", "– none known"}
	for i, row := range chart.Rows {
		if got := row.Total + " " + row.Counts; got != want[i] {
			t.Errorf("tick %d: %q, want %q", row.Tick, got, want[i])
		}
	}
	if len(chart.Marks) != 1 || chart.Marks[0].X != 0 {
		t.Errorf("marks %v, want one where nothing is known", chart.Marks)
	}
	page := htmlOf(t, written(t, "blind"))
	if strings.Contains(page, `Sessions <span class="n">0<`) {
		t.Error("a blind page counts no sessions")
	}
}
