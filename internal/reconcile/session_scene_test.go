package reconcile

import (
	"github.com/fleet-tools/fleet/internal/record"
)

type change = func(*record.Session, *record.Verdict, *record.Heal)

func job(state string) change {
	return func(p *record.Session, v *record.Verdict, _ *record.Heal) {
		p.Job, v.Session.JobID = &record.Job{ID: "j1", State: state}, "j1"
	}
}

func acted(ago *record.Time, verbs ...string) change {
	return func(_ *record.Session, _ *record.Verdict, h *record.Heal) {
		for _, verb := range verbs {
			if h.LastAct, h.LastVerb, h.LastEnd = ago, verb, "done"; record.ActVerbs[verb] {
				h.Attempts++
			} else {
				h.Injects++
			}
			h.Acts = append(h.Acts, record.ActTime{At: *ago, Verb: verb})
		}
	}
}

func placed(how string) change {
	return func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Placement = how }
}

func open(tools ...string) change {
	return func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Transcript.OpenCalls = tools }
}

func nowhere(_ *record.Session, v *record.Verdict, _ *record.Heal) { v.Session.Tmux = "" }

func resetAt(t *record.Time) change {
	return func(_ *record.Session, v *record.Verdict, _ *record.Heal) { v.ResetAt = t }
}

func pausedSession(_ *record.Session, _ *record.Verdict, h *record.Heal) { h.Paused = true }

func toldOf(severities ...string) change {
	return func(_ *record.Session, _ *record.Verdict, h *record.Heal) { h.Alerts = severities }
}

// A sessionScene is about the session "s" of a class; row is the row of
// sessionRules that decides about it, want the decision in brief, none when the
// session is no matter of a decision.
type sessionScene struct {
	name, class, row, want string
	changes                []change
	around                 func(*scene) // what else there is; nil: nothing
}
