package act

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// may says why the ledger, as it stands now, forbids an act: the owner's pause, an
// act that another run began, the time since the last one, how many there were.
func (a *Actor) may(ctx context.Context, d record.Decision) func(*fold.State) error {
	return func(s *fold.State) error {
		h, now := s.Heal(d.Agent), a.Now()
		starts := record.ActVerbs[d.Action.Verb]
		if err := a.trusted(s); err != nil {
			return err
		}
		if err := a.paused(ctx, s, d); err != nil {
			return err
		}
		switch {
		case slices.ContainsFunc(h.Open, func(o record.OpenAct) bool { return o.Verb != record.VerbAlert }):
			return refused("open", "an earlier act on it has no outcome, and what became of it cannot be seen yet: fleet-act --execute recover says why")
		case a.moved(h):
			return refused("changed", "its episode is another than when this run began, as after a pause: the next sweep looks again")
		case a.since(h.LastAct):
			return refused("changed", "something was done to it after it was looked at: the next sweep looks again")
		case starts && d.Attempt > 0 && d.Action.Verb != "upgrade" && d.Action.Verb != "resume" && h.Attempts+1 != d.Attempt:
			return refused("changed", "it was to be attempt %d, and the ledger has %d by now: the next sweep looks again", d.Attempt, h.Attempts)
		case starts && d.Action.Verb != "upgrade" && h.Attempts >= a.Rules.MaxAttempts:
			return refused("backoff", "%d attempts were made, and there may be no more: fleet-ledger pause, then unpause, begins anew", h.Attempts)
		case starts && d.Action.Verb != "upgrade" && !reconcile.Held(h, a.Rules, now).IsZero():
			return refused("backoff", "attempt %d was a short time ago: the next may come at %s", h.Attempts, reconcile.Held(h, a.Rules, now).UTC().Format(time.RFC3339))
		case d.Action.Verb == "launch" && a.Room != nil && a.begun >= *a.Room:
			return refused("cap", "as many agents run as caps.fleet_sessions lets")
		case starts && a.Pause != nil && now.Before(a.Pause.Time) && d.Action.Verb != "upgrade":
			return refused("usage-limit", "a usage limit holds until %s: nothing is started before", a.Pause.UTC().Format(time.RFC3339))
		case !starts && a.wrote(h, now, d.Action.Verb):
			return refused("mail-interval", "a message was written to it less than %v ago", a.interval(d.Action.Verb))
		}
		gap, window := time.Duration(a.Rules.FleetGapS)*time.Second, time.Duration(a.Rules.WindowS)*time.Second
		restarts := []string{"restart", "resume"}
		if slices.Contains(restarts, d.Action.Verb) && gap > 0 && s.Acts(now.Add(-gap), now.Add(skew), restarts...) > 0 {
			return refused("fleet-gap", "another was restarted less than %v ago", gap)
		}
		if n := startsIn(h, now, window); starts && d.Action.Verb != "upgrade" && n >= a.Rules.WindowMax {
			return refused("rate", "it was started %d times in %v, as often as heal.window_max lets", n, window)
		}
		return nil
	}
}

// interval is how long after a message the next may be written.
func (a *Actor) interval(verb string) time.Duration {
	if verb == "mail" {
		return a.Mail
	}
	return time.Minute
}

// wrote tells that a message was written to it in this interval.
func (a *Actor) wrote(h record.Heal, now time.Time, verb string) bool {
	interval := a.interval(verb)
	return slices.ContainsFunc(h.Acts, func(t record.ActTime) bool { return !record.ActVerbs[t.Verb] && in(t.At, now, interval) })
}

// startsIn counts the starts of it in the last d.
func startsIn(h record.Heal, now time.Time, d time.Duration) int {
	n := 0
	for _, t := range h.Acts {
		if record.ActVerbs[t.Verb] && in(t.At, now, d) {
			n++
		}
	}
	return n
}

// in tells that a moment of the ledger is one of the last d. One that lies ahead was
// noted by a clock that was wrong: it is of no time that is known.
func in(at record.Time, now time.Time, d time.Duration) bool {
	return d > 0 && at.After(now.Add(-d)) && at.Sub(now) < skew
}

