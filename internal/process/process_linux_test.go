package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/tests/broken"
)

// A process is in the table with what it is; ended, it is nobody's.
func TestList(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"A=b"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	started(t, cmd)
	ps, err := List(t.Context())
	i := slices.IndexFunc(ps, func(p Process) bool { return p.PID == cmd.Process.Pid })
	if err != nil || i < 0 {
		t.Fatalf("not among %d, %v", len(ps), err)
	}
	p := ps[i]
	if !slices.Equal(p.Argv, []string{"sleep", "60"}) || p.Exe == "sleep" || p.Hidden {
		t.Errorf("%+v", p)
	}
	stat, err := p.Stat()
	if began := claude.Began(stat.Start, BootAt()); err != nil || stat.PPID != os.Getpid() || stat.Ended || time.Since(began).Abs() > time.Hour {
		t.Errorf("%+v, began %v, %v", stat, began, err)
	}
	cwd, err := p.Cwd(t.Context())
	if real, _ := os.Stat(cmd.Dir); err != nil || !sameDir(cwd, real) {
		t.Errorf("%q, %v", cwd, err)
	}
	if env, err := p.Environ(); string(env) != "A=b\x00" && string(env) != "A=b\x00PWD="+cmd.Dir+"\x00" || err != nil {
		t.Errorf("%q, %v", env, err)
	}
	cmd.Process.Kill()
	for stat, err = p.Stat(); err == nil && !stat.Ended; stat, err = p.Stat() {
		time.Sleep(10 * time.Millisecond)
	}
	if one, ferr := Find(t.Context(), p.PID); err != nil || ferr != nil || one == nil || one.Argv != nil {
		t.Errorf("nobody waited for it: %+v, %v, %v", one, ferr, err)
	}
	cmd.Wait()
	if one, err := Find(t.Context(), p.PID); one != nil || err != nil {
		t.Errorf("it ended: %+v, %v", one, err)
	}
	if stat, err := p.Stat(); stat != (Stat{}) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it ended: %+v, %v", stat, err)
	}
	if cwd, err := p.Cwd(t.Context()); cwd != "" || err == nil {
		t.Errorf("it ended: %q, %v", cwd, err)
	}
	if env, err := p.Environ(); env != nil || err == nil {
		t.Errorf("it ended: %q, %v", env, err)
	}
}

// started is the process of a command that began. For a moment it has neither arguments
// nor an environment.
func started(t *testing.T, cmd *exec.Cmd) *Process {
	t.Helper()
	for {
		p, err := Find(t.Context(), cmd.Process.Pid)
		if err != nil || p == nil {
			t.Fatalf("%+v, %v", p, err)
		}
		if p.Argv != nil {
			return p
		}
	}
}

func sameDir(name string, want os.FileInfo) bool {
	got, err := os.Stat(name)
	return err == nil && os.SameFile(got, want)
}

// A table that cannot be read, or not whole, is none: what is missing would seem to
// have ended.
func TestList_unread(t *testing.T) {
	broken.Without(t, 0, func() {
		if ps, err := List(t.Context()); ps != nil || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%d processes, %v", len(ps), err)
		}
		if p, err := Find(t.Context(), os.Getpid()); p != nil || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%+v, %v", p, err)
		}
		if s, err := (Process{PID: os.Getpid()}).Stat(); s != (Stat{}) || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%+v, %v", s, err)
		}
		if at := BootAt(); !at.IsZero() {
			t.Errorf("the machine began at %v", at)
		}
	})
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ps, err := among(t.Context(), dirs, func(_ context.Context, pid int) (*Process, error) {
		if n++; n == 3 {
			return nil, syscall.EMFILE
		}
		return &Process{PID: pid}, nil
	})
	if ps != nil || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%d processes, %v", len(ps), err)
	}
}

// Arguments and an environment are read whole, however long.
func TestProcess_long(t *testing.T) {
	for _, n := range []int{0, 1, 500, 1010, 1024, 4096, 100_000} {
		long := strings.Repeat("x", n)
		cmd := exec.Command("sleep", "60", "60", "0"+strings.Repeat("0", n))
		cmd.Env = []string{"A=" + long}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p := started(t, cmd)
		if !slices.Equal(p.Argv, cmd.Args) {
			t.Errorf("%d: %d arguments", n, len(p.Argv))
		}
		if env, err := p.Environ(); err != nil || !strings.Contains(string(env), "A="+long+"\x00") {
			t.Errorf("%d: %d bytes, %v", n, len(env), err)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// A file of /proc that opens and cannot be read is an error.
func TestRead_unread(t *testing.T) {
	if b, err := read(t.TempDir()); b != nil || !errors.Is(err, syscall.EISDIR) {
		t.Errorf("read %q of a directory, error %v", b, err)
	}
}
