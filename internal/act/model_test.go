package act

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// A town is a machine with agents, in the head: what they do, what a sweep sees
// of them, what is done to them. It complains of every act that no sweep may do.
type town struct {
	t      *testing.T
	rnd    *rand.Rand
	now    time.Time
	agents []*resident
	state  *fold.State // the ledger
	ids    int
	wrote  int // entries
	pids   int
	kill   int // calls until the acting program is killed; 0: never
	rules  record.HealRules
	judged bool // what is done was decided by the judge

	acts map[string]int // verbs and results that were seen
}

type resident struct {
	name     string
	pid      int
	start    time.Time
	instance string
	lists    string // instance that the registry lists; "": none
	answers  bool
	busy     bool
	dialog   bool
	attached bool
	paused   bool
	left     bool        // its session was ended on purpose
	said     []string    // user records
	closed   bool        // what starts it cannot be started
	swallows bool        // what is typed does not get to it
	starts   []time.Time // of its episode, by us
	told     map[string]bool
	lock     *record.Maintenance // that macf has on it
}

type killed struct{}

func (w *town) call() {
	if w.kill > 0 {
		if w.kill--; w.kill == 0 {
			panic(killed{})
		}
	}
}

func (w *town) of(name string) *resident {
	i := slices.IndexFunc(w.agents, func(r *resident) bool { return r.name == name })
	return w.agents[i]
}

// The ledger.

func (w *town) append(at time.Time, e record.Entry) string {
	w.ids++
	w.wrote++
	e.V, e.TS, e.Scope, e.ID = record.Version, record.NewTime(at), "lamp", fmt.Sprintf("act-%d", w.ids)
	w.state.Add(fold.Line{Entry: e})
	return e.ID
}

func (w *town) Begin(at time.Time, e record.Entry, may func(*fold.State) error) (string, error) {
	w.call()
	if err := may(w.state); err != nil {
		return "", err
	}
	e.Kind, e.By = record.EntryIntent, "act"
	if e.Verb == record.VerbAlert {
		var t record.ActTarget
		decodeTarget(w.t, e, &t)
		if r := w.of(e.Key); r.told[t.Severity] && !t.Over {
			w.t.Fatalf("%v: %s: %s is told twice in one episode", w.now, e.Key, t.Severity)
		}
	}
	id := w.append(at, e)
	w.call()
	return id, nil
}

func (w *town) End(at time.Time, of string, e record.Entry) error {
	w.call()
	if !w.state.IsOpen(of) {
		w.t.Fatalf("%s has an outcome already", of)
	}
	for _, intent := range w.state.Open() {
		if intent.ID == of && intent.Verb == record.VerbAlert && e.Kind == record.EntryDone {
			var t record.ActTarget
			decodeTarget(w.t, intent, &t)
			w.of(intent.Key).told[t.Severity] = !t.Over
		}
	}
	e.Of = of
	w.append(at, e)
	w.call()
	return nil
}

func (w *town) Note(at time.Time, e record.Entry) error {
	w.call()
	w.append(at, e)
	for _, a := range e.Agents {
		if a.Decision == "OK" {
			r := w.of(a.Agent)
			r.starts, r.told = nil, map[string]bool{}
		}
	}
	return nil
}

func (w *town) ReadOrNone() (*fold.State, error) { return w.state, nil }

// The eyes.

func (w *town) Said(_ context.Context, s record.Seen, text string, _ time.Time) (string, error) {
	for _, r := range w.agents {
		if r.pid == s.PID && slices.Contains(r.said, text) {
			return "u1", nil
		}
	}
	return "", nil
}

func (w *town) Process(_ context.Context, s record.Seen) (*record.AgentProc, error) {
	if w.rnd.IntN(40) == 0 {
		return nil, errors.New("the process table was not read")
	}
	return w.agents[index(s.Workspace)].process(), nil
}

func (w *town) Other(context.Context, record.Seen) (*record.AgentProc, error) { return nil, nil }

func (w *town) Wrote(context.Context, record.Seen) (*record.Time, error) { return nil, nil }

func index(workspace string) int { return int(workspace[len(workspace)-1] - '0') }

func (r *resident) process() *record.AgentProc {
	if r.pid == 0 {
		return nil
	}
	return &record.AgentProc{PID: r.pid, Start: record.TimeOf(r.start), Kind: "claude"}
}

func (w *town) Health(_ context.Context, agent string, _ record.Seen) (*record.Health, error) {
	w.call()
	return w.of(agent).health(), nil
}

func (r *resident) health() *record.Health {
	if r.lists == "" {
		return nil
	}
	h := &record.Health{Agent: r.name, Project: "p", Listed: r.lists, Address: "127.0.0.1:1", Online: r.answers && r.pid != 0, Failure: "timeout"}
	if h.Online {
		h.Instance, h.Failure, h.Version, h.Busy = r.instance, "", "1.2.3", new(r.busy)
	}
	return h
}

func (w *town) Busy(_ context.Context, s record.Seen) (bool, error) {
	r := w.agents[index(s.Workspace)]
	return r.busy && r.pid != 0, nil
}

