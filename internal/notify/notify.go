// Package notify is the edge at which the owner is asked: it shows a batch of
// asks in a dialog, or hands it to the owner's own command, and tells what came
// of it. It remembers nothing.
package notify

import (
	"bytes"
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
	"syscall"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// patience is how long things may take.
var patience = struct {
	dialog    time.Duration // a dialog gives up; also the number in the command table
	more      time.Duration // and is ended when it did not
	command   time.Duration // a command of the owner's is ended
	killAfter time.Duration
}{10 * time.Minute, 30 * time.Second, time.Minute, 5 * time.Second}

// maxOutput is how many bytes of a program's output are kept.
const maxOutput = 64 << 10

// Raise puts a batch before the owner over a channel that is a dialog or a
// command, and returns what came of it. An error says why the batch was not
// shown, or that nobody can tell whether it was.
func Raise(ctx context.Context, ch config.Channel, b Batch) (record.Shown, error) {
	switch ch.Kind {
	case "dialog":
		return showDialog(ctx, b)
	case "command":
		if err := runOwner(ctx, ch.Argv, append(fold.Marshal(b), '\n')); err != nil {
			return record.Shown{}, err
		}
		return record.Shown{Delivered: true}, nil
	}
	return record.Shown{}, fmt.Errorf("no such channel: %q", ch.Kind)
}

// Count runs a command with one more argument, which tells how many asks are
// open and nothing else: the command may send it off the machine.
func Count(ctx context.Context, argv []string, open int) error {
	return runOwner(ctx, slices.Concat(argv, []string{"fleet: " + openAsks(open)}), nil)
}

// runOwner runs a command of the owner's to its end with stdin, the null device
// when it is nil. Status 0 is success, whatever it printed or left running: what
// it left is ended.
func runOwner(ctx context.Context, argv []string, stdin []byte) error {
	name := guard.Text(filepath.Base(argv[0]), 60)
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path, err := ownerProgram(home, argv[0])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	spec := command.Spec{Argv: argv, Path: path, Env: environment(), Dir: home, Timeout: patience.command, KillAfter: patience.killAfter, MaxOutput: maxOutput}
	if stdin != nil {
		spec.Stdin = bytes.NewReader(stdin)
	}
	res, err := command.Owner(ctx, spec)
	switch {
	case errors.Is(err, command.ErrTimeout):
		return ended(ctx, name, patience.command)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // it ended by itself, and its output is not for us
	}
	if err == nil && res.Status != 0 {
		err = failed(name, res)
	}
	return err
}

// ownerProgram is the path of a program of the owner's. The error says why it
// cannot be run, without its name.
func ownerProgram(home, program string) (string, error) {
	if rest, ok := strings.CutPrefix(program, "~/"); ok {
		program = filepath.Join(home, rest)
	}
	path, err := exec.LookPath(program)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	return path, err
}

// Able says why nothing could be raised over a channel on this machine; nil when
// its program is there. Whether that can show anything is another question.
func Able(ch config.Channel) error {
	switch ch.Kind {
	case "dialog":
		if !slices.ContainsFunc(dialogs, func(d dialog) bool { _, err := exec.LookPath(d.program); return err == nil }) {
			return errNoDialog
		}
	case "command":
		home, err := os.UserHomeDir()
		if err == nil {
			_, err = ownerProgram(home, ch.Argv[0])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", guard.Text(ch.Argv[0], 60), err)
		}
	}
	return nil
}

// failed says how a program failed: its status and the first line of what it
// wrote on stderr.
func failed(name string, res command.Result) error {
	says := guard.Text(res.FirstLine(), 200)
	if says == "" {
		return fmt.Errorf("%s: exit status %d", name, res.Status)
	}
	return fmt.Errorf("%s: %s", name, command.Exit(res.Status, says))
}

// ended says why a program was ended.
func ended(ctx context.Context, name string, limit time.Duration) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: ended, as this program was told to end", name)
	}
	return &HungError{name, limit}
}

// HungError is that a program of the owner's did not end in its time, and was ended.
type HungError struct {
	Name  string
	Limit time.Duration
}

func (e *HungError) Error() string {
	return fmt.Sprintf("%s: not done after %v: ended", e.Name, e.Limit)
}

// kept is what a program gets of our environment: no token of any kind is among
// it. The last two keep a session's marks on what it starts.
var kept = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_DIRS", "FLEET_SCOPE", "FLEET_CONFIG", "FLEET_CHILD", "CLAUDECODE",
}

func environment() []string {
	env := []string{}
	for _, name := range kept {
		if v, set := os.LookupEnv(name); set {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// UntilSignal ends the context when this process is told to end, so that no
// dialog is left behind on the screen. stop lets signals end the process again.
func UntilSignal(ctx context.Context) (_ context.Context, stop func()) {
	signals := []os.Signal{}
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 { // NotifyContext would take that for all of them
		return ctx, func() {}
	}
	return signal.NotifyContext(ctx, signals...)
}
