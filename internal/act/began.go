package act

import (
	"context"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Ready closes what an earlier run left open, and says why a stream of this moment is
// none to act by. It is asked once in a run: Do asks when nobody did.
func (a *Actor) Ready(ctx context.Context) error {
	if a.asked || a.Dry != "" {
		return nil
	}
	if err := a.Recover(ctx); err != nil {
		return err
	}
	a.asked = true
	return a.again()
}

// Late tells of a decision that its own ledger does not lead to any more. One that asks
// for nothing is left to the next sweep.
func (a *Actor) Late(d record.Decision, reason, why string) error {
	if d.Action == nil {
		return nil
	}
	return a.Emit(called(d.Agent), told(record.Outcome{Agent: d.Agent, Verb: d.Action.Verb, Result: record.Refused, Reason: reason, Detail: why}))
}

// begin keeps what the ledger has of each agent when the run begins.
func (a *Actor) begin(s *fold.State) {
	a.entries, a.began = s.Entries, map[string]record.Heal{}
	for _, h := range s.Heals(a.Now()) {
		a.began[h.Agent] = h
	}
}

// moved tells that an episode is another than when the run began: it was ended, as by a
// pause, or something was done in it.
func (a *Actor) moved(h record.Heal) bool {
	was := a.began[h.Agent]
	if a.began == nil {
		return false
	}
	same := was.LastAct == nil && h.LastAct == nil || was.LastAct != nil && h.LastAct != nil && was.LastAct.Equal(h.LastAct.Time)
	return !same || was.Deaf != h.Deaf || was.Throttled != h.Throttled || was.Attempts != h.Attempts || was.Injects != h.Injects
}
