package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// A desk is a town in which nothing happens by chance: what its driver and eyes
// say is set.
type desk struct {
	*town
	startErr error           // of Start
	fails    map[string]bool // agents of which Look fails
	dead     bool            // what is started has no process
	deaf     bool            // what is started does not answer
	said     []string        // agents that were written to
	starts   int
}

func newDesk(t *testing.T) *desk { return &desk{town: newTown(t, 1)} }

func (d *desk) Process(_ context.Context, s record.Seen) (*record.AgentProc, error) {
	return d.agents[index(s.Workspace)].process(), nil
}

func (d *desk) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	if d.fails[t.Agent] {
		return driver.State{}, errors.New("no server runs")
	}
	return d.town.Look(ctx, t)
}

func (d *desk) Say(_ context.Context, t driver.Target, text string) error {
	d.said = append(d.said, t.Agent)
	if r := d.of(t.Agent); !r.swallows {
		r.said = append(r.said, text)
	}
	return nil
}

func (d *desk) Start(_ context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	d.starts++
	if d.startErr != nil {
		return driver.State{}, d.startErr
	}
	if !d.dead {
		d.runs(d.of(t.Agent))
		d.of(t.Agent).answers = !d.deaf
		if how.Text != "" && !d.of(t.Agent).swallows {
			d.of(t.Agent).said = []string{how.Text}
		}
	}
	return driver.State{Alive: true}, nil
}

// run has decisions done, and returns the outcomes, each verb, result, reason.
func (d *desk) run(ds ...record.Decision) []string {
	var got []string
	a := d.actor("")
	a.Book, a.Eyes, a.Drivers = d, d, map[string]driver.Driver{"tmux": d, "claude": d}
	a.Emit = func(_ string, o record.Outcome) error {
		got = append(got, strings.TrimSpace(fmt.Sprint(o.Verb, " ", o.Result, " ", o.Reason)))
		return nil
	}
	a.Sleep = func(_ context.Context, t time.Duration) { d.now = d.now.Add(t) }
	a.Tell = d.tell
	if err := a.Do(context.Background(), ds); err != nil {
		d.t.Fatal(err)
	}
	return got
}

func (d *desk) tell(context.Context, string, string, string) error { return nil }

