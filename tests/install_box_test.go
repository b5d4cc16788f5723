package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// installBox is a home with a space in its name, a checkout with one commit of
// what is here now, and stubs of what install.sh asks and changes on a machine.
type installBox struct {
	t                        *testing.T
	home, checkout, stub, sh string
	env                      []string
}

// newInstallBox makes one. A stub of go hands out the programs that the tests
// run, unless build is true: then they are built.
func newInstallBox(t *testing.T, system, shell string, build bool) installBox {
	t.Helper()
	dir := t.TempDir()
	b := installBox{t: t, home: filepath.Join(dir, "h ome"), checkout: filepath.Join(dir, "check out"), stub: filepath.Join(dir, "stub"), sh: shell}
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(err)
	}
	for _, pkg := range []string{"cmd", "internal"} {
		if err := os.CopyFS(filepath.Join(b.checkout, pkg), os.DirFS(filepath.Join(root, pkg))); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(root, "bin/*.sh"))
	for _, f := range append(files, filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum"), filepath.Join(root, ".gitignore")) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(root, f)
		b.write(filepath.Join(b.checkout, name), string(text))
		if strings.HasSuffix(name, ".sh") {
			if err := os.Chmod(filepath.Join(b.checkout, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	stubs := []string{"launchctl", "systemctl", "loginctl", "uname", "sleep", "crontab", "claude", "gh"}
	if !build {
		stubs = append(stubs, "go")
	}
	for _, name := range stubs {
		file := filepath.Join(b.stub, "bin", name)
		b.write(file, fmt.Sprintf("#!/bin/sh\nexec sh '%s/tests/install/stub.sh' %s \"$@\"\n", root, name))
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.write(filepath.Join(b.stub, "os"), system+"\n")
	b.write(filepath.Join(b.home, ".config/go/telemetry/mode"), "off\n") // else go writes there
	b.env = []string{"HOME=" + b.home, "PATH=" + filepath.Join(b.stub, "bin") + ":" + os.Getenv("PATH"), "STUB=" + b.stub, "BIN=" + bin, "TMPDIR=" + dir,
		"GOPROXY=off", "GIT_CONFIG_GLOBAL=/dev/null", "XDG_RUNTIME_DIR=" + dir}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		b.env = append(b.env, name+"="+strings.TrimSpace(string(out)))
	}
	for _, scope := range []string{"lamp", "team"} { // the repository that a new configuration names
		b.write(filepath.Join(b.home, "src", scope, ".git/HEAD"), "ref: refs/heads/main\n")
		for _, d := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(b.home, "src", scope, ".git", d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.git("init", "-q")
	b.commit()
	return b
}

func (b installBox) write(file, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b installBox) read(file string) string {
	b.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// say puts a word into the stub's directory.
func (b installBox) say(name, text string) { b.write(filepath.Join(b.stub, name), text+"\n") }

func (b installBox) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", b.checkout, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit and returns the release that it is.
func (b installBox) commit() string {
	b.t.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", "state")
	return b.git("rev-parse", "HEAD")[:12]
}

// run runs a script of ours and returns its status and both outputs.
func (b installBox) run(script string, args ...string) (status int, out, stderr string) {
	b.t.Helper()
	cmd := exec.Command(b.sh, append([]string{script}, args...)...)
	cmd.Env, cmd.Dir = b.env, filepath.Dir(b.home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		b.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// install must end well, without a word on stderr.
func (b installBox) install(args ...string) string {
	b.t.Helper()
	status, out, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), append([]string{"--scope", "lamp"}, args...)...)
	if status != 0 || stderr != "" {
		b.t.Fatalf("install.sh %q: status %d\n%s%s", args, status, out, stderr)
	}
	return out
}

// refuse must end with this status and these words on stderr, and change
// nothing.
func (b installBox) refuse(want int, says string, args ...string) {
	b.t.Helper()
	before := b.tree()
	status, out, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), args...)
	if status != want || !strings.Contains(stderr, says) {
		b.t.Errorf("install.sh %q: status %d, want %d, and %q\n%s%s", args, status, want, says, out, stderr)
	}
	if after := b.tree(); after != before {
		b.t.Errorf("install.sh %q changed\n%s\nto\n%s", args, before, after)
	}
}

// calls returns what the stubs were called for since the last time, without
// what only asks.
func (b installBox) calls() string {
	b.t.Helper()
	file := filepath.Join(b.stub, "calls")
	text, _ := os.ReadFile(file)
	b.write(file, "")
	did := []string{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		switch f := strings.Fields(line); {
		case len(f) == 0 || f[0] == "uname" || f[0] == "loginctl" || f[0] == "crontab" || f[0] == "go":
		case strings.Contains(line, " show") || strings.Contains(line, " is-"):
		default:
			did = append(did, strings.ReplaceAll(strings.ReplaceAll(line, b.home, "~"), fmt.Sprintf("gui/%d", os.Getuid()), "gui/U"))
		}
	}
	return strings.Join(did, "\n")
}

// tree is everything in the home and in TMPDIR but the stubs: name, mode, size,
// time of change.
func (b installBox) tree() string {
	b.t.Helper()
	var s strings.Builder
	err := filepath.WalkDir(filepath.Dir(b.home), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == b.stub || path == b.checkout {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil || path == filepath.Dir(b.home) {
			return err
		}
		fmt.Fprintln(&s, strings.TrimPrefix(path, b.home), info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s.String()
}

// releases are the names in the releases directory, hidden ones too.
func (b installBox) releases() []string {
	b.t.Helper()
	entries, err := os.ReadDir(filepath.Join(b.home, ".local/share/fleet-reconcile/releases"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (b installBox) plist() string {
	return filepath.Join(b.home, "Library/LaunchAgents/dev.fleet.reconcile.lamp.plist")
}

func (b installBox) config() string { return filepath.Join(b.home, ".config/ctx/fleet.json") }
