// Fleet-observe-claude writes a record for every Claude Code session of this
// machine: what the listing, the job and process files, the process table and
// the transcripts say of it, side by side and unjudged; and, for each of these
// surfaces, whether it could be read.
//
// Usage:
//
//	fleet-observe-claude [--claude BIN] [--claude-dir DIR]… [--fixtures DIR] [--now TIME] > records
//	fleet-observe-claude --host NAME [--scope ID] > records
//
// With --host it runs itself on another machine, through ssh, and writes what
// that machine says as records of NAME: a host of the scope's hosts or, without
// --scope, a destination of ssh. What fleet-observe-claude would not have said
// is not taken, every text is guarded again, and a machine that could not be
// read has one record, ssh, that says why.
//
// It reads claude --version, claude agents --json --all, jobs/*/state.json,
// sessions/*.json, the ends of the transcripts below projects/, the session
// ids of history.jsonl and the process table of Claude Code 2.1.280. It writes
// nothing and starts no session. Status 3: a surface could not be read.
package main

import (
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
)

type options struct {
	jq.Common    `group:"Common options"`
	cli.Machine  `group:"Machine options"`
	cli.Observer `group:"Observer options"`

	Claude     string        `long:"claude" value-name:"BIN" default:"claude" description:"run BIN as claude"`
	ClaudeDir  []string      `long:"claude-dir" value-name:"DIR" description:"read the Claude directory DIR; may be repeated, one an account (default $CLAUDE_CONFIG_DIR, else ~/.claude)"`
	Timeout    time.Duration `long:"timeout" value-name:"DURATION" default:"60s" description:"how long one run of claude may take"`
	Host       string        `long:"host" value-name:"NAME" description:"observe the host NAME of the scope through ssh; without --scope, the machine that NAME is a destination of ssh for"`
	ListingCap int           `long:"listing-cap" value-name:"ROWS" default:"200" description:"rows from which the listing counts as whole only when every job file is in it"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-observe-claude", Withhold: guard.Line,
		About: "Fleet-observe-claude writes a record for every Claude Code session of this machine, with what each source says of it, " +
			"and for every source whether it could be read.",
	}, run)
}
