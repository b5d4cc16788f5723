//go:build real

package real

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// deaf is a program that draws the prompt of Claude Code and takes no Enter.
const deaf = `#!/bin/bash
stty raw -echo
line=$(printf '─%.0s' {1..60})
text=
while :; do
	printf '\033[H\033[2J%s\r\n❯ %s\033[7m \033[0m\r\n%s\r\n  manual mode on' "$line" "$text" "$line"
	IFS= read -rN1 c || exit
	[ "$c" = $'\r' ] || text+=$c
done
`

func enterSwallowed(ctx context.Context, t *testing.T, b bench) {
	program := b.Path("deaf/claude")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte(deaf), 0o755); err != nil {
		t.Fatal(err)
	}
	target := b.of("deaf")
	s, err := b.Start(ctx, target, driver.Launch{Argv: []string{program}, Env: b.Env()})
	if err != nil {
		t.Fatal(err)
	}
	target.PID, target.Start = s.PID, s.Start
	b.rest(ctx, t, target)
	if err := b.Say(ctx, target, "Go on."); !errors.Is(err, driver.ErrUnsubmitted) || !strings.Contains(err.Error(), "still in the prompt after 4 times Enter") {
		t.Errorf("%v", err)
	}
	if err := b.Say(ctx, target, "Go on."); !errors.Is(err, driver.ErrDraft) {
		t.Errorf("once more: %v", err)
	}
	if err := b.Stop(ctx, target, time.Second); err != nil {
		t.Error(err)
	}
}

func stopAndStart(ctx context.Context, t *testing.T, b bench) {
	later := idle
	later.Start = later.Start.Add(-time.Minute)
	if err := b.Stop(ctx, later, time.Second); !errors.Is(err, driver.ErrChanged) {
		t.Errorf("%v", err)
	}
	if err := b.Stop(ctx, idle, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Look(ctx, idle); err != nil || s.Alive || !ended(idle.PID) {
		t.Fatalf("it is still there: %+v, %v", s, err)
	}
	if err := b.Stop(ctx, idle, time.Second); !errors.Is(err, driver.ErrAbsent) {
		t.Errorf("once more: %v", err)
	}
	again := b.begin(ctx, t, b.of("lamp.1"), "--continue")
	if again.PID == idle.PID {
		t.Error("it is the same process")
	}
	idle = again
	b.rest(ctx, t, idle)
}

func restartKilled(ctx context.Context, t *testing.T, b bench) {
	note := b.Path("note")
	target := b.of("killed")
	how := driver.Launch{Argv: []string{"claude"}, Env: b.Env(), Then: []string{"sh", "-c", `echo "$1" >"$0"`, note}}
	s, err := b.Start(ctx, target, how)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.until(ctx, t, target, func(s driver.State) bool { return !s.Alive })
	if status, err := os.ReadFile(note); string(status) != "137\n" {
		t.Errorf("its exit status is noted as %q, %v", status, err)
	}
	now, err := b.Start(ctx, target, how)
	if err != nil || now.PID == s.PID || now.PID == 0 {
		t.Fatalf("%+v, %v", now, err)
	}
	target.PID, target.Start = now.PID, now.Start
	if err := b.Stop(ctx, target, 10*time.Second); err != nil {
		t.Error(err)
	}
}

func endsAtOnce(ctx context.Context, t *testing.T, b bench) {
	target := b.of("gone")
	_, err := b.Start(ctx, target, driver.Launch{Argv: []string{"claude", "--resume", "11111111-2222-4333-8444-555555555555"}, Env: b.Env()})
	if !errors.Is(err, driver.ErrGone) || !strings.Contains(err.Error(), "No conversation found") {
		text, _ := b.Screen(ctx, "gone")
		t.Errorf("%v\n%s", err, text)
	}
	if s, err := b.Look(ctx, target); err != nil || s.Place != "" {
		t.Errorf("it left something: %+v, %v", s, err)
	}
	_, err = b.Start(ctx, target, driver.Launch{Argv: []string{"no-such-program"}, Env: b.Env()})
	if !errors.Is(err, driver.ErrGone) || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("%v", err)
	}
}
