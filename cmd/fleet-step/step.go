package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/record"
)

// The statuses that are not the command's, those of timeout(1) and sysexits.
const (
	statusHeld     = 75
	statusTimeout  = 124
	statusFailed   = 125
	statusNotRun   = 126
	statusNotFound = 127
)

// step runs the command and returns the exit status.
func step(ctx context.Context, std *cli.Std, opts *options) int {
	name := filepath.Base(std.Args[0])
	if opts.Lock != "" {
		note := fmt.Sprintf("pid %d since %s: %s", os.Getpid(), std.Clock.Format(record.Layout), name)
		lock, err := command.TryLock(opts.Lock, note)
		if _, held := errors.AsType[*command.HeldError](err); held {
			std.Warn("%v", err)
			return statusHeld
		} else if err != nil {
			std.Warn("%v", err)
			return statusFailed
		}
		defer lock.Close()
	}
	if opts.Output == "" {
		return runInto(ctx, std, opts, os.Stdout)
	}
	out, err := cli.NewPart(opts.Output)
	if err != nil {
		std.Warn("%v", err)
		return statusFailed
	}
	status := runInto(ctx, std, opts, out.File)
	if err := keep(out, status); err != nil {
		std.Warn("%v", err)
		return statusFailed
	}
	return status
}

// keep ends the file that a command with that exit status wrote: it is kept when
// the command ended well, also in part, and wrote anything.
func keep(out *cli.Part, status int) error {
	info, err := out.Stat()
	if err != nil || info.Size() == 0 || status != cli.StatusDone && status != cli.StatusPart {
		return errors.Join(err, out.Drop())
	}
	return out.Keep()
}

// runInto runs the command, whose standard output is out.
func runInto(ctx context.Context, std *cli.Std, opts *options, out *os.File) int {
	name := filepath.Base(std.Args[0])
	ctx, got, stop := untilSignal(ctx)
	defer stop()
	cmd := exec.Command(std.Args[0], std.Args[1:]...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr // as they are, so that nothing of ours stands between
	if opts.Input != "" {
		in, err := cli.OpenFile(opts.Input) // one of another sort could make us wait, with no command yet to end
		if err != nil {
			std.Warn("%v", err)
			return statusFailed
		}
		defer in.Close()
		cmd.Stdin = in
	}
	if opts.KeepEnv != nil {
		cmd.Env = kept(os.Environ(), strings.Fields(*opts.KeepEnv))
	}
	err := command.Group(ctx, cmd, opts.Timeout, opts.KillAfter)
	if status, ok := command.Status(err); ok {
		return status
	}
	switch {
	case errors.Is(err, command.ErrTimeout) && got.Load() != 0:
		std.Warn("%s: ended by signal %d to fleet-step", name, got.Load())
		return 128 + int(got.Load())
	case errors.Is(err, command.ErrTimeout):
		std.Warn("%s: not done after %v: ended", name, opts.Timeout)
		return statusTimeout
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		std.Warn("%v", err)
		return statusNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		std.Warn("%v", err)
		return statusNotRun
	}
	std.Warn("%v", err)
	return statusFailed
}

// kept is the variables of an environment that have one of the names.
func kept(environ, names []string) []string {
	return slices.DeleteFunc(environ, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(names, name)
	})
}

// untilSignal ends the context when this process is told to end, so that the
// command's group, which a terminal's ^C or launchd does not reach, ends first.
// got is the number of the signal; 0 while none came.
func untilSignal(ctx context.Context) (_ context.Context, got *atomic.Int32, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	got = new(atomic.Int32)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			got.Store(int32(s.(syscall.Signal)))
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, got, func() { signal.Stop(signals); cancel() }
}
