package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestSchedules(t *testing.T) {
	s := newStream(t)
	add := func(name string, edit func(*record.Schedule)) {
		p := record.Schedule{Source: "systemd", Name: name, Cadence: "every day at 03:00", Status: "active", LastRun: ago(12 * time.Hour), LastResult: "succeeded", NextRun: ago(-12 * time.Hour)}
		edit(&p)
		s.add(record.KindSchedule, schedule, name, p)
	}
	add("late", func(p *record.Schedule) {
		p.Stale, p.Detail, p.LastRun, p.LastResult, p.NextRun = true, "should have run at 03:00", nil, "", ago(time.Hour)
	})
	add("broken", func(p *record.Schedule) { p.LastResult = "exit 3" })
	add("ended well", func(p *record.Schedule) { p.LastResult = "exit 0" })
	add("unclear", func(p *record.Schedule) { p.LastResult = "retired" })
	add("noted", func(p *record.Schedule) { p.Detail = "its log is not there" })
	add("resting", func(p *record.Schedule) { p.Status, p.NextRun = "paused", nil })
	md := s.markdown()
	has(t, md, "## Scheduled work (6)\n\n"+
		"- **late** of systemd: stale, every day at 03:00\n  - last run: none known\n  - next run: 14:50, overdue\n  - status: active\n  - detail: should have run at 03:00\n"+
		"- **broken** of systemd: failed, every day at 03:00\n  - last run: 03:50, exit 3\n",
		"- **unclear** of systemd: not known, every day at 03:00\n",
		"| ended well | systemd | every day at 03:00 | 03:50, exit 0    | 30 Nov 03:50 | active |  |\n"+
			"| noted      | systemd | every day at 03:00 | 03:50, succeeded | 30 Nov 03:50 | active | its log is not there |\n"+
			"| resting    | systemd | every day at 03:00 | 03:50, succeeded | none is due  | paused |  |\n",
		"Not looked at: GitHub's repositories, rules and pull requests; Paseo's schedules.\n")
	for i := range 30 {
		add(fmt.Sprintf("job %d", i), func(*record.Schedule) {})
	}
	has(t, s.markdown(), "and 21 more that are on time or off.\n")
}

// On time is said for known words only, and not of what is overdue.
func TestScheduleState(t *testing.T) {
	set := func(edit func(*record.Schedule)) record.Schedule {
		p := record.Schedule{Source: "systemd", Status: "active", LastResult: "succeeded"}
		edit(&p)
		return p
	}
	word := func(status, result string) record.Schedule {
		return set(func(p *record.Schedule) { p.Status, p.LastResult = status, result })
	}
	tests := []struct {
		is   record.Schedule
		want string
	}{
		{word("active", "succeeded"), ScheduleFine},
		{word("running", "running"), ScheduleFine},
		{word("on time", ""), ScheduleFine},
		{word("loaded", "exit 0"), ScheduleFine},
		{word("loaded", "exit 78"), ScheduleFailed},
		{word("active", "interrupted"), ScheduleFailed},
		{word("active", "crashed"), ScheduleFailed},
		{word("active", "timed out"), ScheduleFailed},
		{word("active", "signal 9"), ScheduleFailed},
		{word("active", "core-dump"), ScheduleFailed},
		{word("paused", "killed"), ScheduleFailed},
		{word("failed", ""), ScheduleFailed},
		{word("unknown", ""), ScheduleHidden},
		{word("", ""), ScheduleHidden},
		{word("inactive", "succeeded"), ScheduleHidden},
		{word("active", "retired"), ScheduleHidden},
		{set(func(p *record.Schedule) { p.NextRun = ago(61 * time.Minute) }), ScheduleHidden},
		{set(func(p *record.Schedule) { p.NextRun = ago(59 * time.Minute) }), ScheduleFine},
		{set(func(p *record.Schedule) { p.LastRun = ago(-time.Hour) }), ScheduleHidden},
		{word("paused", ""), ScheduleOff},
		{word("not loaded", ""), ScheduleOff},
		{set(func(p *record.Schedule) { p.Status, p.Stale = "not loaded", true }), ScheduleStale},
		{set(func(p *record.Schedule) { p.Source, p.Detail = "paseo", "x; no daemon lives to run it" }), ScheduleStale},
		{set(func(p *record.Schedule) { p.Source, p.Status, p.Detail = "paseo", "paused", noDaemon }), ScheduleOff},
	}
	for _, tt := range tests {
		if got := (Schedule{Schedule: tt.is}).state(look); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.is, got, tt.want)
		}
	}
}
