// Package act does what a judge decided, and proves that it helped. It is the
// only package that links the drivers.
//
// Of each act the ledger has an intent, on the disk before anything is done, and
// an outcome. What may be done is looked at three times: by the judge, in the
// ledger under its lock, and at the session itself just before. An act is done
// when its effect was seen; what a driver says of it is not enough.
package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Book is the ledger as acting needs it; package ledger's is one.
type Book interface {
	Begin(at time.Time, begun record.Entry, may func(*fold.State) error) (id string, err error)
	End(at time.Time, of string, outcome record.Entry) error
	Note(at time.Time, e record.Entry) error
	ReadOrNone() (*fold.State, error)
}

// Eyes look at what an act is to bring about. An error means that they could not
// look.
type Eyes interface {
	// Said returns the id of the user record with a text that the session's transcript
	// has since a moment, "" when it has none.
	Said(ctx context.Context, s record.Seen, text string, since time.Time) (id string, err error)
	// Process returns the Claude Code process in the workspace, nil when none runs there.
	Process(ctx context.Context, s record.Seen) (*record.AgentProc, error)
	// Other returns a Claude Code process in the workspace that is not the one that was seen, nil when none runs there.
	Other(ctx context.Context, s record.Seen) (*record.AgentProc, error)
	// Health asks the agent once, by its registry's entry of this moment. Nil: no registry lists it.
	Health(ctx context.Context, agent string, s record.Seen) (*record.Health, error)
	// Busy tells whether the session says of itself that it works.
	Busy(ctx context.Context, s record.Seen) (bool, error)
	// Owner returns the workspace that a session's directory belongs to, nil when there is none; without an agent when nobody knows whose it is.
	Owner(ctx context.Context, s record.Seen) (*record.Workspace, error)
	// Wrote returns when the session last wrote into its transcript, nil when nobody can tell since it has none.
	Wrote(ctx context.Context, s record.Seen) (*record.Time, error)
	// Maintenance returns the lock that macf's own upgrade has on the agent in the workspace, nil when there is none.
	Maintenance(ctx context.Context, s record.Seen) (*record.Maintenance, error)
}

// Actor carries out decisions, one after another, and notes each in the ledger.
type Actor struct {
	Book      Book
	Eyes      Eyes
	Drivers   map[string]driver.Driver // by name
	Rules     record.HealRules
	Mail      time.Duration                                                 // between two messages to one session
	Pause     *record.Time                                                  // until when nothing new is started; nil: no such time
	Host      string                                                        // this machine: nothing is done to what is on another
	SeenAt    *record.Time                                                  // when what was decided about was looked at
	Keeps     time.Duration                                                 // how long after that anything may be done; 0: at any time
	Room      *int                                                          // how many agents may be launched; nil: any number
	Halves    int                                                           // damaged lines of the ledger that lost nothing: see Halves
	Dry       string                                                        // why nothing is done, only said; "": it is done
	Rehearse  bool                                                          // where nothing is done, what would keep it from being done is looked for
	Then      []string                                                      // what notes how a session ended: the agent and the status are added
	Command   func(agent, workspace string) []string                        // what starts an agent, nil of one that is not wanted there
	Lets      func(verb string) error                                       // why the configuration, as it is at this moment, lets no such act be done
	Update    func(ctx context.Context, workspace string) error             // brings what is installed for an agent to its newest version
	Startable func(program, dir string) error                               // why a program cannot be started in a directory, in words that follow its name
	Updates   func() error                                                  // says that an update still works which a run began that died, or that nobody can tell
	Tell      func(ctx context.Context, agent, severity, text string) error // hands a person what they should know beside the ledger; nil: the ledger alone
	Now       func() time.Time
	Sleep     func(ctx context.Context, d time.Duration)
	Emit      func(subject string, o record.Outcome) error // gets what became of each decision
	Warn      func(format string, args ...any)             // gets what went wrong beside that
	Patient   Patience

	entries int                    // of the ledger, when the run began
	began   map[string]record.Heal // by agent, what it had of that then; nil: nobody looked
	begun   int                    // launches
	asked   bool                   // Ready was
	due     []due                  // alerts that are filed, and not handed on yet
	owner   string                 // of the workspace that the session is in that was looked at last; "": none
}

// Patience is how long effects are waited for.
type Patience struct {
	Said    time.Duration // a message, in the transcript
	Process time.Duration // a process
	Green   time.Duration // an answer of a new instance
	Every   time.Duration // between two looks
	Grace   time.Duration // between TERM and KILL
}

// DefaultPatience is that of the real world.
var DefaultPatience = Patience{Said: 30 * time.Second, Process: 60 * time.Second, Green: 120 * time.Second, Every: time.Second, Grace: 10 * time.Second}

