package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// How scheduled work stands, in the order of the report.
const (
	ScheduleStale  = "stale"     // it should have run and did not
	ScheduleFailed = "failed"    // its last run did not end well
	ScheduleHidden = "not known" // its source could not tell
	ScheduleFine   = "on time"
	ScheduleOff    = "off" // paused, completed, expired, or not loaded
)

var scheduleStates = []string{ScheduleStale, ScheduleFailed, ScheduleHidden, ScheduleFine, ScheduleOff}

// Schedule is one piece of scheduled work.
type Schedule struct {
	Host  string `json:"host"`
	State string `json:"state"` // a Schedule… word
	record.Schedule
}

func schedules(set *input) []Schedule {
	all := []Schedule{}
	for _, rec := range set.Of(record.KindSchedule) {
		if p, ok := record.Payload[record.Schedule](rec); ok {
			s := Schedule{Host: rec.Host, Schedule: *p}
			s.State = s.state()
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Schedule) int {
		return cmp.Or(
			cmp.Compare(slices.Index(scheduleStates, a.State), slices.Index(scheduleStates, b.State)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID),
		)
	})
	return all
}

func (s Schedule) state() string {
	exit, hasExit := strings.CutPrefix(s.LastResult, "exit ")
	switch {
	case s.Stale:
		return ScheduleStale
	case s.LastResult == "failed", s.LastResult == "interrupted", hasExit && exit != "0", s.Status == "failed":
		return ScheduleFailed
	case s.Status == "unknown":
		return ScheduleHidden
	case slices.Contains([]string{"paused", "completed", "expired", "not loaded"}, s.Status):
		return ScheduleOff
	}
	return ScheduleFine
}

// schedules writes the scheduled work: what is stale or failed in full, the
// rest as a table.
func (p *page) schedules() {
	rows := p.Schedules.Rows
	if len(rows) == 0 {
		return
	}
	p.heading("Scheduled work", len(rows))
	fine := slices.IndexFunc(rows, func(s Schedule) bool { return s.State == ScheduleFine || s.State == ScheduleOff })
	if fine < 0 {
		fine = len(rows)
	}
	for _, s := range rows[:fine] {
		p.printf("- **%s** of %s: %s, %s\n", text(s.title(), nameWidth), label(s.Source), s.State, cmp.Or(text(s.Cadence, 60), "no cadence known"))
		p.sub("last run", text(p.lastRun(&s), 80))
		p.sub("next run", p.nextRun(&s))
		p.sub("status", text(s.Status, 60))
		p.sub("detail", text(s.Detail, saysWidth))
	}
	if fine == len(rows) {
		return
	}
	p.gap()
	const most = 12
	cells := [][]string{{"schedule", "from", "cadence", "last run", "next run", "status"}}
	for _, s := range rows[fine:min(fine+most, len(rows))] {
		cells = append(cells, []string{text(s.title(), 28), text(s.Source, 12), text(s.Cadence, 32), text(p.lastRun(&s), 32), p.nextRun(&s), text(s.Status, 16)})
	}
	p.grid(cells)
	if n := len(rows) - fine - most; n > 0 {
		p.printf("\nand %d more that are on time or off.\n", n)
	}
}

// title is the name of scheduled work, else its id.
func (s Schedule) title() string {
	return cmp.Or(clean(s.Name), clean(s.ID), "(no name)")
}

// lastRun says when it ran last and how that ended. Its parts are not yet
// inert.
func (c clock) lastRun(s *Schedule) string {
	if s.LastRun == nil {
		return cmp.Or(s.LastResult, "none known")
	}
	at := c.local(s.LastRun.Time)
	if s.LastResult == "" {
		return at
	}
	return fmt.Sprintf("%s, %s", at, s.LastResult)
}

func (c clock) nextRun(s *Schedule) string {
	if s.NextRun == nil {
		return "none is due"
	}
	if d := c.now.Sub(s.NextRun.Time); d > skew {
		return c.local(s.NextRun.Time) + ", overdue"
	}
	return c.local(s.NextRun.Time)
}
