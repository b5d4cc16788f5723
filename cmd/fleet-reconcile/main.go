// Fleet-reconcile decides, for each agent that should run and each session of
// ours that stopped, what would be done about it, and says why nothing else. It
// does nothing itself: fleet-act does.
//
// Usage:
//
//	fleet-reconcile [--desired FILE] [--upgrade-to VERSION] < stream > stream
//
// It reads what the observers of workspaces and health, fleet-classify and
// fleet-ledger observe say, copies it, and adds decision records and its closing
// record, whose rc is 0 when all is well, 1 when something is to be done, 2 when
// something that a decision rests on was not read. docs/reconcile.md has the rest.
package main

import (
	"context"
	"fmt"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

type options struct {
	jq.Common
	Desired string `long:"desired" value-name:"FILE" description:"the agents that should run: a YAML list of agent, workspace (default: every workspace of the stream)"`
	Upgrade string `long:"upgrade-to" value-name:"VERSION" description:"decide instead which agent is upgraded to VERSION next"`
}

func main() {
	cli.Main(cli.Program{Name: "fleet-reconcile", Withhold: guard.Line, About: "Fleet-reconcile copies records from standard input to standard output and adds what it would do " +
		"about each agent that should run, and each session of ours that stopped."}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	list, err := listed(opts.Desired)
	if err != nil {
		return cli.Usage(err)
	}
	if opts.Upgrade != "" {
		if opts.Upgrade, err = versions.Parse(opts.Upgrade); err != nil {
			return cli.Usage(fmt.Errorf("--upgrade-to: %w", err))
		}
	}
	set, err := std.ReadAll()
	if err != nil {
		return err
	}
	j := judge(set, reconcile.Options{Desired: list, Now: std.Now}, opts.Upgrade)
	for _, d := range j.Decisions {
		if err := std.AddData(record.KindDecision, j.At, j.Host, d.Subject, d.Decision); err != nil {
			return err
		}
	}
	return std.CloseWith(j.At, "", "", record.Surface{RC: &j.RC, Undecided: j.Undecided, Notes: j.Notes})
}
