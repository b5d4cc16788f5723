package classify

import (
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// A tick is due every hour. One that comes later than dueBy after the one
// before was missed; gaps that ended over toldFor ago are told no more.
const (
	dueBy   = 90 * time.Minute
	toldFor = 24 * time.Hour
)

// gaps is the finding of time in which nobody looked: between ticks, and ticks
// that failed.
func (st *stream) gaps(now record.Time) []finding {
	if st.tick == nil || st.tick.Tick == nil || st.remembered().Truth != Yes {
		return nil
	}
	f := record.Finding{Name: "gap", Sessions: []string{}}
	var longest time.Duration
	var missed int
	past := st.past()
	for i, p := range past {
		if p.FireAt == nil || now.Sub(p.FireAt.Time) > toldFor {
			continue
		}
		if i > 0 && past[i-1].FireAt != nil {
			if span, says := gap(past[i-1], p); says != "" {
				longest = max(longest, span)
				missed++
				f.Evidence = append(f.Evidence, record.Evidence{Source: "ledger", Says: says})
			}
		}
		if says := failed(p, *st.tick.Tick); says != "" {
			f.Evidence = append(f.Evidence, record.Evidence{Source: "ledger", Says: says})
		}
	}
	bad := len(f.Evidence) - missed
	switch {
	case missed > 0 && bad > 0:
		f.Says = fmt.Sprintf("in the last day nobody looked for up to %s, and %s failed", span(longest), count(bad, "tick"))
	case missed > 0:
		f.Says = "in the last day nobody looked for up to " + span(longest)
	case bad > 0:
		f.Says = "in the last day " + count(bad, "tick") + " failed"
	default:
		return nil
	}
	return []finding{{"", "gap", f}}
}

// gap says how long it was from one tick to the next, and why; "" when the next
// came in time.
func gap(from, to record.Past) (time.Duration, string) {
	wall := to.FireAt.Sub(from.FireAt.Time)
	if wall <= dueBy {
		return 0, ""
	}
	why := "no tick began"
	if a, b := from.Clock, to.Clock; a != nil && b != nil {
		off := wall - (awakeFor(*b) - awakeFor(*a))
		switch {
		case !sameBoot(*a, *b):
			why = "the machine was off, or restarted"
		case wall-off <= dueBy:
			why = "the machine slept " + span(off) + " of it"
		case off >= slept:
			why += "; the machine slept " + span(off) + " of it"
		}
	}
	return wall, fmt.Sprintf("from tick %d, %s, to tick %d, %s: %s: %s", from.Tick, stamp(*from.FireAt), to.Tick, stamp(*to.FireAt), span(wall), why)
}

// failed says how a tick before the current one failed; "" when it did not.
func failed(p record.Past, current int) string {
	switch {
	case p.Tick >= current:
		return ""
	case p.ExitAt == nil:
		return fmt.Sprintf("tick %d, %s, never ended", p.Tick, stamp(*p.FireAt))
	case p.Exit != nil && *p.Exit != 0:
		return fmt.Sprintf("tick %d, %s, ended with status %d", p.Tick, stamp(*p.FireAt), *p.Exit)
	}
	return ""
}

// clocks is one finding a host for sessions that are silent for too long by the
// wall clock, and perhaps by the time that the machine was awake.
func clocks(sessions []*judged) []finding {
	hosts, groups := byKey(sessions, func(s *judged) string {
		if s.slept > 0 {
			return "clock " + s.host
		}
		return ""
	})
	var fs []finding
	for _, key := range hosts {
		g := groups[key]
		fs = append(fs, finding{g[0].host, "clock", record.Finding{Name: "clock", Sessions: subjects(g),
			Says: fmt.Sprintf("%s may be hung or stalled: the machine slept %s since it started, and not all of when is known",
				count(len(g), "session"), span(g[0].slept))}})
	}
	return fs
}

// mayBeSilent tells whether a session counts as running or as idle for a short
// time only because the machine may have slept. Between ticks that the ledger
// knows an hour at most is in doubt, which is not worth telling.
func (f *Facts) mayBeSilent(class string) bool {
	bound := f.Bounds.Stall
	switch class {
	case "5":
		bound = f.Bounds.Running
	case "9a":
	default:
		return false
	}
	if f.Activity == nil || f.Exec.Truth == Yes || f.Waking.now == nil || len(f.Waking.before) > 0 {
		return false
	}
	over := func(t *record.Time) bool {
		_, most := f.Waking.since(*t, f.At)
		return most > bound
	}
	busy := class == "5" && f.P != nil && f.trust(f.P.StatusSince) != nil
	return over(f.Activity) && (!busy || over(f.P.StatusSince))
}

// toldTicks is how many ticks the ledger tells of, and keeps when it is
// compacted.
const toldTicks = 48

// lost is the finding of a ledger that begins behind its first tick, which no
// compaction explains.
func (st *stream) lost() []finding {
	past := st.past()
	if st.remembered().Truth != Yes || len(past) == 0 || len(past) >= toldTicks || past[0].Tick <= 1 {
		return nil
	}
	return []finding{{"", "ledger", record.Finding{Name: "ledger", Sessions: []string{},
		Says: fmt.Sprintf("the ledger begins with tick %d: what was asked, answered and adopted before is not in it", past[0].Tick)}}}
}
