package classify

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// asleepFor makes the machine have slept for d since its boot two days ago.
func (w *world) asleepFor(d time.Duration) *world {
	w.awake = ptr((48*time.Hour - d).Seconds())
	return w
}

// ticked adds a tick that began d ago, when the machine had slept for slept
// since its boot.
func (w *world) ticked(n int, d, slept time.Duration) *world {
	at := ago(d)
	w.past = append(w.past, &record.Past{Tick: n, FireAt: at, ExitAt: at, Exit: ptr(0),
		Clock: &record.Clock{At: *at, BootAt: *w.boot, AwakeS: (at.Sub(w.boot.Time) - slept).Seconds()}})
	return w
}

const h = time.Hour

// host-slept: nobody is hung or stalled because the machine slept.
func TestAwake(t *testing.T) {
	busySince := func(d time.Duration) *record.Session {
		return session("s", status("busy"), active(d), func(s *record.Session) { s.Process.StatusSince = ago(d) })
	}
	ours := func(s *record.Session) *world { return scoped(s).adopt("s") }
	idle := func(d time.Duration) *record.Session { return session("s", active(d)) }
	tests := []struct {
		name  string
		world *world
		class string
		says  string // in the evidence
	}{
		{"time awake not known", local(busySince(3 * h)), "6", "last activity 3 h 0 min before"},
		{"never slept", local(busySince(3 * h)).asleepFor(0), "6", "last activity 3 h 0 min before"},
		{"slept for a moment", local(busySince(3 * h)).asleepFor(50 * time.Second), "6", "last activity 3 h 0 min before"},
		{"slept through it", local(busySince(3 * h)).asleepFor(2 * h), "5", "last activity 3 h 0 min before, at least 60 min of it awake"},
		{"slept less than it was silent", local(busySince(5 * h)).asleepFor(2 * h), "6", "5 h 0 min before, at least 3 h 0 min of it awake"},
		{"slept long before, and who knows when", local(busySince(3 * h)).asleepFor(30 * h), "5", "at least 0 s of it awake"},
		{"slept before the last activity, as the ledger knows",
			ours(busySince(3*h)).asleepFor(30*h).ticked(5, 4*h, 30*h).ticked(6, 3*h, 30*h), "6", "last activity 3 h 0 min before"},
		{"slept since", ours(busySince(3*h)).asleepFor(30*h).ticked(5, 4*h, 28*h).ticked(6, 2*h, 29*h), "5", "at least 60 min of it awake"},
		{"the ledger was not read", ours(busySince(3 * h)).asleepFor(30 * h).forget(ledgers), "unknown", ""},
		{"nor does it matter when it slept too little", ours(busySince(9 * h)).asleepFor(6 * h).forget(ledgers), "6", ""},
		{"or it did nothing for too short a time", ours(busySince(1 * h)).asleepFor(6 * h).forget(ledgers), "5", ""},
		{"a tick of another boot", func() *world {
			w := ours(busySince(3*h)).asleepFor(30*h).ticked(6, 3*h, 30*h)
			w.past[0].Clock.BootAt = *ago(100 * h)
			return w
		}(), "5", "at least 0 s of it awake"},
		{"idle before the boot", ours(idle(60 * h)).asleepFor(47*h + 30*time.Minute), "9a", "at least 30 min of it awake"},
		{"idle, and awake for an hour", ours(idle(60 * h)).asleepFor(47 * h), "9", "at least 60 min of it awake"},
		{"idle overnight", ours(idle(9*h)).asleepFor(8*h+20*time.Minute).ticked(5, 9*h, 0), "9a", "9 h 0 min before, 40 min of it awake"},
	}
	for _, tt := range tests {
		v := tt.world.verdict(standard())
		says := ""
		for _, e := range v.Evidence {
			says += e.Says + "\n"
		}
		if v.Class != tt.class || !strings.Contains(says, tt.says) {
			t.Errorf("%s: class %s, want %s with %q; evidence\n%s", tt.name, v.Class, tt.class, tt.says, says)
		}
	}
}

// That something may be wrong is said where it cannot be told when the machine
// slept.
func TestAwakeFinding(t *testing.T) {
	quiet := session("q", status("busy"), active(3*h), func(s *record.Session) { s.Process.StatusSince = ago(3 * h) })
	got := findingsOf(t, local(quiet, session("r", active(30*time.Minute))).asleepFor(2*h))
	if want := "devbox clock: 1 session may be hung or stalled: the machine slept 2 h 0 min since it started, and not all of when is known [q]"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := findingsOf(t, local(quiet)); strings.Contains(got, "clock") {
		t.Errorf("got\n%s", got)
	}
}

