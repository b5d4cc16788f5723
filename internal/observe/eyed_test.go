package observe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// eyed is a home that eyes look at.
type eyed struct {
	t    *testing.T
	home string
}

func newEyed(t *testing.T) eyed {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "MACF_WORKSPACE_ROOT", "MACF_LAST_EXIT_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	return eyed{t, home}
}

func (e eyed) write(name, text string) {
	e.t.Helper()
	name = filepath.Join(e.home, name)
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// runs starts a process that the table takes for a session, in a directory of
// the home, and returns it as it is then.
func (e eyed) runs(dir string) *record.AgentProc {
	e.t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		e.t.Fatal(err)
	}
	text, err := os.ReadFile(sleep)
	claude := filepath.Join(e.home, "bin", "claude")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(claude), 0o700)
	}
	if _, there := os.Stat(claude); there != nil && err == nil {
		err = os.WriteFile(claude, text, 0o700)
	}
	cmd := exec.Command(claude, "60")
	cmd.Dir = filepath.Join(e.home, dir)
	if err == nil {
		err = os.MkdirAll(cmd.Dir, 0o700)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &record.AgentProc{PID: cmd.Process.Pid}
}

// user is a user record of a transcript.
func user(id string, at time.Time, cwd, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"timestamp":%q,"cwd":%q,"sessionId":"s1","message":{"role":"user","content":%q}}`+"\n", id, at.UTC().Format(time.RFC3339Nano), cwd, text)
}