// look returns the session as it is now; the error is the refusal where that forbids the
// act. What the session says of itself is asked first, what its pane shows second.
func (a *Actor) look(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) (driver.State, error) {
	seen := *d.Seen
	if seen.PID != 0 && (d.Action.Verb != "mail" || seen.Class != "6") { // one that hangs says that it works: that is what it is asked about
		if busy, err := a.Eyes.Busy(ctx, seen); err != nil {
			return driver.State{}, refused("unknown", "whether it works could not be seen: %v", err)
		} else if busy {
			return driver.State{}, refused("busy", "it says that it works")
		}
	}
	s, err := dr.Look(ctx, t)
	switch {
	case err != nil:
		return s, refused("unknown", "the session could not be looked at: %v", err)
	case s.Over != "":
		return s, refused("finished", "its work is %s by now: it is never resumed", s.Over)
	case !s.Alive:
		return s, nil
	case s.Dialog != "":
		return s, refused("dialog", "a dialog is open: answer it, or close it")
	case s.Attached:
		return s, refused("attached", "a person has it before them: it is left to them")
	case s.Draft:
		return s, refused("draft", "somebody's text is in the prompt: send it, or take it away")
	case s.Mode:
		return s, refused("mode", "the pane is in copy mode: leave that with q")
	case s.Viewer:
		return s, refused("viewer", "a view is open in place of the prompt: close it")
	case s.Moving && d.Action.Verb != "launch": // what moves then is not the agent, and has its name
		return s, refused("busy", "what it shows changes, so it may work")
	case !s.Prompt && !record.ActVerbs[d.Action.Verb]:
		return s, refused("no-prompt", "no prompt is shown that a text could be typed into")
	case seen.PID == 0 || s.PID == 0 || s.PID == seen.PID || ends(d.Action.Verb):
	case !strings.HasPrefix(d.Agent, sessionMark): // its process runs: it is out of reach, and stays so
		return s, astray(d, t)
	default:
		return s, refused("changed", "process %d runs in its session, and %d did when it was looked at", s.PID, seen.PID)
	}
	return s, nil
}

// allowed asks once more about all that may keep an act from being done.
func (a *Actor) allowed(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) error {
	if err := a.goesOn(ctx, d.Action.Verb); err != nil {
		return err
	}
	if err := a.ready(ctx, d, dr, t); err != nil {
		return err
	}
	return a.goesOn(ctx, d.Action.Verb) // a look takes its time
}

// goesOn says why a run that was let begin does no more: it was told to end, or the
// configuration lets that be done no longer.
func (a *Actor) goesOn(ctx context.Context, verb string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := a.Lets(verb); err != nil {
		return refused("switched-off", "%v", err)
	}
	if a.Keeps > 0 && a.SeenAt != nil && a.Now().Sub(a.SeenAt.Time) > a.Keeps {
		return refused("changed", "what it was decided by was looked at more than %v ago by now: the next sweep looks again", a.Keeps)
	}
	return nil
}

// rests says that the session did something since it was looked at, so that what was
// judged of it may be so no more. What is upgraded goes on with its work in between, and
// need only be idle when it is.
func (a *Actor) rests(ctx context.Context, d record.Decision) error {
	if d.Action.Verb == "upgrade" {
		return nil
	}
	at, err := a.Eyes.Wrote(ctx, *d.Seen)
	switch {
	case err != nil:
		return refused("unknown", "whether it did something since it was looked at could not be seen: %v", err)
	case a.since(at):
		return refused("changed", "it did something since it was looked at: the next sweep looks again")
	}
	return nil
}

