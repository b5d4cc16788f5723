// Fleet-observe-board writes a record for every session that the ctx-core board
// names: its last event, its death and its own last word about its work.
//
// Usage:
//
//	fleet-observe-board [--scope ID] [--board-dir DIR] > records
//
// It folds events.jsonl of the scope, or of every scope that is there, in
// memory and writes nothing beside it. A death and a last word are what the log
// says: whether something came after them is for a judge to tell. Status 3: a
// log could not be read.
package main

import (
	"context"
	"fmt"

	"github.com/fleet-tools/fleet/internal/board"
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

	BoardDir string `long:"board-dir" value-name:"DIR" description:"read the scopes in DIR (default ~/.local/state/ctx)"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-board", Withhold: guard.Line,
		About: "Fleet-observe-board writes a record for every session that the ctx-core board names.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	if opts.Scope != "" && !board.ValidScope(opts.Scope) {
		return cli.Usage(fmt.Errorf("--scope: %q is not a scope id", opts.Scope))
	}
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	return cli.Observed(observe.Board{Dir: opts.BoardDir, Scope: opts.Scope}.Observe(w, std))
}
