package observe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/tests/broken"
)

// A session of this machine is found, with what of its environment is read.
func TestAgentProcesses(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(sleep)
	claude := filepath.Join(dir, "claude")
	if err == nil {
		err = os.WriteFile(claude, text, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(claude, "60")
	cmd.Dir, cmd.Env = dir, []string{"MACF_AGENT_NAME=code", "TOKEN=FAKE"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	ps, _, err := agentProcesses(&machine.World{})
	if err != nil {
		t.Fatal(err)
	}
	var found *macf.Process
	for i, p := range ps {
		if p.PID == cmd.Process.Pid {
			found = &ps[i]
		}
	}
	if found == nil || found.Kind() != macf.KindClaude || found.Cwd != dir || found.Start == "" || len(found.Env) != 1 || found.Env["MACF_AGENT_NAME"] != "code" {
		t.Errorf("%+v", found)
	}
}

// A process table that cannot be listed is an error.
func TestAgentProcesses_unread(t *testing.T) {
	broken.Without(t, 0, func() {
		if ps, _, err := agentProcesses(&machine.World{}); ps != nil || err == nil {
			t.Errorf("%v %v", ps, err)
		}
	})
}
