// Fleet-act does what fleet-reconcile decided: it writes to sessions, starts,
// restarts and resumes them. No other program of fleet changes anything outside
// its own state directory.
//
// Usage:
//
//	fleet-act [--execute] < stream > stream              do what is decided
//	fleet-act [--execute] stalled < stream > stream      nudge the sessions that show a stall
//	fleet-act [--execute] upgrade --to VERSION < stream  upgrade the agents, one after the other
//	fleet-act --execute recover                          close what a run left open that died
//
// Without --execute it only says what it would do. With it the scope's mode must
// be act and its dry_run 0 as well. Of each act the ledger has an intent, on the
// disk before anything is done, and an outcome, which is done only when its
// effect was seen. It copies the stream and adds outcome records. Status 75 when
// another run acts on the scope: nothing is read or done.
package main

import (
	"context"
	"errors"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
)

func main() {
	cli.Main(cli.Program{
		Name: "fleet-act", Withhold: guard.Line, Args: "[COMMAND]",
		About: "Fleet-act does what fleet-reconcile decided, and adds what became of it. While another run acts on the scope it ends at once, with status 75. With a COMMAND it does something else:\n" +
			"stalled: nudge the sessions that show a stall of the configuration next to their prompt.\n" +
			"upgrade --to VERSION: upgrade the agents, one at a time, and stop at the first that does not come back.\n" +
			"recover: close the intents that a run left open that died, from what became of them.",
	}, run)
}

func run(ctx context.Context, std *cli.Std, opts *options) error {
	ctx, stop := cli.UntilTold(ctx)
	defer stop()
	command := ""
	if len(std.Args) == 1 {
		command = std.Args[0]
	}
	do := map[string]func(*deed) error{"": (*deed).decided, "stalled": (*deed).stalled, "upgrade": (*deed).upgrade, "recover": (*deed).recover}[command]
	if do == nil || len(std.Args) > 1 || (command == "upgrade") != (opts.To != "") {
		return cli.Usage(errors.New("which command? stalled, upgrade --to VERSION or recover, or none to do what is decided\ntry fleet-act --help"))
	}
	if err := opts.version(); err != nil {
		return cli.Usage(err)
	}
	d, err := prepare(ctx, std, opts)
	if err != nil {
		return err
	}
	defer d.release()
	return errors.Join(do(d), d.actor.Hand(ctx))
}
