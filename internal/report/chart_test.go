package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// The chart: a bar for each class of each tick, a mark for each without counts,
// the bars of a tick as high as its sessions are many.
func TestChart(t *testing.T) {
	s := newStream(t)
	n, zero, one := 9, 0, 1
	s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
	s.session("5", nil)
	for _, p := range []record.Past{
		{Tick: 4, FireAt: ago(5 * time.Hour), Exit: &zero, Counts: map[string]int{"5": 3, "3": 1, "7": 1, "new": 1}},
		{Tick: 5, FireAt: ago(4 * time.Hour), Exit: &one},
		{Tick: 7, FireAt: ago(2 * time.Hour)},
		{Tick: 8, FireAt: ago(time.Hour), Exit: &zero, Counts: map[string]int{"5": 12, "2": -1}},
		{Tick: 9, FireAt: ago(0)},
	} {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", p.Tick), p)
	}
	set := setOf(s.bytes())
	c := newSheet(Build(set, look)).Chart()
	var got []string
	for _, b := range c.Bars {
		got = append(got, fmt.Sprintf("%d:%s x%d y%s h%s", b.Tick, b.Section, b.X, b.Y, b.Height))
	}
	want := []string{"4:needs_me x1 y50.00 h16.67", "4:unknown x1 y66.67 h8.33", "4:5 x1 y75.00 h25.00", "8:5 x41 y0.00 h100.00", "9:5 x51 y91.67 h8.33"}
	if !slices.Equal(got, want) || c.Most != 12 || c.Width != 60 {
		t.Errorf("bars %q\nwant %q; most %d, width %d", got, want, c.Most, c.Width)
	}
	if marks := fmt.Sprint(c.Marks); marks != "[{10 failed} {20 missing} {30 endless}]" {
		t.Errorf("marks %s", marks)
	}
	if c.Rows[0].Counts != "1 running" || c.Rows[5].Counts != "2 need you, 1 unknown, 3 running" || c.Rows[4].State != "failed, status 1" || c.Rows[3].State != "missing" {
		t.Errorf("rows %+v", c.Rows)
	}
}

// Nothing is remembered outside a tick, and an unread ledger is no quiet one.
func TestChart_none(t *testing.T) {
	has(t, htmlOf(t, written(t, "three")), "this is no tick, and nothing of it is remembered", "Not looked at: GitHub", "Not looked at: Paseo")
	has(t, htmlOf(t, written(t, "asks")), "the ledger was not read")
	s := newStream(t)
	for name, by := range map[string]string{"gh/acme/lamp": gh, "paseo/schedules": paseo, "schedule/systemd": schedule} {
		s.add(record.KindSurface, by, name, record.Surface{OK: true})
	}
	has(t, htmlOf(t, s.bytes()), "<p>No repository.</p>", "<p>No scheduled work.</p>")
}

// Nothing of a hostile tick number may be waited for.
func TestChart_numbers(t *testing.T) {
	s := newStream(t)
	zero := 0
	for _, n := range []int{-1 << 63, -5, 3, 1<<63 - 1} {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", n), record.Past{Tick: n, Exit: &zero, Counts: map[string]int{"5": 1<<63 - 1, "6": 7}})
	}
	items(t, htmlOf(t, s.bytes()))
}

// An alarm is the first thing in the page and in the name of its tab.
func TestHTML_alarm(t *testing.T) {
	for name, want := range map[string]string{
		"cut":   "INCOMPLETE sessions may be missing or wrong below: fleet-classify: closing record counts 5, 3 are here",
		"blind": "BLIND no session could be looked at; that none is listed means nothing",
		"three": "",
	} {
		all := items(t, htmlOf(t, written(t, name)))
		banners := textOf(all, func(it item) bool { return it.name == "section" && it.class == "banner bad" })
		if got := strings.Join(banners, "|"); got != want {
			t.Errorf("%s: banner %q, want %q", name, got, want)
		}
		word, _, alarmed := strings.Cut(want, " ")
		if title := textOf(all, func(it item) bool { return it.name == "title" })[0]; alarmed && !strings.HasPrefix(title, word+" · ") {
			t.Errorf("%s: title %q", name, title)
		}
	}
}
