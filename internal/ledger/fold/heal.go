package fold

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// How long acts are told, and at most how many of an agent.
const (
	actsFor = 24 * time.Hour
	maxActs = 100
	wordFor = 7 * 24 * time.Hour // what nobody asked for in that long is told no more
)

// addSweep takes what a sweep found. OK ends the episode of an agent: what was
// tried is forgotten, and an exit that it had before it was looked at. One that
// came between the look and the note is of the life that was seen; one of a time
// later than the note was noted by a clock that was ahead, and came before.
func (s *State) addSweep(e record.Entry) {
	for _, found := range e.Agents {
		h := s.heal(found.Agent)
		h.Deaf, h.Throttled, h.SweptAt = found.Deaf, found.Throttled, record.TimeOf(e.TS.Time)
		if e.SeenAt != nil && e.SeenAt.After(e.TS.Time) { // by a clock that was ahead: its stream is not to be taken for a later one
			h.SweptAt = e.SeenAt
		}
		ids := s.swept[found.Agent]
		ids.last = e.ID
		switch {
		case found.Decision == "OK":
			ids.ok = e.ID
			if s.well(h, found.Version) {
				ids.ends = append(ids.ends, e.ID)
			}
			if h.AliveAt = e.SeenAt; h.AliveAt == nil {
				h.AliveAt = record.TimeOf(e.TS.Time)
			}
			if x := h.LastExit; x != nil && x.At != nil && (!x.At.After(h.AliveAt.Time) || x.At.After(e.TS.Time)) {
				h.LastExit = nil
			}
		case found.Reason == record.Unlisted && len(h.Alerts)+len(h.Unasked) > 0:
			ids.ends = append(ids.ends, e.ID)
			anew(h)
		}
		s.swept[found.Agent] = ids
	}
}

// swept are the ids of the last sweep that spoke of an agent, of the last that found
// it well, and of those that ended what another one that finds it well would not.
type swept struct {
	last, ok string
	ends     []string
}

// addPause takes the owner's word. A pause ends the episode: after it the agent
// begins anew.
func (s *State) addPause(e record.Entry) {
	h := s.heal(e.Key)
	h.Paused, h.PausedAt, h.PausedIn = e.Kind == record.EntryPause, nil, ""
	if h.Paused {
		h.PausedIn = guard.Withhold(e.Detail)
		h.Upgrade, h.LastAct, h.LastVerb, h.LastEnd = nil, nil, "", ""
		anew(h)
		h.PausedAt = record.TimeOf(e.TS.Time)
	}
}

// addExit takes how a session ended. Of an entry without a status nothing is known.
func (s *State) addExit(e record.Entry) {
	if e.Exit != nil {
		instance := guard.Withhold(decode[string](e.Target))
		s.heal(e.Key).LastExit = &record.AgentExit{Code: *e.Exit, At: record.TimeOf(e.TS.Time), Instance: instance}
	}
}

// heal returns what is known of an agent.
func (s *State) heal(agent string) *record.Heal {
	agent = guard.Withhold(agent)
	h := s.heals[agent]
	if h == nil {
		h = &record.Heal{Agent: agent}
		s.heals[agent] = h
	}
	return h
}

// Heals returns what is known of each agent and session, by name. Sessions of
// which the ledger says nothing since a week before its last entry are left out, and
// acts of more than a day before that, and what a person was told
// over a week before it and that is over. An entry of a time later than now is not taken
// for the last: a clock that was ahead noted it. A zero now knows no such time.
func (s *State) Heals(now time.Time) []record.Heal {
	newest := s.newest
	if !now.IsZero() && newest.After(now) {
		newest = now
	}
	hs := []record.Heal{}
	for _, name := range slices.Sorted(maps.Keys(s.heals)) {
		h := *s.heals[name]
		if strings.HasPrefix(name, "session:") && !h.Paused && len(h.Open) == 0 && newest.Sub(lastWord(h)) > wordFor {
			continue
		}
		from := newest.Add(-actsFor)
		h.Acts = slices.DeleteFunc(slices.Clone(h.Acts), func(a record.ActTime) bool { return a.At.Before(from) })
		h.Open, h.Ends = slices.Clone(h.Open), slices.Clone(h.Ends)
		h.Alerts = slices.Clone(h.Alerts)
		h.Unasked = slices.DeleteFunc(slices.Clone(h.Unasked), func(severity string) bool { return newest.Sub(s.alert(name, severity).at.Time) > wordFor })
		hs = append(hs, h)
	}
	return hs
}

// Heal returns what is known of one agent or session; of one of which nothing
// is known, its name.
func (s *State) Heal(agent string) record.Heal {
	if h := s.heals[guard.Withhold(agent)]; h != nil {
		return *h
	}
	return record.Heal{Agent: agent}
}

func lastWord(h record.Heal) time.Time {
	var last time.Time
	for _, t := range []*record.Time{h.LastAct, h.AliveAt, h.SweptAt} {
		if t != nil && t.After(last) {
			last = t.Time
		}
	}
	return last
}

// Acts returns how many acts with one of the verbs began between two moments, over all agents.
func (s *State) Acts(after, before time.Time, verbs ...string) int {
	n := 0
	for _, h := range s.heals {
		for _, a := range h.Acts {
			if a.At.After(after) && a.At.Before(before) && slices.Contains(verbs, a.Verb) {
				n++
			}
		}
	}
	return n
}
