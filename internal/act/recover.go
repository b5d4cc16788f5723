package act

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

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
			continue
		}
		e.Detail = "recovered: " + e.Detail
		if err := a.end(intent.ID, intent.Verb, intent.Key, e); err != nil {
			return err
		}
	}
	return nil
}

// closing is the outcome of an intent; without a kind when it cannot be told.
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
	p, err := a.Eyes.Process(ctx, after(t.Action.Verb, *t.Seen))
	if err != nil || !isNew(p, t.Seen, begun) {
		return found(false, err, "", "no Claude Code process that is younger than the intent runs in "+t.Seen.Workspace)
	}
	proof := fmt.Sprintf("process %d", p.PID)
	if t.Seen.Project == "" {
		return found(true, nil, proof, "")
	}
	h, err := a.Eyes.Health(ctx, intent.Key, *t.Seen)
	answers := isOther(h, t.Seen)
	if err == nil && !answers && a.Now().Sub(begun) < a.Patient.Green {
		a.Sleep(ctx, a.Patient.Green-a.Now().Sub(begun).Truncate(time.Millisecond))
		h, err = a.Eyes.Health(ctx, intent.Key, *t.Seen)
		answers = isOther(h, t.Seen)
	}
	if answers && t.Action.Verb == "upgrade" && !versions.Same(h.Version, t.Action.To) {
		return record.Entry{Kind: record.EntryFailed, Reason: "wrong-version", Detail: "it runs " + h.Version}
	}
	if err == nil && !answers {
		return record.Entry{Kind: record.EntryFailed, Reason: "deaf", Detail: proof + " runs, and no new instance answers"}
	}
	return found(answers, err, proof+"; instance "+instance(h), "")
}

// isOther tells an answer of another instance than the one that was seen. One that
// does not say which it is may be the same.
func isOther(h *record.Health, was *record.Seen) bool {
	return h != nil && h.Online && h.Instance != "" && h.Instance != was.Instance
}

func instance(h *record.Health) string {
	if h == nil {
		return ""
	}
	return h.Instance
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
