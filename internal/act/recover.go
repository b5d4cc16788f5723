package act

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

// Recover closes the intents that a run left open that died: from what can be
// seen of their effects, each once. Nothing is done again. What cannot be looked
// at stays open, and holds off every other act on that agent.
func (a *Actor) Recover(ctx context.Context) error {
	s, err := a.Book.ReadOrNone()
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	a.begin(s)
	for _, intent := range s.Open() {
		if _, known := record.ActVerbs[intent.Verb]; intent.DryRun || !known && intent.Verb != record.VerbAlert || intent.By != "act" || intent.Tick != nil {
			continue // of another program
		}
		var t record.ActTarget
		if json.Unmarshal(intent.Target, &t) != nil || t.Seen == nil && intent.Verb != record.VerbAlert {
			t = record.ActTarget{}
		}
		e := a.closing(ctx, intent, t)
		if ctx.Err() != nil { // what was seen may be that alone
			return fmt.Errorf("%s %s of %s has no outcome yet: %w", intent.Verb, intent.ID, intent.Key, context.Cause(ctx))
		}
		if e.Kind == "" {
			a.Warn("%s %s of %s has no outcome, and what became of it cannot be looked at: %s; until it can, nothing else is done to it", intent.Verb, intent.ID, intent.Key, e.Detail)
		} else {
			e.Detail = "recovered: " + e.Detail
		}
		if alert := a.recovered(intent, t, e); alert != nil { // first: of an intent that is closed nobody asks again
			if err := a.alert(ctx, plain(record.Decision{Agent: intent.Key, Seen: t.Seen, Alert: alert})); err != nil {
				return err
			}
		}
		if e.Kind == "" {
			continue
		}
		if err := a.end(intent.ID, intent.Verb, intent.Key, e); err != nil {
			return err
		}
	}
	return nil
}

// openFor is how long an intent may stay open whose run died until a person is told: as
// long as an update may take. Whoever would have ended that is gone.
const openFor = driver.UpdateLimit

// recovered is what a person should know of an intent that a run left, nil when nothing:
// what its run would have told, and that it stays open for long, which keeps everything
// off its agent.
func (a *Actor) recovered(intent record.Entry, t record.ActTarget, e record.Entry) *record.Alert {
	age, verb := a.Now().Sub(intent.TS.Time), intent.Verb
	switch {
	case verb == record.VerbAlert:
		return nil
	case e.Kind == "" && (age > openFor || age < -skew):
		return &record.Alert{Severity: "kept-open", Text: fmt.Sprintf("nothing is done to it, since the %s that began at %s has no outcome: %s", verb, intent.TS.UTC().Format(time.RFC3339), e.Detail)}
	case e.Kind == "":
		return nil
	case verb == "restart" && e.Kind == record.EntryDone:
		return &record.Alert{Severity: "restarted", Text: fmt.Sprintf("it did not answer and was restarted, attempt %d; the run that did it died", t.Attempt)}
	case verb == "restart":
		return &record.Alert{Severity: "restart-failed", Text: "it did not answer, and the run that was to restart it died; " + e.Detail}
	case verb == "upgrade" && e.Kind != record.EntryDone:
		return &record.Alert{Severity: record.UpgradeStopped, Text: fmt.Sprintf("the upgrade to %s stopped here, its run died; %s", t.Action.To, e.Detail)}
	}
	return nil
}

