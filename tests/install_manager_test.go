package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// launchd that is slow to let a job go refuses it at first: three times are
// tried. Then the file is there and the job is not, which the next install mends.
func TestInstall_bootstrap(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "bash", false)
	const load = "launchctl bootstrap gui/U ~/Library/LaunchAgents/dev.fleet.reconcile.lamp.plist"
	b.say("refuse", "3")
	status, _, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), "--scope", "lamp")
	if status != 1 || !strings.Contains(stderr, "launchctl bootstrap failed three times: Bootstrap failed: 5: Input/output error") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if n := strings.Count(b.calls(), load); n != 3 {
		t.Errorf("%d times", n)
	}
	b.say("refuse", "2")
	if out := b.install(); !strings.Contains(out, "loaded dev.fleet.reconcile.lamp") {
		t.Errorf("%s", out)
	}
	if n := strings.Count(b.calls(), load); n != 3 {
		t.Errorf("%d times", n)
	}
	// A job that does not go is left as it is, file and all.
	b.commit()
	b.say("gone", "999")
	before := b.read(b.plist())
	status, _, stderr = b.run(filepath.Join(b.checkout, "bin/install.sh"), "--scope", "lamp")
	if status != 1 || !strings.Contains(stderr, "launchd still has dev.fleet.reconcile.lamp 75 seconds after") || b.read(b.plist()) != before {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// An install that is killed while it builds leaves nothing that counts, and what
// it leaves goes with the next.
func TestInstall_killed(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "sh", false)
	b.say("kill", "")
	if status, _, _ := b.run(filepath.Join(b.checkout, "bin/install.sh"), "--scope", "lamp"); status != -1 {
		t.Fatalf("status %d", status)
	}
	if got := b.releases(); len(got) != 1 || got[0][0] != '.' {
		t.Errorf("left are %q", got)
	}
	if _, err := os.Stat(b.config()); err == nil {
		t.Error("a configuration is there")
	}
	if err := os.Remove(filepath.Join(b.stub, "kill")); err != nil {
		t.Fatal(err)
	}
	b.install()
	if got := b.releases(); len(got) != 1 || got[0][0] == '.' {
		t.Errorf("left are %q", got)
	}
}

// While another install is at work nothing changes.
func TestInstall_locked(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "sh", false)
	base := filepath.Join(b.home, ".local/share/fleet-reconcile")
	b.write(filepath.Join(base, "releases/notes"), "")
	other := exec.Command(filepath.Join(bin, "fleet-step"), "--lock", filepath.Join(base, "install.lock"), "--", "sh", "-c", "echo; sleep 600")
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Signal(os.Interrupt); _ = other.Wait() }()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), "--scope", "lamp")
	if status != 75 || !strings.Contains(stderr, "another install is at work") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if _, err := os.Stat(b.config()); err == nil || b.calls() != "" || len(b.releases()) != 1 {
		t.Errorf("something was done: %q", b.releases())
	}
}

