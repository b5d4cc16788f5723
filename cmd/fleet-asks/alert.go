package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/notify"
	"github.com/fleet-tools/fleet/internal/record"
)

// alert hands the owner's command what broke, and prints that it did. Another
// channel is not its business. What broke may be the configuration: a channel
// that can be read in it is used whatever else is wrong.
func alert(ctx context.Context, std *cli.Std, opts *options) error {
	if std.EndsPipe() {
		return cli.Usage(errNoRecords)
	}
	w, err := machine.New("", std.Clock, !std.Now.IsZero())
	if err != nil {
		return err
	}
	f, err := w.Config(opts.Config)
	if f == nil {
		return cli.Usage(err)
	}
	s, err := f.Scope(opts.Scope)
	if err != nil {
		return cli.Usage(err)
	}
	if s.OwnerChannel.Kind != "command" {
		return nil
	}
	named := opts.Config
	if named != "" {
		if named, err = filepath.Abs(named); err != nil {
			return err
		}
	}
	ctx, stop := notify.UntilSignal(ctx)
	defer stop()
	now := record.NewTime(std.Clock)
	b := notify.AlertOf(s.ID, named, std.Args[1], record.Asked{Question: std.Args[2], Since: &now})
	if _, err := notify.Raise(ctx, s.OwnerChannel, b); err != nil {
		return fmt.Errorf("alerting the owner: %w", err)
	}
	fmt.Fprintln(std.Out, "alert: delivered")
	return nil
}