func (w *town) Maintenance(_ context.Context, s record.Seen) (*record.Maintenance, error) {
	return w.agents[index(s.Workspace)].lock, nil
}

func (w *town) Owner(context.Context, record.Seen) (*record.Workspace, error) { return nil, nil }

// The driver.

func (w *town) Name() string { return "tmux" }

func (w *town) Look(_ context.Context, t driver.Target) (driver.State, error) {
	w.call()
	r := w.of(t.Agent)
	if r.pid == 0 {
		return driver.State{}, nil
	}
	s := driver.State{Alive: true, PID: r.pid, Start: r.start, Attached: r.attached, Prompt: true}
	if r.dialog {
		s.Dialog = "permission"
	}
	return s, nil
}

func (w *town) Say(_ context.Context, t driver.Target, text string) error {
	w.call()
	r := w.of(t.Agent)
	w.never(r, "typed into")
	if !r.swallows {
		r.said = append(r.said, text)
		r.answers = w.rnd.IntN(2) == 0
	}
	w.call()
	return nil
}

func (w *town) Stop(_ context.Context, t driver.Target, _ time.Duration) error {
	w.call()
	r := w.of(t.Agent)
	w.never(r, "stopped")
	if r.closed {
		w.t.Fatalf("%v: %s is stopped, and could not be started again", w.now, r.name)
	}
	if w.judged && w.state.Heal(r.name).Injects == 0 {
		w.t.Fatalf("%v: %s is stopped, and no message to it was begun", w.now, r.name)
	}
	if t.PID != r.pid {
		return driver.ErrChanged
	}
	r.pid = 0
	w.call()
	return nil
}

func (w *town) Start(_ context.Context, t driver.Target, _ driver.Launch) (driver.State, error) {
	w.call()
	r := w.of(t.Agent)
	if r.pid != 0 {
		w.t.Fatalf("%v: %s is started, and runs", w.now, r.name)
	}
	w.never(r, "started")
	if r.closed {
		w.t.Fatalf("%v: %s is started, and cannot be", w.now, r.name)
	}
	if n := len(r.starts); n > 0 {
		wait := reconcile.Backoff(n, time.Duration(w.rules.BackoffMin)*time.Minute, time.Duration(w.rules.BackoffMaxMin)*time.Minute)
		if w.now.Sub(r.starts[n-1]) < wait {
			w.t.Fatalf("%v: %s is started %v after start %d, within its window of %v", w.now, r.name, w.now.Sub(r.starts[n-1]), n, wait)
		}
		if n >= w.rules.MaxAttempts {
			w.t.Fatalf("%v: %s is started %d times in one episode", w.now, r.name, n+1)
		}
	}
	r.starts = append(r.starts, w.now)
	if w.call(); w.rnd.IntN(10) == 0 {
		return driver.State{}, driver.ErrGone
	}
	w.runs(r)
	r.answers = w.rnd.IntN(3) > 0
	return driver.State{Alive: true, PID: r.pid}, nil
}

// never complains of what may never be done to an agent.
func (w *town) never(r *resident, what string) {
	switch {
	case r.paused:
		w.t.Fatalf("%v: %s is %s, and paused", w.now, r.name, what)
	case r.busy && r.pid != 0:
		w.t.Fatalf("%v: %s is %s, and works", w.now, r.name, what)
	case r.dialog && r.pid != 0:
		w.t.Fatalf("%v: %s is %s, and shows a dialog", w.now, r.name, what)
	case r.attached && r.pid != 0:
		w.t.Fatalf("%v: %s is %s, and its owner is attached", w.now, r.name, what)
	}
}

func (w *town) runs(r *resident) {
	w.pids++
	r.pid, r.start, r.instance, r.lists, r.said, r.busy, r.dialog, r.attached = w.pids, w.now, fmt.Sprint("i", w.pids), fmt.Sprint("i", w.pids), nil, false, false, false
}

// live lets time pass, and things happen: to each agent one, once in so many times.
func (w *town) live(d time.Duration, once int) {
	w.now = w.now.Add(d)
	for _, r := range w.agents {
		switch w.rnd.IntN(once) {
		case 0, 1:
			r.answers = false
		case 2:
			r.answers = true
		case 3:
			if r.pid != 0 {
				status := []int{0, 137, 143}[w.rnd.IntN(3)]
				r.left, r.pid = status == 0, 0
				w.append(w.now, record.Entry{Kind: record.EntryAgentExit, By: "hook", Key: r.name, Exit: &status})
			}
		case 4:
			if r.pid == 0 {
				w.runs(r) // by its owner
				r.answers = true
			}
		case 5, 6:
			r.busy = !r.busy
		case 7:
			r.dialog = !r.dialog
		case 8:
			r.attached = !r.attached
		case 9:
			r.swallows = !r.swallows
		case 10:
			r.lists = ""
		case 12:
			r.closed = !r.closed
		case 11:
			if r.paused = !r.paused; r.paused {
				r.starts, r.told = nil, map[string]bool{}
				w.append(w.now, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: r.name})
			} else {
				w.append(w.now, record.Entry{Kind: record.EntryUnpause, By: "owner:tty", Key: r.name})
			}
		}
	}
}
