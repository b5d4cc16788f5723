//go:build real

package real

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

func refuseBusy(ctx context.Context, t *testing.T, b bench) {
	busy := b.begin(ctx, t, b.of("busy"), "Do it [case:busy]")
	b.until(ctx, t, busy, func(s driver.State) bool { return s.Prompt && s.Moving })
	b.refuses(ctx, t, busy, driver.ErrBusy)
	if err := b.Stop(ctx, busy, 10*time.Second); err != nil {
		t.Error(err)
	}
}

func refusePermission(ctx context.Context, t *testing.T, b bench) {
	asks := b.begin(ctx, t, b.of("asks"), "Do it [case:perm]")
	s := b.until(ctx, t, asks, func(s driver.State) bool { return s.Dialog != "" })
	if !strings.Contains(s.Dialog, "Do you want to proceed?") {
		t.Errorf("the dialog is %q", s.Dialog)
	}
	b.refuses(ctx, t, asks, driver.ErrDialog)
	if s, err := b.Look(ctx, asks); err != nil || !strings.Contains(s.Dialog, "Do you want to proceed?") {
		t.Errorf("the dialog was answered: %+v, %v", s, err)
	}
	if err := b.Stop(ctx, asks, 10*time.Second); err != nil {
		t.Error(err)
	}
}

func refuseTrust(ctx context.Context, t *testing.T, b bench) {
	target := b.of("trust")
	target.Cwd = b.Path("other")
	target = b.begin(ctx, t, target)
	b.refuses(ctx, t, target, driver.ErrDialog)
	if err := b.Stop(ctx, target, 10*time.Second); err != nil {
		t.Error(err)
	}
}

func refuseDraft(ctx context.Context, t *testing.T, b bench) {
	if err := b.Keys(ctx, idle.Session, "wait for me"); err != nil {
		t.Fatal(err)
	}
	b.until(ctx, t, idle, func(s driver.State) bool { return s.Draft })
	b.refuses(ctx, t, idle, driver.ErrDraft)
	if text, _ := b.Screen(ctx, idle.Session); !strings.Contains(text, "wait for me") {
		t.Errorf("the draft is gone:\n%s", text)
	}
	if err := b.Keys(ctx, idle.Session, "C-u"); err != nil {
		t.Fatal(err)
	}
	b.rest(ctx, t, idle)
}

func refuseMode(ctx context.Context, t *testing.T, b bench) {
	if _, err := b.Tmux(ctx, "copy-mode", "-t", "="+idle.Session+":"); err != nil {
		t.Fatal(err)
	}
	b.refuses(ctx, t, idle, driver.ErrMode)
	if s, err := b.Look(ctx, idle); err != nil || !s.Mode {
		t.Errorf("the mode is gone: %+v, %v", s, err)
	}
	if _, err := b.Tmux(ctx, "send-keys", "-t", "="+idle.Session+":", "-X", "cancel"); err != nil {
		t.Fatal(err)
	}
}

func refuseAttached(ctx context.Context, t *testing.T, b bench) {
	_, err := b.Tmux(ctx, "new-session", "-d", "-s", "terminal", "env", "-u", "TMUX", "tmux", "-S", b.Socket(), "attach-session", "-t", "="+idle.Session)
	if err != nil {
		t.Fatal(err)
	}
	b.until(ctx, t, idle, func(s driver.State) bool { return s.Attached })
	b.refuses(ctx, t, idle, driver.ErrAttached)
	if err := b.Stop(ctx, idle, time.Second); !errors.Is(err, driver.ErrAttached) {
		t.Errorf("it would be stopped: %v", err)
	}
	if _, err := b.Tmux(ctx, "kill-session", "-t", "=terminal"); err != nil {
		t.Fatal(err)
	}
	b.until(ctx, t, idle, func(s driver.State) bool { return !s.Attached && s.Prompt && !s.Moving })
}

func refuseViewer(ctx context.Context, t *testing.T, b bench) {
	if err := b.Keys(ctx, idle.Session, "C-o"); err != nil {
		t.Fatal(err)
	}
	b.until(ctx, t, idle, func(s driver.State) bool { return s.Viewer })
	b.refuses(ctx, t, idle, driver.ErrNoPrompt)
	if err := b.Keys(ctx, idle.Session, "C-o"); err != nil {
		t.Fatal(err)
	}
	b.rest(ctx, t, idle)
}

func otherWindow(ctx context.Context, t *testing.T, b bench) {
	if _, err := b.Tmux(ctx, "new-window", "-t", "="+idle.Session+":", "sleep", "3000"); err != nil {
		t.Fatal(err)
	}
	b.tell(ctx, t, idle, "From another window [case:plain]")
	b.heard(ctx, t, idle, "From another window [case:plain]")
	if _, err := b.Tmux(ctx, "kill-window", "-t", "="+idle.Session+":"); err != nil {
		t.Fatal(err)
	}
	b.rest(ctx, t, idle)
}
