package act

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

// act does what one decision asks for. The error is that of the ledger.
func (a *Actor) act(ctx context.Context, d record.Decision) (record.Outcome, error) {
	if a.Dry != "" {
		return a.rehearsed(ctx, d), nil
	}
	o := record.Outcome{Agent: d.Agent, Verb: d.Action.Verb}
	dr, t, err := a.reach(d)
	if err != nil {
		return refuse(o, err), nil
	}
	if d.Action.DelayS > 0 {
		a.Sleep(ctx, time.Duration(d.Action.DelayS)*time.Second)
	}
	if err := a.idle(d); err != nil {
		return refuse(o, err), nil
	}
	if err := a.allowed(ctx, d, dr, t); err != nil {
		if ctx.Err() != nil {
			return o, context.Cause(ctx) // nothing is begun
		}
		return refuse(o, err), nil
	}
	id, err := a.Book.Begin(a.Now(), entry(d.Action.Verb, d.Agent, record.ActTarget{Action: *d.Action, Attempt: d.Attempt, Seen: d.Seen}), a.may(ctx, d))
	if _, ok := errors.AsType[refusal](err); ok {
		return refuse(o, err), nil
	}
	if err != nil {
		return o, fmt.Errorf("noting that %s is about to be done to %s: %w", d.Action.Verb, d.Agent, err)
	}
	o.Intent = id
	if d.Action.Verb == "launch" {
		a.begun++ // whatever becomes of it: one that is deaf runs
	}
	if o = a.do(ctx, d, dr, t, o); ctx.Err() != nil && o.Result == record.Unknown { // it stays open
		return o, fmt.Errorf("what became of %s %s is not known yet, the next run looks: %w", d.Action.Verb, d.Agent, context.Cause(ctx))
	}
	e := record.Entry{Kind: record.EntryDone, Detail: o.Detail, Reason: o.Reason}
	switch o.Result {
	case record.Failed, record.Refused:
		e.Kind = record.EntryFailed
	case record.Unknown:
		e.Kind = record.EntryUnknown
	}
	if o.Proof != "" {
		e.Result = fold.Marshal(guard.Text(o.Proof, lineWidth))
	}
	return o, a.end(id, d.Action.Verb, d.Agent, e)
}

// refuse has an outcome be that of a refusal. An error that is none is what could not be seen.
func refuse(o record.Outcome, err error) record.Outcome {
	r, ok := errors.AsType[refusal](err)
	if !ok {
		r = refusal{"unknown", err.Error()}
	}
	o.Result, o.Reason, o.Detail = record.Refused, r.reason, r.detail
	return o
}

// target is the session that a decision is about.
func target(d record.Decision) driver.Target {
	t := driver.Target{Agent: d.Agent}
	if s := d.Seen; s != nil {
		name, pane, _ := strings.Cut(s.Tmux, ":@") // of a session of no list: with its window and pane
		if _, id, ok := strings.Cut(pane, ".%"); ok {
			t.Place = "%" + id
		}
		t.Session, t.Cwd, t.PID, t.SessionID = name, s.Workspace, s.PID, s.SessionID
		if d.Action.Driver == "claude" {
			t.Session = s.JobID
		}
		if s.Start != nil {
			t.Start = s.Start.Time
		}
	}
	return t
}

// ready looks once more whether what was decided still holds.
func (a *Actor) ready(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target) error {
	if err := a.stays(ctx, d.Action.Verb, *d.Seen); err != nil {
		return err
	}
	if err := a.unlocked(ctx, d); err != nil {
		return err
	}
	if err := a.answers(ctx, d); err != nil {
		return err
	}
	if err := a.startable(d); err != nil {
		return err
	}
	s, err := a.look(ctx, d, dr, t)
	if err == nil {
		err = a.rests(ctx, d)
	}
	switch {
	case err != nil:
		return err
	case d.Action.Verb == "launch" && s.Alive && s.PID == 0:
		return refused("name-taken", "something else runs in the session %q: end it there, or give it another name", t.Session)
	case d.Action.Verb == "launch" && s.Alive:
		return refused("runs", "process %d runs in the session %q, and not in its workspace: end it there, or give one of the two another name", s.PID, t.Session)
	case ends(d.Action.Verb):
		return a.reached(ctx, d, s, t)
	case s.Alive, d.Action.Verb == "launch", d.Action.Verb == "resume":
		return nil
	case d.Seen.PID != 0 && !strings.HasPrefix(d.Agent, sessionMark):
		return astray(d, t)
	}
	return refused("absent", "no session %s is there", strconv.Quote(t.Session))
}

