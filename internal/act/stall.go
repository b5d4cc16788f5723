package act

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// NudgeText is what a stalled session is told.
const NudgeText = "[fleet] This session looks stalled: the last thing that it shows is an interruption that should be over. Please go on where you were."

// nudgesFor is how long nudges of one agent count together.
const nudgesFor = 24 * time.Hour

// Stalled looks at every agent of a stream whose process runs, and acts on the
// ones that show a stall of the configuration next to their prompt: it nudges
// them, or tells a person. It never answers what a dialog asks.
func (a *Actor) Stalled(ctx context.Context, set *record.Set, host string) error {
	if a.Dry == "" {
		if err := a.Recover(ctx); err != nil {
			return err
		}
	}
	s, err := a.Book.ReadOrNone()
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	seen := map[string]bool{}
	for _, r := range set.Of(record.KindWorkspace) {
		p, ok := record.Payload[record.Workspace](r)
		proc := reconcile.Claude(p)
		if !ok || r.Host != host || p.Agent == "" || proc == nil || seen[p.Agent] || a.Command(p.Agent, p.Path) == nil {
			continue // of no list, or one of two that have the name
		}
		seen[p.Agent] = true
		if err := a.stalled(ctx, p, proc, host, s.Heal(p.Agent)); err != nil {
			return err
		}
	}
	return nil
}

// stalled looks at one agent.
func (a *Actor) stalled(ctx context.Context, p *record.Workspace, proc *record.AgentProc, host string, h record.Heal) error {
	dr := a.Drivers["tmux"]
	if dr == nil || h.Paused || reconcile.Locked(p.Maintenance, a.Now()) {
		return nil
	}
	d := record.Decision{Agent: p.Agent, Decision: "RESUME", Tier: 1, Action: &record.Action{Verb: "nudge", Driver: "tmux", Text: NudgeText},
		Seen: &record.Seen{Host: host, Project: p.Project, Workspace: p.Path, Tmux: p.Session, SessionID: proc.Session, PID: proc.PID, Start: proc.Start}}
	if busy, err := a.Eyes.Busy(ctx, *d.Seen); busy || err != nil {
		return nil // what works is not stalled, whatever it shows
	}
	s, err := dr.Look(ctx, driver.Target{Agent: d.Agent, Session: p.Session, Cwd: p.Path, PID: proc.PID, SessionID: proc.Session})
	if err != nil {
		a.Warn("looking at %s: %v", p.Agent, err)
		return nil
	}
	if err := a.unstalled(h, s); err != nil {
		return err
	}
	i := slices.IndexFunc(a.Rules.Stalls, func(r record.StallRule) bool { return r.ID == s.Stall })
	if s.Moving || i < 0 {
		return nil
	}
	rule := a.Rules.Stalls[i]
	d.Reason, d.Detail = "stall", "it shows the stall "+rule.ID
	d.Alert = &record.Alert{Severity: record.StallAlert + rule.ID, Text: d.Detail + ", and is not nudged"}
	fired := 0
	for _, t := range h.Acts {
		if t.Verb == d.Action.Verb && in(t.At, a.Now(), nudgesFor) {
			fired++
		}
	}
	if rule.Action == "report" || fired >= rule.Max {
		d.Action = nil
		d.Alert = &record.Alert{Severity: record.StallAlert + rule.ID, Text: strings.TrimSpace(d.Detail + map[bool]string{true: ", and nudges did not help"}[fired >= rule.Max])}
		if h.Told(d.Alert.Severity) {
			return nil
		}
	}
	if a.Dry != "" || d.Action != nil {
		if err := a.Emit(subjectOf(d), record.Outcome{Agent: d.Agent, Verb: "look", Result: record.Done, Detail: d.Detail}); err != nil {
			return err
		}
	}
	return a.One(ctx, d)
}

// unstalled notes of each stall that a person was told of and that an agent shows no
// more that it is over, and of each that was not nudged and by now was. Where no prompt is
// shown nothing stands next to it, and nobody knows.
func (a *Actor) unstalled(h record.Heal, s driver.State) error {
	if a.Dry != "" || !s.Alive || !s.Prompt {
		return nil
	}
	for _, severity := range h.Alerts {
		id, kept, stall := record.StallOf(severity)
		nudged := kept != "" && slices.ContainsFunc(h.Acts, func(t record.ActTime) bool { return t.Verb == "nudge" && t.At.After(h.Filed[severity].Time) })
		if !stall || id == s.Stall && !nudged {
			continue
		}
		if err := a.over(h.Agent, severity, "shows the stall "+id+" no more"); err != nil {
			return err
		}
	}
	return nil
}

// over notes that what a person was told of an agent is so no more: what it is now says why.
func (a *Actor) over(agent, severity, now string) error {
	if err := a.Lets(record.VerbAlert); err != nil {
		a.Warn("it is not noted that %s %s: %v", agent, now, err)
		return nil
	}
	intent, err := a.Book.Begin(a.Now(), entry(record.VerbAlert, agent, record.ActTarget{Severity: severity, Over: true}), func(*fold.State) error { return nil })
	if err != nil {
		return fmt.Errorf("noting that %s %s: %w", agent, now, err)
	}
	return a.end(intent, record.VerbAlert, agent, record.Entry{Kind: record.EntryDone})
}
