// Fleet-ledger remembers for a scope: which ticks there were, what the owner
// was asked and answered, which sessions are ours.
//
// Usage:
//
//	fleet-ledger fire                              begin a tick: take a number and print it
//	fleet-ledger observe                           write what the ledger tells, as records
//	fleet-ledger append < stream > stream          write the stream's entries; pass it on
//	fleet-ledger exit --tick N < snapshot          end a tick
//	fleet-ledger cat | verify                      print the entries; name what is damaged
//	fleet-ledger compact                           leave out what nobody asks for any more
//	fleet-ledger pause AGENT | unpause AGENT       keep fleet's hands off an agent; no more
//	fleet-ledger exited AGENT STATUS               note how the session of an agent ended
//	fleet-ledger swept --status S                  note that a sweep ended
//
// append writes nothing unless the stream is whole: the closing records of the
// judge and of the programs that added entries are there and fit. The ledger is
// ledger.jsonl in the scope's state directory, one JSON object a line.
package main

import (
	"context"
	"fmt"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/machine"
)

type options struct {
	jq.Common   `group:"Common options"`
	cli.Machine `group:"Machine options"`

	Tick     *int   `long:"tick" value-name:"N" description:"exit: the number of the tick that ends"`
	Status   int    `long:"status" value-name:"S" description:"exit, swept: the exit status (default 0)"`
	Detail   string `long:"detail" value-name:"TEXT" description:"fire, exit: a line to remember with it"`
	Fixtures string `long:"fixtures" value-name:"DIR" description:"observe: read the recorded machine in DIR and nothing of this one"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-ledger", Withhold: guard.Line, Args: "COMMAND",
		About: "Fleet-ledger remembers for a scope what ticks did and what the owner answered. COMMAND is one of\n" +
			"fire: begin a tick: take a number one past every number ever used, and print it.\n" +
			"observe: write what the ledger tells, as records.\n" +
			"append: write the entries of the stream on standard input when it is whole; pass it on.\n" +
			"exit --tick N: end a tick; a snapshot on standard input adds its counts.\n" +
			"cat: print the entries. verify: name what is damaged, status 1.\n" +
			"compact: write the ledger again without resolved asks and ticks that no report tells of; not while a tick runs.\n" +
			"pause AGENT: leave an agent alone, or session:ID a session, whatever becomes of it, until unpause AGENT. paused: print what is.\n" +
			"exited AGENT STATUS: note how the session of an agent ended; what starts it calls this. swept --status S: note that a sweep ended; heal.sh calls this.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	w, err := machine.New(opts.Fixtures, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	p := program{std, opts, w}
	commands := map[string]func() error{"fire": p.fire, "observe": p.observe, "append": p.append, "exit": p.exit, "cat": p.cat, "verify": p.verify, "compact": p.compact, "paused": p.paused, "swept": p.swept}
	if len(std.Args) > 1 {
		return p.about(std.Args[0], std.Args[1:])
	}
	if len(std.Args) != 1 || commands[std.Args[0]] == nil {
		return cli.Usage(fmt.Errorf("which command? fire, observe, append, exit, cat, verify, compact, pause, unpause, paused, exited or swept\ntry fleet-ledger --help"))
	}
	return commands[std.Args[0]]()
}
