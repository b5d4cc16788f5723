package act

import (
	"context"
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

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
