package driver

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
)

// updater is one whose macf is a script.
func updater(t *testing.T, script string) Updater {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "macf"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return Updater{Env: os.Environ(), Lock: filepath.Join(dir, "update.lock")}
}

// An update is run where the agent is, and what it says of a failure is told.
func TestUpdater(t *testing.T) {
	for script, want := range map[string]string{
		`[ "$*" = "update --yes" ] && [ "$(pwd -P)" = "$(cd "$WHERE" && pwd -P)" ]`: "",
		"echo no network >&2; exit 3": "macf update: exit status 3: no network",
	} {
		where := t.TempDir()
		t.Setenv("WHERE", where)
		u, says := updater(t, script), ""
		if err := u.Update(t.Context(), where); err != nil {
			says = err.Error()
		}
		if err := u.Works(); says != want || err != nil {
			t.Errorf("%s: %q; then %v", script, says, err)
		}
	}
	u := Updater{Lock: filepath.Join(t.TempDir(), "no", "lock")}
	if err := u.Works(); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "whether an update of before still works cannot be told: ") {
		t.Errorf("%v", err)
	}
}

// What an update leaves behind when it ends is none that works.
func TestUpdater_daemon(t *testing.T) {
	u := updater(t, "sleep 600 >/dev/null 2>&1 </dev/null &\necho $! >\"$PID\"\n")
	file := filepath.Join(t.TempDir(), "pid")
	u.Env = append(u.Env, "PID="+file)
	err := u.Update(t.Context(), t.TempDir())
	if pid, aerr := strconv.Atoi(began(t, file)); aerr == nil {
		defer syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Works(); err != nil {
		t.Error(err)
	}
}

// began waits for what a script writes into a file when it runs.
func began(t *testing.T, name string) string {
	for range 600 {
		if b, err := os.ReadFile(name); err == nil && strings.HasSuffix(string(b), "\n") {
			return strings.TrimSpace(string(b))
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("it did not begin")
	return ""
}

// An update is seen to work as long as a process of it lives, also when what began it
// was killed; no second one is begun beside it.
func TestUpdater_outlives(t *testing.T) {
	if lock := os.Getenv("FLEET_UPDATE"); lock != "" { // the one that is killed
		t.Error(Updater{Env: os.Environ(), Lock: lock}.Update(t.Context(), "."))
		return
	}
	u := updater(t, "[ -z \"$FLEET_UPDATE\" ] || echo $$ >\"$FLEET_UPDATE.pid\"; exec sleep 600\n")
	cmd := exec.Command(os.Args[0], "-test.run=^TestUpdater_outlives$")
	cmd.Env = append(os.Environ(), "FLEET_UPDATE="+u.Lock)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(began(t, u.Lock+".pid"))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := u.Works(); err == nil || !strings.HasPrefix(err.Error(), "an update of before still works: macf update in ., of fleet-act, process "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat("/proc/self/fd"); err == nil && !strings.HasSuffix(u.Works().Error(), "; held by process "+strconv.Itoa(pid)+": wait for it, or end it") {
		t.Error(u.Works())
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, held := errors.AsType[*command.HeldError](u.Update(soon, ".")); !held {
		t.Error("a second one is begun")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 600 {
		if err = u.Works(); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%v", err)
}
