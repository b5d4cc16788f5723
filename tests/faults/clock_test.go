package faults

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Clocks that step between ticks. A row is when each tick believes it is; the
// sessions a and b wait all the time, c from the second tick on.
var clocks = map[string][]string{
	"back an hour":             {"2026-11-29T15:10:00Z", "2026-11-29T14:10:00Z", "2026-11-29T15:10:00Z"},
	"back an hour and further": {"2026-11-29T15:10:00Z", "2026-11-29T14:10:00Z", "2026-11-29T13:10:00Z"},
	"an hour ahead":            {"2026-11-29T15:10:00Z", "2026-11-29T17:10:00Z", "2026-11-29T16:10:00Z"},
	"a year ahead":             {"2026-11-29T15:10:00Z", "2027-11-29T15:10:00Z", "2026-11-29T16:10:00Z"},
	"a year back":              {"2026-11-29T15:10:00Z", "2025-11-29T15:10:00Z", "2026-11-29T16:10:00Z"},
	"the first of all times":   {"1970-01-01T00:00:00Z", "2026-11-29T15:10:00Z", "2026-11-29T16:10:00Z"},
	"stands still":             {"2026-11-29T15:10:00Z", "2026-11-29T15:10:00Z", "2026-11-29T15:10:00Z"},
}

// Whatever the clock does, each question is asked once, and none is resolved but
// by a tick that saw its condition end.
func TestClock_ticks(t *testing.T) {
	for name, times := range clocks {
		if !long && slices.Contains([]string{"an hour ahead", "a year back", "stands still"}, name) {
			continue
		}
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			b := withScope(t)
			for i, now := range times {
				if i == 1 {
					b.waiting("a", "b", "c")
				}
				b.ticked("FLEET_NOW=" + now)
			}
			if once, more := b.prompts(); once != 3 || more != 0 {
				t.Errorf("%d prompts asked once, %d more often; want 3 and 0", once, more)
			}
			if _, resolved := b.asked(); len(resolved) > 0 {
				t.Errorf("resolved: %v", resolved)
			}
			if out := b.run(nil, "fleet-asks", "list", "--now", times[2]); strings.Count(out.stdout, "permission prompt") != 3 {
				t.Errorf("open: %s%s", out.stdout, out.stderr)
			}
			b.waiting("a", "b") // c was answered there
			b.ticked("FLEET_NOW=" + times[2])
			if _, resolved := b.asked(); len(resolved) != 1 {
				t.Errorf("resolved: %v", resolved)
			}
			if r := b.run(nil, "fleet-ledger", "verify"); r.status != 0 {
				t.Error(r.stdout)
			}
		})
	}
}

// A clock that steps inside a tick: between its programs, and between its stages.
func TestClock_inside(t *testing.T) {
	steps := []struct{ program, args, now string }{
		{"fleet-classify", "", "2020-01-01T00:00:00Z"}, {"fleet-asks", "", "2020-01-01T00:00:00Z"}, {"fleet-ledger", "append", "2020-01-01T00:00:00Z"},
		{"fleet-ledger", "exit", "2020-01-01T00:00:00Z"}, {"fleet-ledger", "observe", "2020-01-01T00:00:00Z"}, {"fleet-config", "tick", "2020-01-01T00:00:00Z"},
		{"fleet-observe-claude", "", "2020-01-01T00:00:00Z"}, {"fleet-render", "", "2020-01-01T00:00:00Z"},
		{"fleet-classify", "", "2031-01-01T00:00:00Z"}, {"fleet-asks", "", "2031-01-01T00:00:00Z"}, {"fleet-ledger", "append", "2031-01-01T00:00:00Z"},
		{"fleet-ledger", "observe", "2031-01-01T00:00:00Z"}, {"fleet-config", "tick", "2031-01-01T00:00:00Z"}, {"fleet-observe-claude", "", "2031-01-01T00:00:00Z"},
	}
	was := withScope(t)
	was.ticked()
	for i, s := range steps {
		if !long && i%2 != 0 {
			continue
		}
		t.Run(strings.Join(strings.Fields(s.program+" "+s.args+" "+s.now[:4]), "-"), func(t *testing.T) {
			t.Parallel()
			b := withScope(t)
			b.copy(was, "state")
			b.waiting("a", "b", "c")
			b.inTheWay(s.program, s.args, "FLEET_NOW="+s.now+"; export FLEET_NOW")
			if r := b.wayTick(); r.status != 0 {
				t.Fatalf("status %d: %s\n%s", r.status, r.stderr, b.log())
			}
			os.Remove(b.path("tick/" + s.program))
			if r := b.wayTick(); r.status != 0 {
				t.Fatalf("the next: status %d: %s\n%s", r.status, r.stderr, b.log())
			}
			if once, more := b.prompts(); once != 3 || more != 0 {
				t.Errorf("%d prompts asked once, %d more often; want 3 and 0", once, more)
			}
			if _, resolved := b.asked(); len(resolved) > 0 {
				t.Errorf("resolved: %v", resolved)
			}
		})
	}
}

// Lines of the ledger that are of the future hold nothing back: what is open is
// shown, and a tick takes the next number.
func TestClock_futureLedger(t *testing.T) {
	b := withScope(t)
	b.configure(`"owner_channel": {"kind": "command", "argv": ["~/tell"]}`, `"ask_raise_after_min": 0`)
	b.write(".config/ctx/fleet.json", strings.Replace(b.read(".config/ctx/fleet.json"), `"owner_channel": {"kind": "none"},`, "", 1))
	b.tell()
	b.ticked("FLEET_NOW=2036-01-01T00:00:00Z") // asks and shows in the future
	b.ticked("FLEET_NOW=2036-01-01T01:00:00Z")
	os.Remove(b.path("told"))
	b.ticked()
	if told := b.told(); len(told) != 1 || told[0].Batch != 1 || len(told[0].Asks) != 2 {
		t.Errorf("told: %+v", told)
	}
	if once, more := b.prompts(); once != 2 || more != 0 {
		t.Errorf("%d prompts asked once, %d more often", once, more)
	}
}

