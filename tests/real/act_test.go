//go:build real

package real

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stand returns a stand-in for Claude Code that starts at once.
func stand(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "claude"), "./tests/rig/fakeclaude")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pane, err := os.ReadFile(filepath.Join(root, "internal/screen/testdata/panes/idle.txt"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "idle.txt"), pane, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "claude")
}

// standing returns a yard of n stand-ins, which were never prompted.
func standing(t *testing.T, n int) *yard {
	y := newYard(t, n, stand(t))
	y.write(".claude/history.jsonl", "")
	y.write(".claude/projects/.keep", "")
	config, err := os.ReadFile(y.box.Path(".config/ctx/fleet.json"))
	if err != nil {
		t.Fatal(err)
	}
	// What is typed gets nowhere: a restart is the first rung.
	y.write(".config/ctx/fleet.json", strings.Replace(string(config), `"heal": {`, `"heal": {"escalate_after": 0, `, 1))
	return y
}

// start sweeps until all agents answer.
func (y *yard) start() {
	y.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); len(y.well()) < len(y.agents); {
		report := y.sweep()
		if time.Now().After(deadline) {
			y.t.Fatalf("only %v answer\n%s", y.well(), report)
		}
	}
}

// stream is what heal.sh gives fleet-act, of this moment.
func (y *yard) stream() string {
	y.t.Helper()
	const look = `fleet-config tick >a && fleet-observe-workspaces >>a && fleet-observe-health <a >b && fleet-observe-claude >>b && fleet-ledger observe >>b &&
		fleet-classify <b | fleet-reconcile --desired "$HOME/desired-agents.yaml"`
	cmd := exec.Command("sh", "-c", look)
	cmd.Dir, cmd.Env = y.t.TempDir(), y.env()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		y.t.Fatal(err, stderr.String())
	}
	return string(out)
}

// However fleet-act dies between an intent and its outcome, recover closes the
// intent from what can be seen, and nothing is done twice.
func TestActKilled(t *testing.T) {
	t.Parallel()
	y := standing(t, 2)
	y.start()
	ends, rnd := map[string]int{}, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	kills := number(t, "FLEET_KILLS", 8)
	for n := 0; n < kills; {
		agent := y.agents[rnd.IntN(len(y.agents))]
		for _, command := range []string{"pause", "unpause"} { // a new episode: nothing holds an attempt back
			if out, err := y.run("fleet-ledger", command, agent); err != nil {
				t.Fatal(err, out)
			}
		}
		if rnd.IntN(2) == 0 && y.settled(agent) { // a restart
			y.write("repos/"+strings.TrimPrefix(agent, "agent-")+"/deaf", "")
		} else if out, err := y.tmux("kill-session", "-t", "=lamp@"+agent); err != nil {
			t.Fatal(err, out)
		}
		was := y.pid(agent)
		intent := y.killed(y.stream(), time.Duration(rnd.IntN(4500))*time.Millisecond)
		if out, err := y.run("fleet-act", "recover", "--execute", "--verify-timeout", "6s"); err != nil {
			t.Fatal(err, out)
		}
		outcome := y.outcome(intent)
		if intent.ID != "" {
			n++
		}
		now := y.processes(agent)
		if len(now) > 1 {
			t.Fatalf("%s runs %d times", agent, len(now))
		}
		started := len(now) == 1 && now[0] != was
		if (outcome.Kind == "done") != started && intent.ID != "" && outcome.Reason != "deaf" {
			t.Errorf("%s %s: %s %s (%s), and it was started: %t", intent.Verb, agent, outcome.Kind, outcome.Reason, outcome.Detail, started)
		}
		ends[strings.TrimSpace(intent.Verb+" "+outcome.Kind+" "+outcome.Reason)]++
		if err := os.Remove(filepath.Join(y.dir(agent), "deaf")); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, command := range []string{"pause", "unpause"} {
			if out, err := y.run("fleet-ledger", command, agent); err != nil {
				t.Fatal(err, out)
			}
		}
		y.start()
	}
	fmt.Printf("act: %d kills, %v\n", kills, ends)
}

// settled tells that the agent's process is no new one, for which it would be left
// alone.
func (y *yard) settled(agent string) bool {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", y.pid(agent)))
	return err == nil && time.Since(info.ModTime()) > 2*time.Minute+5*time.Second
}

// killed runs fleet-act and kills it so long after it wrote an intent, which it
// returns; an empty one when there was none.
func (y *yard) killed(stream string, after time.Duration) entry {
	known := len(y.ledger())
	cmd := exec.Command(filepath.Join(y.bin, "fleet-act"), "--execute")
	cmd.Env, cmd.Stdin = y.env(), strings.NewReader(stream)
	if err := cmd.Start(); err != nil {
		y.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-time.After(20 * time.Millisecond):
		}
		es := y.ledger()
		if i := slices.IndexFunc(es[known:], func(e entry) bool { return e.Kind == "intent" && e.Verb != "alert" }); i >= 0 {
			if !ended {
				time.Sleep(after)
				_ = cmd.Process.Signal(syscall.SIGKILL) // it may have ended
				<-done
			}
			return es[known+i]
		}
	}
	return entry{}
}

// outcome is that of an intent, of which there is one.
func (y *yard) outcome(intent entry) entry {
	var found []entry
	for _, e := range y.ledger() {
		if intent.ID != "" && e.Of == intent.ID {
			found = append(found, e)
		}
	}
	if len(found) != 1 && intent.ID != "" {
		y.t.Fatalf("%d outcomes of %+v: %+v", len(found), intent, found)
	}
	if intent.ID == "" {
		return entry{}
	}
	return found[0]
}

// processes are the sessions that run in an agent's workspace.
func (y *yard) processes(agent string) (pids []int) {
	for _, s := range y.box.Sessions() {
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.PID)); err == nil && cwd == y.dir(agent) {
			pids = append(pids, s.PID)
		}
	}
	return pids
}

// An upgrade goes through the agents one by one, and ends at the first that does
// not come back in the version that was asked for.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	y := standing(t, 4)
	y.write(".local/bin/macf", "#!/bin/sh\n[ \"$*\" = 'update --yes' ] || exit 2\ncase $PWD in */2) echo 1.0.5 ;; *) echo 1.1.0 ;; esac >version\n")
	y.start()
	before := map[string]int{}
	for _, agent := range y.agents {
		before[agent] = y.pid(agent)
	}
	cmd := exec.Command(filepath.Join(y.bin, "fleet-act"), "upgrade", "--to", "v1.1.0", "--execute", "--verify-timeout", "20s")
	cmd.Env, cmd.Stdin = y.env(), strings.NewReader(y.stream())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "stopped at agent-2; left: agent-2, agent-3") {
		t.Fatalf("%v: %s\n%s", err, stderr.String(), out)
	}
	for i, agent := range y.agents {
		if upgraded := y.pid(agent) != before[agent]; upgraded != (i <= 2) {
			t.Errorf("%s was restarted: %t", agent, upgraded)
		}
	}
	var ends []string
	for _, e := range y.ledger() {
		if e.Verb == "upgrade" && e.Of != "" {
			ends = append(ends, strings.TrimSpace(e.Key+" "+e.Kind+" "+e.Reason))
		}
	}
	if want := []string{"agent-0 done", "agent-1 done", "agent-2 failed wrong-version"}; !slices.Equal(ends, want) {
		t.Errorf("%q", ends)
	}
}
