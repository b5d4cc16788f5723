package act

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// taken has the agent's name taken until that session is ended.
type taken struct {
	*desk
	alive   bool // something runs in it
	stopped int
}

func (d *taken) Look(context.Context, driver.Target) (driver.State, error) {
	return driver.State{Alive: d.alive && d.stopped == 0}, nil
}

func (d *taken) Stop(context.Context, driver.Target, time.Duration) error {
	d.stopped++
	return nil
}

func (d *taken) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	if d.stopped == 0 {
		return driver.State{}, driver.ErrRuns
	}
	return d.desk.Start(ctx, t, how)
}

// A session of the agent's name in which nothing runs any more is ended; one in
// which something runs is somebody's.
func TestStart_taken(t *testing.T) {
	for _, alive := range []bool{false, true} {
		d := &taken{desk: newDesk(t), alive: alive}
		a := d.actor("")
		a.Book, a.Eyes, a.Drivers = d, d, map[string]driver.Driver{"tmux": d}
		o, err := a.act(context.Background(), d.decided(0, "launch"))
		if got := strings.TrimSpace(o.Result + " " + o.Reason); err != nil || got != map[bool]string{false: "done", true: "failed name-taken"}[alive] || (d.stopped == 0) != alive {
			t.Errorf("something runs in it: %t: %s, %d stopped, %v", alive, got, d.stopped, err)
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
	if h := d.state.Heal(d.agents[0].name); len(h.Alerts) != 1 || h.Alerts[0] != "kept-attached" {
		t.Errorf("%+v", h)
	}
}
