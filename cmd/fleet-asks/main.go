// Fleet-asks turns what was judged into questions for the owner, each asked
// once, and takes the answers.
//
// Usage:
//
//	fleet-asks < stream > stream      add the asks, and the ledger entries that remember them
//	fleet-asks list [--all]           the open asks, oldest first; --all answered ones too; records for --jq
//	fleet-asks ack TICK [--ask ID]…   answer the batch of a tick, or some asks of it
//	fleet-asks ack --all              answer every open ask
//	fleet-asks show                   put the batch that is due before the owner
//	fleet-asks alert KIND TEXT        hand the owner's command a text about what broke
//
// A condition is asked once and stays open until it is answered or a tick that
// read all that raises it finds it no longer true. list, ack and show read the
// scope's ledger; ack refuses inside a session.
package main

import (
	"context"
	"errors"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
)

type options struct {
	jq.Common   `group:"Common options"`
	cli.Machine `group:"Machine options"`

	All bool     `long:"all" description:"list: answered asks too; ack: every open ask"`
	Ask []string `long:"ask" value-name:"ID" description:"ack: only the ask ID of the batch; may be repeated"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-asks", Withhold: guard.Line, Args: "[COMMAND]",
		About: "Fleet-asks adds to the stream on standard input the questions for the owner, each asked once, and the ledger entries that " +
			"remember them. With a COMMAND it works on the ledger instead.\n" +
			"list: the open asks, oldest first; with --jq what EXPR makes of each, a record of kind asked.\n" +
			"ack TICK, ack --all: answer them.\n" +
			"show: put a batch with an open ask that is due before the owner, as owner_channel says, and note in the ledger what came of it. " +
			"Due is what was not seen and is open for ask_raise_after_min; shown once, it is due again at the next tick, then every ask_renotify_h. The oldest that was never shown comes first, then the one that was shown longest ago; when it cannot be shown, one other is tried. Prints nothing when nothing is due.\n" +
			"alert KIND TEXT: when owner_channel is a command, hand it a text about what broke, and print that it was delivered; for tick.sh.",
	}, run)
}

func run(ctx context.Context, std *cli.Std, opts *options) error {
	switch {
	case len(std.Args) == 0 && !opts.All && len(opts.Ask) == 0:
		return filter(std)
	case len(std.Args) == 1 && std.Args[0] == "list" && len(opts.Ask) == 0:
		return list(std, opts)
	case len(std.Args) > 0 && std.Args[0] == "ack":
		return ack(std, opts)
	case len(std.Args) == 1 && std.Args[0] == "show" && !opts.All && len(opts.Ask) == 0:
		return show(ctx, std, opts)
	case len(std.Args) == 3 && std.Args[0] == "alert" && !opts.All && len(opts.Ask) == 0:
		return alert(ctx, std, opts)
	}
	return cli.Usage(errors.New("which command? list, ack, show or alert, or none to filter\ntry fleet-asks --help"))
}
