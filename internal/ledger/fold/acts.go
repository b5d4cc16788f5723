package fold

import (
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

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
	} else if e.Verb != "nudge" { // which is about what it shows, and not that it does not answer
		h.Injects++
	}
	h.LastAct, h.LastVerb, h.LastEnd = record.TimeOf(e.TS.Time), e.Verb, ""
	h.Acts = append(h.Acts, record.ActTime{At: e.TS, Verb: e.Verb})
	h.Acts = h.Acts[max(len(h.Acts)-maxActs, 0):]
	if starts {
		h.Ends = append(slices.Clone(h.Ends), record.Ended{From: e.TS})
		h.Ends = h.Ends[max(len(h.Ends)-maxActs, 0):]
	}
	if e.Verb == "upgrade" {
		drop(h, record.UpgradeStopped)
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
	if n := len(h.Ends); record.ActVerbs[intent.Verb] && n > 0 && h.Ends[n-1].Until == nil {
		last, ended := endedBy(h.Ends[n-1], intent.Verb, e)
		if h.Ends = slices.Concat(h.Ends[:n-1]); ended {
			h.Ends = append(h.Ends, last)
		}
	}
	switch _, known := record.ActVerbs[intent.Verb]; {
	case intent.Verb == record.VerbAlert && done:
		s.told(h, intent)
	case intent.Verb == record.VerbAlert && e.Reason == record.Untold:
		s.untold(h, intent)
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

// notesFor is how long after its process what started it may take to note how that ended.
const notesFor = 30 * time.Second

// endedBy is the time of an act that had an outcome. ended tells that it may have ended
// something: not when it was another process than the one that was seen; nor when it is a
// start that was done, and an end is of what runs now, or of what ran before. When an act
// is done that ends a process first, another one has come, and an end after that is of
// that one.
func endedBy(in record.Ended, verb string, outcome record.Entry) (_ record.Ended, ended bool) {
	done := outcome.Kind == record.EntryDone
	switch {
	case outcome.Reason == "changed", done && verb != "restart" && verb != "upgrade":
		return in, false
	case done:
		in.Until = record.TimeOf(outcome.TS.Time)
	default:
		in.Until = record.TimeOf(outcome.TS.Add(notesFor))
	}
	return in, true
}
