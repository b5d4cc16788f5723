// Fleet-config reads the configuration and tells the other programs what it
// says.
//
// Usage:
//
//	fleet-config tick [--tick N]    write the tick record of a scope, and the closing record
//	fleet-config get [--checked] SCOPE KEY…
//	                                print each value as a shell takes it, a line each
//	fleet-config check [--verbose]  name everything that is wrong: file, line, key, what was wanted
//	fleet-config keys               explain every key of a scope: what it must be, its default, what it is for
//	fleet-config init [--scope ID]  write an example, or a scope to begin with, where the configuration belongs, once
//	fleet-config job KIND --release DIR [--path DIRS] [--env NAME=VALUE]…
//	                                print what makes launchd or systemd tick every hour
//
// KIND is launchd, systemd-service or systemd-timer. The job's scope is --scope,
// and its configuration --config; when that is the usual file it isn't named.
//
// It alone reads scopes.yaml and checks that ask_when is jq: the others take their
// settings from fleet.json, whatever is wrong there.
//
// A switch whose value cannot be read prints the safe one, dispatch_enabled 0
// and dry_run 1, with status 3. Any other mistake in the configuration is
// status 2.
package main

import (
	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
)

type options struct {
	jq.Common   `group:"Common options"`
	cli.Machine `group:"Machine options"`

	Tick     *int     `long:"tick" value-name:"N" description:"tick: the number of the tick (default: none, and nothing is remembered)"`
	Checked  bool     `long:"checked" description:"get: first do what check does; print nothing when anything is wrong"`
	Verbose  bool     `long:"verbose" description:"check: also tell what is not used, and where the repositories are"`
	Release  string   `long:"release" value-name:"DIR" description:"job: run the tick.sh of the release in DIR"`
	Path     string   `long:"path" value-name:"DIRS" description:"job: look for programs in DIRS, separated by colons, after the release's own (default /usr/bin:/bin)"`
	Heal     bool     `long:"heal" description:"job: run heal.sh instead, as often as the scope's heal says"`
	Env      []string `long:"env" value-name:"NAME=VALUE" description:"job: set NAME in its environment; may be repeated"`
	Fixtures string   `long:"fixtures" value-name:"DIR" description:"read the recorded machine in DIR and nothing of this one"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-config", Withhold: guard.Line, Args: "COMMAND",
		About: "Fleet-config reads the configuration. COMMAND is one of\n" +
			"tick: write the tick record of a scope.\n" +
			"get SCOPE KEY…: print each value, a line each; a switch that cannot be read prints the safe value, with status 3.\n" +
			"check: name everything that is wrong, status 2.\n" +
			"keys: explain every key of a scope.\n" +
			"init: write where the configuration belongs, once, an example, or with --scope ID a report-only scope to begin with.\n" +
			"job KIND --scope ID --release DIR: print what makes a tick run every hour: KIND is launchd, systemd-service or systemd-timer.",
	}, run)
}