func (a *Actor) do(ctx context.Context, d record.Decision, dr driver.Driver, t driver.Target, o record.Outcome) record.Outcome {
	begun := a.Now()
	var err error
	switch d.Action.Verb {
	case "inject", "mail", "nudge":
		err = dr.Say(ctx, t, d.Action.Text)
	case "upgrade":
		err = a.update(ctx, d, dr, t)
	case "restart":
		err = a.restart(ctx, d, dr, t)
	case "launch":
		err = a.start(ctx, d, dr, t)
	case "resume":
		_, err = dr.Start(ctx, t, driver.Launch{Text: d.Action.Text})
	}
	if r, ok := errors.AsType[refusal](err); ok && ctx.Err() == nil {
		o = refuse(o, r)
		if d.Action.Verb == "upgrade" {
			o.Detail += "; it is updated, and runs on as it was"
		}
		return o
	}
	if err != nil {
		o.Result, o.Reason = failedBy(err)
		if o.Detail = err.Error(); ctx.Err() != nil && o.Result == record.Failed {
			o.Result, o.Reason = record.Unknown, "unseen" // it may be the end of this run that failed it
		}
		return o
	}
	return a.seen(ctx, d, o, begun)
}

// seen waits for the effect of an act and says what it saw.
func (a *Actor) seen(ctx context.Context, d record.Decision, o record.Outcome, begun time.Time) record.Outcome {
	switch d.Action.Verb {
	case "inject", "mail", "nudge":
		return a.said(ctx, d, o, begun)
	case "resume":
		if o = a.ran(ctx, d, o, begun); o.Result != record.Done || d.Action.Text == "" {
			return o
		}
		return a.said(ctx, d, o, begun)
	}
	if o = a.ran(ctx, d, o, begun); o.Result != record.Done || d.Seen.Address == "" && d.Action.Verb != "upgrade" && d.Seen.Project == "" {
		return o
	}
	return a.green(ctx, d, o)
}

// said waits for the message in the transcript.
func (a *Actor) said(ctx context.Context, d record.Decision, o record.Outcome, begun time.Time) record.Outcome {
	var last error
	ok := a.until(ctx, a.Patient.Said, func() bool {
		id, err := a.Eyes.Said(ctx, *d.Seen, d.Action.Text, begun)
		last = err
		if id != "" {
			o.Proof = strings.TrimPrefix(o.Proof+"; user record "+id, "; ")
		}
		return id != ""
	})
	return verdict(ctx, o, ok, last, "unread", "its prompt took the text, and no user record of it is in the transcript")
}

// ran waits for a new process in the workspace.
func (a *Actor) ran(ctx context.Context, d record.Decision, o record.Outcome, begun time.Time) record.Outcome {
	var last error
	ok := a.until(ctx, a.Patient.Process, func() bool {
		p, err := a.Eyes.Process(ctx, after(d.Action.Verb, *d.Seen))
		last = err
		if !isNew(p, d.Seen, begun) {
			return false
		}
		o.Proof = fmt.Sprintf("process %d", p.PID)
		return true
	})
	return verdict(ctx, o, ok, last, "gone", "it was started, and no Claude Code process came to run in "+d.Seen.Workspace)
}

// isNew tells a process from the one that a decision saw.
func isNew(p *record.AgentProc, was *record.Seen, begun time.Time) bool {
	if p == nil || p.PID == was.PID && (was.Start == nil || p.Start == nil || p.Start.Equal(was.Start.Time)) {
		return false
	}
	return p.Start == nil || !p.Start.Before(begun.Add(-2*time.Second)) // the table counts in whole ticks of a clock
}

// green waits until a new instance answers, of an upgrade in the version that was
// asked for, as often in a row as the rules say.
func (a *Actor) green(ctx context.Context, d record.Decision, o record.Outcome) record.Outcome {
	var last error
	answered, wrong, want := 0, "", 1
	if d.Action.Verb == "upgrade" {
		want = a.Rules.GreenProbes
	}
	ok := a.until(ctx, a.Patient.Green, func() bool {
		h, err := a.Eyes.Health(ctx, d.Agent, *d.Seen)
		last = err
		if err != nil || !isOther(h, d.Seen) {
			answered = 0
			return false
		}
		if d.Action.Verb == "upgrade" && !versions.Same(h.Version, d.Action.To) {
			answered, wrong = 0, h.Version
			return false
		}
		if answered++; answered >= want {
			o.Proof += whichAnswers(h)
		}
		return answered >= want
	})
	if !ok && wrong != "" {
		return verdict(ctx, o, false, last, versions.Wrong, "it came back, and runs "+wrong)
	}
	return verdict(ctx, o, ok, last, "deaf", "its process ran, and no new instance answered: look at its channel server")
}

// verdict is the outcome of waiting. What could not be looked at is unknown, not
// failed, and so is what was not waited for to the end.
func verdict(ctx context.Context, o record.Outcome, ok bool, err error, reason, detail string) record.Outcome {
	switch {
	case ok:
		o.Result = record.Done
	case ctx.Err() != nil:
		o.Result, o.Reason, o.Detail = record.Unknown, "unseen", "this run was told to end before what became of it was seen"
	case err != nil:
		o.Result, o.Reason, o.Detail = record.Unknown, "unseen", "what became of it could not be looked at: "+err.Error()
	default:
		o.Result, o.Reason, o.Detail = record.Failed, reason, detail
	}
	return o
}

// until asks until it is so, or the time is over.
func (a *Actor) until(ctx context.Context, limit time.Duration, so func() bool) bool {
	for end := a.Now().Add(limit); ; a.Sleep(ctx, a.Patient.Every) {
		if so() {
			return true
		}
		if ctx.Err() != nil || !a.Now().Before(end) {
			return false
		}
	}
}
