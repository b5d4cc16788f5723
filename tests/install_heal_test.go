package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A scope that keeps agents alive has a second job, with a timer of its own; one
// that does so no more has it no more.
func TestInstall_heal(t *testing.T) {
	long(t)
	t.Parallel()
	for _, tt := range []struct{ system, file, every, put, gone string }{
		{"Linux", ".config/systemd/user/fleet-heal-lamp.timer", "OnUnitInactiveSec=5min", "enable --now fleet-heal-lamp.timer", "disable --now fleet-heal-lamp.timer"},
		{"Darwin", "Library/LaunchAgents/dev.fleet.heal.lamp.plist", "<integer>300</integer>", "dev.fleet.heal.lamp.plist", "launchctl bootout gui/U/dev.fleet.heal.lamp"},
	} {
		b := newInstallBox(t, tt.system, "sh", false)
		b.install()
		file := filepath.Join(b.home, tt.file)
		if _, err := os.Stat(file); err == nil {
			t.Fatalf("%s: a job of heal.sh without a heal", tt.system)
		}
		plain := b.read(b.config())
		healing := strings.Replace(plain, `"dry_run": 1`, `"heal": {"interval_min": 5}, "dry_run": 1`, 1)
		if healing == plain {
			t.Fatalf("no dry_run in\n%s", plain)
		}
		b.write(b.config(), healing)
		b.calls()
		out := b.install()
		if calls := b.calls(); !strings.Contains(calls, tt.put) || !strings.Contains(b.read(file), tt.every) || !strings.Contains(out, "a sweep every 5 minutes") {
			t.Errorf("%s: calls\n%s\n%s", tt.system, calls, out)
		}
		script := b.read(file)
		if tt.system == "Linux" {
			script = b.read(strings.TrimSuffix(file, "timer") + "service")
		}
		if !strings.Contains(script, "/bin/heal.sh") {
			t.Errorf("%s: %s", tt.system, script)
		}
		before := b.tree()
		if out := b.install(); b.tree() != before {
			t.Errorf("%s: again changed something\n%s", tt.system, out)
		}
		b.write(b.config(), plain)
		b.calls()
		out = b.install()
		if calls := b.calls(); !strings.Contains(calls, tt.gone) {
			t.Errorf("%s: calls\n%s\n%s", tt.system, calls, out)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: %s stays", tt.system, tt.file)
		}
		b.write(b.config(), healing)
		b.install()
		if out := b.install("--uninstall"); !strings.Contains(out, "heal") {
			t.Errorf("%s: %s", tt.system, out)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: %s stays after the uninstall", tt.system, tt.file)
		}
	}
}
