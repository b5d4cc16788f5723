package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fails runs install.sh, which must fail with these words and say nothing of the others.
func (b installBox) fails(says, not string, args ...string) {
	b.t.Helper()
	status, out, stderr := b.run(filepath.Join(b.checkout, "bin/install.sh"), append([]string{"--scope", "lamp"}, args...)...)
	if status != 1 || !strings.Contains(stderr, says) || strings.Contains(out, not) {
		b.t.Errorf("install.sh %q: status %d, want 1, %q and no %q\n%s%s", args, status, says, not, out, stderr)
	}
}

// remove takes away a file or a directory with all that it has.
func (b installBox) remove(file string) {
	b.t.Helper()
	if err := os.RemoveAll(file); err != nil {
		b.t.Fatal(err)
	}
}

// A file of the job that cannot be written, and one that cannot be removed, are
// failures, and nothing says that it was done.
func TestInstall_fails(t *testing.T) {
	long(t)
	t.Parallel()
	for _, shell := range []string{"dash", "bash"} {
		b := newInstallBox(t, "Linux", shell, false)
		units := filepath.Join(b.home, ".config/systemd/user")
		service, timer, healer := filepath.Join(units, "fleet-reconcile-lamp.service"), filepath.Join(units, "fleet-reconcile-lamp.timer"), filepath.Join(units, "fleet-heal-lamp.timer")
		b.write(service+".part/x", "")
		b.fails(service+" could not be written", "wrote "+service)
		b.remove(service + ".part")
		b.install()

		b.write(healer+"/x", "")
		b.fails("the units of fleet-heal-lamp could not be removed", "removed fleet-heal")
		b.fails("the units of fleet-heal-lamp could not be removed", "removed fleet-heal", "--uninstall")
		b.remove(healer)
		b.remove(timer)
		b.write(timer+"/x", "")
		b.fails("the units of fleet-reconcile-lamp could not be removed", "removed fleet-reconcile", "--uninstall")
		b.remove(timer)
		b.install("--uninstall")
		if out := b.install("--uninstall"); !strings.Contains(out, "no job of the scope lamp is installed") {
			t.Errorf("%s", out)
		}

		// A job whose file cannot be written stays loaded.
		b = newInstallBox(t, "Darwin", shell, false)
		b.install()
		before := b.read(b.plist())
		b.commit()
		b.write(b.plist()+".part/x", "")
		b.calls()
		b.fails(b.plist()+" could not be written", "wrote "+b.plist())
		if calls := asks(b.calls()); calls != "" || b.read(b.plist()) != before {
			t.Errorf("calls\n%s", calls)
		}
		b.remove(b.plist() + ".part")
		b.write(filepath.Join(b.home, ".Trash"), "")
		b.fails(b.plist()+" stays: ", "moved", "--uninstall")
		b.remove(filepath.Join(b.home, ".Trash"))
		b.install("--uninstall")
		if got := b.read(filepath.Join(b.home, ".Trash/dev.fleet.reconcile.lamp.plist")); got == "" {
			t.Error("nothing is in the Trash")
		}
	}
}

// How often a scope sweeps that could not be read is no heal that is null: the job stays.
func TestInstall_healUnread(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "sh", false)
	b.install()
	b.write(b.config(), strings.Replace(b.read(b.config()), `"dry_run": 1`, `"heal": {"interval_min": 5}, "dry_run": 1`, 1))
	b.install()
	plist := filepath.Join(b.home, "Library/LaunchAgents/dev.fleet.heal.lamp.plist")
	before := b.read(plist)
	program := filepath.Join(b.home, ".local/share/fleet-reconcile/releases", b.releases()[0], "bin/fleet-config")
	b.remove(program)
	for _, does := range []string{"exit 1", "exit 3", "echo '{\"caps\":1}'; exit 0"} {
		b.write(program, "#!/bin/sh\n[ \"$1 $3\" != 'get heal' ] || { "+does+"; }\nexec '"+bin+"/fleet-config' \"$@\"\n")
		if err := os.Chmod(program, 0o755); err != nil {
			t.Fatal(err)
		}
		b.calls()
		b.fails("nothing was installed: ", "unloaded")
		if got := b.read(plist); got != before || asks(b.calls()) != "" {
			t.Errorf("%s: the job of heal.sh changed: %s", does, got)
		}
	}
}

// A release that something unread may name is not removed.
func TestInstall_pruneUnread(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "dash", false)
	b.install()
	releases := filepath.Join(b.home, ".local/share/fleet-reconcile/releases")
	for _, name := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd"} {
		b.write(filepath.Join(releases, name, "bin/tick.sh"), "")
	}
	kept := len(b.releases())
	stays := func(says string) {
		t.Helper()
		if out := b.install(); !strings.Contains(out, "note: "+says) || len(b.releases()) != kept {
			t.Errorf("left are %q\n%s", b.releases(), out)
		}
	}
	other := filepath.Join(b.home, "Library/LaunchAgents/dev.fleet.reconcile.other.plist")
	b.write(other+"/x", "")
	stays(other + " cannot be read")
	b.remove(other)
	unit := filepath.Join(b.home, ".config/systemd/user/fleet-heal-other.service")
	b.write(unit+"/x", "")
	stays(unit + " cannot be read")
	b.remove(unit)
	b.say("crontab-shut", "crontab: cannot open: Permission denied")
	stays("your crontab cannot be read, and may name a release, so no old one is removed: crontab: cannot open: Permission denied")
	if out := b.install("--uninstall", "--dry-run"); !strings.Contains(out, "note: your crontab could not be read (crontab: cannot open: Permission denied)") {
		t.Errorf("%s", out)
	}
	b.remove(filepath.Join(b.stub, "crontab-shut"))
	if out := b.install(); len(b.releases()) >= kept || strings.Contains(out, "note: ") {
		t.Errorf("left are %q\n%s", b.releases(), out)
	}
}

// A program that does not tell what it is fails what writes man pages and completions.
func TestInstall_docs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"fleet-a": "exit 1", "fleet-b": "echo docs"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	docs := func() (string, error) {
		out, err := exec.Command("sh", filepath.Join(root, "bin/install.sh"), "--docs", dir, filepath.Join(dir, "share")).CombinedOutput()
		return string(out), err
	}
	if out, err := docs(); err == nil || !strings.Contains(out, "what fleet-a says of itself could not be written") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.Remove(filepath.Join(dir, "fleet-a")); err != nil {
		t.Fatal(err)
	}
	if out, err := docs(); err != nil || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "share/completions/zsh/_fleet-b")); err != nil {
		t.Error(err)
	}
}
