package act

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// unstarted is how a person is told that a start was refused, by verb. An upgrade says
// so to whom it was called by.
var unstarted = map[string]string{
	"restart": "it does not answer, and is not restarted: ",
	"launch":  "it should run, and is not started: ",
	"resume":  "it stopped, and is not taken up again: ",
}

// unwritten is how a person is told that a message to a session that no list names was
// refused, by verb: no other rung comes after it, and no tick asks about such a session.
var unwritten = map[string]string{
	"mail":   "it stands still, and is not written to: ",
	"inject": "it stopped, and is not told to go on: ",
}

// lasting are reasons of which a person is told: each may hold for as long as
// nobody does anything about it. What is no such reason ends by itself, or was
// told by the judge.
var lasting = []string{"absent", "runs", "dialog", "attached", "draft", "mode", "viewer", "no-prompt", "unknown", "open", "text", "name-taken", noLauncher}

// tells is what a person is told of a decision when it was tried. Of a restart the judge
// has it that it is restarted: what became of it is said in place of that.
func (a *Actor) tells(d record.Decision, o record.Outcome) *record.Alert {
	switch {
	case o.Verb == "nudge":
		return unnudged(d, o)
	case o.Result == record.Refused:
		return a.kept(d, o)
	case o.Verb == "restart" && o.Result == record.Done && d.Alert != nil:
		return &record.Alert{Severity: d.Alert.Severity, Text: fmt.Sprintf("it did not answer and was restarted, attempt %d", d.Attempt)}
	case o.Verb == "restart" && o.Result == record.Failed:
		return &record.Alert{Severity: "restart-failed", Text: "it did not answer, and its restart failed: " + o.Detail}
	case o.Verb == "restart" && o.Result == record.Unknown:
		return &record.Alert{Severity: "restart-failed", Text: "it did not answer, and what became of its restart is not known: " + o.Detail}
	}
	return d.Alert
}

// unnudged is what a person is told of a nudge that each sweep may refuse alike: who has
// the session before him sees that it stands still.
func unnudged(d record.Decision, o record.Outcome) *record.Alert {
	if d.Alert == nil || o.Result != record.Refused || o.Reason == "attached" || o.Reason != "ledger" && !slices.Contains(lasting, o.Reason) {
		return nil
	}
	return &record.Alert{Severity: d.Alert.Severity + record.StallKept + o.Reason, Text: d.Alert.Text + ": " + o.Detail}
}

// Undecided has a person told that a decision about an agent was left, since two judges
// decide differently: each sweep may, for as long as nobody mends it. ours is the one of
// this program.
func (a *Actor) Undecided(ctx context.Context, ours record.Decision, why string) error {
	if a.Dry != "" || a.forged(ours) != nil {
		return nil
	}
	ours.Alert = &record.Alert{Severity: "kept-decision", Text: "what a stream decided about it is not done: " + why}
	return a.alert(ctx, plain(ours))
}

// passes is how many sweeps more whatever should end by itself may keep an agent from being
// told that it does not answer.
const passes = 2

// kept is what a person is told when a decision is refused: what keeps it from
// being done, in place of what was to be told of it. Of a restart the session's own
// work may do so as well, for ever; and of a message to an agent that would be restarted
// by now, had one been begun before.
func (a *Actor) kept(d record.Decision, o record.Outcome) *record.Alert {
	says, starts := unstarted[o.Verb]
	written, writes := unwritten[o.Verb]
	switch {
	case o.Reason == "ledger":
		return &record.Alert{Severity: "kept-ledger", Text: "it needs something, and nothing is done to it: " + o.Detail}
	case o.Reason == "secret":
		return &record.Alert{Severity: "kept-secret", Text: "it is not started: " + o.Detail}
	case starts && slices.Contains(lasting, o.Reason), o.Verb == "restart" && o.Reason == "busy":
		return &record.Alert{Severity: "kept-" + o.Reason, Text: says + o.Detail}
	case o.Verb == "inject" && !strings.HasPrefix(d.Agent, sessionMark) && d.Deaf > a.Rules.EscalateAfter && (o.Reason == "busy" || slices.Contains(lasting, o.Reason) || d.Deaf > a.Rules.EscalateAfter+passes):
		return &record.Alert{Severity: "kept-" + o.Reason, Text: "it does not answer, and is not told so: " + o.Detail}
	case writes && strings.HasPrefix(d.Agent, sessionMark) && o.Reason != "attached" && slices.Contains(lasting, o.Reason): // who has it before him sees that it stands still
		return &record.Alert{Severity: "kept-" + o.Reason, Text: written + o.Detail}
	case o.Verb == "restart": // that it is restarted was to be told
		return nil
	}
	return d.Alert
}
