package main

import (
	"context"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
)

func run(ctx context.Context, std *cli.Std, opts *options) error {
	ctx, stop := cli.UntilTold(ctx)
	defer stop()
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	if opts.Host != "" {
		return remote(ctx, w, std, opts)
	}
	c := observe.Claude{Binary: opts.Claude, Dirs: opts.ClaudeDir, Timeout: opts.Timeout, ListingCap: opts.ListingCap}
	return cli.Observed(c.Observe(ctx, w, std))
}

// remote observes another machine.
func remote(ctx context.Context, w *machine.World, std *cli.Std, opts *options) error {
	host, err := w.HostOf(opts.Config, opts.Scope, opts.Host)
	if err != nil {
		return cli.Usage(err)
	}
	if opts.Scope == "" {
		host.TimeoutS = max(int(opts.Timeout/time.Second), 1)
	} else if host.Name == w.Host {
		std.Warn("%s is this machine", host.Name) // one configuration may serve several
		return nil
	}
	r := observe.Remote{Host: host, Binary: opts.Claude, Dirs: opts.ClaudeDir, ListingCap: opts.ListingCap}
	return cli.Observed(r.Observe(ctx, w, std))
}
