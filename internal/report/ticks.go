package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// pastTicks is how many ticks a report looks back.
const pastTicks = 48

// How a tick ended.
const (
	TickGood    = "good"
	TickFailed  = "failed"
	TickEndless = "never ended"
	TickRunning = "running" // the tick that this report is of
)

// Past is a tick that began.
type Past struct {
	Host  string `json:"host"`
	State string `json:"state"` // a Tick… word
	record.Past
}

// past is the last ticks, oldest first. tick is the one that runs.
func past(set *record.Set, tick *int) []Past {
	all := []Past{}
	for _, rec := range set.Of(record.KindPast) {
		p, ok := record.Payload[record.Past](rec)
		if !ok || p.Tick < 0 {
			continue
		}
		t := Past{Host: rec.Host, State: TickGood, Past: *p}
		t.Read, t.Counts = nonNil(p.Read), maps.Clone(p.Counts)
		switch {
		case tick != nil && t.Tick == *tick && t.Exit == nil:
			t.State = TickRunning
		case t.Exit == nil:
			t.State = TickEndless
		case *t.Exit != 0:
			t.State = TickFailed
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Past) int { return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Host, b.Host)) })
	return all[max(len(all)-pastTicks, 0):]
}

// at is when a tick ended, else when it began; null when neither is known.
func (t Past) at() *record.Time { return cmp.Or(t.ExitAt, t.FireAt) }

// ticks writes in one line how the last ticks went.
func (p *page) ticks() {
	if says := p.ticksSay(p.clock); says != "" {
		p.gap()
		p.printf("%s\n", text(says, questionWidth))
	}
}

// ticksSay is how the last ticks went, and what of the ledger was not read;
// "" when none is remembered and all was read.
func (r *Report) ticksSay(c clock) string {
	if r.Past.Looked == LookedPart {
		return strings.TrimSpace(capital(r.Past.Says) + ". " + r.ticksEnded(c, false))
	}
	return r.ticksEnded(c, true)
}

// ticksEnded counts the ticks that are here. Unless the ledger was read whole it
// says of no tick that is not here that it was good.
func (r *Report) ticksEnded(c clock, whole bool) string {
	n, bad := 0, map[string]int{}
	var good *Past
	for i, t := range r.Past.Rows {
		switch t.State {
		case TickRunning:
			continue
		case TickGood:
			good = &r.Past.Rows[i]
		}
		n++
		bad[t.State]++
	}
	if n == 0 {
		return ""
	}
	var parts []string
	for _, state := range []string{TickFailed, TickEndless} {
		if bad[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", bad[state], state))
		}
	}
	says := fmt.Sprintf("Of the last %d ticks ", n)
	switch {
	case !whole && len(parts) == 0:
		return "How the ticks that are missing ended is not known."
	case !whole:
		says = "Of " + count(n, "tick that was read ", "ticks that were read ")
	case n == 1 && len(parts) == 0:
		return "The last tick did not fail."
	case n == 1:
		says = "The last tick "
		parts = []string{strings.TrimPrefix(parts[0], "1 ")}
	case len(parts) == 0:
		return says + "none failed."
	}
	says += strings.Join(parts, " and ")
	switch {
	case good == nil:
		return says + "; not one was good."
	case good.at() == nil:
		return says + fmt.Sprintf("; the last good one was tick %d.", good.Tick)
	}
	return says + fmt.Sprintf("; the last good one was tick %d, %s.", good.Tick, c.both(good.at().Time))
}

// outdatedAt is when the report of the tick after a stream's must be there, nil of a
// stream that is no tick's: ticks come once an hour, begin up to five minutes late, and
// have the time that the configuration gives them.
func outdatedAt(set *record.Set, now record.Time) *record.Time {
	_, tick, ok := set.Tick()
	if !ok || tick.Tick == nil {
		return nil
	}
	return record.TimeOf(now.Add(65*time.Minute + time.Duration(cmp.Or(tick.Timeout, 15))*time.Minute))
}

// due says from when on a tick's report is outdated, since a file does not age; "" of a
// report that is no tick's.
func (p *page) due() string {
	if p.Outdated == nil {
		return ""
	}
	return "The next tick is due within the hour: if it is past " + p.both(p.Outdated.Time) + ", ticks have stopped."
}