// stays says why the process that a decision was about is not the one that runs.
func (a *Actor) stays(ctx context.Context, verb string, s record.Seen) error {
	p, err := a.Eyes.Process(ctx, s)
	switch {
	case err != nil:
		return refused("unknown", "its process could not be looked for: %v", err)
	case p == nil && s.PID != 0:
		return refused("changed", "its process has ended since it was looked at: the next sweep looks again")
	case p != nil && s.PID == 0 && verb == "launch":
		return refused("changed", "process %d works in its workspace by now", p.PID)
	case p != nil && s.PID == 0:
		return refused("runs", "process %d works in its directory: nothing is started beside it", p.PID)
	case p != nil && (p.PID != s.PID || s.Start != nil && p.Start != nil && !p.Start.Equal(s.Start.Time)):
		return refused("changed", "process %d runs there now, and %d did when it was looked at", p.PID, s.PID)
	case p != nil && s.SessionID != "" && p.Session != "" && p.Session != s.SessionID:
		return refused("changed", "it runs another session now")
	}
	return nil
}

// unlocked says that macf's own upgrade has the agent by now. Of a session that no
// list names it is asked what keeps the agent from being touched that it belongs to.
func (a *Actor) unlocked(ctx context.Context, d record.Decision) error {
	if strings.HasPrefix(d.Agent, sessionMark) {
		return a.owned(ctx, d)
	}
	m, err := a.Eyes.Maintenance(ctx, *d.Seen)
	switch {
	case err != nil:
		return refused("unknown", "whether an upgrade has it could not be seen: %v", err)
	case reconcile.Locked(m, a.Now()):
		return refused("maintenance", "an upgrade has it by now, so nobody else touches it")
	}
	return nil
}

// answers says why what the agent answers by now forbids an act: it works, or it was
// judged deaf and is not. One that is to be upgraded must answer, and say that it does
// not work; a nudge is for one that stalls, whether it answers or not. Nobody asks a
// session that no list names.
func (a *Actor) answers(ctx context.Context, d record.Decision) error {
	if strings.HasPrefix(d.Agent, sessionMark) {
		return nil
	}
	h, err := a.Eyes.Health(ctx, d.Agent, *d.Seen)
	if err != nil {
		return refused("unknown", "whether it answers by now could not be seen: %v", err)
	}
	well := h != nil && h.Online && (h.Listed == "" || h.Instance == "" || h.Listed == h.Instance)
	switch verb := d.Action.Verb; {
	case h != nil && h.Busy != nil && *h.Busy:
		return refused("busy", "it says that it works")
	case verb == "upgrade" && (!well || h.Busy == nil):
		return refused("changed", "it does not answer by now, or not whether it works")
	case verb != "upgrade" && verb != "nudge" && well:
		return refused("reachable", "it answers by now")
	}
	return nil
}

// failedBy is the outcome of an error of a driver: whether it is certain that
// nothing was changed, or not.
func failedBy(err error) (result, reason string) {
	for _, known := range []struct {
		err    error
		result string
		reason string
	}{
		{driver.ErrUnsubmitted, record.Failed, "unsubmitted"}, {driver.ErrEnded, record.Failed, "ended"}, // first: whatever came in the way then, this was done
		{driver.ErrDialog, record.Refused, "dialog"}, {driver.ErrDraft, record.Refused, "draft"}, {driver.ErrAttached, record.Refused, "attached"},
		{driver.ErrMode, record.Refused, "mode"}, {driver.ErrBusy, record.Refused, "busy"}, {driver.ErrNoPrompt, record.Refused, "no-prompt"},
		{driver.ErrChanged, record.Refused, "changed"}, {driver.ErrAbsent, record.Failed, "absent"}, {driver.ErrRuns, record.Failed, "name-taken"},
		{driver.ErrBeside, record.Failed, "runs"}, {driver.ErrGone, record.Failed, "gone"}, {driver.ErrUnseen, record.Failed, "unseen"},
		{driver.ErrContradicts, record.Failed, "contradicts"}, {driver.ErrText, record.Refused, "text"},
		{command.ErrTimeout, record.Unknown, "unseen"}, {command.ErrEnded, record.Unknown, "unseen"}, {command.ErrOutput, record.Unknown, "unseen"}, // what was ended may have begun it
	} {
		if errors.Is(err, known.err) {
			return known.result, known.reason
		}
	}
	return record.Failed, "driver"
}
