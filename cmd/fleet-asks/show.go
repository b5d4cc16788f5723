package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/notify"
	"github.com/fleet-tools/fleet/internal/record"
)

// show puts the batch that is due before the owner and prints what came of it;
// nothing when none is due. When that one could not be shown it tries one other, so that
// what is wrong with one batch is not in the way of all; that is a failure all the same. Only one
// show of a scope runs at a time: while another one has the owner's attention, or waits
// for it, this one has nothing to do.
func show(ctx context.Context, std *cli.Std, opts *options) error {
	s, l, err := open(std, opts)
	if err != nil || s.OwnerChannel.Kind == "none" {
		return err
	}
	lock, err := command.TryLock(filepath.Join(l.Dir, "show.lock"), fmt.Sprintf("pid %d since %s", os.Getpid(), std.Clock.Format(record.Layout)))
	if _, held := errors.AsType[*command.HeldError](err); held {
		std.Warn("%v", err)
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) { // no tick ever ran
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	state, err := l.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := doubt(state); err != nil { // the next tick asks about it
		std.Warn("%v", err)
	}
	pace := fold.Pace{RaiseAfter: time.Duration(s.AskRaiseAfter) * time.Minute, Renotify: time.Duration(s.AskRenotifyH) * time.Hour}
	due, ok := state.Due(std.Clock, pace)
	if !ok {
		return nil
	}
	named := opts.Config
	if named != "" {
		if named, err = filepath.Abs(named); err != nil { // the owner answers from anywhere
			return err
		}
	}
	ctx, stop := notify.UntilSignal(ctx)
	defer stop()
	err = raise(ctx, std, s, l, notify.Of(s.ID, named, due), due.Intent)
	if _, missed := errors.AsType[*missedError](err); !missed {
		return err
	}
	if due, ok = state.Instead(std.Clock, pace, due.Intent); ok {
		err = errors.Join(err, raise(ctx, std, s, l, notify.Of(s.ID, named, due), due.Intent))
	}
	return err
}

// missedError is that a batch could not be shown, and that this is noted.
type missedError struct{ error }

func (e *missedError) Unwrap() error { return e.error }

// raise shows a batch and notes it, or that it could not be shown. A batch that was shown
// and could not be noted is a failure, and is shown again.
func raise(ctx context.Context, std *cli.Std, s *config.Scope, l ledger.Ledger, b notify.Batch, intent string) error {
	shown, err := notify.Raise(ctx, s.OwnerChannel, b)
	if err != nil {
		says := fmt.Errorf("showing batch %d: %w", b.Batch, err)
		if ctx.Err() != nil { // this program was told to end, which says nothing of the channel
			return says
		}
		why, _, _ := strings.Cut(err.Error(), "\n")
		if bad := l.Missed("act", std.Clock, intent, why); bad != nil {
			return fmt.Errorf("%w; and that could not be noted: %w", says, bad)
		}
		return &missedError{says}
	}
	if err := l.Seen("act", std.Clock, intent, shown); err != nil {
		return fmt.Errorf("noting that batch %d was shown: %w", b.Batch, err)
	}
	how := shown.Button
	switch {
	case shown.Delivered:
		how = "delivered"
	case shown.GaveUp:
		how = "nobody chose a button"
	}
	fmt.Fprintf(std.Out, "batch %d: %s\n", b.Batch, how)
	if len(s.NotifyCommand) > 0 {
		if err := notify.Count(ctx, s.NotifyCommand, b.Open); err != nil {
			std.Warn("notify_command: %v", err)
		}
	}
	return nil
}
