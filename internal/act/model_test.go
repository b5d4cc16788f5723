package act

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
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
