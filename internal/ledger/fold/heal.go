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
)

// addSweep takes what a sweep found. OK ends the episode of an agent: what was
// tried is forgotten, and an exit that it had before it was looked at. One that
// came between the look and the note is of the life that was seen.
func (s *State) addSweep(e record.Entry) {
	for _, found := range e.Agents {
		h := s.heal(found.Agent)
		h.Deaf, h.Throttled, h.SweptAt = found.Deaf, found.Throttled, record.TimeOf(e.TS.Time)
		if e.SeenAt != nil && e.SeenAt.After(e.TS.Time) { // by a clock that was ahead: its stream is not to be taken for a later one
			h.SweptAt = e.SeenAt
		}
		if found.Decision == "OK" {
			s.well(h)
			if h.AliveAt = e.SeenAt; h.AliveAt == nil {
				h.AliveAt = record.TimeOf(e.TS.Time)
			}
			if h.LastExit != nil && h.LastExit.At != nil && !h.LastExit.At.After(h.AliveAt.Time) {
				h.LastExit = nil // of an earlier life
			}
		}
		s.swept[found.Agent] = swept{last: e.ID, ok: s.swept[found.Agent].ok}
		if found.Decision == "OK" {
			s.swept[found.Agent] = swept{last: e.ID, ok: e.ID}
		}
	}
}

// swept are the ids of the last sweep that spoke of an agent, and of the last
// that found it well.
type swept struct{ last, ok string }

// well ends an episode. That an upgrade stopped at the agent is told until another is
// begun: it may have come back well, and in its old version.
func (s *State) well(h *record.Heal) {
	alerts, text := h.Alerts, h.Texts[record.UpgradeStopped]
	h.Deaf, h.Throttled, h.Attempts, h.Injects, h.Alerts, h.Texts = 0, 0, 0, 0, nil, nil
	if h.Upgrade != nil && h.Upgrade.State == "failed" && slices.Contains(alerts, record.UpgradeStopped) {
		h.Alerts, h.Texts = []string{record.UpgradeStopped}, map[string]string{record.UpgradeStopped: text}
	}
}

// again forgets that an upgrade stopped at an agent.
func again(h *record.Heal) {
	h.Alerts = slices.DeleteFunc(slices.Clone(h.Alerts), func(a string) bool { return a == record.UpgradeStopped })
	h.Texts = maps.Clone(h.Texts)
	delete(h.Texts, record.UpgradeStopped)
}

// addPause takes the owner's word. A pause ends the episode: after it the agent
// begins anew.
func (s *State) addPause(e record.Entry) {
	h := s.heal(e.Key)
	h.Paused, h.PausedAt = e.Kind == record.EntryPause, nil
	if h.Paused {
		h.Upgrade, h.LastAct, h.LastVerb, h.LastEnd = nil, nil, "", ""
		s.well(h)
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

// act takes the intent of an act, which counts from here on, whatever becomes of it.
func (s *State) act(e record.Entry) {
	starts, known := record.ActVerbs[e.Verb]
	if !known && e.Verb != record.VerbAlert || e.DryRun || e.Key == "" {
		return
	}
	h := s.heal(e.Key)
	h.Open = append(h.Open, record.OpenAct{ID: e.ID, Verb: e.Verb, At: e.TS})
	if !known {
		return
	}
	if starts {
		h.Attempts++
	} else {
		h.Injects++
	}
	h.LastAct, h.LastVerb, h.LastEnd = record.TimeOf(e.TS.Time), e.Verb, ""
	h.Acts = append(h.Acts, record.ActTime{At: e.TS, Verb: e.Verb})
	h.Acts = h.Acts[max(len(h.Acts)-maxActs, 0):]
	if ends(e.Verb) {
		h.Ended = &record.Ended{From: e.TS}
	}
	if e.Verb == "upgrade" {
		again(h)
		h.Upgrade = &record.UpgradeRun{To: guard.Withhold(decode[record.ActTarget](e.Target).Action.To), State: "open"}
	}
}

// acted takes the outcome of an act.
func (s *State) acted(intent, e record.Entry) {
	h := s.heals[guard.Withhold(intent.Key)]
	if h == nil {
		return
	}
	h.Open = slices.DeleteFunc(slices.Clone(h.Open), func(o record.OpenAct) bool { return o.ID == e.Of })
	done := e.Kind == record.EntryDone
	if ends(intent.Verb) && h.Ended != nil {
		h.Ended = endedBy(*h.Ended, e)
	}
	switch _, known := record.ActVerbs[intent.Verb]; {
	case intent.Verb == record.VerbAlert && done:
		t := decode[record.ActTarget](intent.Target)
		if severity := guard.Withhold(t.Severity); !slices.Contains(h.Alerts, severity) {
			h.Alerts = append(slices.Clone(h.Alerts), severity)
			if h.Texts = maps.Clone(h.Texts); h.Texts == nil {
				h.Texts = map[string]string{}
			}
			h.Texts[severity] = guard.Text(t.Text, 300)
		}
	case known:
		h.LastEnd = guard.Withhold(e.Reason)
		if done {
			h.LastEnd = record.EntryDone
		}
	}
	if intent.Verb == "upgrade" && h.Upgrade != nil {
		state := "green"
		if !done {
			state = "failed"
		}
		h.Upgrade = &record.UpgradeRun{To: h.Upgrade.To, State: state, Reason: guard.Withhold(e.Reason)}
	}
}

// ends tells whether a verb ends a process, to start another in its place.
func ends(verb string) bool { return verb == "restart" || verb == "upgrade" }

// notesFor is how long after its process what started it may take to note how that ended.
const notesFor = 30 * time.Second

// endedBy is the time of an act that had an outcome. When that is done, another process
// has come, and an end is of that one; when it was another process than the one that was
// seen, none was ended.
func endedBy(in record.Ended, outcome record.Entry) *record.Ended {
	switch {
	case outcome.Reason == "changed":
		return nil
	case outcome.Kind == record.EntryDone:
		in.Until = record.TimeOf(outcome.TS.Time)
	default:
		in.Until = record.TimeOf(outcome.TS.Add(notesFor))
	}
	return &in
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
// which the ledger says nothing since a week before its last entry are left out.
func (s *State) Heals() []record.Heal {
	hs := []record.Heal{}
	for _, name := range slices.Sorted(maps.Keys(s.heals)) {
		h := *s.heals[name]
		if strings.HasPrefix(name, "session:") && !h.Paused && len(h.Open) == 0 && s.newest.Sub(lastWord(h)) > 7*24*time.Hour {
			continue
		}
		from := s.newest.Add(-actsFor)
		h.Acts = slices.DeleteFunc(slices.Clone(h.Acts), func(a record.ActTime) bool { return a.At.Before(from) })
		h.Open, h.Alerts = slices.Clone(h.Open), slices.Clone(h.Alerts)
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

// Acts returns how many acts with one of the verbs began after a moment, over all agents.
func (s *State) Acts(after time.Time, verbs ...string) int {
	n := 0
	for _, h := range s.heals {
		for _, a := range h.Acts {
			if a.At.After(after) && slices.Contains(verbs, a.Verb) {
				n++
			}
		}
	}
	return n
}
