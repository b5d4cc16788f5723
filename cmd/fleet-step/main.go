// Fleet-step runs one command to its end, and everything that it started too:
// under a lock, with a deadline, in a process group of its own. Its input is
// --input, or the null device, its environment ours, or of ours what --keep-env
// names; output and exit status are the command's.
//
// Usage:
//
//	fleet-step [--lock FILE] [--timeout D] [--kill-after D] [--input FILE] [--output FILE] [--keep-env NAMES] -- COMMAND [ARGUMENT]…
//
// At the deadline, or when fleet-step is told to end, the group gets TERM, and
// KILL when it is still there after --kill-after. What outlives the command is
// killed. The lock is flock's: it ends with fleet-step, however that ends. With
// --output a file is there whole or not at all, whatever becomes of the machine.
//
// Status: that of the command, 128 + n after signal n; 75 another process holds
// the lock; 124 the deadline ended it; 125 fleet-step failed; 126 the command
// cannot be run; 127 it was not found.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
)

type options struct {
	cli.Common `group:"Common options"`

	Lock      string        `long:"lock" value-name:"FILE" description:"run only while no other process holds the lock FILE, which is made when missing; else end at once with status 75"`
	Timeout   time.Duration `long:"timeout" value-name:"D" description:"end the command after D, such as 90s or 15m, with status 124 (default: never)"`
	Input     string        `long:"input" value-name:"FILE" description:"let the command read FILE (default: the null device)"`
	KeepEnv   *string       `long:"keep-env" value-name:"NAMES" description:"hand on only the environment variables in NAMES, which have spaces between them (default: all)"`
	Output    string        `long:"output" value-name:"FILE" description:"write the command's standard output to FILE, which gets its name when the command has ended with 0 or 3 and all of it is on the disk; of one that wrote nothing there is no file"`
	KillAfter time.Duration `long:"kill-after" value-name:"D" default:"30s" description:"how long after TERM to wait before KILL"`
}

func main() {
	child := 0
	status := cli.Run(cli.Program{
		Name: "fleet-step", Args: "-- COMMAND [ARGUMENT]…",
		About: "Fleet-step runs one command to its end under a lock and a deadline, and ends everything that it started.",
	}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, func(ctx context.Context, std *cli.Std, opts *options) error {
		if len(std.Args) == 0 {
			return cli.Usage(errors.New("which command?\ntry fleet-step --help"))
		}
		if opts.Timeout < 0 || opts.KillAfter < 0 {
			return cli.Usage(fmt.Errorf("--timeout and --kill-after are lengths of time"))
		}
		if opts.Timeout == 0 {
			opts.Timeout = math.MaxInt64
		}
		child = step(ctx, std, opts)
		return nil
	})
	if status == cli.StatusDone {
		status = child
	}
	os.Exit(status)
}
