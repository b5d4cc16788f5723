// Fleet-observe-health asks every agent of macf that a registry lists for its
// health, and writes what it answered, or why that is no answer.
//
// Usage:
//
//	fleet-observe-health [--timeout DURATION] [--gh BIN] [--token-file FILE] < records > records
//
// The input is copied, and its workspace records name the projects and their
// registries: a local one is a directory with a file for every variable, or
// macf's own JSON file; the others are the variables of GitHub Actions, read
// through gh. An agent is asked over mutual TLS, with the certificate of a
// workspace of its project. It is online only when it answers 2xx, as itself, in
// a body that fits; else its record says why not, in one of the words unreachable,
// timeout, certificate, expired, status, body, identity, trust.
//
// A recorded answer is DIR/health/<host>_<port>.json: status, body,
// cert_expires_at, and failure and detail when there was none.
//
// Status 3: the workspaces or the roster of a project were not read. An agent
// that does not answer changes no status.
package main

import (
	"context"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/observe/agents"
)

type options struct {
	jq.Common    `group:"Common options"`
	cli.Machine  `group:"Machine options"`
	cli.Observer `group:"Observer options"`

	Timeout   time.Duration `long:"timeout" value-name:"DURATION" default:"5s" description:"how long one agent may take to answer"`
	GH        string        `long:"gh" value-name:"BIN" default:"gh" description:"run BIN as gh"`
	TokenFile string        `long:"token-file" value-name:"FILE" description:"give gh the token in FILE, of mode 0600 or 0400, in place of its own login"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-health", Withhold: guard.Line,
		About: "Fleet-observe-health copies its input, asks every agent that the registries in it list for its health, and adds what it answered.",
	}, run)
}

func run(ctx context.Context, std *cli.Std, opts *options) error {
	ctx, stop := cli.UntilTold(ctx)
	defer stop()
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	h := observe.Health{Binary: opts.GH, TokenFile: opts.TokenFile, Timeout: opts.Timeout, GHTimeout: 30 * time.Second,
		Trusting: func(pem []byte, now time.Time) (observe.Asker, error) { return agents.New(pem, now) }}
	set, err := h.Read(std.In, std.Copy)
	if err != nil {
		return err
	}
	return cli.Observed(h.Observe(ctx, w, set, std))
}
