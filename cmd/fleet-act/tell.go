package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

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
		_, err := notify.Raise(ctx, d.scope.OwnerChannel, notify.AlertOf(d.scope.ID, named, severity, d.named(agent)+": "+text, record.NewTime(time.Now())))
		return err
	})
}

// named is what a person calls what a decision is about: of a session its name.
func (d *deed) named(agent string) string {
	subject, ok := strings.CutPrefix(agent, "session:")
	r, _ := d.set.Get(record.Identity{Host: d.host, Kind: record.KindVerdict, Subject: subject})
	if v, judged := record.Payload[record.Verdict](r); ok && judged {
		return cmp.Or(v.Session.Name, agent)
	}
	return agent
}
