package act

import (
	"context"
	"strings"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// owned says what of the agent in whose workspace a session is forbids an act on it: it
// is of the list, which the session is left to, nobody knows which it is, an upgrade has
// it, or its process works there. Its pause is asked of the ledger.
func (a *Actor) owned(ctx context.Context, d record.Decision) error {
	p, err := a.Eyes.Owner(ctx, *d.Seen)
	switch {
	case err != nil:
		return refused("unknown", "in whose workspace it is could not be seen: %v", err)
	case p == nil:
		return nil
	case p.Agent == "":
		return refused("nameless", "it is in %s, the workspace of an agent whose name is not known: mend its configuration", p.Path)
	case a.Command(p.Agent, p.Path) != nil:
		return refused("changed", "it is in the workspace of %s, and left to that agent", p.Agent)
	case reconcile.Locked(p.Maintenance, a.Now()):
		return refused("maintenance", "an upgrade has %s, in whose workspace it is, so nobody else touches it", p.Agent)
	}
	if proc := reconcile.Claude(p); proc != nil && d.Action.Verb == "resume" {
		return refused("runs", "process %d works in %s, the workspace that it is in: nothing is started beside it", proc.PID, p.Path)
	}
	a.owner = p.Agent
	return nil
}

// paused says why the owner's pause forbids an act: of what it is done to, of the session
// that an agent works in, or of the agent in whose workspace a session is.
func (a *Actor) paused(ctx context.Context, s *fold.State, d record.Decision) error {
	if s.Heal(d.Agent).Paused {
		return refused("paused", "the owner paused it: fleet-ledger unpause ends that")
	}
	if strings.HasPrefix(d.Agent, sessionMark) {
		if a.owner != "" && s.Heal(a.owner).Paused {
			return refused("paused", "the owner paused %s, in whose workspace it is: fleet-ledger unpause ends that", a.owner)
		}
		return nil
	}
	if d.Seen == nil {
		return nil
	}
	for _, h := range s.Heals(a.Now()) {
		if !h.Paused || !strings.HasPrefix(h.Agent, sessionMark) {
			continue
		}
		if id, _, _ := strings.Cut(h.Agent, "@"); d.Seen.SessionID != "" && id == sessionMark+d.Seen.SessionID {
			return refused("paused", "the owner paused %s, which is its session: fleet-ledger unpause ends that", h.Agent)
		}
		if h.PausedIn == "" || a.began[h.Agent].Paused { // of one that was paused before, who decided knew
			continue
		}
		p, err := a.Eyes.Owner(ctx, record.Seen{Host: d.Seen.Host, Workspace: h.PausedIn})
		switch {
		case err != nil:
			return refused("unknown", "in whose workspace %s is, which the owner paused, could not be seen: %v", h.Agent, err)
		case p != nil && p.Path == d.Seen.Workspace:
			return refused("paused", "the owner paused %s, which worked in its workspace: fleet-ledger unpause ends that", h.Agent)
		}
	}
	return nil
}
