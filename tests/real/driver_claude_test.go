//go:build real

package real

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/driver/claude"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// jobBench is a box with a background session and a driver that acts on it.
type jobBench struct {
	*claudebox.Box
	d       *claude.Driver
	target  driver.Target
	session string
}

// The driver of background sessions acts on real ones. Cases heal-flags-kept and
// heal-prompt-swallowed: one that is taken up has the options that it had, and its first
// prompt is not said again.
func TestDriverClaude(t *testing.T) {
	t.Parallel()
	box := newBox(t, installed(t), false)
	b := &jobBench{Box: box, d: claude.New(box.Path(".local/bin/claude"), box.ClaudeDir(), box.Env())}
	if err := os.MkdirAll(box.Path("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	tryAll(t, "claude", b, []trialOf[*jobBench]{
		{"start", startJob}, {"refuse to type", refuseJob}, {"refuse to resume one that runs", resumeRunning}, {"stop", stopJob},
		{"resume from where it began, and say", resumeJob}, {"respawn", respawnJob}, {"a copy is stopped", copyJob}, {"nothing to resume", resumeNothing},
	})
}

func (b *jobBench) launch(argv ...string) driver.Launch {
	return driver.Launch{Argv: argv, Env: b.Env()}
}

// now looks at the session and wants it as told.
func (b *jobBench) now(ctx context.Context, t *testing.T, what string, wanted func(driver.State) bool) driver.State {
	t.Helper()
	var s driver.State
	var err error
	if late := claudebox.Await(ctx, what, func() bool { s, err = b.d.Look(ctx, b.target); return err == nil && wanted(s) }); late != nil {
		t.Fatalf("%v: %+v, %v", late, s, err)
	}
	return s
}

func (b *jobBench) rests(ctx context.Context, t *testing.T) {
	t.Helper()
	s := b.now(ctx, t, "the session to rest", func(s driver.State) bool { return s.Prompt })
	b.target.PID, b.target.Start = s.PID, s.Start
}

func startJob(ctx context.Context, t *testing.T, b *jobBench) {
	b.target = driver.Target{Agent: "lamp", Cwd: b.Path(project)}
	s, err := b.d.Start(ctx, b.target, b.launch("claude", "--bg", "Do it [case:result]", "--permission-mode", "acceptEdits"))
	if err != nil || s.Place == "" {
		t.Fatalf("%+v, %v", s, err)
	}
	b.target.Session = s.Place
	b.rests(ctx, t)
	j, err := b.Job(b.target.Session)
	if err != nil {
		t.Fatal(err)
	}
	b.session = j.SessionID
}

func refuseJob(ctx context.Context, t *testing.T, b *jobBench) {
	if err := b.d.Say(ctx, b.target, "x"); !errors.Is(err, driver.ErrNoPrompt) {
		t.Error(err)
	}
}

func (b *jobBench) wake(t *testing.T, text string) driver.Launch {
	t.Helper()
	argv, err := claude.Wake(b.session, text)
	if err != nil {
		t.Fatal(err)
	}
	return b.launch(argv...)
}

func resumeRunning(ctx context.Context, t *testing.T, b *jobBench) {
	if _, err := b.d.Start(ctx, b.target, b.wake(t, "never said")); !errors.Is(err, driver.ErrRuns) {
		t.Error(err)
	}
	if rows, err := b.Listing(ctx); err != nil || len(rows) != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func stopJob(ctx context.Context, t *testing.T, b *jobBench) {
	later := b.target
	later.Start = later.Start.Add(-time.Minute)
	if err := b.d.Stop(ctx, later, time.Second); !errors.Is(err, driver.ErrChanged) {
		t.Error(err)
	}
	if err := b.d.Stop(ctx, b.target, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if s, err := b.d.Look(ctx, b.target); err != nil || s.Alive || !ended(b.target.PID) {
		t.Errorf("%+v, %v", s, err)
	}
}

func resumeJob(ctx context.Context, t *testing.T, b *jobBench) { // case path-cwd-moved
	old := b.target.PID
	s, err := b.d.Start(ctx, b.target, b.wake(t, "Go on, please [case:plain]"))
	if err != nil || s.PID == old || s.Place != b.target.Session {
		t.Fatalf("%+v, %v", s, err)
	}
	b.rests(ctx, t)
	if err := claudebox.Await(ctx, "the user record", func() bool { return b.Says(b.session, "Go on, please [case:plain]") }); err != nil || b.Says(b.session, "never said") {
		t.Errorf("the transcript does not have what was said, or more: %v", err)
	}
	b.rests(ctx, t)
	var last struct{ PermissionMode string } // of the newest prompt
	prompts := 0
	transcript, err := os.ReadFile(b.Transcript(b.session))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(transcript)) {
		if strings.Contains(line, `"type":"user"`) && strings.Contains(line, `"promptSource"`) && json.Unmarshal([]byte(line), &last) == nil {
			prompts++
		}
	}
	if last.PermissionMode != "acceptEdits" || prompts != 2 {
		t.Errorf("after %d prompts its mode is %q", prompts, last.PermissionMode)
	}
}

func respawnJob(ctx context.Context, t *testing.T, b *jobBench) {
	if err := b.d.Stop(ctx, b.target, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	old := b.target.PID
	s, err := b.d.Start(ctx, b.target, b.launch(claude.Respawn(b.target.Session)...))
	if err != nil || s.PID == old {
		t.Fatalf("%+v, %v", s, err)
	}
	b.rests(ctx, t)
}

// With an option the program begins a copy of a session, and says that all is
// well.
func copyJob(ctx context.Context, t *testing.T, b *jobBench) {
	if err := b.d.Stop(ctx, b.target, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	how := b.wake(t, "x [case:plain]")
	how.Argv = append(how.Argv, "--model", "sonnet")
	_, err := b.d.Start(ctx, b.target, how)
	if !errors.Is(err, driver.ErrContradicts) {
		t.Error(err)
	}
	err = claudebox.Await(ctx, "the copy to stop", func() bool {
		rows, err := b.Listing(ctx)
		return err == nil && len(rows) > 1 && !slices.ContainsFunc(rows, func(r claudebox.Row) bool { return r.PID != 0 })
	})
	if err != nil {
		t.Error(err)
	}
}

func resumeNothing(ctx context.Context, t *testing.T, b *jobBench) {
	none := b.target
	none.Session = "11111111"
	argv, err := claude.Wake("11111111-2222-4333-8444-555555555555", "x")
	if err != nil {
		t.Fatal(err)
	}
	b.d.Begin = 10 * time.Second
	s, err := b.d.Start(ctx, none, b.launch(argv...))
	if !errors.Is(err, driver.ErrUnseen) && !errors.Is(err, driver.ErrGone) || strings.Contains(err.Error(), "copy") {
		t.Errorf("%+v, %v", s, err)
	}
}
