package act

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// taken has the agent's name taken until that session is ended.
type taken struct {
	*desk
	alive   bool // something runs in it
	unseen  bool // it cannot be looked at, once it was found taken
	stopped int
	tries   int
}

func (d *taken) Look(context.Context, driver.Target) (driver.State, error) {
	if d.unseen && d.tries > 0 {
		return driver.State{}, errors.New("no server runs")
	}
	return driver.State{Alive: d.alive && d.stopped == 0, Moving: d.alive}, nil
}

func (d *taken) Stop(context.Context, driver.Target, time.Duration) error {
	d.stopped++
	return nil
}

func (d *taken) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	if d.tries++; d.stopped == 0 {
		return driver.State{}, driver.ErrRuns
	}
	return d.desk.Start(ctx, t, how)
}

// A session of the agent's name in which nothing runs any more is ended; one in
// which something runs, or that cannot be looked at, may be somebody's.
func TestStart_taken(t *testing.T) {
	for name, tt := range map[string]struct {
		alive, unseen bool
		want          string
		stopped       int
	}{
		"nothing runs in it":     {false, false, "done", 1},
		"something runs in it":   {true, false, "refused name-taken", 0},
		"it cannot be looked at": {false, true, "failed name-taken", 0},
	} {
		d := &taken{desk: newDesk(t), alive: tt.alive, unseen: tt.unseen}
		a := d.actor("")
		a.Book, a.Eyes, a.Drivers = d, d, map[string]driver.Driver{"tmux": d}
		o, err := a.act(context.Background(), d.decided(0, "launch"))
		if got := strings.TrimSpace(o.Result + " " + o.Reason); err != nil || got != tt.want || d.stopped != tt.stopped {
			t.Errorf("%s: %s, %d stopped, %v", name, got, d.stopped, err)
		}
		if says := a.tells(d.decided(0, "launch"), o); tt.alive && (says == nil || says.Severity != "kept-name-taken" || !strings.HasPrefix(says.Text, "it should run, and is not started: something else runs in the session ")) {
			t.Errorf("%s: told %+v", name, says)
		}
	}
}

// A person is told what of theirs keeps a restart from being done, once, and not
// that it was restarted.
func TestKept(t *testing.T) {
	d := newDesk(t)
	d.agents[0].answers, d.agents[0].attached = false, true
	dec := d.decided(0, "restart")
	for range 2 {
		want(t, d.run(dec), "restart refused attached")
	}
	if h := d.state.Heal(d.agents[0].name); len(h.Alerts) != 1 || h.Alerts[0] != "kept-attached" || !strings.HasPrefix(h.Texts["kept-attached"], "it does not answer, and is not restarted: ") {
		t.Errorf("%+v", h)
	}
}

// A session that stopped is not taken up again beside another process in its
// directory: a person is told of that once.
func TestKept_resume(t *testing.T) {
	d := newDesk(t)
	dec := d.decided(0, "resume")
	dec.Action.Driver, dec.Seen.PID, dec.Seen.Start = "claude", 0, nil
	for range 2 {
		want(t, d.run(dec), "resume refused runs")
	}
	if h := d.state.Heal(dec.Agent); len(h.Alerts) != 1 || h.Alerts[0] != "kept-runs" || !strings.HasPrefix(h.Texts["kept-runs"], "it stopped, and is not taken up again: ") || d.starts > 0 {
		t.Errorf("%d starts, %+v", d.starts, h)
	}
}

// refuses has a driver that refuses what it is asked to say.
type refuses struct {
	*desk
	err error
}

func (r refuses) Say(context.Context, driver.Target, string) error { return r.err }

// prompts has no prompt.
type prompts struct{ *desk }

func (p prompts) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	s, err := p.desk.Look(ctx, t)
	s.Prompt = false
	return s, err
}

// What a look before the intent forbids leaves nothing in the ledger; what the driver
// meets after it is refused too, and closes the intent: it counts, and nothing is open.
func TestRefused_late(t *testing.T) {
	for _, tt := range []struct {
		driver func(*desk) driver.Driver
		reason string
		intent bool
	}{
		{func(d *desk) driver.Driver { return prompts{d} }, "no-prompt", false},
		{func(d *desk) driver.Driver { return refuses{d, driver.ErrNoPrompt} }, "no-prompt", true},
		{func(d *desk) driver.Driver { return refuses{d, driver.ErrDraft} }, "draft", true},
		{func(d *desk) driver.Driver { return refuses{d, fmt.Errorf("x: %w", driver.ErrDialog)} }, "dialog", true},
		{func(d *desk) driver.Driver { return refuses{d, driver.ErrBusy} }, "busy", true},
	} {
		d := newDesk(t)
		d.agents[0].answers = false
		a := d.at(d.now)
		a.Drivers = map[string]driver.Driver{"tmux": tt.driver(d)}
		o, err := a.act(context.Background(), d.decided(0, "inject"))
		h := d.state.Heal("agent-0")
		if err != nil || o.Result != record.Refused || o.Reason != tt.reason || (o.Intent != "") != tt.intent {
			t.Errorf("%s: %+v, %v", tt.reason, o, err)
		}
		if wrote := map[bool]int{true: 2}[tt.intent]; d.wrote != wrote || h.Injects != wrote/2 || len(h.Open) > 0 || tt.intent && h.LastEnd != tt.reason {
			t.Errorf("%s: %d entries, %+v", tt.reason, d.wrote, h)
		}
	}
}
