package reconcile

import (
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// launch is the ladder of an agent without a process.
func launch(f *Facts) record.Decision {
	d := draft{record.Decision{Decision: "LAUNCH", Reason: "gone", Attempt: f.Heal.Attempts + 1, Deaf: f.Heal.Deaf,
		Detail: "no process runs in " + f.Want.Workspace}}
	if f.Health != nil {
		d.Detail += ", and its registry still lists it"
	}
	d.Detail += f.lastTry()
	if held, ok := d.attempts(f, "launch"); ok {
		return held
	}
	if held, ok := d.rate(f, "launch"); ok {
		return held
	}
	if f.Running >= f.Cap {
		return d.not("cap", "launch", "no more may run than caps.fleet_sessions says, %d", f.Cap).told("cap", "it should run, and no more may than caps.fleet_sessions says, %d", f.Cap)
	}
	d.Action = &record.Action{Verb: "launch", Driver: "tmux", Argv: Told(f.Want.Start()), DelayS: f.Rules.StaggerS * min(f.Starts, 1)}
	return d.Decision
}

// ladder is that of an agent whose process runs and that does not answer.
func ladder(f *Facts) record.Decision {
	d := heal(f, "it does not answer (%s), sweep %d", failure(f.Health), f.Heal.Deaf+1)
	d.Tier, d.Attempt, d.Detail = 1, f.Heal.Attempts+1, d.Detail+f.lastTry()
	if n := f.Rules.EscalateAfter; f.Heal.Injects < n {
		d.Action = &record.Action{Verb: "inject", Driver: "tmux", Text: InjectText}
		if n == 1 {
			return d.not("deaf", "restart", "only after it was told so").Decision
		}
		return d.not("deaf", "restart", "only after it was told so %d times", n).Decision
	}
	d.Tier = 2
	d.Not = append(d.Not, record.NotDone{Verb: "inject", Why: "it was told so before"})
	if why := f.unstartable(); why != "" {
		return d.not("no-launcher", "restart", "it could not be started again: %s", why).
			told("no-launcher", "it does not answer, and is not restarted, since it could not be started again: %s; mend that, or give it a command in the list of agents", why)
	}
	if held, ok := d.attempts(f, "restart"); ok {
		return held
	}
	if !f.Rules.AllowRestart {
		return d.not("held", "restart", "heal.allow_restart is 0").told("held", "it has not answered for %d sweeps, and may not be restarted: heal.allow_restart is 0", d.Deaf)
	}
	if held, ok := d.rate(f, "restart"); ok {
		return held
	}
	gap := time.Duration(f.Rules.FleetGapS) * time.Second
	if within(f.Now, f.Restarted, gap) {
		d.NextAt = record.TimeOf(f.Restarted.Add(gap))
		return d.not("fleet-gap", "restart", "another was restarted less than %v ago: the next may come at %s", gap, stamp(d.NextAt)).Decision
	}
	d.Action = &record.Action{Verb: "restart", Driver: "tmux", Argv: Told(f.Want.Start())}
	d.Not = append(d.Not, record.NotDone{Verb: "wait", Why: "nothing in the stream says that it works; that is looked at again before it is restarted"})
	return d.told("restarted", "it did not answer for %d sweeps and is restarted, attempt %d", d.Deaf, d.Attempt)
}

// attempts is what holds a launch or a restart back, whichever it is: the time
// since the last, the number of them, a usage limit of the account.
func (d draft) attempts(f *Facts, verb string) (record.Decision, bool) {
	until, used := f.held(), f.Heal.Attempts >= f.Rules.MaxAttempts
	switch {
	case !until.IsZero() && used:
		d.NextAt = nil
		return d.not("stuck", verb, "attempt %d of %d was the last", f.Heal.Attempts, f.Rules.MaxAttempts).
			told("stuck", "%d attempts have not brought it back so far", f.Heal.Attempts), true
	case !until.IsZero():
		d.NextAt = record.TimeOf(until)
		return d.not("backoff", verb, "the next attempt may come at %s", stamp(d.NextAt)).Decision, true
	case used:
		return d.not("exhausted", verb, "%d attempts were in vain", f.Heal.Attempts).
			told("exhausted", "%d attempts did not bring it back; fleet-ledger pause, then unpause, lets it try again", f.Heal.Attempts), true
	case f.Unjudged != "":
		return d.not("unjudged", verb, "whether a usage limit holds is not known: %s", f.Unjudged).
			told("unjudged", "nothing is started for it: whether a usage limit holds is not known: %s", f.Unjudged), true
	case f.Pause != nil && f.Now.Before(f.Pause.Time):
		d.NextAt = f.Pause
		return d.not("limit", verb, "a usage limit: nothing is started before it ends, at %s", stamp(f.Pause)).Decision, true
	}
	return record.Decision{}, false
}

// lastTry says what became of the last attempt, as the end of a detail; "" when none was
// made since it was last well.
func (f *Facts) lastTry() string {
	n, end := f.Heal.Attempts, f.Heal.LastEnd
	switch {
	case n == 0:
		return ""
	case !record.ActVerbs[f.Heal.LastVerb]: // a message came after it
		return fmt.Sprintf("; attempt %d was made", n)
	case end == "":
		return fmt.Sprintf("; attempt %d has no outcome yet", n)
	case end == record.EntryDone:
		return fmt.Sprintf("; attempt %d was done, and did not last", n)
	case end == "unseen" || end == "lost":
		return fmt.Sprintf("; what became of attempt %d is not known (%s)", n, end)
	}
	return fmt.Sprintf("; attempt %d failed (%s)", n, end)
}

// stamp is a moment as a person reads it.
func stamp(at *record.Time) string { return at.UTC().Format(time.RFC3339) }

// InjectText is what a deaf agent is told. It is one line: a prompt takes it whole.
const InjectText = "[fleet] Your channel does not answer, although this session runs. Please find out why: see whether the channel server runs, " +
	"remove a registry entry of an earlier instance if there is one, and say so here if you need to be started again."

func failure(h *record.Health) string {
	switch {
	case h == nil:
		return "no registry lists it"
	case h.Online:
		return "its registry lists another instance"
	}
	return h.Failure
}
