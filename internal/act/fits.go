package act

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// sessionMark begins what a decision about a session of no list calls it; its
// subject follows.
const sessionMark = "session:"

// fits says why a decision is none to act on, of what is as it is: of the names in
// it, which come from files that others write, some can't be noted, and what the
// configuration says may be another by now. One without an action is asked too: it
// ends an episode, or tells a person.
func (a *Actor) fits(d record.Decision) error {
	session, isSession := strings.CutPrefix(d.Agent, sessionMark)
	seen := d.Seen
	switch {
	case isSession && (session == "" || guard.Withhold(session) != session),
		!isSession && (!desired.IsName(d.Agent) || desired.Name(d.Agent) != d.Agent || guard.Withhold(d.Agent) != d.Agent):
		return refused("decision", "what it calls the agent is no name of one")
	case seen == nil:
		return refused("decision", "it does not say what it is about")
	case seen.Host != a.Host:
		return refused("decision", "it is about another machine, %s", guard.Text(seen.Host, 100))
	case !clean(*seen):
		return refused("decision", "what it names is too long, or looks like a credential")
	case d.Action == nil:
		return nil
	case len(fold.Marshal(intent(d))) > fold.MaxLine/2: // an entry has more than its target
		return refused("text", "its command is too long for the ledger")
	}
	return a.asks(d)
}

// asks says why what an action starts, or upgrades to, can't be by now.
func (a *Actor) asks(d record.Decision) error {
	if d.Action.Verb == "upgrade" && guard.Withhold(d.Action.To) != d.Action.To {
		return refused("decision", "the version looks like a credential")
	}
	if !slices.Contains([]string{"launch", "restart", "upgrade"}, d.Action.Verb) {
		return nil
	}
	command := a.Command(d.Agent, d.Seen.Workspace)
	switch {
	case command == nil:
		return refused("decision", "no agent of that name should run in %s, or several have it", d.Seen.Workspace)
	case !slices.Equal(reconcile.Told(command), command):
		return refused("secret", "the command that starts it has what looks like a credential, which no plan and no ledger may have: let it be read from a file")
	case !slices.Equal(d.Action.Argv, command):
		return refused("decision", "another command starts it by now")
	}
	return nil
}

// clean tells that nothing of what was seen is too long, or has a credential in it:
// it goes into the ledger.
func clean(s record.Seen) bool {
	ok := path.IsAbs(s.Workspace) || s.Workspace == ""
	for _, word := range []string{s.Project, s.Workspace, s.Tmux, s.SessionID, s.JobID, s.Instance, s.Version, s.Address, s.Class} {
		ok = ok && len(word) <= 4096 && guard.Withhold(word) == word
	}
	return ok
}

// intent is what the ledger has of an act before it is done.
func intent(d record.Decision) record.ActTarget {
	return record.ActTarget{Action: *d.Action, Attempt: d.Attempt, Seen: d.Seen}
}

// How wide a text is at most that others wrote.
const (
	wordWidth = 100
	lineWidth = 1000
)

// plain is a decision whose texts for people are short, and have no credential.
func plain(d record.Decision) record.Decision {
	d.Decision, d.Reason, d.Detail = guard.Text(d.Decision, wordWidth), guard.Text(d.Reason, wordWidth), guard.Text(d.Detail, lineWidth)
	if d.Alert != nil {
		d.Alert = &record.Alert{Severity: guard.Text(d.Alert.Severity, wordWidth), Text: guard.Text(d.Alert.Text, lineWidth)}
	}
	return d
}

// told is an outcome of which the same is true.
func told(o record.Outcome) record.Outcome {
	o.Agent, o.Verb = called(o.Agent), guard.Text(o.Verb, wordWidth)
	o.Reason, o.Detail, o.Proof = guard.Text(o.Reason, wordWidth), guard.Text(o.Detail, lineWidth), guard.Text(o.Proof, lineWidth)
	o.Kept, o.Tells = guard.Text(o.Kept, lineWidth), guard.Text(o.Tells, lineWidth)
	return o
}

// called is what an agent is called where a name may be none.
func called(agent string) string { return guard.Text(agent, 250) }

// subjectOf is the subject of the outcome of a decision: of a stall one of its own, since
// what else is done to the agent in a sweep has that of the agent.
func subjectOf(d record.Decision) string {
	if d.Reason == "stall" {
		return "stall:" + called(d.Agent)
	}
	return called(d.Agent)
}

// forged is why a decision is none to act on. What the configuration does not let
// be done is a decision all the same.
func (a *Actor) forged(d record.Decision) error {
	err := a.fits(d)
	if r, ok := errors.AsType[refusal](err); ok && r.reason == "decision" {
		return err
	}
	return nil
}

// Leave tells of a decision that is not acted on, and why: of no agent, and nobody
// is told of what it says.
func (a *Actor) Leave(d record.Decision, why string) error {
	if d.Action == nil {
		a.Warn("a decision about %s is left: %s", strconv.Quote(called(d.Agent)), guard.Text(why, lineWidth))
		return nil
	}
	return a.Emit(called(d.Agent), told(record.Outcome{Agent: d.Agent, Verb: d.Action.Verb, Result: record.Refused, Reason: "decision", Detail: why}))
}
