// Fleet-observe-schedule writes a record for everything that runs on a schedule
// outside Paseo: the scope's launchd jobs, the user timers of systemd, and the
// run logs that the configuration names.
//
// Usage:
//
//	fleet-observe-schedule [--scope ID] [--config FILE] > records
//
// It starts, stops and edits nothing. Without a configuration no launchd job
// and no log is looked for. A scheduler that this machine does not have is
// absent. Status 3: one could not be asked, or a file could not be read.
package main

import (
	"context"
	"errors"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
)

type options struct {
	jq.Common    `group:"Common options"`
	cli.Machine  `group:"Machine options"`
	cli.Observer `group:"Observer options"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-schedule", Withhold: guard.Line,
		About: "Fleet-observe-schedule writes a record for every launchd job of the scope, user timer of systemd and run log.",
	}, run)
}

func run(ctx context.Context, std *cli.Std, opts *options) error {
	ctx, stop := cli.UntilTold(ctx)
	defer stop()
	w, err := machine.New(opts.Fixtures, std.Clock, !std.Now.IsZero())
	var s observe.Schedule
	if err == nil {
		s.Scope, err = w.Scope(opts.Config, opts.Scope)
		if errors.Is(err, machine.ErrNoScope) {
			err = nil
		}
	}
	if err == nil {
		err = w.Record(opts.Record)
	}
	if err != nil {
		return cli.Usage(err)
	}
	return cli.Observed(s.Observe(ctx, w, std))
}
