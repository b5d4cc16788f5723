// Package faults runs the built programs where something is broken: disks,
// permissions, other programs, files, clocks, limits, and a ledger under a
// running tick. What must hold is one sentence: what could not be done is said,
// in a record or an error that names it, and what was there before is whole.
package faults

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/scripts"
)

// bin is where the built programs are, with the rig and the scripts; anybody may
// read it. root is the checkout, which others perhaps may not.
var bin, root string

// nobody is the user that limits and permissions hold for when the test is run
// by root.
const nobody = 65534

// patience is what anything may take on a machine that is busy; a thing that
// takes longer hangs.
const patience = 90 * time.Second

var programs = []string{"fleet-act", "fleet-asks", "fleet-classify", "fleet-config", "fleet-jq", "fleet-ledger", "fleet-observe-board", "fleet-observe-claude",
	"fleet-observe-gh", "fleet-observe-health", "fleet-observe-paseo", "fleet-observe-schedule", "fleet-observe-workspaces", "fleet-reconcile", "fleet-render",
	"fleet-step"}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	wd, err := os.Getwd()
	if err == nil {
		root = filepath.Dir(filepath.Dir(wd))
		bin, err = os.MkdirTemp("", "fleet-faults-bin-")
	}
	if err == nil {
		defer os.RemoveAll(bin)
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	flag.Set("test.parallel", "16") // most of them wait
	return m.Run()
}

func build() error {
	if err := os.Chmod(bin, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"-o", bin, "./cmd/..."}, {"-o", filepath.Join(bin, "limit"), "./tests/faults/rig"}} {
		cmd := exec.Command("go", append([]string{"build"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building the programs: %w\n%s", err, out)
		}
	}
	return scripts.Copy(root, bin)
}

// long tells whether the tables run whole, with FLEET_LONG; else one row stands for
// those that are like it.
var long = os.Getenv("FLEET_LONG") != ""

// open returns a new directory that anybody may enter and nobody owns.
func open(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fleet-faults-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// box is a home directory and what a program that runs in it gets.
type box struct {
	t    testing.TB
	home string
	env  []string
	pids map[string]int // the processes of its sessions, by name
	uid  int            // that programs run as; 0: the user of the test
}

func newBox(t testing.TB) *box {
	t.Helper()
	home := open(t)
	return &box{t: t, home: home, pids: map[string]int{}, env: []string{"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":" + bin + ":/usr/bin:/bin", "TZ=UTC", "LC_ALL=C"}}
}

// plain makes a box's programs those of a user whom permissions bind. It is
// called when everything is laid out: all of it is that user's then.
func (b *box) plain() *box {
	b.t.Helper()
	if os.Getuid() != 0 {
		return b
	}
	b.uid = nobody
	err := filepath.Walk(b.home, func(name string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Lchown(name, nobody, nobody))
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return b
}

// under begins a command line that runs what follows in a mount namespace of its
// own, in which a script has been run; it takes root.
func under(script string) []string {
	return []string{"/usr/bin/unshare", "-m", "/bin/sh", "-c", "PATH=$PATH:/usr/bin:/bin:/usr/sbin:/sbin; " + script + ` || exit 97; exec "` + bin + `/$0" "$@"`}
}

// path is a path below the home.
func (b *box) path(name string) string { return filepath.Join(b.home, name) }

// write writes a file below the home.
func (b *box) write(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// stub puts the rig in the place of a program, to do what the lines say.
func (b *box) stub(program string, do ...string) {
	b.t.Helper()
	b.write("bin/"+program+".do", strings.Join(do, "\n"))
	os.Chmod(b.path("bin/"+program+".do"), 0o644)
	if err := os.Link(filepath.Join(bin, "limit"), b.path("bin/"+program)); err != nil && !errors.Is(err, os.ErrExist) {
		b.t.Fatal(err)
	}
}

// run runs a program to its end.
func (b *box) run(in io.Reader, argv ...string) result {
	b.t.Helper()
	var out bytes.Buffer
	r := b.runTo(in, &out, argv...)
	r.stdout = out.String()
	return r
}

// runTo is run with another standard output: closed when it is nil.
func (b *box) runTo(in io.Reader, out io.Writer, argv ...string) result {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stderr bytes.Buffer
	cmd := b.command(ctx, argv...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &stderr
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		b.t.Fatalf("%q hangs: %s", argv, stderr.String())
	}
	r := result{stderr: stderr.String(), status: cmd.ProcessState.ExitCode(), peak: peak(cmd.ProcessState)}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		r.status = 128 + int(ws.Signal())
	} else if ee := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ee) {
		b.t.Fatalf("%q: %v", argv, err)
	}
	return r
}

// command is a program of the box, with a process group of its own that ends
// with ctx.
func (b *box) command(ctx context.Context, argv ...string) *exec.Cmd {
	name := argv[0]
	if !strings.Contains(name, "/") && slices.Contains(append(programs, "limit"), name) {
		name = filepath.Join(bin, name)
	}
	cmd := exec.CommandContext(ctx, name, argv[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = b.env, b.home, 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if b.uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(b.uid), Gid: uint32(b.uid)}
	}
	return cmd
}

// peak is the largest size that a program or anything that it waited for had,
// in bytes. A program begins as large as what starts it: as this test.
func peak(p *os.ProcessState) int64 {
	usage := p.SysUsage().(*syscall.Rusage)
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
