package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"howett.net/plist"
)

// agent is what launchd reads of a property list.
type agent struct {
	Label                string
	ProgramArguments     []string
	EnvironmentVariables map[string]string
	StandardOutPath      string
}

func (b installBox) agent() agent {
	b.t.Helper()
	var a agent
	if _, err := plist.Unmarshal([]byte(b.read(b.plist())), &a); err != nil {
		b.t.Fatal(err)
	}
	return a
}

// What is built is what is checked out, and says so. FLEET_SOAK builds all of it.
func TestInstall_build(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "sh", true)
	built := programs(t)
	if os.Getenv("FLEET_SOAK") == "" {
		built = []string{"fleet-config", "fleet-step"}
		for _, name := range programs(t) {
			if !slices.Contains(built, name) {
				if err := os.RemoveAll(filepath.Join(b.checkout, "cmd", name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	commit := b.commit()
	b.install()
	release := filepath.Join(b.home, ".local/share/fleet-reconcile/releases", commit)
	for _, program := range built {
		if got := b.must(filepath.Join(release, "bin", program), "--version"); !strings.HasSuffix(got, "("+commit+")") {
			t.Errorf("%s --version: %s", program, got)
		}
	}
	if got := b.git("status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("the checkout has %s", got)
	}
}

// A whole life on a Mac: the first install, one that changes nothing, a tick as
// launchd would run it when the checkout is gone, and the end, which leaves what
// is the owner's.
func TestInstall(t *testing.T) {
	t.Parallel()
	b := newInstallBox(t, "Darwin", "bash", false)
	commit := b.git("rev-parse", "HEAD")[:12]
	release := filepath.Join(b.home, ".local/share/fleet-reconcile/releases", commit)

	// See it first: nothing is written.
	before := b.tree()
	out := b.install("--dry-run")
	for _, says := range []string{"would write " + b.config(), "would build the release " + commit, "would write " + b.plist(), "would load dev.fleet.reconcile.lamp"} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q in\n%s", says, out)
		}
	}
	if after := b.tree(); after != before || b.calls() != "" {
		t.Errorf("a dry run changed\n%s\nto\n%s", before, after)
	}

	out = b.install()
	want := "launchctl enable gui/U/dev.fleet.reconcile.lamp\nlaunchctl bootstrap gui/U ~/Library/LaunchAgents/dev.fleet.reconcile.lamp.plist"
	if got := asks(b.calls()); got != want {
		t.Errorf("calls\n%s\nwant\n%s", got, want)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, says := range []string{"launchctl kickstart gui/", "/current/bin/fleet-asks' list --scope lamp", "/current/bin/install.sh' --scope lamp --uninstall"} {
		if line := lines[len(lines)-3+i]; !strings.Contains(line, says) {
			t.Errorf("%q has no %q", line, says)
		}
	}
	if info, err := os.Stat(b.config()); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for _, get := range [][2]string{{"mode", "report"}, {"dry_run", "1"}, {"dispatch_enabled", "1"}, {"repos", `["` + b.home + `/src/lamp"]`}} {
		if got := b.must(filepath.Join(release, "bin/fleet-config"), "get", "lamp", get[0]); got != get[1] {
			t.Errorf("%s is %s", get[0], got)
		}
	}
	for _, program := range programs(t) {
		for _, name := range []string{"man/man1/" + program + ".1", "completions/bash/" + program, "completions/zsh/_" + program, "completions/fish/" + program + ".fish"} {
			if text := b.read(filepath.Join(release, "share", name)); !strings.Contains(text, "docs") {
				t.Errorf("%s: %q", name, text)
			}
		}
	}

	before = b.tree()
	if out := b.install(); !strings.Contains(out, "nothing had to be changed") || !strings.Contains(out, "One tick now:") {
		t.Errorf("%s", out)
	}
	if after := b.tree(); after != before || b.calls() != asksLoaded {
		t.Errorf("a second install changed\n%s\nto\n%s", before, after)
	}

	// The job needs nothing but what its file names.
	if err := os.Rename(b.checkout, b.checkout+".gone"); err != nil {
		t.Fatal(err)
	}
	b.checkAgent(release)

	// It ends from the release, too.
	b.calls()
	for i, name := range []string{"dev.fleet.reconcile.lamp.plist", "dev.fleet.reconcile.lamp 2.plist"} {
		b.say("job-dev.fleet.reconcile.lamp", "")
		b.write(b.plist(), fmt.Sprint(i))
		status, out, stderr := b.run(filepath.Join(release, "bin/install.sh"), "--scope", "lamp", "--uninstall")
		if status != 0 || stderr != "" || !strings.Contains(out, "the state, "+b.home+"/.local/state/fleet-reconcile/lamp;") {
			t.Errorf("status %d\n%s%s", status, out, stderr)
		}
		if got := b.read(filepath.Join(b.home, ".Trash", name)); got != fmt.Sprint(i) {
			t.Errorf("%s: %s", name, got)
		}
		if _, err := os.Stat(b.plist()); err == nil {
			t.Error("the property list is still there")
		}
		if got := asks(b.calls()); got != "launchctl bootout gui/U/dev.fleet.reconcile.lamp" {
			t.Errorf("calls\n%s", got)
		}
	}
	if status, out, _ := b.run(filepath.Join(release, "bin/install.sh"), "--scope", "lamp", "--uninstall"); status != 0 || !strings.Contains(out, "no job of the scope lamp is installed") {
		t.Errorf("status %d\n%s", status, out)
	}
	if got := b.releases(); !slices.Equal(got, []string{commit}) || b.read(b.config()) == "" {
		t.Errorf("releases left: %q", got)
	}
}

// checkAgent runs the command of the property list in its environment.
func (b installBox) checkAgent(release string) {
	b.t.Helper()
	a := b.agent()
	want := release + "/bin:" + b.stub + "/bin:"
	path := a.EnvironmentVariables["PATH"] // where node is stands early in it
	if !strings.HasPrefix(path, want) || !strings.Contains(path, ":"+b.home+"/.claude/local:") || !strings.Contains(path, ":/usr/bin") || !strings.HasSuffix(path, ":/bin") ||
		a.EnvironmentVariables["FLEET_SCOPE"] != "lamp" || len(a.EnvironmentVariables) != 2 {
		b.t.Errorf("the job's environment: %q", a.EnvironmentVariables)
	}
	cmd := exec.Command(a.ProgramArguments[0], a.ProgramArguments[1:]...)
	cmd.Dir, cmd.Env = "/", []string{"HOME=" + b.home, "STUB=" + b.stub, "PATH=" + release + "/bin:/usr/bin:/bin", "FLEET_SCOPE=lamp"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "tick 1: ") {
		b.t.Errorf("the job's tick: %v\n%s", err, out)
	}
}

func (b installBox) must(program string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = b.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// asksLoaded is the question whether the job is loaded.
const asksLoaded = "launchctl print gui/U/dev.fleet.reconcile.lamp"

// asks leaves that question out of calls.
func asks(calls string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(calls, "\n"), func(s string) bool { return s == asksLoaded }), "\n")
}

// What is wrong with the call or with the machine is said before anything is
// written.
func TestInstall_refused(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "sh", false)
	for _, args := range [][]string{{}, {"--scope"}, {"--scope", ""}, {"--scope", "Lamp"}, {"--scope=a b"}, {"--scope", "-x"}, {"--scope", "../x"}, {"--scope", "é"},
		{"--scope", strings.Repeat("a", 65)}, {"--scope", "lamp", "--nope"}, {"--scope", "lamp", "more"}} {
		b.refuse(2, "install.sh: ", args...)
	}
	b.write(b.config(), `{"v": 1, "scopes": {"lamp": {"repos": ["/x"], "mode": "war"}}}`)
	b.refuse(1, "scopes.lamp.mode: want one of report, act", "--scope", "lamp", "--dry-run")
	b.write(filepath.Join(b.home, ".local/share/fleet-reconcile/releases/notes"), "")
	for _, tt := range [][2]string{{`{"lamp": {"repos": ["/x"], "mode": "war"}}`, "scopes.lamp.mode: want one of report, act"}, {`{"other": {"repos": ["/x"]}}`, `no scope "lamp"; there are: other`}} {
		config := `{"v": 1, "scopes": ` + tt[0] + "}"
		b.write(b.config(), config)
		status, _, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), "--scope", "lamp")
		if status != 1 || !strings.Contains(stderr, tt[1]) || !strings.Contains(stderr, "nothing was installed") || b.read(b.config()) != config || len(b.releases()) != 1 || b.calls() != "" {
			t.Errorf("status %d\n%s%q", status, stderr, b.releases())
		}
	}
	b.say("os", "FreeBSD")
	b.refuse(1, "FreeBSD has neither launchd nor systemd", "--scope", "lamp")
	b.say("os", "Linux")
	b.say("mute", "")
	b.refuse(1, "nothing was done: the systemd user manager", "--scope", "lamp")
	b.refuse(1, "--no-job prints the line for the crontab", "--scope", "lamp")
	if err := os.Remove(b.config()); err != nil {
		t.Fatal(err)
	}
	if out := b.install("--dry-run"); !strings.Contains(out, "note: the systemd user manager of ") || !strings.Contains(out, "would write ") {
		t.Errorf("a dry run without a user manager:\n%s", out)
	}
	for _, home := range []string{"HOME=" + b.home + ":x", "HOME=x", "HOME=" + b.home + "\nx"} {
		c := b
		c.env = append(slices.Clone(b.env), home)
		c.refuse(1, "HOME", "--scope", "lamp")
	}
	if err := os.Rename(filepath.Join(b.checkout, ".git"), b.stub+"/git"); err != nil {
		t.Fatal(err)
	}
	b.say("os", "Darwin")
	b.refuse(1, "is no git checkout with a commit", "--scope", "lamp")
}
