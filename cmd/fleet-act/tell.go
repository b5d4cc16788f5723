package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/notify"
	"github.com/fleet-tools/fleet/internal/record"
)

// tellMost is how often one run calls the owner's command. After a reboot, forty sessions
// may have something to tell: what is filed beyond that the next tick asks, in one batch.
const tellMost = 5

// calls are those of the owner's command in a run.
type calls struct {
	n    int
	hung error // that it took too long
}

// call calls it, unless it was called as often as it may be, or hung: what is due behind it
// would wait for it anew.
func (c *calls) call(owner func() error) error {
	if c.hung != nil {
		return c.hung
	}
	if c.n >= tellMost {
		return nil
	}
	c.n++
	err := owner()
	if _, hung := errors.AsType[*notify.HungError](err); hung {
		c.hung = fmt.Errorf("it is called no more in this run: %w", err)
	}
	return err
}

// tell hands the owner's command what they should know about an agent.
func (d *deed) tell(ctx context.Context, agent, severity, text string) error {
	named := d.opts.Config
	if named != "" {
		var err error
		if named, err = filepath.Abs(named); err != nil {
			return err
		}
	}
	return d.calls.call(func() error {
		asked := d.asked(agent, severity, text, record.NewTime(time.Now()))
		_, err := notify.Raise(ctx, d.scope.OwnerChannel, notify.AlertOf(d.scope.ID, named, severity, asked))
		return err
	})
}

// asked is what the next tick asks of an alert: with the same key, and of a session that was
// judged its name, its class, and the command that leads to it; of an agent that command
// too, unless its process is known to be gone.
func (d *deed) asked(agent, severity, text string, now record.Time) record.Asked {
	a := record.Asked{Key: record.HealKey(agent, severity), Question: agent + ": " + text, Since: &now}
	subject, ok := strings.CutPrefix(agent, "session:")
	r, _ := d.set.Get(record.Identity{Host: d.host, Kind: record.KindVerdict, Subject: subject})
	if v, judged := record.Payload[record.Verdict](r); ok && judged {
		a.Question = cmp.Or(v.Session.Name, subject) + ": " + text
		a.Class, a.Go = v.Class, attach.Command(v.Session, v.Class != "unknown", "")
		return a
	}
	r, _ = d.set.Get(record.Identity{Host: d.host, Kind: record.KindDecision, Subject: agent})
	gone := severity == "restart-failed" || strings.HasSuffix(severity, "-absent")
	if x, ok := record.Payload[record.Decision](r); ok && x.Seen != nil && !gone {
		a.Go = attach.Command(record.VerdictSession{Tmux: x.Seen.Tmux, Process: x.Seen.PID != 0}, true, "")
	}
	return a
}
