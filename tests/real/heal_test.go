//go:build real

package real

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// Agents are launched, meet faults at random, and in the end all of them live
// and answer. What is paused, and what works, is never touched; every act is in the
// ledger with what became of it.
func TestHeal(t *testing.T) {
	t.Parallel() // it waits most of the time
	agentsOf := fleetSize(t)
	y := newYard(t, agentsOf, installed(t))
	deadline := time.Now().Add(5 * time.Minute)
	for len(y.well()) < agentsOf {
		if time.Now().After(deadline) {
			t.Fatalf("the fleet did not start: %v\n%s", y.well(), y.sweep())
		}
		y.sweep()
	}
	fmt.Printf("heal: %d agents launched in %d sweeps\n", agentsOf, y.sweeps)
	paused, busy := y.agents[0], y.agents[1]
	if out, err := y.run("fleet-ledger", "pause", paused); err != nil {
		t.Fatal(err, out)
	}
	y.works(busy)
	y.write("repos/0/deaf", "")
	y.write("repos/1/deaf", "")
	before := map[string]int{paused: y.pid(paused), busy: y.pid(busy)}
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	faults := map[string]int{}
	for end := time.Now().Add(time.Duration(number(t, "FLEET_HEAL_MINUTES", 1)) * time.Minute); time.Now().Before(end); {
		for range 1 + rnd.IntN(2) {
			faults[y.fault(rnd, y.agents[2+rnd.IntN(agentsOf-2)])]++
		}
		y.sweep()
		for agent, pid := range before {
			if now := y.pid(agent); now != pid {
				t.Fatalf("%s had process %d and has %d", agent, pid, now)
			}
		}
	}
	if out, err := y.run("fleet-ledger", "unpause", paused); err != nil {
		t.Fatal(err, out)
	}
	if err := os.Remove(y.box.Path("repos/1/deaf")); err != nil {
		t.Fatal(err)
	}
	for _, agent := range y.agents[2:] { // their owner finishes the drafts, which nobody else may touch
		y.tmux("send-keys", "-t", "=lamp@"+agent+":", "C-u")
	}
	last := ""
	for deadline := time.Now().Add(10 * time.Minute); len(y.well()) < agentsOf; time.Sleep(2 * time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("only %v are well\n%s", y.well(), last)
		}
		last = y.sweep()
	}
	if now := y.pid(busy); now != before[busy] {
		t.Errorf("%s worked, had process %d and has %d", busy, before[busy], now)
	}
	y.sweep()
	y.explained(faults, paused, busy)
}

// works gives an agent a prompt that it works on for as long as the test takes.
func (y *yard) works(agent string) {
	if _, err := y.tmux("send-keys", "-t", "=lamp@"+agent+":", "-l", "Do it [case:busy]"); err != nil {
		y.t.Fatal(err)
	}
	time.Sleep(time.Second)
	if _, err := y.tmux("send-keys", "-t", "=lamp@"+agent+":", "C-m"); err != nil {
		y.t.Fatal(err)
	}
	patiently(y.t, func(ctx context.Context) {
		err := claudebox.Await(ctx, agent+" to work", func() bool {
			s, err := y.box.Session(y.pid(agent))
			return err == nil && s.Status == "busy"
		})
		if err != nil {
			y.t.Fatal(err)
		}
	})
}

// fault does something bad to an agent, and returns what.
func (y *yard) fault(rnd *rand.Rand, agent string) string {
	pid := y.pid(agent)
	what := []string{"deaf", "deaf", "killed", "terminated", "session killed", "draft"}[rnd.IntN(6)]
	switch {
	case pid == 0:
		return "none: it does not run"
	case what == "deaf":
		y.write("repos/"+strings.TrimPrefix(agent, "agent-")+"/deaf", "")
	case what == "killed":
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	case what == "terminated":
		_ = syscall.Kill(pid, syscall.SIGTERM)
	case what == "session killed":
		if out, err := y.tmux("kill-session", "-t", "=lamp@"+agent); err != nil {
			return "none: " + out
		}
	case what == "draft":
		if out, err := y.tmux("send-keys", "-t", "=lamp@"+agent+":", "-l", "half a thou"); err != nil {
			return "none: " + out
		}
	}
	return what
}

// explained checks that the ledger tells of every act, and what became of it, and
// of none on those that were not to be touched.
func (y *yard) explained(faults map[string]int, untouched ...string) {
	intents, acts, ends := map[string]entry{}, map[string]int{}, map[string]int{}
	unpaused := time.Time{}
	for _, e := range y.ledger() {
		switch e.Kind {
		case "unpause":
			unpaused = e.TS
		case "intent":
			intents[e.ID] = e
			acts[e.Verb]++
			if e.Verb != "alert" && slices.Contains(untouched, e.Key) && e.TS.Before(unpaused) || e.DryRun {
				y.t.Errorf("an act on what was not to be touched: %+v", e)
			}
		case "done", "failed", "unknown":
			if _, ok := intents[e.Of]; !ok {
				y.t.Errorf("an outcome of no intent: %+v", e)
			}
			delete(intents, e.Of)
			ends[strings.TrimSpace(e.Verb+" "+e.Kind+" "+e.Reason)]++
		}
	}
	for _, e := range intents {
		y.t.Errorf("no outcome: %+v", e)
	}
	if out, err := y.run("fleet-ledger", "verify"); err != nil {
		y.t.Error(err, out)
	}
	fmt.Printf("heal: %d sweeps, faults %v, acts %v, outcomes %v, well %d/%d\n", y.sweeps, faults, acts, ends, len(y.well()), len(y.agents))
}
