package claude

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// program stands for claude: it notes its arguments, prints rows and says what
// it is told to say. A command other than the listing puts other rows there.
const program = `#!/bin/sh
printf '%s\n' "$*" >>"$STUB/log"
case $1 in
agents) cat "$STUB/rows" ;;
*)
	[ ! -e "$STUB/then" ] || cp "$STUB/then" "$STUB/rows"
	cat "$STUB/says"
	[ ! -e "$STUB/fails" ] || { cat "$STUB/fails" >&2; exit 1; }
	[ "$1" != stop ] || [ ! -e "$STUB/pid" ] || kill "$(cat "$STUB/pid")" ;;
esac
`

type rig struct {
	d   *Driver
	dir string
	p   *driver.Process // which stands for the process of a session
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{dir: dir}
	r.put(t, "claude", program)
	r.put(t, "says", "")
	r.put(t, "rows", "[]")
	if err := os.Chmod(filepath.Join(dir, "claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.d = New(filepath.Join(dir, "claude"), dir, []string{"STUB=" + dir, "PATH=" + os.Getenv("PATH")})
	r.d.Begin, r.d.Stays = 300*time.Millisecond, time.Millisecond
	cmd := exec.Command("sleep", "600")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	var err error
	if r.p, err = driver.ReadProcess(cmd.Process.Pid); err != nil || r.p == nil {
		t.Fatal(r.p, err)
	}
	return r
}

func (r *rig) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// row is a row of the listing; without a pid when that is 0.
func (r *rig) row(id string, pid int, status string) string {
	live := ""
	if pid != 0 {
		live = fmt.Sprintf(`"pid":%d,"status":%q,`, pid, status)
	}
	return fmt.Sprintf(`[{%s"id":%q,"cwd":%q,"kind":"background","startedAt":1795962560722,"sessionId":"s","state":"working"}]`, live, id, r.dir)
}

func (r *rig) target() driver.Target {
	return driver.Target{Agent: "lamp", Session: "0123abcd", Cwd: r.dir, PID: r.p.PID, Start: r.p.Start}
}

func (r *rig) calls(command string) []string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	var calls []string
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, command) {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	return calls
}

// testOver has the job file say what the listing does not yet.
func testOver(t *testing.T, r *rig, idle driver.State) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(r.dir, "jobs/0123abcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.put(t, "rows", r.row("0123abcd", 0, ""))
	for file, over := range map[string]string{`"stopped","sessionId":"s","cwd":"/"`: "stopped", `"done","sessionId":"s","cwd":"/"`: "done", `"blocked","sessionId":"s","cwd":"/"`: "", `"stopped"`: "?", `7`: "?"} {
		r.put(t, "jobs/0123abcd/state.json", `{"state":`+file+`}`)
		if s, err := r.d.Look(t.Context(), r.target()); (err != nil) != (over == "?") || err == nil && s != (driver.State{Place: "0123abcd", Over: over}) {
			t.Errorf("%s: %+v, %v", file, s, err)
		}
	}
	r.put(t, "rows", r.row("0123abcd", r.p.PID, "idle"))
	if s, err := r.d.Look(t.Context(), r.target()); err != nil || s != idle {
		t.Errorf("it runs: %+v, %v", s, err)
	}
	r.put(t, "rows", r.row("0123abcd", 0, ""))
	if err := os.Remove(filepath.Join(r.dir, "jobs/0123abcd/state.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "jobs/0123abcd/state.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if s, err := r.d.Look(t.Context(), r.target()); err == nil {
		t.Errorf("a directory: %+v", s)
	}
	if err := os.RemoveAll(filepath.Join(r.dir, "jobs")); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	r := newRig(t)
	alive := driver.State{Place: "0123abcd", Alive: true, PID: r.p.PID, Start: r.p.Start}
	idle, busy, waiting := alive, alive, alive
	idle.Prompt, busy.Moving, waiting.Dialog = true, true, "waiting"
	for name, tt := range map[string]struct {
		rows string
		want driver.State
		bad  bool
	}{
		"idle":              {r.row("0123abcd", r.p.PID, "idle"), idle, false},
		"busy":              {r.row("0123abcd", r.p.PID, "busy"), busy, false},
		"another status":    {r.row("0123abcd", r.p.PID, "new"), busy, false},
		"waiting":           {r.row("0123abcd", r.p.PID, "waiting"), waiting, false},
		"no process":        {r.row("0123abcd", 0, ""), driver.State{Place: "0123abcd"}, false},
		"its process ended": {r.row("0123abcd", 99999999, "idle"), driver.State{Place: "0123abcd"}, false},
		"done":              {strings.Replace(r.row("0123abcd", 0, ""), "working", "done", 1), driver.State{Place: "0123abcd", Over: "done"}, false},
		"stopped":           {strings.Replace(r.row("0123abcd", 99999999, "idle"), "working", "stopped", 1), driver.State{Place: "0123abcd", Over: "stopped"}, false},
		"done, and it runs": {strings.Replace(r.row("0123abcd", r.p.PID, "idle"), "working", "done", 1), idle, false},
		"failed":            {strings.Replace(r.row("0123abcd", 0, ""), "working", "failed", 1), driver.State{Place: "0123abcd"}, false},
		"not listed":        {r.row("89abcdef", r.p.PID, "idle"), driver.State{}, false},
		"no listing":        {"nothing", driver.State{}, true},
		"an unread row":     {`[7]`, driver.State{}, true},
	} {
		r.put(t, "rows", tt.rows)
		if s, err := r.d.Look(t.Context(), r.target()); s != tt.want || (err != nil) != tt.bad {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	testOver(t, r, idle)
	r.put(t, "rows", "[]")
	if err := os.MkdirAll(filepath.Join(r.dir, "jobs/0123abcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || !strings.Contains(err.Error(), "is not listed, and is there") {
		t.Errorf("a job that the listing leaves out: %+v, %v", s, err)
	}
	if _, err := r.d.Look(t.Context(), driver.Target{Session: "--all"}); err == nil {
		t.Error("an id that is none is taken")
	}
}

func TestSay(t *testing.T) {
	r := newRig(t)
	if err := r.d.Say(t.Context(), r.target(), "x"); !errors.Is(err, driver.ErrAbsent) {
		t.Error(err)
	}
	r.put(t, "rows", r.row("0123abcd", r.p.PID, "idle"))
	if err := r.d.Say(t.Context(), r.target(), "x"); !errors.Is(err, driver.ErrNoPrompt) {
		t.Error(err)
	}
}

func TestStart(t *testing.T) {
	resume := []string{"claude", "--bg", "--resume", "s", "Go on"}
	tests := []struct {
		name        string
		argv        []string
		says, fails string
		then        func(*rig) string
		want        error
		stopped     string
	}{
		{"resumed", resume, "backgrounded · 0123abcd · lamp\n", "", func(r *rig) string { return r.row("0123abcd", r.p.PID, "busy") }, nil, ""},
		{"respawned", Respawn("0123abcd"), "respawned 0123abcd\n", "", func(r *rig) string { return r.row("0123abcd", r.p.PID, "idle") }, nil, ""},
		{"backgrounded, and no process comes", resume, "backgrounded · 0123abcd\n", "", nil, driver.ErrUnseen, ""},
		{"a copy", resume, "backgrounded · 89abcdef\n", "", nil, driver.ErrContradicts, "stop 89abcdef"},
		{"no id", resume, "hello\n", "", nil, driver.ErrUnseen, ""},
		{"case cc-resume-refused", resume, "", "Error: Session s is running as a background session (0123abcd).\n", nil, driver.ErrContradicts, ""},
		{"already running", resume, "", "it is already running as a background agent\n", nil, driver.ErrContradicts, ""},
		{"case heal-id-in-use", resume, "", "Error: Session ID s is already in use.\n", nil, driver.ErrContradicts, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.put(t, "rows", r.row("0123abcd", 0, ""))
			r.put(t, "says", tt.says)
			if tt.fails != "" {
				r.put(t, "fails", tt.fails)
			}
			if tt.then != nil {
				r.put(t, "then", tt.then(r))
			}
			s, err := r.d.Start(t.Context(), r.target(), driver.Launch{Argv: tt.argv, Env: r.d.Env})
			if !errors.Is(err, tt.want) || (err == nil) != (s.PID == r.p.PID) {
				t.Errorf("%+v, %v", s, err)
			}
			if got := strings.Join(r.calls("stop"), "\n"); got != tt.stopped {
				t.Errorf("stopped %q", got)
			}
			if n := len(r.calls("--bg")) + len(r.calls("respawn")); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	}
	r := newRig(t)
	target := r.target()
	target.SessionID = "s"
	if _, err := r.d.Start(t.Context(), target, driver.Launch{Text: "Go on"}); err == nil || !strings.Contains(err.Error(), "the options of job 0123abcd are not known") {
		t.Errorf("no job: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(r.dir, "jobs/0123abcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.put(t, "jobs/0123abcd/state.json", "{}")
	r.put(t, "rows", r.row("0123abcd", 0, ""))
	r.put(t, "then", r.row("0123abcd", r.p.PID, "busy"))
	r.put(t, "says", "backgrounded · 0123abcd\n")
	if s, err := r.d.Start(t.Context(), target, driver.Launch{Text: "Go on", Env: r.d.Env}); err != nil || !s.Alive || strings.Join(r.calls("--bg"), "") != "--bg --resume s Go on" {
		t.Errorf("where it ended: %+v, %v, %q", s, err, r.calls("--bg"))
	}
	r = newRig(t)
	r.put(t, "rows", r.row("0123abcd", r.p.PID, "idle"))
	if _, err := r.d.Start(t.Context(), r.target(), driver.Launch{Argv: resume}); !errors.Is(err, driver.ErrRuns) || len(r.calls("--bg")) > 0 {
		t.Errorf("it runs: %v", err)
	}
	gone := r.target()
	gone.Session, gone.Cwd = "", filepath.Join(r.dir, "gone")
	if _, err := r.d.Start(t.Context(), gone, driver.Launch{Argv: resume}); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("no directory: %v", err)
	}
}

func TestStop(t *testing.T) {
	r := newRig(t)
	if err := r.d.Stop(t.Context(), r.target(), time.Second); !errors.Is(err, driver.ErrAbsent) {
		t.Error(err)
	}
	r.put(t, "rows", r.row("0123abcd", r.p.PID, "idle"))
	later, unknown, elsewhere := r.target(), r.target(), r.target()
	later.Start, unknown.PID, elsewhere.Cwd = later.Start.Add(time.Minute), 0, "/"
	for name, target := range map[string]driver.Target{"later": later, "unknown": unknown, "elsewhere": elsewhere} {
		if err := r.d.Stop(t.Context(), target, time.Second); !errors.Is(err, driver.ErrChanged) || len(r.calls("stop")) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.d.Stop(t.Context(), r.target(), 200*time.Millisecond); err != nil { // it does not end by itself
		t.Error(err)
	}
	if p, err := driver.ReadProcess(r.p.PID); err != nil || p != nil || strings.Join(r.calls("stop"), "") != "stop 0123abcd" {
		t.Errorf("%+v, %v, %q", p, err, r.calls("stop"))
	}
}
