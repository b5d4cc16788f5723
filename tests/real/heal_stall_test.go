//go:build real

package real

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/act"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// A session that shows a stall of the configuration next to its prompt is nudged, once;
// when that stands farther up it is left alone.
func TestHealStall(t *testing.T) {
	t.Parallel()
	y := newYard(t, 1, installed(t))
	config, err := os.ReadFile(y.box.Path(".config/ctx/fleet.json"))
	if err != nil {
		t.Fatal(err)
	}
	y.write(".config/ctx/fleet.json", strings.Replace(string(config), `"fleet_gap_s": 0`,
		`"fleet_gap_s": 0, "stalls": [{"id": "held", "match": "parser module has three functions", "action": "nudge", "max_fires": 5}]`, 1))
	for deadline := time.Now().Add(5 * time.Minute); len(y.well()) < 1; y.sweep() {
		if time.Now().After(deadline) {
			t.Fatal("the agent did not start")
		}
	}
	y.says("agent-0", "Look at it [case:plain]", "The parser module has three functions.")
	y.still("agent-0")
	want := []string{"stall:agent-0 nudge done"}
	page := y.sweep()
	for deadline := time.Now().Add(5 * time.Minute); !slices.Equal(y.acts(), want) && time.Now().Before(deadline); page = y.sweep() { // what moves then is not written to, for a minute
	}
	if got := y.acts(); !slices.Equal(got, want) {
		t.Errorf("%q\n%s", got, page)
	}
	y.says("agent-0", "", act.NudgeText)
	y.says("agent-0", "", "Done.")
	page = y.sweep()
	if got := y.acts(); len(got) > 0 {
		t.Errorf("what is over is acted on: %q\n%s", got, page)
	}
	fmt.Println("heal: a stall is nudged")
}

// says types a prompt, when there is one, and waits until the transcript of the agent's
// session has a text and the session rests.
func (y *yard) says(agent, prompt, text string) {
	y.t.Helper()
	if prompt != "" {
		for _, keys := range [][]string{{"-l", prompt}, {"C-m"}} {
			if out, err := y.tmux(append([]string{"send-keys", "-t", "=lamp@" + agent + ":"}, keys...)...); err != nil {
				y.t.Fatal(err, out)
			}
			time.Sleep(time.Second)
		}
	}
	patiently(y.t, func(ctx context.Context) {
		err := claudebox.Await(ctx, agent+" to have "+text, func() bool {
			s, err := y.box.Session(y.pid(agent))
			return err == nil && s.Status == "idle" && y.box.Says(s.SessionID, text)
		})
		if err != nil {
			y.t.Fatal(err)
		}
	})
}

// still waits until the screen of an agent's session has not changed for a while.
func (y *yard) still(agent string) {
	y.t.Helper()
	last, since := "", time.Now()
	for deadline := since.Add(time.Minute); time.Since(since) < 8*time.Second; time.Sleep(500 * time.Millisecond) {
		pane, err := y.tmux("capture-pane", "-p", "-t", "=lamp@"+agent+":")
		if err != nil || time.Now().After(deadline) {
			y.t.Fatalf("it moves on, or %v: %s", err, pane)
		}
		if pane != last {
			last, since = pane, time.Now()
		}
	}
}

// acts is what the last sweep did or tried: subject, verb and result.
func (y *yard) acts() (acts []string) {
	y.t.Helper()
	b, err := os.ReadFile(y.state("heal.json"))
	if err != nil {
		y.t.Fatal(err)
	}
	var report struct {
		Rows []struct {
			Subject string
			Outcome *struct{ Verb, Result string }
		}
	}
	if err := json.Unmarshal(b, &report); err != nil {
		y.t.Fatal(err)
	}
	for _, r := range report.Rows {
		if r.Outcome != nil {
			acts = append(acts, r.Subject+" "+r.Outcome.Verb+" "+r.Outcome.Result)
		}
	}
	slices.Sort(acts)
	return acts
}