// host-missed: time in which nobody looked is told, and why.
func TestGaps(t *testing.T) {
	tests := []struct {
		name  string
		world *world
		says  string
		why   []string
	}{
		{"every hour", scoped().asleepFor(0).ticked(5, 2*h, 0).ticked(6, h, 0).ticked(7, 0, 0), "", nil},
		{"slept", scoped().asleepFor(6*h).ticked(5, 9*h, 0).ticked(6, 2*h, 6*h).ticked(7, 0, 6*h), "in the last day nobody looked for up to 7 h 0 min",
			[]string{"from tick 5, 2026-11-29 03:00 UTC, to tick 6, 2026-11-29 10:00 UTC: 7 h 0 min: the machine slept 6 h 0 min of it",
				"from tick 6, 2026-11-29 10:00 UTC, to tick 7, 2026-11-29 12:00 UTC: 2 h 0 min: no tick began"}},
		{"no tick, and it slept", scoped().asleepFor(6*h).ticked(5, 9*h, 0).ticked(7, 0, 2*h), "in the last day nobody looked for up to 9 h 0 min",
			[]string{"from tick 5, 2026-11-29 03:00 UTC, to tick 7, 2026-11-29 12:00 UTC: 9 h 0 min: no tick began; the machine slept 2 h 0 min of it"}},
		{"restarted", func() *world {
			w := scoped().asleepFor(0).ticked(6, 5*h, 0).ticked(7, 0, 0)
			w.past[0].Clock.BootAt = *ago(100 * h)
			return w
		}(), "in the last day nobody looked for up to 5 h 0 min", []string{"from tick 6, 2026-11-29 07:00 UTC, to tick 7, 2026-11-29 12:00 UTC: 5 h 0 min: the machine was off, or restarted"}},
		{"failed, and never ended", func() *world {
			w := scoped().asleepFor(0).ticked(5, 2*h, 0).ticked(6, h, 0).ticked(7, 0, 0)
			w.past[0].Exit, w.past[1].ExitAt, w.past[1].Exit = ptr(1), nil, nil
			w.past[2].ExitAt, w.past[2].Exit = nil, nil // the tick that runs
			return w
		}(), "in the last day 2 ticks failed", []string{"tick 5, 2026-11-29 10:00 UTC, ended with status 1", "tick 6, 2026-11-29 11:00 UTC, never ended"}},
		{"long ago", scoped().asleepFor(0).ticked(4, 40*h, 0).ticked(5, 25*h, 0).ticked(6, 24*h, 0).ticked(7, 23*h, 0), "", nil},
		{"the ledger was not read", scoped().asleepFor(0).ticked(6, 5*h, 0).ticked(7, 0, 0).forget(ledgers), "", nil},
	}
	for _, tt := range tests {
		out, err := judgeAll(setOf(tt.world.records()), "fleet-classify", noon)
		if err != nil {
			t.Fatal(err)
		}
		says, why := "", []string{}
		for _, r := range out {
			if f, ok := record.Payload[record.Finding](r); ok && f.Name == "gap" {
				says = f.Says
				for _, e := range f.Evidence {
					why = append(why, e.Says)
				}
			}
		}
		if says != tt.says || strings.Join(why, "\n") != strings.Join(tt.why, "\n") {
			t.Errorf("%s: %q\n%s\nwant %q\n%s", tt.name, says, strings.Join(why, "\n"), tt.says, strings.Join(tt.why, "\n"))
		}
	}
}

// A ledger that was lost begins with a late tick; one that was compacted has all
// that is told.
func TestLost(t *testing.T) {
	begins := func(first, n int) *world {
		w := scoped().asleepFor(0)
		for i := range n {
			w.ticked(first+i, time.Duration(n-i)*time.Minute, 0)
		}
		return w
	}
	tests := []struct {
		name  string
		world *world
		want  string
	}{
		{"from the first tick", begins(1, 3), ""},
		{"all that is told", begins(100, 48), ""},
		{"begins late", begins(57, 2), "ledger: the ledger begins with tick 57: what was asked, answered and adopted before is not in it []"},
		{"no tick", scoped(), ""},
		{"not read", begins(57, 2).forget(ledgers), ""},
	}
	for _, tt := range tests {
		got := ""
		for line := range strings.Lines(findingsOf(t, tt.world)) {
			if strings.HasPrefix(line, "ledger: ") {
				got = strings.TrimSpace(line)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
