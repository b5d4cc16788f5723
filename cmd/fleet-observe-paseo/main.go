// Fleet-observe-paseo writes a record for every Paseo agent and schedule of
// this machine, as Paseo's files have them and unjudged, and for its agents,
// its schedules and its daemon whether they could be read.
//
// Usage:
//
//	fleet-observe-paseo [--paseo-dir DIR] [--fixtures DIR] [--record DIR] [--now TIME] > records
//
// It reads agents/*/*.json, agents/*.json, schedules/*.json and paseo.pid of
// Paseo 0.1.65 to 0.8. It writes nothing and asks the daemon nothing. What an
// agent's status says is what was last written: that its process lives is for
// the session records to tell, which a reader joins by session id, whatever the
// provider; several agents may name one session. Status 3: a surface could not
// be read.
package main

import (
	"context"

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

	PaseoDir string `long:"paseo-dir" value-name:"DIR" description:"read Paseo's directory DIR (default $PASEO_HOME, else ~/.paseo)"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-paseo", Withhold: guard.Line,
		About: "Fleet-observe-paseo writes a record for every Paseo agent and schedule of this machine, and for its agents, its schedules " +
			"and its daemon whether they could be read.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	return cli.Observed(observe.Paseo{Dir: opts.PaseoDir}.Observe(w, std))
}
