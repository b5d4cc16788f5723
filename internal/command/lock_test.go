package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestTryLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tick.lock")
	if err := os.WriteFile(name, []byte("a longer note of a holder that is gone\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := TryLock(name, "pid 7 since noon")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "pid 7 since noon\n" {
		t.Errorf("the note is %q", b)
	}
	_, err = TryLock(name, "me too")
	held, ok := errors.AsType[*HeldError](err)
	if !ok || held.Note != "pid 7 since noon" || err.Error() != name+": another process holds it: pid 7 since noon" {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(name); string(b) != "pid 7 since noon\n" {
		t.Errorf("the note is now %q", b)
	}
	lock.Close()
	lock, err = TryLock(name, "")
	if err != nil {
		t.Fatalf("a lock that was let go: %v", err)
	}
	defer lock.Close()
	if _, err := TryLock(name, ""); err == nil || err.Error() != name+": another process holds it" {
		t.Errorf("a holder without a note: %v", err)
	}
	if _, err := TryLock(filepath.Join(name, "x"), ""); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
	if err := syscall.Mkfifo(name+".fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(name+".fifo", "x"); err == nil {
		t.Error("a pipe was locked")
	}
}

func TestStatus(t *testing.T) {
	run := func(script string) error { return exec.Command("sh", "-c", script).Run() }
	for _, tt := range []struct {
		err  error
		want int
		ok   bool
	}{
		{nil, 0, true}, {run("exit 7"), 7, true}, {run("kill -TERM $$"), 143, true},
		{ErrTimeout, 0, false}, {exec.Command("/no/such/program").Run(), 0, false},
	} {
		if n, ok := Status(tt.err); n != tt.want || ok != tt.ok {
			t.Errorf("%v: %d %t, want %d %t", tt.err, n, ok, tt.want, tt.ok)
		}
	}
}

// A command in the middle of something is given until killAfter, and no longer.
func TestGroup_killAfter(t *testing.T) {
	start := time.Now()
	err := Group(context.Background(), exec.Command("sh", "-c", `trap "" TERM; sleep 60 & wait; sleep 60`), 50*time.Millisecond, 100*time.Millisecond)
	if !errors.Is(err, ErrTimeout) || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// A lock that is freed is free for whoever has it open besides; who has it open is told
// where there is a /proc.
func TestFree(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	lock, err := TryLock(name, "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "600")
	cmd.ExtraFiles = []*os.File{lock.(*os.File)}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if _, err := os.Stat("/proc/self/fd"); err == nil && !slices.Equal(Holders(name), []int{cmd.Process.Pid}) {
		t.Errorf("held by %v, want %d", Holders(name), cmd.Process.Pid)
	}
	if pids := Holders(name + ".none"); pids != nil {
		t.Errorf("of no file: %v", pids)
	}
	if err := Free(lock); err != nil {
		t.Fatal(err)
	}
	again, err := TryLock(name, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if err := Free(lock); err == nil {
		t.Error("one that is closed is freed")
	}
}
