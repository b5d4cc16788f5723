package asks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// heals are what fleet-act filed about agents and sessions, and that no sweep
// ended for one and a half of the times between two: nothing local notices its
// own death, so what ticks asks about what sweeps. Nothing of it where the
// configuration keeps nothing alive.
func (s *stream) heals() []condition {
	if s.tick.Heal == nil || !s.read(s.host, "ledger", "") {
		return nil
	}
	cs := s.sweeps()
	for _, r := range s.set.Of(record.KindHeal) {
		h, ok := record.Payload[record.Heal](r)
		if !ok || r.Host != s.host {
			continue
		}
		about := s.healed(h.Agent)
		for _, severity := range slices.Concat(h.Alerts, h.Unasked) {
			if id, _, stall := record.StallOf(severity); stall && !slices.ContainsFunc(s.tick.Heal.Stalls, func(r record.StallRule) bool { return r.ID == id }) {
				continue // nobody looks for it any more, so nobody would see its end
			}
			c := about
			if at, ok := h.Filed[severity]; ok && !at.After(r.At.Time) {
				c.began = &at // filed anew after the answer, it is asked anew; by a clock that was ahead, nobody knows
			}
			c.key, c.question = record.HealKey(h.Agent, severity), about.question+": "+cmp.Or(h.Texts[severity], severity)
			cs = append(cs, c)
		}
	}
	return cs
}

// healed is what a question about an agent has: of a session that was judged its name,
// so that it stands with its session.
func (s *stream) healed(agent string) condition {
	subject, ok := strings.CutPrefix(agent, "session:")
	r, _ := s.set.Get(record.Identity{Host: s.host, Kind: record.KindVerdict, Subject: subject})
	v, judged := record.Payload[record.Verdict](r)
	if !ok || !judged {
		return condition{question: agent}
	}
	return condition{class: v.Class, question: cmp.Or(v.Session.Name, subject), host: s.host, session: subject, lead: s.lead(s.host, v)}
}

func (s *stream) sweeps() []condition {
	const key = "heal:sweep"
	late := time.Duration(s.tick.Heal.IntervalMin) * time.Minute * 3 / 2
	r, ok := s.set.Get(record.Identity{Host: s.host, Kind: record.KindSwept, Subject: "sweep"})
	p, _ := record.Payload[record.Swept](r)
	switch {
	case !ok:
		return []condition{{key: key, question: "no sweep of heal.sh ever ended: is its timer installed?"}}
	case r.At.Sub(p.At.Time) > late:
		return []condition{{key: key, question: fmt.Sprintf("no sweep of heal.sh has ended for over %d min: nothing is kept alive", int(late.Minutes()))}}
	case p.At.Sub(r.At.Time) > late: // by a clock that was ahead: it would hide the end of sweeps until then
		return []condition{{key: key, question: "the last sweep of heal.sh ended at a time that has not come: whether one has ended of late is not known"}}
	case p.Exit != 0:
		return []condition{{key: key, question: "the last sweep of heal.sh failed: " + cmp.Or(p.Detail, "heal.log says why")}}
	case p.Since != nil && p.At.After(p.Since.Time): // not the first: what passes by itself is nobody's matter
		return []condition{{key: "heal:undecided", question: "sweeps of heal.sh decide nothing about " + p.Undecided}}
	}
	return nil
}
