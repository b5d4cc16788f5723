package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A new commit is a new release. The job that was loaded is out, and gone, before
// its file changes. Old releases go but for three and those that are in use.
func TestInstall_newCommit(t *testing.T) {
	long(t)
	t.Parallel()
	b := newInstallBox(t, "Darwin", "dash", false)
	releases := filepath.Join(b.home, ".local/share/fleet-reconcile/releases")
	first := b.git("rev-parse", "HEAD")[:12]
	b.install()
	b.calls()

	// Uncommitted changes are refused; by force they are a release each.
	tick := filepath.Join(b.checkout, "bin/tick.sh")
	text := b.read(tick)
	b.write(tick, text+"# one\n")
	b.refuse(1, "has uncommitted changes", "--scope", "lamp")
	b.refuse(1, "has uncommitted changes", "--scope", "lamp", "--dry-run")
	b.say("gone", "2")
	b.install("--force")
	want := "launchctl print X\nlaunchctl bootout X\nlaunchctl print X\nsleep 1\nlaunchctl print X\nsleep 1\nlaunchctl print X\nlaunchctl enable X\n" +
		"launchctl bootstrap gui/U ~/Library/LaunchAgents/dev.fleet.reconcile.lamp.plist"
	if got := strings.ReplaceAll(b.calls(), "gui/U/dev.fleet.reconcile.lamp", "X"); got != want {
		t.Errorf("calls\n%s\nwant\n%s", got, want)
	}
	dirty := b.releases()[1]
	if !strings.HasPrefix(dirty, first+"-dirty-") || !strings.Contains(b.read(b.plist()), "/releases/"+dirty+"/bin/tick.sh") || !strings.HasSuffix(b.read(filepath.Join(releases, dirty, "bin/tick.sh")), "# one\n") {
		t.Errorf("the release %s\n%s", dirty, b.read(b.plist()))
	}
	plist := b.read(b.plist())
	b.install("--force")
	if got := b.releases(); len(got) != 2 || b.read(b.plist()) != plist || asks(b.calls()) != "" {
		t.Errorf("the same state again is another release: %q", got)
	}
	b.write(tick, text+"# two\n")
	b.install("--force")
	if got := b.releases(); len(got) != 3 {
		t.Errorf("another state is the same release: %q", got)
	}
	b.git("checkout", "-q", ".")

	// Releases of long ago, some in use. What is not ours stays.
	old := time.Now().Add(-time.Hour)
	for i, name := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd", "eeeeeeeeeeee", first, "notes"} {
		b.write(filepath.Join(releases, name, "bin/tick.sh"), "")
		if err := os.Chtimes(filepath.Join(releases, name), old, old.Add(-time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	b.write(filepath.Join(b.home, "Library/LaunchAgents/dev.fleet.reconcile.other.plist"), "<string>"+releases+"/cccccccccccc/bin/tick.sh</string>")
	b.say("crontab", "7 * * * * sh "+releases+"/dddddddddddd/bin/tick.sh")
	running := exec.Command("sh", "-c", "read x", releases+"/eeeeeeeeeeee/bin/tick.sh")
	in, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = running.Wait() }()
	before := b.tree()
	second := b.commit()
	if out := b.install("--dry-run"); !strings.Contains(out, "would remove the release aaaaaaaaaaaa") || !strings.Contains(out, "would remove the release "+first+"\n") || b.tree() != before {
		t.Errorf("%s", out)
	}
	b.install()
	got := b.releases()
	wantLeft := []string{"cccccccccccc", "dddddddddddd", "eeeeeeeeeeee", "notes", second}
	for _, name := range got {
		if strings.HasPrefix(name, first+"-dirty-") {
			wantLeft = append(wantLeft, name)
		}
	}
	slices.Sort(wantLeft)
	if !slices.Equal(got, wantLeft) || len(got) != 7 {
		t.Errorf("left are %q, want %q", got, wantLeft)
	}
}