// decided is a decision about an agent as it is.
func (d *desk) decided(i int, verb string) record.Decision {
	r := d.agents[i]
	s := &record.Seen{Host: "devbox", Project: "p", Workspace: fmt.Sprint("/w/", i), Tmux: "p@" + r.name, Instance: r.instance, Address: "127.0.0.1:1"}
	if p := r.process(); p != nil {
		s.PID, s.Start = p.PID, p.Start
	}
	action := &record.Action{Verb: verb, Driver: "tmux"}
	switch verb {
	case "inject":
		action.Text = reconcile.InjectText
	case "mail", "resume": // of sessions
		r.name, s.SessionID = fmt.Sprint("session:s", i), fmt.Sprint("s", i)
		action.Text = map[string]string{"mail": reconcile.HungText, "resume": reconcile.ResumeText}[verb]
	default:
		action.Argv = starts("", s.Workspace)
	}
	if verb == "upgrade" {
		action.To = "1.2.3"
	}
	decision := map[string]string{"launch": "LAUNCH", "upgrade": "UPGRADE", "resume": "RESUME"}[verb]
	dec := record.Decision{Agent: r.name, Decision: cmp.Or(decision, "HEAL"), Attempt: d.state.Heal(r.name).Attempts + 1, Action: action, Seen: s}
	if verb == "launch" {
		r.pid, r.lists, s.PID, s.Start, s.Address = 0, "", 0, nil, ""
	}
	return dec
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the reference does wrong in acting.
func TestDefect(t *testing.T) {
	// An alert that could not be handed on was not filed: the next sweep tells it again.
	t.Run("D2", func(t *testing.T) {
		d := newDesk(t)
		told := 0
		a := d.actor("")
		a.Book = d
		a.Tell = func(context.Context, string, string, string) error {
			if told++; told == 1 {
				return errors.New("no channel")
			}
			return nil
		}
		alert := record.Decision{Agent: "agent-0", Decision: "HEAL", Seen: &record.Seen{Host: "devbox", Workspace: "/w/0"}, Alert: &record.Alert{Severity: "stuck", Text: "x"}}
		for range 3 {
			if err := a.Do(context.Background(), []record.Decision{alert}); err != nil {
				t.Fatal(err)
			}
		}
		if told != 2 || !slices.Equal(d.state.Heal("agent-0").Alerts, []string{"stuck"}) {
			t.Errorf("told %d times, filed %v", told, d.state.Heal("agent-0").Alerts)
		}
	})
	// What goes wrong with one agent is its own; the sweep goes on and is noted.
	t.Run("D3", func(t *testing.T) {
		d := newDesk(t)
		d.agents[0].answers, d.agents[1].answers = false, false
		d.fails = map[string]bool{"agent-0": true}
		want(t, d.run(d.decided(0, "inject"), d.decided(1, "inject")), "inject refused unknown", "inject done")
		for _, name := range []string{"agent-0", "agent-1"} {
			if d.state.Heal(name).SweptAt == nil {
				t.Errorf("the sweep is not noted for %s", name)
			}
		}
	})
	// An attempt that fails is one: it is noted before it is made, and holds the next back.
	t.Run("D4", func(t *testing.T) {
		d := newDesk(t)
		d.startErr = driver.ErrGone
		want(t, d.run(d.decided(0, "launch")), "launch failed gone")
		if h := d.state.Heal("agent-0"); h.Attempts != 1 || h.LastEnd != "gone" {
			t.Errorf("%+v", h)
		}
		want(t, d.run(d.decided(0, "launch")), "launch refused backoff")
	})
	// Of two sweeps that decided the same, the second does nothing.
	t.Run("D13", func(t *testing.T) {
		d := newDesk(t)
		d.agents[0].answers = false
		first, second := d.decided(0, "launch"), d.decided(0, "launch")
		d.dead = true
		want(t, d.run(first, second), "launch failed gone", "launch refused changed")
		if d.starts != 1 {
			t.Errorf("%d starts", d.starts)
		}
	})
	// A restart counts when a new instance answers.
	t.Run("D17", func(t *testing.T) {
		for name, tt := range map[string]struct {
			dead, deaf bool
			want       string
		}{"back": {false, false, "restart done"}, "deaf": {false, true, "restart failed deaf"}, "gone": {true, false, "restart failed gone"}} {
			d := newDesk(t)
			d.agents[0].answers = false
			d.dead, d.deaf = tt.dead, tt.deaf
			got := d.run(d.decided(0, "restart"))
			if !slices.Equal(got, []string{tt.want}) {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
	// A dry run writes nothing and does nothing: no heartbeat either.
	t.Run("dry", func(t *testing.T) {
		d := newDesk(t)
		a := d.actor("dry")
		a.Book = d
		dec := d.decided(0, "launch")
		dec.Alert = &record.Alert{Severity: "stuck"}
		if err := a.Do(context.Background(), []record.Decision{dec}); err != nil || d.wrote != 0 || d.starts != 0 {
			t.Errorf("%v, %d entries, %d starts", err, d.wrote, d.starts)
		}
	})
}

// Public reports that acting answers.
func TestPublicCases(t *testing.T) {
	// A resume that is refused since the session runs, and no process of it is there,
	// is a failure that the ledger has as a contradiction; it is not tried a second
	// way, and no copy of the session is made.
	for _, id := range []string{"cc-resume-refused", "heal-id-in-use"} {
		t.Run(id, func(t *testing.T) {
			d := newDesk(t)
			d.startErr = fmt.Errorf("s-1: %w", driver.ErrContradicts)
			dec := d.decided(0, "resume")
			dec.Action.Driver = "claude"
			want(t, d.run(dec), "resume failed contradicts")
			if h := d.state.Heal(dec.Agent); d.starts != 1 || h.Attempts != 1 || h.LastEnd != "contradicts" {
				t.Errorf("%d starts, %+v", d.starts, h)
			}
		})
	}
	// What the pane took and the transcript does not have is not done.
	t.Run("heal-reported-ok", func(t *testing.T) {
		d := newDesk(t)
		d.agents[0].swallows, d.agents[0].answers = true, false
		want(t, d.run(d.decided(0, "inject")), "inject failed unread")
		if h := d.state.Heal("agent-0"); h.LastEnd != "unread" || h.Injects != 1 {
			t.Errorf("%+v", h)
		}
	})
	// A session that says that it works, or whose pane moves, is not written to.
	t.Run("heal-busy", func(t *testing.T) {
		d := newDesk(t)
		dec := d.decided(0, "inject")
		d.agents[0].busy = true
		want(t, d.run(dec), "inject refused busy")
		if len(d.said) != 0 || d.wrote != 1 {
			t.Errorf("written to %q, %d entries", d.said, d.wrote)
		}
	})
	// What is started is what the decision says, whatever the process had: no first
	// prompt is replayed, no flag is added.
	for _, id := range []string{"heal-flags-kept", "heal-prompt-swallowed"} {
		t.Run(id, func(t *testing.T) {
			d := newDesk(t)
			var got driver.Launch
			a := d.actor("")
			a.Book, a.Eyes = d, d
			a.Drivers = map[string]driver.Driver{"tmux": launches{d, &got}}
			a.Then = []string{"fleet-ledger", "exited"}
			dec := d.decided(0, "launch")
			dec.Action.Argv, dec.Action.Text = []string{"/w/0/claude.sh"}, ""
			if err := handed(a, a.One(context.Background(), dec)); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got.Argv, got.Text, got.Env) != "[/w/0/claude.sh][]" || fmt.Sprint(got.Then) != "[fleet-ledger exited agent-0]" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// launches keeps how the last session was started.
type launches struct {
	*desk
	how *driver.Launch
}

func (l launches) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	*l.how = how
	return l.desk.Start(ctx, t, how)
}
