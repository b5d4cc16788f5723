package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// fleetAct runs a program for the scope of the agents' home; no tmux is there.
func (a *agents) fleetAct(in []byte, argv ...string) (out []byte, says string, status int) {
	a.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + filepath.Join(a.home, "none"), "FLEET_SCOPE=lamp", "FLEET_CONFIG=" + filepath.Join(a.home, "fleet.json")}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = a.home, bytes.NewReader(in), &stdout, &stderr
	_ = cmd.Run()
	return stdout.Bytes(), stderr.String(), cmd.ProcessState.ExitCode()
}

// claude runs in a workspace what is taken for Claude Code, until the test ends.
func (a *agents) claude(dir string) (pid int) {
	a.t.Helper()
	cmd := exec.Command("sh") // it reads commands, and gets none
	cmd.Args[0] = "claude"
	cmd.Dir = filepath.Join(a.home, "repos", dir)
	if _, err := cmd.StdinPipe(); err != nil {
		a.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	a.write("panes/lamp@"+dir, fmt.Sprint(cmd.Process.Pid))
	return cmd.Process.Pid
}

// judged is a stream of now in which the agents of the home answer, and their sessions are at rest.
func (a *agents) judged(names ...string) []byte {
	a.t.Helper()
	var stream []byte
	pids := map[string]int{}
	for _, name := range names {
		pids[name] = a.claude(name)
	}
	for _, argv := range [][]string{{"fleet-config", "tick"}, {"fleet-observe-workspaces"}, {"fleet-ledger", "observe"}} {
		out, says, status := a.fleetAct(nil, argv...)
		if status != 0 {
			a.t.Fatalf("%v: %d, %s", argv, status, says)
		}
		stream = append(stream, out...)
	}
	stream, says, status := a.fleetAct(stream, "fleet-observe-health")
	if status != 0 {
		a.t.Fatalf("%d, %s", status, says)
	}
	line, _, _ := bytes.Cut(stream, []byte("\n"))
	tick, err := record.Parse(line)
	if err != nil {
		a.t.Fatal(err)
	}
	add := func(by, kind, host, subject, data string) {
		stream = fmt.Appendf(stream, `{"v":1,"kind":%q,"at":%q,"host":%q,"by":%q,"subject":%q,"data":%s}`+"\n", kind, tick.At.Format("2006-01-02T15:04:05.000Z"), host, by, subject, data)
	}
	for _, name := range names {
		add("fleet-observe-claude", "session", tick.Host, "s-"+name, fmt.Sprintf(`{"session_id":"s-%s","runtime":"claude","process":{"pid":%d,"alive":true}}`, name, pids[name]))
		add("fleet-classify", "verdict", tick.Host, "s-"+name, `{"class":"9","session":{"ours":false}}`)
	}
	add("fleet-classify", "surface", "", "fleet-classify", fmt.Sprintf(`{"ok":true,"rows":%d,"records":%d}`, len(names), len(names)))
	return stream
}

func upgrading(t *testing.T) *agents {
	a := newAgents(t)
	if out, err := exec.Command("git", "init", "-q", filepath.Join(a.home, "repos/first")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a.write("fleet.json", `{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "mode": "act", "dry_run": 0, "state_dir": "~/state", "owner_channel": {"kind": "none"},
		"surfaces": ["claude"], "repos": ["~/repos/first"], "heal": {}}}}`)
	a.workspace("second", "second", "macf-second")
	a.serve("first", a.mutual(a.ca.agent(nil)), says("first", `, "state": "idle"`))
	a.serve("second", a.mutual(a.ca.agent(nil)), says("second", `, "state": "idle"`))
	return a
}

// An agent to which nothing can be done is passed by: the next one's turn comes, and
// at the end who is left is named with why. What another machine has is left out of it.
func TestUpgrade_refused(t *testing.T) {

	for _, far := range []bool{false, true} {
		a := upgrading(t)
		stream := a.judged("first", "second")
		if far {
			out, _, _ := a.fleetAct(nil, "fleet-observe-workspaces")
			elsewhere := regexp.MustCompile(`"host":"[^"]*"`).ReplaceAll(out, []byte(`"host":"elsewhere"`))
			stream = append(stream, bytes.ReplaceAll(elsewhere, []byte(a.home), []byte("/home/elsewhere"))...)
		}
		out, errs, status := a.fleetAct(stream, "fleet-act", "upgrade", "--to", "0.2.47", "--execute", "--jq", `select(.kind == "outcome").data | [.agent, .verb, .result, .reason] | join(" ")`)
		if got := string(out); got != "first upgrade refused unknown\nsecond upgrade refused unknown\n" || status != 1 {
			t.Errorf("far %t: status %d, %s%s", far, status, got, errs)
		}
		if !regexp.MustCompile(`^fleet-act: not every agent is upgraded to 0\.2\.47; left: first \(refused: .*unknown: .*\); second \(refused: .*\)\n$`).MatchString(errs) {
			t.Errorf("far %t: %s", far, errs)
		}
		if strings.Contains(errs, "elsewhere") {
			t.Error(errs)
		}
	}
}

// That an upgrade stopped at an agent is filed once, also when the version was written
// otherwise, and stays so for the next tick when a sweep finds the agent well before.
func TestUpgrade_stopped(t *testing.T) {
	a := upgrading(t)
	a.write("state/ledger.jsonl", `{"v":1,"ts":"2026-11-29T12:00:00.000Z","id":"act-1","kind":"intent","scope":"lamp","tick":null,"dry_run":false,"by":"act","verb":"upgrade","key":"first","target":{"action":{"verb":"upgrade","driver":"tmux","to":"v0.2.47"}}}
{"v":1,"ts":"2026-11-29T12:01:00.000Z","id":"act-2","kind":"failed","scope":"lamp","tick":null,"dry_run":false,"by":"act","verb":"upgrade","key":"first","of":"act-1","reason":"wrong-version"}
`)
	stream := a.judged("first", "second")
	plan, says, status := a.fleetAct(stream, "fleet-reconcile")
	if status != 0 {
		t.Fatalf("%d, %s", status, says)
	}
	for _, execute := range []string{"--jq", "--execute", "--execute"} {
		argv := []string{"fleet-act", "upgrade", "--to", "0.2.47", execute}
		if execute == "--jq" {
			argv = append(argv, ".")
		}
		if out, says, status := a.fleetAct(stream, argv...); status != 1 || !strings.Contains(says, "the upgrade to 0.2.47 stopped at first; left: first, second") {
			t.Fatalf("%d, %s%s", status, says, out)
		}
		b, err := os.ReadFile(filepath.Join(a.home, "state/ledger.jsonl"))
		if n := bytes.Count(b, []byte(`"severity":"upgrade-stopped"`)); err != nil || n != map[string]int{"--execute": 1}[execute] {
			t.Fatalf("%s: told %d times: %v\n%s", execute, n, err, b)
		}
	}
	if out, says, status := a.fleetAct(plan, "fleet-act", "--execute"); status != 0 {
		t.Fatalf("%d, %s%s", status, out, says)
	}
	out, says, status := a.fleetAct(nil, "fleet-ledger", "observe", "--jq", `select(.kind == "heal" and .data.alerts != null) | .subject + ": " + (.data.alert_texts | tostring)`)
	if want := `first: {"upgrade-stopped":"the upgrade to 0.2.47 stopped here: wrong-version"}` + "\n"; string(out) != want || status != 0 {
		t.Errorf("%d, %s\n%s", status, says, out)
	}
	// What a tick makes of it: one question, once, however often it looks.
	tick := exec.Command("sh", "-c", `for n in 1 2; do
	{ fleet-config tick --tick "$(fleet-ledger fire)" && fleet-observe-claude && fleet-ledger observe; } | fleet-classify | fleet-asks | fleet-ledger append | fleet-render
done && fleet-asks list`)
	tick.Dir, tick.Env = a.home, []string{"HOME=" + a.home, "PATH=" + bin + ":/usr/bin:/bin", "FLEET_SCOPE=lamp", "FLEET_CONFIG=" + filepath.Join(a.home, "fleet.json")}
	out, err := tick.CombinedOutput()
	asked := regexp.MustCompile(`first: the upgrade to 0\.2\.47 stopped here: wrong-version`).FindAll(out, -1)
	if err != nil || len(asked) != 3 {
		t.Errorf("%v, %d of 3 times\n%s", err, len(asked), out)
	}
}
