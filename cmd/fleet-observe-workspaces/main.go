// Fleet-observe-workspaces writes a record for every workspace of a macf agent
// on this machine, alive or dead: which version it should run, what runs in it,
// whether macf's own upgrade holds it, and how its session last ended. Processes
// of agents that no workspace holds have a record of their own.
//
// Usage:
//
//	fleet-observe-workspaces [--root DIR]… [--scope ID] [--config FILE] > records
//
// A workspace is a directory with .macf/macf-agent.json. It is looked for below
// the roots, four levels deep: those of --root, else of MACF_WORKSPACE_ROOT (as
// PATH is written), else the configuration's workspace_roots, else the parent of
// the workspace that the working directory lies in, and ~/repos. What runs in a
// workspace that no root leads to has a record with its path and without a name.
// Of the environment of a process its agent's name, port and collector are read,
// and nothing else.
//
// It starts and stops nothing. Without a workspace and ~/.macf, macf is absent.
// Status 3: a directory, a root that was named or the process table could not be
// read.
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

	Root []string `long:"root" value-name:"DIR" description:"look for workspaces below DIR; may be repeated (default $MACF_WORKSPACE_ROOT, else workspace_roots of the configuration, else beside the workspace of the working directory, and ~/repos)"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-workspaces", Withhold: guard.Line,
		About: "Fleet-observe-workspaces writes a record for every workspace of a macf agent, with what runs in it, and for what runs outside of all.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	w, err := machine.Open(opts.Fixtures, opts.Record, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	o := observe.Workspaces{Roots: opts.Root}
	switch s, err := w.Scope(opts.Config, opts.Scope); {
	case err == nil:
		o.Configured = s.WorkspaceRoots
	case !errors.Is(err, machine.ErrNoScope):
		return cli.Usage(err)
	}
	return cli.Observed(o.Observe(w, std))
}
