package tests

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTickSoak runs tick after tick over a machine whose sessions wait and wait
// no more, and kills half of them, the tick or one of its steps, at any moment:
// no number twice, no ask lost or asked twice, no torn file, nothing left
// running. FLEET_TICKS says how many.
func TestTickSoak(t *testing.T) {
	long(t)
	t.Parallel()
	ticks := 4
	if s := os.Getenv("FLEET_TICKS"); s != "" {
		var err error
		if ticks, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	b := newTickBox(t)
	b.sh(`cp -R machine calm && cd calm/commands/claude-ac611fd5 && jq -c 'map(if .status == "waiting" then .status = "idle" | del(.waitingFor) else . end)' stdout >new && mv new stdout`)
	want := map[string]string{"machine": b.raised("machine"), "calm": b.raised("calm")}
	if want["machine"] == want["calm"] {
		t.Fatal("both machines ask the same")
	}
	r := rand.New(rand.NewPCG(uint64(ticks), 8))
	killed, ended := 0, 0
	for i := range ticks {
		machine := []string{"machine", "calm"}[r.IntN(2)]
		if i == ticks-1 {
			machine = "machine"
		}
		if i < ticks-1 && r.IntN(2) == 0 {
			killed += b.killSomewhere(machine, r)
			continue
		}
		if out, err := b.on(machine, "sh bin/tick.sh").CombinedOutput(); err != nil {
			t.Fatalf("tick %d: %v: %s", i, err, out)
		}
		if got := b.open("state"); got != want[machine] {
			t.Fatalf("after %d ticks and a whole one, open is\n%s\nwant\n%s", i, got, want[machine])
		}
		ended++
	}
	b.askedOnce()
	b.untorn()
	b.sh("fleet-step --lock state/tick.lock -- true")
	if out := b.sh("find state -name '*.part'"); out != "" {
		t.Errorf("left: %s", out)
	}
	t.Logf("%d ticks: %d ended, %d killed", ticks, ended, killed)
}

// on is a command over one of the recorded machines.
func (b tickBox) on(machine, script string) *exec.Cmd {
	cmd := b.command("exec " + script)
	cmd.Env = append(slices.Clone(b.env), "FLEET_FIXTURES="+filepath.Join(b.dir, machine))
	return cmd
}

// raised is what a first tick over a machine asks.
func (b tickBox) raised(machine string) string {
	b.t.Helper()
	if out, err := b.on(machine, "sh bin/tick.sh").CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	b.sh("rm -rf first && mv state first")
	return b.open("first")
}

// open is the keys that are open in a state directory.
func (b tickBox) open(state string) string {
	b.t.Helper()
	return b.sh(fmt.Sprintf(`sed "s|/state\"|/%s\"|" fleet.json >of.json && fleet-ledger observe --config of.json --jq 'select(.kind == "asked" and .data.state == "open").data.key' | sort`, state))
}

// killSomewhere begins a tick and kills it or something that it started, and
// waits until nothing of it runs. It returns 0 when the tick was done first.
func (b tickBox) killSomewhere(machine string, r *rand.Rand) int {
	b.t.Helper()
	cmd := b.on(machine, "sh bin/tick.sh")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	time.Sleep(time.Duration(r.IntN(4000)) * time.Millisecond)
	victims := []int{cmd.Process.Pid}
	if r.IntN(3) > 0 {
		victims = append(victims, descendants(cmd.Process.Pid)...)
	}
	victim := victims[r.IntN(len(victims))]
	did := 1
	if err := syscall.Kill(victim, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
		did = 0
	}
	_ = cmd.Wait() // killed, or failed because a step of it was
	deadline := time.Now().Add(2 * time.Minute)
	for b.running() != "" {
		if time.Now().After(deadline) {
			b.t.Fatalf("left running:\n%s", b.running())
		}
		time.Sleep(50 * time.Millisecond)
	}
	return did
}

// descendants are the processes below pid.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // ended meanwhile
		}
		var parent int
		if _, err := fmt.Sscanf(string(text[bytes.LastIndexByte(text, ')')+1:]), " %1s %d", new(string), &parent); err != nil {
			continue
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		children[parent] = append(children[parent], child)
	}
	var all []int
	for next := children[pid]; len(next) > 0; {
		all = append(all, next[0])
		next = append(next[1:], children[next[0]]...)
	}
	return all
}

// running is the processes of a tick of this box, which all have its
// configuration in their environment.
func (b tickBox) running() string {
	var found []string
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte("FLEET_CONFIG="+b.dir)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			found = append(found, name+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return strings.Join(found, "\n")
}

// askedOnce reads the ledger in its order: no number fired twice, and no key
// asked again before a tick found it no longer true.
func (b tickBox) askedOnce() {
	b.t.Helper()
	if out := b.sh("fleet-ledger verify"); !strings.HasSuffix(out, " 0 findings") {
		b.t.Error(out)
	}
	if out := b.sh(`fleet-ledger cat | jq -r 'select(.kind == "tick_fire").tick' | sort -n | uniq -d`); out != "" {
		b.t.Errorf("numbers used twice: %s", out)
	}
	open := map[string]bool{}
	for line := range strings.Lines(b.sh(`fleet-ledger cat | jq -r '(select(.verb == "ask") | "ask \(.target.asks[].key)"), (select(.resolved) | "end \(.keys[])")'`)) {
		what, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		if what == "ask" && open[key] {
			b.t.Errorf("asked twice: %s", key)
		}
		open[key] = what == "ask"
	}
}
