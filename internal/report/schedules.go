package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// How scheduled work stands, in the order of the report.
const (
	ScheduleStale  = "stale"     // it should have run and did not, or nothing lives to run it
	ScheduleFailed = "failed"    // its last run did not end well
	ScheduleHidden = "not known" // its source could not tell, or says what this release does not know
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

func schedules(set *record.Set) []Schedule {
	all := []Schedule{}
	for _, rec := range set.Of(record.KindSchedule) {
		if p, ok := record.Payload[record.Schedule](rec); ok {
			s := Schedule{Host: rec.Host, Schedule: *p}
			s.State = s.state(rec.At)
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

// The words of a status and of a result that say that all is well, that nothing
// starts it, and that its last run was no good. A word that stands in none of
// them tells nothing.
var (
	dueStatuses = []string{"active", "loaded", "running", "waiting", "enabled", "on time"}
	offStatuses = []string{"paused", "completed", "expired", "not loaded"}
	goodResults = []string{"", "succeeded", "exit 0", "running"}
	badResults  = []string{"failed", "interrupted", "crashed", "timed out", "timeout", "killed", "signal", "core-dump", "exit-code",
		"watchdog", "oom-kill", "start-limit-hit", "resources", "protocol"}
)

// noDaemon is what the detail of a Paseo schedule says that nothing will start.
const noDaemon = "no daemon lives to run it"

// dueWithin is how far its next run may lie before the look at it.
const dueWithin = time.Hour

// state tells how it stood when it was looked at. Only known words make it on
// time, and no run that is not possible yet.
func (s Schedule) state(at record.Time) string {
	off := slices.Contains(offStatuses, s.Status)
	switch {
	case s.Stale, !off && s.Source == "paseo" && strings.Contains(s.Detail, noDaemon):
		return ScheduleStale
	case s.Status == "failed", s.ranBadly():
		return ScheduleFailed
	case off:
		return ScheduleOff
	case !slices.Contains(dueStatuses, s.Status), !slices.Contains(goodResults, s.LastResult),
		s.NextRun != nil && at.Sub(s.NextRun.Time) > dueWithin,
		s.LastRun != nil && s.LastRun.Sub(at.Time) > skew:
		return ScheduleHidden
	}
	return ScheduleFine
}

// ranBadly tells that the last run ended and not well.
func (s Schedule) ranBadly() bool {
	exit, hasExit := strings.CutPrefix(s.LastResult, "exit ")
	return hasExit && exit != "0" || strings.HasPrefix(s.LastResult, "signal ") || slices.Contains(badResults, s.LastResult)
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
	cells := [][]string{{"schedule", "from", "cadence", "last run", "next run", "status", "detail"}}
	for _, s := range rows[fine:min(fine+most, len(rows))] {
		cells = append(cells, []string{text(s.title(), 28), text(s.Source, 12), text(s.Cadence, 32), text(p.lastRun(&s), 32), p.nextRun(&s), text(s.Status, 16), text(s.Detail, 60)})
	}
	if !slices.ContainsFunc(cells[1:], func(row []string) bool { return row[6] != "" }) {
		for i := range cells {
			cells[i] = cells[i][:6]
		}
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
