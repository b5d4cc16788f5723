//go:build real

package real

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/scripts"
	"github.com/fleet-tools/fleet/tests/rig/testca"
)

// A yard is a scope with agents: real sessions in tmux, each with a server that
// answers for it, and heal.sh, run as its timer runs it.
type yard struct {
	t      *testing.T
	box    *claudebox.Box
	bin    string
	agents []string
	sweeps int
}

// fleetSize is how many agents the fleet of TestHeal has.
func fleetSize(t *testing.T) int { return number(t, "FLEET_HEAL_AGENTS", 4) }

// number is that of a variable, or the usual one.
func number(t *testing.T, name string, usual int) int {
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newYard returns one of n agents, whose sessions are of the binary.
func newYard(t *testing.T, n int, binary string) *yard {
	y := &yard{t: t}
	var projects []string
	for i := range n {
		y.agents = append(y.agents, fmt.Sprintf("agent-%d", i))
		projects = append(projects, fmt.Sprintf("repos/%d", i))
	}
	y.box = newBox(t, binary, false, projects...)
	y.bin = y.box.Path(".local/bin")
	for _, argv := range [][]string{{"build", "-o", y.bin + "/", "./cmd/..."}, {"build", "-o", y.bin + "/", "./tests/rig/agentd"}} {
		cmd := exec.Command("go", argv...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := scripts.Copy(root, y.bin); err != nil {
		t.Fatal(err)
	}
	y.lay(projects)
	t.Cleanup(func() { y.tmux("kill-server") })
	return y
}

// lay writes the registry, the workspaces and the configuration.
func (y *yard) lay(projects []string) {
	ca, err := testca.New()
	if err != nil {
		y.t.Fatal(err)
	}
	y.write("registry/LAMP_CA_CERT", string(ca.PEM()))
	var env strings.Builder
	for _, v := range y.box.Env() {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&env, "export %s='%s'\n", name, value)
	}
	var repos, desired []string
	for i, dir := range projects {
		cert, key, err := ca.Leaf(y.agents[i])
		if err != nil {
			y.t.Fatal(err)
		}
		y.write(dir+"/.macf/certs/agent-cert.pem", string(cert))
		y.write(dir+"/.macf/certs/agent-key.pem", string(key))
		y.write(dir+"/.macf/macf-agent.json", fmt.Sprintf(`{"project": "lamp", "agent_name": %q, "agent_role": "r", "agent_type": "permanent",
			"registry": {"type": "local", "path": %q}}`, y.agents[i], y.box.Path("registry")))
		y.write(dir+"/claude.sh", "#!/bin/sh\n"+env.String()+"exec agentd \"$PWD\" \""+y.box.Path("registry")+"\"\n")
		if out, err := y.box.Output(y.t.Context(), y.box.Path(dir), "git", "init", "-q", "."); err != nil {
			y.t.Fatal(err, out)
		}
		repos = append(repos, strconv.Quote(y.box.Path(dir)))
		desired = append(desired, fmt.Sprintf("  - agent: %s\n    workspace: %s\n", y.agents[i], y.box.Path(dir)))
	}
	y.write("desired-agents.yaml", "agents:\n"+strings.Join(desired, ""))
	y.write(".config/ctx/fleet.json", `{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "dry_run": 0, "mode": "act", "surfaces": ["claude"], "adopted": "*",
		"owner_channel": {"kind": "none"}, "caps": {"fleet_sessions": 12}, "repos": [`+strings.Join(repos, ", ")+`], "desired_agents": "~/desired-agents.yaml",
		"heal": {"interval_min": 1, "allow_restart": 1, "backoff_min": 2, "backoff_max_min": 2, "max_attempts": 1000, "stagger_s": 0, "window_s": 0, "fleet_gap_s": 0}}}}`)
}

func (y *yard) write(name, text string) {
	y.t.Helper()
	name = y.box.Path(name)
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o700)
	}
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) dir(agent string) string {
	return y.box.Path("repos", strings.TrimPrefix(agent, "agent-"))
}

// env is what the timer of heal.sh gives it.
func (y *yard) env() []string {
	var env []string
	for _, v := range y.box.Env() {
		if name, _, _ := strings.Cut(v, "="); slices.Contains([]string{"PATH", "HOME", "USER", "LANG", "TZ", "TMUX_TMPDIR"}, name) {
			env = append(env, v)
		}
	}
	return append(env, "FLEET_SCOPE=lamp", "MACF_WORKSPACE_ROOT="+y.box.Path("repos"))
}

func (y *yard) run(argv ...string) (string, error) {
	cmd := exec.Command(filepath.Join(y.bin, argv[0]), argv[1:]...)
	cmd.Env = y.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// sweep is one sweep, which must not fail.
func (y *yard) sweep() string {
	y.t.Helper()
	y.sweeps++
	out, err := y.run("heal.sh")
	report, _ := os.ReadFile(y.state("heal/report.md"))
	if err != nil {
		log, _ := os.ReadFile(y.state("heal.log"))
		y.t.Fatalf("sweep %d: %v: %s\n%s\n%s", y.sweeps, err, out, log, report)
	}
	return string(report)
}

func (y *yard) state(name string) string {
	return y.box.Path(".local/state/fleet-reconcile/lamp", name)
}

func (y *yard) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", args...)
	cmd.Env = y.env()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// pid is that of the agent's Claude Code process, 0 when none runs.
func (y *yard) pid(agent string) int {
	for _, s := range y.box.Sessions() {
		cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.PID))
		if err == nil && cwd == y.dir(agent) {
			return s.PID
		}
	}
	return 0
}

// well tells which agents answer, of those that a sweep would ask.
func (y *yard) well() (well []string) {
	out, err := y.run("fleet-observe-workspaces")
	if err != nil {
		y.t.Fatal(err, out)
	}
	cmd := exec.Command(filepath.Join(y.bin, "fleet-observe-health"), "--jq", `select(.kind == "health" and .data.online and .data.listed_instance == .data.instance_id) | .data.agent`)
	cmd.Env, cmd.Stdin = y.env(), strings.NewReader(out)
	b, err := cmd.Output()
	if err != nil {
		y.t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// entry is what the test reads of a ledger line.
type entry struct {
	ID, Kind, Verb, Key, Of, Reason, Detail string
	DryRun                                  bool `json:"dry_run"`
	TS                                      time.Time
}

func (y *yard) ledger() (es []entry) {
	b, err := os.ReadFile(y.state("ledger.jsonl"))
	if err != nil {
		y.t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			y.t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}
