package tmux

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// A pane that cannot be asked is an error; one that is not there is none.
func TestLook(t *testing.T) {
	r := newRig(t)
	r.d.Timeout = 5 * time.Second
	s, err := r.d.Look(t.Context(), r.target())
	if err != nil || !s.Alive || s.PID != r.PID || !s.Start.Equal(r.Start) || s.Place != "%7" || !s.Prompt || s.Draft || s.Moving || s.Attached || s.Mode || s.Stall != "hi" {
		t.Errorf("%+v, %v", s, err)
	}
	if n := len(r.log("capture-pane")); n != 3 {
		t.Errorf("%d looks", n)
	}
	r.put(t, "says", "error connecting to /tmp/x (Permission denied)\n")
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("a server that refuses: %+v, %v", s, err)
	}
	r.put(t, "says", "error connecting to /tmp/x (No such file or directory)\n")
	if s, err := r.d.Look(t.Context(), r.target()); err != nil || s.Alive {
		t.Errorf("no server: %+v, %v", s, err)
	}
	r.put(t, "hang", "")
	r.d.Timeout = 100 * time.Millisecond
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive {
		t.Errorf("a server that does not answer: %+v, %v", s, err)
	}
	if err := os.Remove(filepath.Join(r.dir, "tmux")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", r.dir)
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive {
		t.Errorf("no tmux: %+v, %v", s, err)
	}
	for _, bad := range []string{"", "a\nb", "$0"} {
		if _, err := r.d.Look(context.Background(), driver.Target{Session: bad}); err == nil {
			t.Errorf("the name %q is taken", bad)
		}
	}
}

// What changes between two of the looks is movement.
func TestLook_moving(t *testing.T) {
	r := newRig(t)
	r.d.Gaps = []time.Duration{time.Millisecond, 300 * time.Millisecond}
	go func() {
		driver.Until(context.Background(), 10*time.Second, func() bool { return len(r.log("capture-pane")) >= 2 })
		time.Sleep(50 * time.Millisecond)
		os.WriteFile(filepath.Join(r.dir, "pane"), []byte(strings.Replace(shows(""), "Hi.", "Hi!", 1)), 0o600)
	}()
	if s, err := r.d.Look(t.Context(), r.target()); err != nil || !s.Moving {
		t.Errorf("%+v, %v", s, err)
	}
}

// Of the panes of a session the one that holds the process counts, whichever is
// active; a person before any of them is before the session.
func TestChoose(t *testing.T) {
	table := driver.Table{{PID: 10, PPID: 1, Argv: []string{"bash"}}, {PID: 11, PPID: 10, Exe: "/x/claude", Argv: []string{"claude"}}, {PID: 20, PPID: 1, Argv: []string{"vi"}}}
	tests := []struct {
		name, out, place string
		pid              int
		alive, attached  bool
	}{
		{"below a shell", "%1 20 0 0 0 0 0 my lamp\n%2 10 0 0 0 0 0 my lamp\n", "%2", 11, true, false},
		{"attached to another window", "%1 20 0 0 0 0 1 my lamp\n%2 10 0 0 0 0 0 my lamp\n", "%2", 11, true, true},
		{"none", "%1 20 0 0 0 0 0 my lamp\n", "%1", 0, true, false},
		{"dead", "%1 10 1 0 0 0 0 my lamp\n", "%1", 0, false, false},
		{"dead beside one that lives", "%1 10 1 0 0 0 0 my lamp\n%2 20 0 0 0 0 0 my lamp\n", "%2", 0, true, false},
		{"nothing", "", "", 0, false, false},
		{"another session", "%2 10 0 0 0 0 0 my lamps\n", "", 0, false, false},
	}
	for _, tt := range tests {
		v, err := choose(tt.out, driver.Target{Session: "my lamp"}, table)
		if err != nil || v.Place != tt.place || v.PID != tt.pid || v.Alive != tt.alive || v.Attached != tt.attached {
			t.Errorf("%s: %+v, %v", tt.name, v.State, err)
		}
	}
	split := strings.Replace(token, "FAKE", "FAKE\u200b", 2)
	for _, bad := range []string{"%1 20 0\n", "%1 x 0 0 0 0 0 my lamp\n", "%1 x " + split + "\n", "%1 1 " + split + " 0 0 0 0 x\n"} {
		if _, err := choose(bad, driver.Target{Session: "my lamp"}, table); err == nil || strings.Contains(err.Error(), "FAKE") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Of two panes with Claude Code the one that the target names counts, else the one
// that holds its process; a pane that is gone is no other one.
func TestChoose_two(t *testing.T) {
	claude := func(pid, parent int) driver.Process {
		return driver.Process{PID: pid, PPID: parent, Exe: "/x/claude", Argv: []string{"claude"}}
	}
	table := driver.Table{claude(10, 1), {PID: 20, PPID: 1, Argv: []string{"-bash"}}, claude(21, 20), claude(22, 20), {PID: 30, PPID: 1, Argv: []string{"make"}}}
	const out = "%1 10 0 0 0 0 0 lamp\n%2 20 0 0 0 0 0 lamp\n%3 30 0 0 0 0 0 lamp\n"
	for _, tt := range []struct {
		place string
		pid   int
		want  string
		found int
	}{
		{"", 0, "%1", 10}, {"", 10, "%1", 10}, {"", 21, "%2", 21}, {"", 22, "%2", 22}, {"", 99, "%1", 10},
		{"%2", 22, "%2", 22}, {"%2", 0, "%2", 21}, {"%2", 10, "%2", 21}, {"%3", 22, "%3", 0}, {"%9", 22, "", 0},
	} {
		v, err := choose(out, driver.Target{Session: "lamp", Place: tt.place, PID: tt.pid}, table)
		if err != nil || v.Place != tt.want || v.PID != tt.found {
			t.Errorf("pane %q, process %d: %q, %d, %v", tt.place, tt.pid, v.Place, v.PID, err)
		}
	}
}

// What a person runs beside the process in its shell is seen; what a script runs
// beside it, and what started it, is no such thing.
func TestOthers(t *testing.T) {
	claude := driver.Process{PID: 12, PPID: 11, Exe: "/x/claude", Argv: []string{"claude"}}
	tool, job, tee := driver.Process{PID: 13, PPID: 12, Argv: []string{"make"}}, driver.Process{PID: 14, PPID: 10, Argv: []string{"make"}}, driver.Process{PID: 15, PPID: 11, Argv: []string{"tee"}}
	script := driver.Process{PID: 11, PPID: 10, Argv: []string{"/bin/sh", "./claude.sh"}}
	for name, tt := range map[string]struct {
		root []string
		more driver.Table
		want bool
	}{
		"a shell":                   {[]string{"-bash"}, nil, false},
		"with a tool of it":         {[]string{"bash", "-l"}, driver.Table{tool, tee}, false},
		"with a job":                {[]string{"/usr/bin/zsh"}, driver.Table{job}, true},
		"a launcher and its helper": {[]string{"sh", "-c", "x", "fleet-launch"}, driver.Table{job}, false},
	} {
		table := append(driver.Table{{PID: 10, PPID: 1, Argv: tt.root}, script, claude}, tt.more...)
		v, err := choose("%1 10 0 0 0 0 0 lamp\n", driver.Target{Session: "lamp", PID: 12}, table)
		if err != nil || v.PID != 12 || v.others != tt.want || v.beside {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}
