//go:build real

package real

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A manager is systemd's own user manager, of a home and a runtime directory of its
// own. systemd runs none where it did not boot the machine: so it has a /run to itself,
// in which that seems so.
type manager struct {
	t    *testing.T
	env  []string
	said strings.Builder
}

func newManager(t *testing.T, env []string, runtime string) *manager {
	t.Helper()
	if err := os.Mkdir(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	m := &manager{t: t, env: append(slices.Clone(env), "XDG_RUNTIME_DIR="+runtime)}
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
		"mount -t tmpfs -o mode=755 run /run && mkdir -p /run/systemd/system && exec /lib/systemd/systemd --user")
	cmd.Env = m.env
	cmd.Stdout, cmd.Stderr = &m.said, &m.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = m.run("systemctl", "--user", "exit")
		_ = cmd.Wait()
	})
	m.until("the manager answers", func() bool { _, err := m.run("systemctl", "--user", "show-environment"); return err == nil })
	return m
}

func (m *manager) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs what must end well.
func (m *manager) must(name string, args ...string) string {
	m.t.Helper()
	out, err := m.run(name, args...)
	if err != nil {
		m.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

func (m *manager) until(what string, so func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			m.t.Fatalf("not so after two minutes: %s\n%s", what, m.said.String())
		}
	}
}

// Both timers of an installed scope under a real user manager: a tick is made; an agent
// that a sweep starts outlives the job that started it, however that ends; what is
// scheduled is seen; and nothing is left when they are taken out.
func TestManager(t *testing.T) {
	t.Parallel()
	y := newYard(t, 1, installed(t))
	checkout := y.box.Path("checkout")
	for _, part := range []string{"cmd", "internal", "bin"} {
		if err := os.CopyFS(filepath.Join(checkout, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", ".gitignore"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		y.write("checkout/"+name, string(b))
	}
	env := slices.DeleteFunc(y.env(), func(v string) bool { return strings.HasPrefix(v, "FLEET_SCOPE=") })
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	env = append(env, "GOFLAGS=-ldflags=-w", "GIT_CONFIG_GLOBAL=/dev/null")
	for i, v := range env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			env[i] = "PATH=" + path + ":" + os.Getenv("PATH")
		}
	}
	m := newManager(t, env, y.box.Path("run"))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "all of it"}} {
		m.must("git", append([]string{"-C", checkout}, args...)...)
	}
	t.Log(m.must("sh", filepath.Join(checkout, "bin/install.sh"), "--scope", "lamp"))

	m.must("systemctl", "--user", "start", "fleet-reconcile-lamp.service")
	if _, err := os.Stat(y.state("latest.md")); err != nil {
		t.Errorf("a tick of the timer's job left no report: %v", err)
	}
	timers := m.must("systemctl", "--user", "list-timers", "--all")
	seen := m.must(filepath.Join(y.bin, "fleet-observe-schedule"), "--jq", `select(.kind == "schedule") | [.subject, .data.state] | join(" ")`)
	for _, name := range []string{"fleet-reconcile-lamp", "fleet-heal-lamp"} {
		if !strings.Contains(timers, name+".timer") || !strings.Contains(seen, name) {
			t.Errorf("%s is not scheduled, or not seen so:\n%s\n%s", name, timers, seen)
		}
	}

	m.must("systemctl", "--user", "start", "--no-block", "fleet-heal-lamp.service")
	m.until("a sweep starts the agent", func() bool { return y.pid("agent-0") != 0 })
	pid := y.pid("agent-0")
	m.must("systemctl", "--user", "stop", "fleet-heal-lamp.service")
	m.until("the job has ended", func() bool {
		out, _ := m.run("systemctl", "--user", "show", "--property=ActiveState", "fleet-heal-lamp.service")
		return !strings.Contains(out, "=active") && !strings.Contains(out, "activating")
	})
	time.Sleep(time.Second)
	if now := y.pid("agent-0"); now != pid {
		t.Errorf("the agent that a sweep started, process %d, ended with the sweep's job: now %d", pid, now)
	}

	t.Log(m.must("sh", filepath.Join(checkout, "bin/install.sh"), "--scope", "lamp", "--uninstall"))
	if out, _ := m.run("systemctl", "--user", "list-unit-files", "fleet-*"); !strings.Contains(out, "0 unit files") {
		t.Errorf("after --uninstall:\n%s", out)
	}
	if y.pid("agent-0") != pid {
		t.Error("the agent ended with the jobs")
	}
}
