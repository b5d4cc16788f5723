package tmux

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// Stop ends the process that was seen and no other, and the session when it
// stays.
func TestStop(t *testing.T) {
	r := newRig(t)
	changed := r.target()
	changed.Start = changed.Start.Add(-time.Minute)
	unknown := r.target()
	unknown.PID = 0
	elsewhere := r.target()
	elsewhere.Cwd = "/"
	for name, target := range map[string]driver.Target{"a later process": changed, "one that nobody saw": unknown, "one in another directory": elsewhere} {
		if err := r.d.Stop(t.Context(), target, time.Second); !errors.Is(err, driver.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.panes(t, "0 0 1 0 0")
	if err := r.d.Stop(t.Context(), r.target(), time.Second); !errors.Is(err, driver.ErrAttached) {
		t.Errorf("attached: %v", err)
	}
	if p, err := driver.ReadProcess(r.PID); err != nil || p == nil {
		t.Fatalf("the process was ended: %v", err)
	}
	r.panes(t, "0 0 0 0 0")
	if err := r.d.Stop(t.Context(), r.target(), 5*time.Second); err != nil {
		t.Error(err)
	}
	if p, err := driver.ReadProcess(r.PID); err != nil || p != nil {
		t.Errorf("the process lives: %v, %v", p, err)
	}
	if got := r.log("kill-session"); len(got) != 1 || got[0][3] != "=shop@lamp_1:" {
		t.Errorf("%q", got)
	}
	r.put(t, "says", "can't find session: x\n")
	if err := r.d.Stop(t.Context(), r.target(), time.Second); !errors.Is(err, driver.ErrAbsent) {
		t.Errorf("%v", err)
	}
}

// A session to which somebody came while its process ended stays, and the error says
// that the process was ended.
func TestStop_ended(t *testing.T) {
	r := newRig(t)
	go func() {
		driver.Until(t.Context(), time.Minute, func() bool { p, err := driver.ReadProcess(r.PID); return p == nil && err == nil })
		_ = os.WriteFile(filepath.Join(r.dir, "panes"), []byte("%7 "+strconv.Itoa(r.PID)+" 0 0 1 0 0 shop@lamp_1\n"), 0o600)
	}()
	err := r.d.Stop(t.Context(), r.target(), 5*time.Second)
	if !errors.Is(err, driver.ErrEnded) || !errors.Is(err, driver.ErrAttached) || len(r.log("kill-session")) > 0 {
		t.Errorf("%v, %q", err, r.log("kill-session"))
	}
}

// A process that works below its workspace is its workspace's: it counts as
// started, and is ended. In another checkout inside of that it is not.
func TestBelow(t *testing.T) {
	for name, tree := range map[string]bool{"its own": false, "another checkout": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			target := r.target()
			target.Cwd = filepath.Dir(r.dir)
			if err := os.Mkdir(filepath.Join(target.Cwd, ".macf"), 0o700); err != nil {
				t.Fatal(err)
			}
			r.put(t, "../.macf/macf-agent.json", "{}")
			if tree {
				r.put(t, ".git", "gitdir: /x/.git/worktrees/y\n")
			}
			if s, err := r.d.begun(t.Context(), target); s.PID != r.PID || errors.Is(err, driver.ErrUnseen) != tree || !tree && err != nil {
				t.Errorf("begun: %+v, %v", s, err)
			}
			err := r.d.Stop(t.Context(), target, 5*time.Second)
			p, perr := driver.ReadProcess(r.PID)
			if errors.Is(err, driver.ErrChanged) != tree || !tree && err != nil || (p != nil) != tree || perr != nil {
				t.Errorf("ended: %v; %v %v", err, p, perr)
			}
		})
	}
}

// A session in which something runs that is not the target's process stays, and so
// does that process; one in which nothing runs any more is ended for who has none.
func TestStop_taken(t *testing.T) {
	r := newRig(t)
	build := exec.Command("sleep", "600")
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { build.Process.Kill(); build.Wait() })
	nobody := r.target()
	nobody.PID = 0
	alone := "%8 " + strconv.Itoa(build.Process.Pid) + " 0 0 0 0 0 shop@lamp_1\n"
	ours := "%7 " + strconv.Itoa(r.PID) + " 0 0 0 0 0 shop@lamp_1\n"
	for name, tt := range map[string]struct {
		panes string
		t     driver.Target
		want  error
	}{
		"a build, of a target with a process":    {alone, r.target(), driver.ErrAbsent},
		"a build, of a target without a process": {alone, nobody, driver.ErrRuns},
		"a build in a pane beside it":            {ours + alone, r.target(), driver.ErrRuns},
		"a dead one, of a target with a process": {"%8 1 1 0 0 0 0 shop@lamp_1\n", r.target(), driver.ErrAbsent},
	} {
		r.put(t, "panes", tt.panes)
		if err := r.d.Stop(t.Context(), tt.t, time.Second); !errors.Is(err, tt.want) || len(r.log("kill-session")) > 0 {
			t.Errorf("%s: %v, %q", name, err, r.log("kill-session"))
		}
		for _, pid := range []int{r.PID, build.Process.Pid} {
			if p, err := driver.ReadProcess(pid); err != nil || p == nil {
				t.Fatalf("%s: process %d was ended: %v", name, pid, err)
			}
		}
	}
	r.put(t, "panes", "%8 1 1 0 0 0 0 shop@lamp_1\n")
	if err := r.d.Stop(t.Context(), nobody, time.Second); err != nil || len(r.log("kill-session")) != 1 {
		t.Errorf("a dead one: %v", err)
	}
}

// Of a prompt is known whether it holds a text and nothing else.
func TestHolds(t *testing.T) {
	long := strings.Repeat("many words ", 60)
	for _, tt := range []struct {
		prompt, text string
		want         bool
	}{
		{"a b", "a b", true}, {"a\nb", "a b", true}, {"", "a", false}, {"a b c", "a b", false}, {"a", "a b", false},
		{"[Pasted text #1 +10 lines]", "a", true}, {"x [Pasted text #1 +10 lines]", "a", false}, {"[Pasted text #1 +10 lines] x", "a", false},
		{"[Pasted text #12]", "a", true}, {"[Pasted text #1 +1 line]", "a", true}, {"[Pasted text #1\n+10 lines]", "a", true},
		{"[Pasted text #1 +40 lines] and drop the table [now]", "a", false}, {"[Pasted text #1 +40 lines][Pasted text #2 +2 lines]", "a", false},
		{"[Pasted text #1 +40 lines] [Image #2]", "a", false}, {"[Pasted text # +40 lines]", "a", false}, {"[Pasted text #1 +40 lines", "a", false}, {"[Pasted text #1 +lines]", "a", false},
		{long[:300], long, true}, {long[:300] + "x", long, false},
	} {
		if got := holds(tt.prompt, tt.text); got != tt.want {
			t.Errorf("%q of %q: %t", tt.prompt, tt.text, got)
		}
	}
}