// A whole life under systemd.
func TestInstall_systemd(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Linux", "dash", false)
	service := filepath.Join(b.home, ".config/systemd/user/fleet-reconcile-lamp.service")
	timer := strings.TrimSuffix(service, "service") + "timer"
	does := func(want string, args ...string) string {
		t.Helper()
		out := b.install(args...)
		if got := b.calls(); got != want {
			t.Errorf("install.sh %q calls\n%s\nwant\n%s\n%s", args, got, want, out)
		}
		return out
	}
	same := func(args ...string) {
		t.Helper()
		before := b.tree()
		if out := does("", args...); b.tree() != before {
			t.Errorf("install.sh %q changed something\n%s", args, out)
		}
	}
	const reload, enable = "systemctl --user daemon-reload", "systemctl --user --quiet enable --now fleet-reconcile-lamp.timer"
	same("--dry-run")
	out := does(reload + "\n" + enable)
	if !strings.Contains(out, "loginctl enable-linger") || !strings.Contains(out, "systemctl --user start fleet-reconcile-lamp.service") {
		t.Errorf("%s", out)
	}
	release := filepath.Join(b.home, ".local/share/fleet-reconcile/releases", b.git("rev-parse", "HEAD")[:12])
	if text := b.read(service); !strings.Contains(text, `ExecStart=/bin/sh "`+release+`/bin/tick.sh"`) || !strings.Contains(text, `Environment="FLEET_SCOPE=lamp"`) {
		t.Errorf("%s", text)
	}
	if text := b.read(timer); !strings.Contains(text, "OnCalendar=hourly") {
		t.Errorf("%s", text)
	}
	b.say("linger", "Linger=yes")
	same()
	if out := b.install(); strings.Contains(out, "linger") {
		t.Errorf("%s", out)
	}

	// The manager has not read a unit, the timer is not active, a unit changed.
	b.say("stale", "")
	does(reload)
	if err := os.Remove(filepath.Join(b.stub, "on-fleet-reconcile-lamp.timer")); err != nil {
		t.Fatal(err)
	}
	does(enable)
	b.write(timer, "")
	does(reload + "\nsystemctl --user restart fleet-reconcile-lamp.timer")
	b.commit()
	does(reload)
	same()
	b.env = append(b.env, "FLEET_CONFIG=elsewhere.json", "PASEO_HOME=/p a%s\"eo")
	out = does(reload)
	if text := b.read(service); !strings.Contains(text, `Environment="FLEET_CONFIG=`+filepath.Dir(b.home)+`/elsewhere.json"`+"\n"+`Environment="PASEO_HOME=/p a%%s\"eo"`) ||
		!strings.Contains(out, "FLEET_CONFIG='"+filepath.Dir(b.home)+"/elsewhere.json' '") {
		t.Errorf("%s\n%s", text, out)
	}

	out = does("systemctl --user --quiet disable --now fleet-reconcile-lamp.timer\nsystemctl --user stop fleet-reconcile-lamp.service\n"+reload, "--uninstall")
	for _, file := range []string{service, timer} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s is still there\n%s", file, out)
		}
	}
	same("--uninstall")

	// Without a manager files still go.
	b.say("mute", "")
	b.write(timer, "")
	wants := filepath.Join(filepath.Dir(timer), "timers.target.wants")
	b.write(filepath.Join(wants, "x"), "")
	if err := os.Symlink(timer, filepath.Join(wants, filepath.Base(timer))); err != nil {
		t.Fatal(err)
	}
	b.install("--uninstall")
	if left, _ := filepath.Glob(filepath.Join(wants, "fleet*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// Without a service manager the programs are installed all the same, and cron's
// line works as it is printed.
func TestInstall_noJob(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Linux", "sh", false)
	b.say("mute", "")
	b.env = append(b.env, "FLEET_CONFIG="+b.home+"/50%/it's.json")
	out := b.install("--no-job")
	_, line, _ := strings.Cut(out, "\n7 * * * * ")
	line, _, _ = strings.Cut(line, "\n")
	if !strings.Contains(line, `50\%/it`) {
		t.Errorf("cron takes a percent sign for a line end: %s", line)
	}
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(line, `\%`, "%"))
	cmd.Env, cmd.Dir = []string{"HOME=" + b.home, "PATH=/usr/bin:/bin", "STUB=" + b.stub}, "/"
	if got, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(got), "tick 1: ") {
		t.Errorf("%s: %v\n%s", line, err, got)
	}
	if strings.Contains(line, "/releases/") {
		t.Errorf("the line runs one release for ever: %s", line)
	}
	// What it leads to next is what there is: no job, and no one release.
	if !strings.Contains(out, "Remove the job:    take its lines out with crontab -e\n") || !strings.Contains(out, "FLEET_SCOPE=lamp sh '"+b.home+"/.local/share/fleet-reconcile/current/bin/tick.sh'\n") ||
		strings.Contains(out, "/releases/"+b.releases()[0]+"/bin") {
		t.Errorf("it leads elsewhere:\n%s", out)
	}
	if out := b.install("--uninstall"); !strings.Contains(out, "no job of the scope lamp is installed; lines for cron, if you put some in, go out with crontab -e") || strings.Contains(out, "note:") {
		t.Errorf("uninstalled without a line for cron:\n%s", out)
	}
	b.say("crontab", "*/10 * * * * "+strings.Replace(line, "tick.sh", "heal.sh", 1))
	if out := b.install("--uninstall"); !strings.Contains(out, "note: your crontab still has lines for lamp") {
		t.Errorf("uninstalled with a sweep's line for cron:\n%s", out)
	}
	b.say("crontab", "7 * * * * "+line)
	if out := b.install("--uninstall"); !strings.Contains(out, "note: your crontab still has lines for lamp; crontab -e takes them out") {
		t.Errorf("uninstalled with a line for cron:\n%s", out)
	}
	if got := b.calls(); got != "claude --version" && strings.Contains(got, "ctl") {
		t.Errorf("calls\n%s", got)
	}
}
