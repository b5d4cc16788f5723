// Package command starts other programs: in a process group of their own, with
// a listed environment, a deadline, bounded output, and only such commands as
// the closed table of this package names, or the owner's configuration.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Spec is a command to run.
type Spec struct {
	Argv      []string      // the first is the program: a name or a path
	Path      string        // the file to execute; Argv[0] when empty
	Env       []string      // the whole environment
	Dir       string        // working directory; that of this process when empty
	Stdin     io.Reader     // the null device when nil
	Timeout   time.Duration // then TERM to the process group
	KillAfter time.Duration // after TERM, KILL to the process group
	MaxOutput int           // bytes kept of stdout and of stderr each; more is an error, and ends the command, in Run
	Holds     io.Closer     // a lock of TryLock that the command holds too, as its descriptor 3, as long as it or what it began lives; nil for none
	Variant   string        // what tells two recordings of one argv apart, such as a variable of Env; "" for one
}

// path is the file to execute.
func (s Spec) path() string {
	if s.Path != "" {
		return s.Path
	}
	return s.Argv[0]
}

// Result is what a command that started left.
type Result struct {
	Stdout, Stderr []byte
	Status         int // exit status; 128 + n after signal n
}

// FirstLine returns the first line of stderr that is not blank, for a message.
func (r Result) FirstLine() string {
	for line := range strings.Lines(string(r.Stderr)) {
		if t := strings.TrimSpace(line); t != "" {
			return t
		}
	}
	return ""
}

// Exit is an exit status in words, with what the command said of it when it said
// anything.
func Exit(status int, says string) string {
	if says = strings.TrimSpace(says); says != "" {
		says = ": " + says
	}
	return "exit status " + strconv.Itoa(status) + says
}

// ErrTimeout is returned when the deadline ended the command.
var ErrTimeout = errors.New("timed out")

// ErrEnded is returned by Act when what called it was told to end, and the command with it.
var ErrEnded = errors.New("ended, as this program was told to end")

// ErrOutput is returned when the command wrote more than MaxOutput.
var ErrOutput = errors.New("wrote more than is read")

// Run runs the command to its end. The error is ErrTimeout, ErrOutput, a
// refusal, or says why the command could not be started; an exit status that
// is not zero is no error.
func Run(ctx context.Context, s Spec) (Result, error) {
	if !Allowed(s.Argv) {
		return Result{}, fmt.Errorf("command is not in the table: %q", s.Argv[0])
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	return start(ctx, s, enough)
}

// Owner is Run of a command that the owner wrote into the configuration, and
// that no table can list. What it writes beyond MaxOutput is thrown away and
// ends nothing: its status is what it says. Package notify alone calls it.
func Owner(ctx context.Context, s Spec) (Result, error) { return start(ctx, s, nil) }

// start runs a command. enough ends it when it has written more than is read;
// nil lets it go on.
func start(ctx context.Context, s Spec, enough func()) (Result, error) {
	stdout, stderr := &bounded{max: s.MaxOutput, enough: enough}, &bounded{max: s.MaxOutput, enough: enough}
	cmd := exec.Command(s.path(), s.Argv[1:]...)
	cmd.Args[0] = s.Argv[0]
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Env, s.Dir, s.Stdin, stdout, stderr
	if s.Holds != nil {
		lock, ok := s.Holds.(*os.File)
		if !ok {
			return Result{}, fmt.Errorf("%s: its lock is none that a command can hold", s.Argv[0])
		}
		cmd.ExtraFiles = []*os.File{lock}
	}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	err := Group(ctx, cmd, s.Timeout, s.KillAfter)
	res := Result{Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes()}
	switch exit := (*exec.ExitError)(nil); {
	case enough != nil && (stdout.over.Load() || stderr.over.Load()):
		return res, ErrOutput
	case errors.Is(err, ErrTimeout):
		return res, err
	case errors.As(err, &exit):
		res.Status = status(exit)
	case err != nil:
		return res, err
	}
	return res, nil
}

// Group runs cmd as the leader of a process group. At the deadline, or when
// ctx ends, the group gets TERM, after killAfter KILL; what outlives the leader
// is killed too. It returns what cmd.Wait does, or ErrTimeout.
func Group(ctx context.Context, cmd *exec.Cmd, timeout, killAfter time.Duration) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.WaitDelay = killAfter + time.Second // a grandchild may hold the pipe open
	if err := cmd.Start(); err != nil {
		return err
	}
	pgid := cmd.Process.Pid
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	defer syscall.Kill(-pgid, syscall.SIGKILL)
	select {
	case err := <-done:
		return err
	case <-deadline.C:
	case <-ctx.Done():
	}
	_ = syscall.Kill(-pgid, syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(killAfter):
		_ = syscall.Kill(-pgid, syscall.SIGKILL)
		<-done
	}
	return ErrTimeout
}

// status is the exit status as a shell gives it.
func status(e *exec.ExitError) int {
	if ws, ok := e.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return e.ExitCode()
}

// bounded keeps the first max bytes; when there are more it notes so, and tells,
// where anybody asks, that it is enough. It holds the buffer as a field: an
// embedded one would let io.Copy past Write.
type bounded struct {
	kept   bytes.Buffer
	max    int
	over   atomic.Bool // read also when the copying goroutine was given up
	enough func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.max - b.kept.Len()
	if len(p) > room {
		b.over.Store(true)
		if b.enough != nil {
			b.enough()
		}
		b.kept.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.kept.Write(p)
}