// closing is the outcome of an intent; without a kind when it cannot be told. What may be
// on its way still is waited for, as long as a run that lives would.
func (a *Actor) closing(ctx context.Context, intent record.Entry, t record.ActTarget) record.Entry {
	if intent.Verb == record.VerbAlert {
		return record.Entry{Kind: record.EntryDone, Detail: "it is told: the ledger has it"}
	}
	if t.Seen == nil {
		return record.Entry{Kind: record.EntryUnknown, Reason: "lost", Detail: "the intent does not say what was to be done"}
	}
	if t.Action.Verb == "upgrade" {
		if err := a.Updates(); err != nil {
			return record.Entry{Detail: err.Error()}
		}
	}
	begun := intent.TS.Time
	if !record.ActVerbs[t.Action.Verb] {
		id, err := a.Eyes.Said(ctx, *t.Seen, t.Action.Text, begun)
		return found(id != "", err, "user record "+id, "no user record of it is in the transcript")
	}
	p, err := (*record.AgentProc)(nil), error(nil)
	comes := func() bool { // what starts it may take its time; beside one that was there nothing is started
		p, err = a.Eyes.Process(ctx, after(t.Action.Verb, *t.Seen))
		return err != nil || p != nil
	}
	if !a.until(ctx, left(a.Patient.Process, a.Now().Sub(begun)), comes) && a.starting(ctx, intent, t) {
		a.until(ctx, a.Patient.Process, comes)
	}
	if err != nil || !isNew(p, t.Seen, begun) {
		return found(false, err, "", "no Claude Code process that is younger than the intent runs in "+t.Seen.Workspace+cameTo(t, p))
	}
	proof := fmt.Sprintf("process %d", p.PID)
	if t.Seen.Project == "" {
		return found(true, nil, proof, "")
	}
	if p.Start != nil { // its run would have waited from then on
		begun = p.Start.Time
	}
	var h *record.Health
	wrong := func() bool {
		return isOther(h, t.Seen) && t.Action.Verb == "upgrade" && !versions.Same(h.Version, t.Action.To)
	}
	answers := a.until(ctx, left(a.Patient.Green, a.Now().Sub(begun)), func() bool {
		h, err = a.Eyes.Health(ctx, intent.Key, *t.Seen)
		return err == nil && isOther(h, t.Seen) && !wrong()
	})
	switch {
	case err == nil && wrong():
		return record.Entry{Kind: record.EntryFailed, Reason: versions.Wrong, Detail: "it runs " + h.Version}
	case err == nil && !answers:
		return record.Entry{Kind: record.EntryFailed, Reason: "deaf", Detail: proof + " ran, and no new instance answered"}
	}
	return found(answers, err, proof+whichAnswers(h), "")
}

// starting tells that the session of an act is there and no Claude Code process is in it:
// what starts one still runs. When it was begun nobody knows, as after an update.
func (a *Actor) starting(ctx context.Context, intent record.Entry, t record.ActTarget) bool {
	dr := a.Drivers[t.Action.Driver]
	if dr == nil {
		return false
	}
	s, err := dr.Look(ctx, target(record.Decision{Agent: intent.Key, Action: &t.Action, Seen: t.Seen}))
	return err == nil && s.Alive && s.PID == 0
}

// left is what of a time is left, all of it where it began ahead of the clock.
func left(of, passed time.Duration) time.Duration { return min(of-passed, of) }

// cameTo says how far an act came that was to end a process and start another, by the one
// that runs in the workspace now; "" of another act.
func cameTo(t record.ActTarget, p *record.AgentProc) string {
	switch {
	case !ends(t.Action.Verb) || t.Seen.PID == 0:
		return ""
	case p == nil:
		return fmt.Sprintf("; its process %d has ended, and nothing was started in its place", t.Seen.PID)
	case p.PID == t.Seen.PID:
		return fmt.Sprintf("; its process %d runs on", p.PID)
	}
	return fmt.Sprintf("; its process %d has ended, and process %d works there", t.Seen.PID, p.PID)
}

// isOther tells an answer of another instance than the one that was seen. One that
// does not say which it is may be the same, unless none that was seen said so either: then
// it is the new process that answers, and of an upgrade the version tells.
func isOther(h *record.Health, was *record.Seen) bool {
	return h != nil && h.Online && (was.Instance == "" || h.Instance != "" && h.Instance != was.Instance)
}

// whichAnswers names the instance that answers.
func whichAnswers(h *record.Health) string {
	if h == nil || h.Instance == "" {
		return "; it answers"
	}
	return "; instance " + h.Instance
}

func found(ok bool, err error, proof, missing string) record.Entry {
	switch {
	case err != nil:
		return record.Entry{Detail: err.Error()}
	case ok:
		return record.Entry{Kind: record.EntryDone, Detail: proof}
	}
	return record.Entry{Kind: record.EntryFailed, Reason: "lost", Detail: missing}
}
