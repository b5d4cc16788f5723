//go:build real

package real

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/driver/tmux"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// bench is a box with a driver that acts on its tmux server.
type bench struct {
	*claudebox.Box
	*tmux.Driver
}

// Env is that of the box.
func (b bench) Env() []string { return b.Box.Env() }

// trialOf is a thing that a driver must do or refuse.
type trialOf[T any] struct {
	name string
	run  func(context.Context, *testing.T, T)
}

// The driver of tmux acts on real sessions, and refuses what would touch a
// person's doing or a session that works.
func TestDriverTmux(t *testing.T) {
	t.Parallel()
	box := newBox(t, installed(t), false)
	d, err := tmux.New(box.Env(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{box, d}
	if err := os.MkdirAll(box.Path("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Tmux(t.Context(), "new-session", "-d", "-s", "stays", "sleep", "3000"); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Tmux(t.Context(), "set-environment", "-g", "SERVERS_OWN", "x"); err != nil {
		t.Fatal(err)
	}
	tryAll(t, "tmux", b, []trialOf[bench]{
		{"start and say", startAndSay},
		{"say words that are keys and flags", sayLiterally},
		{"refuse while busy", refuseBusy},
		{"refuse at a permission prompt", refusePermission},
		{"refuse at a trust dialog", refuseTrust},
		{"refuse over a draft", refuseDraft},
		{"refuse in copy mode", refuseMode},
		{"refuse while attached", refuseAttached},
		{"refuse at the transcript", refuseViewer},
		{"a window that is not the active one", otherWindow},
		{"names with one prefix", namesWithPrefix},
		{"no server, no session", nothingThere},
		{"Enter is swallowed", enterSwallowed},
		{"stop and start", stopAndStart},
		{"restart one that was killed", restartKilled},
		{"ends at once", endsAtOnce},
	})
}

// tryAll runs the trials in order and prints how many held.
func tryAll[T any](t *testing.T, name string, on T, trials []trialOf[T]) {
	ok := 0
	for _, tr := range trials {
		if t.Run(tr.name, func(t *testing.T) { patiently(t, func(ctx context.Context) { tr.run(ctx, t, on) }) }) {
			ok++
		}
	}
	fmt.Printf("driver: %s: %d/%d\n", name, ok, len(trials))
}

// of names a session of the box.
func (b bench) of(session string) driver.Target {
	return driver.Target{Agent: session, Session: session, Socket: b.Socket(), Cwd: b.Path(project)}
}

// begin starts claude by the driver and waits for its prompt, or a dialog.
func (b bench) begin(ctx context.Context, t *testing.T, target driver.Target, args ...string) driver.Target {
	t.Helper()
	s, err := b.Start(ctx, target, driver.Launch{Argv: append([]string{"claude"}, args...), Env: b.Env()})
	if err != nil {
		t.Fatal(err)
	}
	target.PID, target.Start = s.PID, s.Start
	b.until(ctx, t, target, func(s driver.State) bool { return s.Prompt || s.Dialog != "" })
	return target
}

// until waits until the session is as wanted.
func (b bench) until(ctx context.Context, t *testing.T, target driver.Target, wanted func(driver.State) bool) driver.State {
	t.Helper()
	var s driver.State
	err := claudebox.Await(ctx, target.Session, func() bool {
		var err error
		s, err = b.Look(ctx, target)
		return err == nil && wanted(s)
	})
	if err != nil {
		text, _ := b.Screen(context.Background(), target.Session)
		t.Fatalf("%v: %+v\n%s", err, s, text)
	}
	return s
}

// rest waits until the session is idle.
func (b bench) rest(ctx context.Context, t *testing.T, target driver.Target) driver.State {
	t.Helper()
	return b.until(ctx, t, target, func(s driver.State) bool { return s.Prompt && !s.Moving && !s.Draft })
}

// heard waits until the transcript of the session has the text as a user record.
func (b bench) heard(ctx context.Context, t *testing.T, target driver.Target, text string) {
	t.Helper()
	err := claudebox.Await(ctx, fmt.Sprintf("the user record %q", text), func() bool {
		file, err := b.Session(target.PID)
		return err == nil && b.Says(file.SessionID, fmt.Sprintf(`"role":"user","content":%q`, text))
	})
	if err != nil {
		screen, _ := b.Screen(context.Background(), target.Session)
		t.Errorf("%v\n%s", err, screen)
	}
}

// tell says text as soon as the session is not busy.
func (b bench) tell(ctx context.Context, t *testing.T, target driver.Target, text string) {
	t.Helper()
	err := driver.ErrBusy
	for errors.Is(err, driver.ErrBusy) && ctx.Err() == nil {
		err = b.Say(ctx, target, text)
	}
	if err != nil {
		t.Fatalf("%.20q: %v", text, err)
	}
}

// refuses wants Say to fail with an error of that kind and to leave the session as it is.
func (b bench) refuses(ctx context.Context, t *testing.T, target driver.Target, want error) {
	t.Helper()
	before, _ := b.Screen(ctx, target.Session)
	if err := b.Say(ctx, target, "never said"); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	after, err := b.Screen(ctx, target.Session)
	if err != nil || strings.Contains(after, "never said") {
		t.Errorf("the session was touched: %v\n%s\n%s", err, before, after)
	}
}

// idle is the session that several trials use.
var idle driver.Target

func startAndSay(ctx context.Context, t *testing.T, b bench) {
	target := b.of("lamp.1") // which tmux calls lamp_1
	idle = b.begin(ctx, t, target)
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", idle.PID)); err != nil || strings.Contains(string(env), "SERVERS_OWN") || !strings.Contains(string(env), "ANTHROPIC_BASE_URL="+b.BaseURL) {
		t.Errorf("its environment: %v\n%q", err, env)
	}
	if _, err := b.Start(ctx, target, driver.Launch{Argv: []string{"claude"}, Env: b.Env()}); !errors.Is(err, driver.ErrRuns) {
		t.Errorf("a second one: %v", err)
	}
	text := "Do it, please.\nThen tell me; #{pane_id} $(id) [case:plain]"
	if err := b.Say(ctx, idle, text); err != nil {
		t.Fatal(err)
	}
	b.heard(ctx, t, idle, text)
	idle.Session = "lamp_1"
	b.rest(ctx, t, idle)
}

func sayLiterally(ctx context.Context, t *testing.T, b bench) {
	for _, text := range []string{"Enter", "-t x; kill-server", strings.Repeat("a longer text than one row holds; ", 30) + "end;", strings.Repeat("line\n", 30) + "end"} {
		b.tell(ctx, t, idle, text)
		b.heard(ctx, t, idle, text)
	}
}

func namesWithPrefix(ctx context.Context, t *testing.T, b bench) {
	for _, name := range []string{"lamp", "lamp_", "l*", "lamp_1:", "%0", "$0", "@0", "{last}", ""} {
		target := b.of(name)
		target.PID, target.Start = idle.PID, idle.Start
		s, err := b.Look(ctx, target)
		if s.Alive || (err == nil) == (name == "" || name == "$0") {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
		if err := b.Say(ctx, target, "never said"); err == nil {
			t.Errorf("%q was told something", name)
		}
		if err := b.Stop(ctx, target, time.Second); err == nil {
			t.Errorf("%q was stopped", name)
		}
	}
	if s, err := b.Look(ctx, idle); err != nil || s.PID != idle.PID {
		t.Errorf("%+v, %v", s, err)
	}
}

func nothingThere(ctx context.Context, t *testing.T, b bench) {
	target := b.of("lamp")
	target.Socket = b.Path("no.sock")
	if s, err := b.Look(ctx, target); err != nil || s.Alive {
		t.Errorf("no server: %+v, %v", s, err)
	}
	if err := os.WriteFile(b.Path("dead.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	target.Socket = b.Path("dead.sock")
	if s, err := b.Look(ctx, target); s.Alive {
		t.Errorf("no socket: %+v, %v", s, err)
	}
}
