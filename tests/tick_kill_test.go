package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tickBox is a directory that tests/tick/setup.sh laid out.
type tickBox struct {
	t   *testing.T
	dir string
	env []string
}

func newTickBox(t *testing.T) tickBox {
	dir := t.TempDir()
	b := tickBox{t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "ROOT=" + root, "TZ=UTC",
		"FLEET_SCOPE=lamp", "FLEET_CONFIG=" + filepath.Join(dir, "fleet.json"), "FLEET_FIXTURES=" + filepath.Join(dir, "machine")}}
	b.sh(`sh "$ROOT/tests/tick/setup.sh"`)
	return b
}

func (b tickBox) command(script string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = b.dir, b.env
	return cmd
}

// sh runs a script that must end well and returns what it printed.
func (b tickBox) sh(script string) string {
	b.t.Helper()
	out, err := b.command(script).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// stub makes the program stop, until the file go is there, at a call whose
// arguments begin with args: before it does anything, or after it did all.
func (b tickBox) stub(program, args, when string) {
	first, then := "", `exec "$real" "$@"`
	if when == "after" {
		first, then = `"$real" "$@"`, ""
	}
	b.sh(fmt.Sprintf(`sh "$ROOT/tests/tick/stub.sh" %s '
case "$*" in "%s"*) ;; *) exec "$real" "$@" ;; esac
%s
>"$here/reached"
until [ -e "$here/go" ]; do sleep 0.2; done
%s'`, program, args, first, then))
}

// killTick begins a tick, waits until it has come to the stub, and kills the
// process group of tick.sh, which lets the lock go.
func (b tickBox) killTick() {
	b.t.Helper()
	reached := filepath.Join(b.dir, "reached")
	cmd := b.command("exec sh bin/tick.sh")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	for range 1200 {
		if _, err := os.Stat(reached); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	if _, err := os.Stat(reached); err != nil {
		b.t.Fatal("the tick did not come to the place")
	}
}

// What a tick may be doing when it is killed, and what a long run tries too.
var killPoints = []killPoint{
	{"fleet-ledger", "append", "after"},
}

var moreKillPoints = []killPoint{
	{"fleet-render", "--into", "before"},
	{"fleet-ledger", "fire", "after"},
	{"fleet-classify", "", "after"},
	{"fleet-observe-claude", "", "after"},
	{"fleet-observe-gh", "", "before"},
	{"fleet-observe-paseo", "", "after"},
	{"fleet-ledger", "append", "before"},
	{"fleet-render", "--into", "after"},
	{"fleet-ledger", "exit", "after"},
	{"fleet-ledger", "fire", "before"},
	{"fleet-config", "tick", "before"},
	{"fleet-ledger", "observe", "before"},
	{"fleet-asks", "", "before"},
	{"fleet-ledger", "exit", "before"},
}

type killPoint struct{ program, args, when string }

// Wherever a tick is killed, the next one works, while what the dead one left
// running still stands there: another number, whole files only, nothing asked
// twice. Let go, that ends the step that it is in and begins no other.
func TestTickKilled(t *testing.T) {
	points := killPoints
	if isLong() {
		points = append(points, moreKillPoints...)
	}
	for _, p := range points {
		t.Run(strings.Join(strings.Fields(p.program+" "+p.args+" "+p.when), "-"), func(t *testing.T) {
			t.Parallel()
			b := newTickBox(t)
			b.stub(p.program, p.args, p.when)
			b.killTick()
			b.sh("rm bin/" + p.program)
			fired := b.sh(`fleet-ledger cat 2>/dev/null | jq -r 'select(.kind == "tick_fire").tick' || :`)
			out := b.sh("sh bin/tick.sh")
			if next := map[string]string{"": "tick 1: ", "1": "tick 2: "}[fired]; next == "" || !strings.HasPrefix(out, next) {
				t.Errorf("after the numbers %q: %s", fired, out)
			}
			ledger, files := b.sh("cat state/ledger.jsonl"), b.files()
			b.sh("touch go")
			b.quiet()
			added := b.sh(`fleet-ledger cat | jq -r '"\(.kind) \(.tick)"'`)
			was, now := strings.Count(ledger, "\n")+1, strings.Split(added, "\n")
			want := []string{}
			if p.program+p.args+p.when == "fleet-ledgerfirebefore" { // the step that it was in takes a number, which nobody uses
				want = append(want, "tick_fire 2")
			}
			if !strings.HasPrefix(b.sh("cat state/ledger.jsonl"), ledger) || !slices.Equal(now[was:], want) {
				t.Errorf("what was left of the dead tick wrote %q to the ledger, want %q", now[was:], want)
			}
			step := 1 // files that the step writes that it was in
			if p.program == "fleet-render" {
				step = 4
			}
			if added := slices.DeleteFunc(b.files(), func(f string) bool { return slices.Contains(files, f) }); len(added) > step {
				t.Errorf("what was left of the dead tick went on behind its step: %q", added)
			}
			b.whole()
		})
	}
}

// files are the files of ticks that have their name.
func (b tickBox) files() []string {
	return strings.Fields(b.sh("find state/ticks state/asks -type f ! -name '*.part'"))
}

// quiet waits until nothing of a tick runs.
func (b tickBox) quiet() {
	b.t.Helper()
	for range 300 {
		if b.command("pgrep -f '"+b.dir+"/[b]in/tick.sh'").Run() != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Error("something of the dead tick still runs")
}

// whole requires that every file with a name is what its snapshot makes, and
// that the ledger asks each key once.
func (b tickBox) whole() {
	b.t.Helper()
	b.askedOnce()
	b.untorn()
}

// untorn requires that every file with a name is what its snapshot makes.
func (b tickBox) untorn() {
	b.t.Helper()
	b.sh(`for r in state/ticks/*/report.md state/ticks/*/report.json state/ticks/*/report.html; do
		[ ! -e "$r" ] || fleet-render --format "${r##*.}" <"${r%/*}/snapshot.ndjson" | cmp - "$r" || exit 1
	done
	for a in state/asks/*.md; do
		n=${a##*/}
		[ ! -e "$a" ] || fleet-render --format asks <"state/ticks/${n%.md}/snapshot.ndjson" | cmp - "$a" || exit 1
	done`)
}