// Do acts on decisions, in order, and notes the sweep. What goes wrong with one
// agent is its outcome; the next one's turn comes all the same. The error is that
// of the ledger or of Emit: without a ledger nothing may be done.
func (a *Actor) Do(ctx context.Context, ds []record.Decision) error {
	if err := a.Ready(ctx); err != nil {
		return err
	}
	found := make([]record.SweepAgent, 0, len(ds))
	for _, d := range ds {
		if d = plain(d); a.Dry != "" || a.forged(d) == nil {
			found = append(found, swept(d))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.rectified(d); err != nil {
			return err
		}
		if err := a.One(ctx, d); err != nil {
			return err
		}
	}
	if a.Dry != "" {
		return nil
	}
	if err := a.Hand(ctx); err != nil {
		return err
	}
	if err := a.Book.Note(a.Now(), record.Entry{Kind: record.EntrySweep, By: "act", Agents: found, SeenAt: a.SeenAt}); err != nil {
		return fmt.Errorf("noting the sweep: %w", err)
	}
	return nil
}

// swept is what a sweep found of what a decision is about.
func swept(d record.Decision) record.SweepAgent {
	found := record.SweepAgent{Agent: d.Agent, Deaf: d.Deaf, Decision: d.Decision, Reason: d.Reason, Throttled: d.Throttled}
	if d.Decision == "OK" && d.Seen != nil {
		found.Version = d.Seen.Version
	}
	return found
}

// One does what a decision asks for, then tells a person what they should know.
func (a *Actor) One(ctx context.Context, d record.Decision) error {
	d, a.owner = plain(d), ""
	if a.Dry == "" {
		if err := a.forged(d); err != nil {
			r, _ := errors.AsType[refusal](err)
			return a.Leave(d, r.detail)
		}
		if err := a.mended(d); err != nil {
			return err
		}
	}
	if d.Action != nil {
		done, err := a.act(ctx, d)
		done = told(done)
		if err != nil && done.Intent == "" {
			return err
		}
		if says := a.tells(d, done); a.Dry == "" && says != nil {
			done.Tells = guard.Text(says.Text, lineWidth)
		}
		if err := errors.Join(err, a.Emit(subjectOf(d), done)); err != nil { // what was done is told, also when the ledger does not take it
			return err
		}
		d.Alert = a.tells(d, done)
	}
	if d.Alert == nil || a.Dry != "" {
		return nil
	}
	return a.alert(ctx, d)
}

// due is an alert that is to be handed on.
type due struct{ id, agent, severity, text string }

// alert tells a person. The ledger's intent is the filing: fleet-asks makes a
// question of it, also when the run dies here. What is handed on besides waits for Hand.
func (a *Actor) alert(ctx context.Context, d record.Decision) error {
	if err := a.Lets(record.VerbAlert); err != nil {
		a.Warn("nobody is told of %s, %s: %v", d.Agent, d.Alert.Severity, err)
		return nil
	}
	target := record.ActTarget{Severity: d.Alert.Severity, Text: d.Alert.Text}
	id, err := a.Book.Begin(a.Now(), entry(record.VerbAlert, d.Agent, target), func(s *fold.State) error {
		if err := a.paused(ctx, s, d); err != nil {
			return err
		}
		if s.Heal(d.Agent).Told(d.Alert.Severity) || slices.ContainsFunc(a.due, func(o due) bool { return o.agent == d.Agent && o.severity == d.Alert.Severity }) {
			return refused("told", "somebody was told in this episode")
		}
		return nil
	})
	if _, ok := errors.AsType[refusal](err); ok {
		return nil
	}
	if err != nil {
		return fmt.Errorf("noting an alert about %s: %w", d.Agent, err)
	}
	if a.Tell == nil {
		return a.end(id, record.VerbAlert, d.Agent, record.Entry{Kind: record.EntryDone})
	}
	a.due = append(a.due, due{id, d.Agent, d.Alert.Severity, d.Alert.Text})
	return nil
}

// Hand hands on what was filed since it last did. It comes after all that is done, so that
// whoever is slow to take it keeps no agent from what it needs. What is not taken is noted
// as that, and the next sweep tells it again.
func (a *Actor) Hand(ctx context.Context) error {
	for len(a.due) > 0 {
		o, outcome := a.due[0], record.Entry{Kind: record.EntryDone}
		a.due = a.due[1:]
		if err := a.Tell(ctx, o.agent, o.severity, o.text); err != nil {
			a.Warn("telling the owner about %s: %v; the next sweep tells it again", o.agent, err)
			outcome = record.Entry{Kind: record.EntryFailed, Reason: record.Untold}
		}
		if err := a.end(o.id, record.VerbAlert, o.agent, outcome); err != nil {
			return err
		}
	}
	return nil
}

// entry is an intent.
func entry(verb, key string, target record.ActTarget) record.Entry {
	return record.Entry{Verb: verb, Key: key, Target: fold.Marshal(target)}
}

// end notes an outcome.
func (a *Actor) end(id, verb, key string, e record.Entry) error {
	e.By, e.Verb, e.Key = "act", verb, key
	e.Reason, e.Detail = guard.Text(e.Reason, wordWidth), guard.Text(e.Detail, lineWidth)
	if err := a.Book.End(a.Now(), id, e); err != nil {
		return fmt.Errorf("noting what became of %s %s: %w", verb, key, err)
	}
	return nil
}

// refusal is why something is not done after all.
type refusal struct{ reason, detail string }

func (r refusal) Error() string { return r.reason + ": " + r.detail }

func refused(reason, format string, args ...any) error {
	return refusal{reason, fmt.Sprintf(format, args...)}
}
