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

// asked is what the judge makes of a decision: of which kind, by which driver, and
// what a session is told, which is never anything else.
type asked struct {
	decision, verb, driver string
	texts                  []string
}

var (
	ofAgents = []asked{
		{"LAUNCH", "launch", "tmux", []string{""}},
		{"HEAL", "inject", "tmux", []string{reconcile.InjectText}},
		{"HEAL", "restart", "tmux", []string{""}},
		{"UPGRADE", "upgrade", "tmux", []string{""}},
		{"RESUME", "nudge", "tmux", []string{NudgeText}},
	}
	ofSessions = []asked{
		{"HEAL", "mail", "tmux", []string{reconcile.HungText, reconcile.StalledText}},
		{"RESUME", "resume", "claude", []string{reconcile.ResumeText}},
		{"RESUME", "inject", "tmux", []string{reconcile.ResumeText}},
	}
)

// fits says why a decision is none that the judge makes, of what is as it is: a
// stream is a file that others may have written. One without an action is asked
// too: it ends an episode, or tells a person.
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
	case isSession && seen.SessionID != "" && session != seen.SessionID && !strings.HasPrefix(session, seen.SessionID+"@"),
		isSession && seen.SessionID == "" && !strings.HasPrefix(session, "pid:"):
		return refused("decision", "it is about another session than it names")
	}
	if err := a.Known(d); err != nil || d.Action == nil {
		return err
	}
	if isSession {
		return a.asks(d, ofSessions, nil)
	}
	command := a.Command(d.Agent, seen.Workspace)
	if command == nil {
		return refused("decision", "no agent of that name should run in %s, or several have it", seen.Workspace)
	}
	return a.asks(d, ofAgents, command)
}

// asks says why an action is none of these, or one that the configuration does not
// let be done by now.
func (a *Actor) asks(d record.Decision, known []asked, command []string) error {
	starts := slices.Contains([]string{"launch", "restart", "upgrade"}, d.Action.Verb)
	i := slices.IndexFunc(known, func(k asked) bool { return k.decision == d.Decision && k.verb == d.Action.Verb })
	switch {
	case i < 0:
		return refused("decision", "%s asks for no %s", guard.Text(d.Decision, 20), guard.Text(d.Action.Verb, 20))
	case d.Action.Driver != known[i].driver:
		return refused("driver", "%s is done by %s, and by nothing else", d.Action.Verb, known[i].driver)
	case !slices.Contains(known[i].texts, d.Action.Text):
		return refused("decision", "the stream asks for a text that no session is told")
	case starts && !slices.Equal(reconcile.Told(command), command):
		return refused("secret", "the command that starts it has what looks like a credential, which no plan and no ledger may have: let it be read from a file")
	case starts && !slices.Equal(d.Action.Argv, command), !starts && len(d.Action.Argv) > 0:
		return refused("decision", "the stream asks for another command than the one that starts it")
	case (d.Action.Verb == "upgrade") != (d.Action.To != ""), d.Action.To != "" && !reconcile.IsVersion(d.Action.To):
		return refused("decision", "it names no version")
	case d.Action.DelayS < 0, d.Action.DelayS > a.Rules.StaggerS, d.Action.DelayS > 0 && d.Action.Verb != "launch":
		return refused("decision", "it would wait %d seconds, and heal.stagger_s is %d", d.Action.DelayS, a.Rules.StaggerS)
	case d.Action.Verb == "restart" && !a.Rules.AllowRestart:
		return refused("switched-off", "heal.allow_restart is 0")
	case len(fold.Marshal(intent(d))) > fold.MaxLine/2: // an entry has more than its target
		return refused("text", "its command is too long for the ledger")
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
	return o
}

// called is what an agent is called where a name may be none.
func called(agent string) string { return guard.Text(agent, 250) }

// forged is why a decision is none that the judge makes. What the configuration
// does not let be done is a decision all the same.
func (a *Actor) forged(d record.Decision) error {
	err := a.fits(d)
	if r, ok := errors.AsType[refusal](err); ok && r.reason == "decision" {
		return err
	}
	return nil
}

// leave tells of a decision that is none: of no agent, and nobody is told of what
// it says.
func (a *Actor) leave(d record.Decision, why error) error {
	if d.Action == nil {
		r, _ := errors.AsType[refusal](why)
		a.Warn("a decision about %s is left: %s", strconv.Quote(called(d.Agent)), guard.Text(r.detail, lineWidth))
		return nil
	}
	return a.Emit(called(d.Agent), told(refuse(record.Outcome{Agent: d.Agent, Verb: d.Action.Verb}, why)))
}