// tell makes the owner's command one that keeps what it is told.
func (b *box) tell() {
	b.t.Helper()
	b.write("tell", "#!/bin/sh\ncat >>'"+b.path("told")+"'\n")
	os.Chmod(b.path("tell"), 0o755)
}

type told struct {
	Batch int
	Alert string
	Asks  []struct{ Question string }
}

func (b *box) told() (all []told) {
	b.t.Helper()
	text, _ := os.ReadFile(b.path("told"))
	for raw := range strings.Lines(string(text)) {
		var one told
		if err := json.Unmarshal([]byte(raw), &one); err != nil {
			b.t.Fatalf("%v: %s", err, raw)
		}
		all = append(all, one)
	}
	return all
}

// failing is a box without a screen whose ticks fail and whose owner has a
// command.
func failing(t *testing.T) *box {
	b := withScope(t)
	b.write(".config/ctx/fleet.json", strings.Replace(b.read(".config/ctx/fleet.json"), `"kind": "none"`, `"kind": "command", "argv": ["~/tell"]`, 1))
	b.tell()
	b.inTheWay("fleet-classify", "", "exit 1")
	return b
}

// alerts are the alerts that the owner's command got.
func (b *box) alerts() (n int) {
	for _, one := range b.told() {
		if one.Alert != "" {
			n++
		}
	}
	return n
}

// A failed tick is told once in six hours, wherever that can be noted, and by a
// clock that was right: a stamp of the future silences nothing.
func TestAlert(t *testing.T) {
	stamp := "state/.alert-tick"
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		b := failing(t)
		for range 3 {
			b.wayTick().failed(t, "the tick failed; ")
		}
		if told := b.told(); len(told) != 1 || told[0].Alert != "tick" || !strings.Contains(told[0].Asks[0].Question, "the tick failed") {
			t.Errorf("%+v", told)
		}
		old := time.Now().Add(-7 * time.Hour)
		os.Chtimes(b.path(stamp), old, old)
		b.wayTick()
		if b.alerts() != 2 {
			t.Errorf("after seven hours: %d", b.alerts())
		}
	})
	t.Run("a stamp of the future", func(t *testing.T) {
		t.Parallel()
		for _, ahead := range []time.Duration{2 * time.Hour, 365 * 24 * time.Hour} {
			b := failing(t)
			b.write(stamp, "")
			os.Chtimes(b.path(stamp), time.Now().Add(ahead), time.Now().Add(ahead))
			b.wayTick()
			b.wayTick()
			if b.alerts() != 1 {
				t.Errorf("%v ahead: %d alerts, want 1", ahead, b.alerts())
			}
		}
	})
	t.Run("a state directory that cannot be written", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []os.FileMode{0o500, 0} {
			b := failing(t)
			os.Mkdir(b.path("state"), 0o700)
			b.plain()
			os.Chmod(b.path("state"), mode)
			for range 2 {
				b.wayTick().failed(t, b.path("state"))
			}
			if b.alerts() != 1 {
				t.Errorf("mode %o: %d alerts, want 1", mode, b.alerts())
			}
			os.Chmod(b.path("state"), 0o700)
		}
	})
	t.Run("nowhere to note it", func(t *testing.T) {
		t.Parallel()
		b := failing(t)
		b.env = append(b.env, "TMPDIR="+b.path("tmp"))
		b.write("tmp/x", "")
		os.MkdirAll(b.path(".local/state"), 0o755)
		os.Mkdir(b.path("state"), 0o700)
		b.write("told", "")
		b.plain()
		for _, dir := range []string{"state", ".local/state", "tmp", ""} {
			os.Chmod(b.path(dir), 0o500)
		}
		for range 2 {
			b.wayTick().failed(t, "could not be noted anywhere")
		}
		if b.alerts() != 2 {
			t.Errorf("%d alerts, want 2: rather twice than never", b.alerts())
		}
		for _, dir := range []string{"", "state", ".local/state", "tmp"} {
			os.Chmod(b.path(dir), 0o700)
		}
	})
	t.Run("a command that fails", func(t *testing.T) {
		t.Parallel()
		b := failing(t)
		b.write("tell", "#!/bin/sh\necho no network >&2\nexit 1\n")
		os.Chmod(b.path("tell"), 0o755)
		for range 2 {
			b.wayTick().failed(t, "fleet-asks: alerting the owner: tell: exit status 1: no network")
		}
	})
	t.Run("a lock of the future", func(t *testing.T) {
		t.Parallel()
		b := failing(t)
		os.Mkdir(b.path("state"), 0o700)
		lock := b.path("state/tick.lock")
		holder := exec.Command(filepath.Join(bin, "fleet-step"), "--lock", lock, "--", "sleep", "3600")
		if err := holder.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { holder.Process.Signal(os.Interrupt); holder.Wait() }()
		eventually(t, "the lock", func() bool { text, _ := os.ReadFile(lock); return len(text) > 0 })
		if r := b.wayTick(); r.status != 75 {
			t.Errorf("status %d, want 75: %s", r.status, r.stderr)
		}
		os.Chtimes(lock, time.Now().Add(365*24*time.Hour), time.Now().Add(365*24*time.Hour))
		b.wayTick().failed(t, "since a time that has not come yet", lock)
		if told := b.told(); len(told) != 1 || told[0].Alert != "lock" {
			t.Errorf("%+v", told)
		}
	})
}
