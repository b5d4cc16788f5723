package classify

import (
	"cmp"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// slept is from which on a difference of a machine's clocks is sleep. Clocks
// that are set and boot times in whole seconds make small ones.
const slept = time.Minute

// waking tells how long a machine was awake. The machine itself only knows how
// much it slept since its boot; when, is known between the ticks of the ledger.
type waking struct {
	now    *record.Clock  // at the look; nil when it cannot be told: time then counts as awake
	before []record.Clock // at earlier ticks of the same boot, oldest first
	ledger Reading        // Unread when the earlier ticks are not known and must be
}

// wakings is what is known of each host, by its name.
func (st *stream) wakings() map[string]waking {
	all := map[string]waking{}
	for _, r := range st.set.Of(record.KindHost) {
		h, ok := record.Payload[record.Host](r)
		if !ok || h.BootAt == nil || h.AwakeS == nil {
			continue
		}
		w := waking{now: &record.Clock{At: r.At, AwakeS: *h.AwakeS, BootAt: *h.BootAt}}
		if st.tick != nil && st.tick.Tick != nil && r.Host == st.tick.Host {
			w.ledger = st.program(r.Host, ledgers)
			for _, p := range st.past() {
				if c := p.Clock; c != nil && w.ledger.Truth == Yes && c.At.Before(r.At.Time) && sameBoot(*c, *w.now) {
					w.before = append(w.before, *c)
				}
			}
		}
		all[r.Host] = w
	}
	return all
}

// past is the ticks that the ledger tells of, oldest first.
func (st *stream) past() []record.Past {
	var ps []record.Past
	for _, r := range st.set.Of(record.KindPast) {
		if p, ok := record.Payload[record.Past](r); ok {
			ps = append(ps, *p)
		}
	}
	slices.SortFunc(ps, func(a, b record.Past) int { return cmp.Compare(a.Tick, b.Tick) })
	return ps
}

func sameBoot(a, b record.Clock) bool {
	return a.BootAt.Sub(b.BootAt.Time).Abs() < 2*slept && a.AwakeS <= b.AwakeS
}

func awakeFor(c record.Clock) time.Duration { return time.Duration(c.AwakeS * float64(time.Second)) }

// asleep is how much of the time since its boot a machine had slept.
func asleep(c record.Clock) time.Duration { return c.At.Sub(c.BootAt.Time) - awakeFor(c) }

// since is the least and the most of the time since t in which the machine was
// awake. What was before its boot does not count: it may have been off.
func (w waking) since(t record.Time, at record.Time) (least, most time.Duration) {
	wall := at.Sub(t.Time)
	if w.now == nil || asleep(*w.now) < slept || wall <= 0 {
		return wall, wall
	}
	if t.Before(w.now.BootAt.Time) {
		return awakeFor(*w.now), wall
	}
	sleep := asleep(*w.now)
	least, most = 0, wall
	for _, c := range w.before {
		if !c.At.After(t.Time) { // what it had slept then was before t
			sleep = asleep(*w.now) - asleep(c)
			most = min(wall, awakeFor(*w.now)-awakeFor(c))
			continue
		}
		least = max(least, awakeFor(*w.now)-awakeFor(c))
	}
	return min(wall, max(least, wall-max(sleep, 0))), most
}

// longer answers whether the machine was awake for more than d since t, or for
// as much when orEqual. That it may have been, but need not, is no: nobody is
// silent because the machine slept.
func (f *Facts) longer(t record.Time, d time.Duration, orEqual bool, yes, no Reading) Reading {
	over := func(age time.Duration) bool { return age > d || orEqual && age == d }
	least, most := f.Waking.since(t, f.At)
	switch {
	case over(least):
		return yes
	case over(most) && f.Waking.ledger.Truth == Unread:
		return f.Waking.ledger
	}
	return no
}

// awake says how much of the time since t the machine was awake, "" when all of
// it.
func (f *Facts) awake(t record.Time) string {
	least, most := f.Waking.since(t, f.At)
	switch wall := f.age(&t); {
	case wall-least < slept:
		return ""
	case most-least < slept:
		return ", " + span(least) + " of it awake"
	}
	return ", at least " + span(least) + " of it awake"
}
