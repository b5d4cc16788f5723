package main

import (
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq"
)

type options struct {
	jq.Common   `group:"Common options"`
	cli.Machine `group:"Machine options"`

	Execute bool          `long:"execute" description:"do it; else only say what would be done"`
	To      string        `long:"to" value-name:"VERSION" description:"upgrade: the version to come to"`
	Desired string        `long:"desired" value-name:"FILE" description:"the agents that should run (default: desired_agents of the configuration, else every workspace of the stream)"`
	Socket  string        `long:"tmux-socket" value-name:"FILE" description:"the socket of the tmux server (default: that of the environment)"`
	Claude  string        `long:"claude" value-name:"BIN" default:"claude" description:"run BIN as claude"`
	Dir     string        `long:"claude-dir" value-name:"DIR" description:"Claude Code's directory (default $CLAUDE_CONFIG_DIR, else ~/.claude)"`
	Verify  time.Duration `long:"verify-timeout" value-name:"DURATION" default:"2m" description:"how long a new instance may take until it answers"`
	GH      string        `long:"gh" value-name:"BIN" default:"gh" description:"run BIN as gh"`
}
