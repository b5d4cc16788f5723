// Fleet-observe-gh writes a record for every repository that the sessions of
// its input work in, as GitHub shows it through gh: the rules of the default
// branch and the open pull requests with their checks.
//
// Usage:
//
//	fleet-observe-gh [--repo PATH]… [--gh BIN] [--token-file FILE] < records > records
//
// The input is copied, and its session and tick records name the repositories;
// with --repo it is not read. Where an answer failed, was cut or limited, the
// repository is not observed: status 3. Without gh or its login it is absent.
package main

import (
	"context"
	"time"

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

	GH        string        `long:"gh" value-name:"BIN" default:"gh" description:"run BIN as gh"`
	Repo      []string      `long:"repo" value-name:"PATH" description:"look at the repository of PATH and not at those of the input; may be repeated"`
	TokenFile string        `long:"token-file" value-name:"FILE" description:"give gh the token in FILE, of mode 0600 or 0400, in place of its own login"`
	Timeout   time.Duration `long:"timeout" value-name:"DURATION" default:"30s" description:"how long one call of gh may take; a list of pull requests twice that"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-gh", Withhold: guard.Line,
		About: "Fleet-observe-gh copies its input and adds what GitHub shows of the repositories in it, as records.",
	}, run)
}

func run(ctx context.Context, std *cli.Std, opts *options) error {
	ctx, stop := cli.UntilTold(ctx)
	defer stop()
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	g := observe.GitHub{Binary: opts.GH, TokenFile: opts.TokenFile, Timeout: opts.Timeout, Paths: opts.Repo}
	set, err := g.Read(std.In, std.Copy)
	if err != nil {
		return err
	}
	return cli.Observed(g.Observe(ctx, w, set, std))
}
