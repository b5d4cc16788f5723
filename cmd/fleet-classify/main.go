// Fleet-classify copies the records on standard input to standard output and
// adds a verdict for each session and the findings about more than one.
//
// Usage:
//
//	fleet-observe-claude | fleet-classify > verdicts
//	fleet-observe-claude | fleet-classify --explain SESSION
//
// It has no file, no configuration and no clock, so a saved snapshot is judged
// the same for ever. Its own lines are left out of its input: a snapshot that
// holds verdicts gets new ones.
package main

import (
	"context"

	"github.com/fleet-tools/fleet/internal/classify"
	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/record"
)

type options struct {
	jq.Common
	Explain string `long:"explain" value-name:"SESSION" description:"end the pipe: say rule by rule how the session with this id, beginning of an id, name or pid is judged"`
}

func main() {
	cli.Main(cli.Program{
		Name:  "fleet-classify",
		About: "Fleet-classify copies records from standard input to standard output and adds the verdict that the rules give each session, and what it found about more than one.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	if opts.Explain != "" {
		return explain(std, opts.Explain)
	}
	set, err := std.ReadAll()
	if err != nil {
		return err
	}
	now := set.Now(std.Now)
	for v, err := range classify.Judge(set, std.Program, now) {
		if err != nil {
			return err
		}
		if err := std.Add(v); err != nil {
			return err
		}
	}
	return std.Close(now, "", "")
}

// explain reads the input without copying it: its text ends the pipe.
func explain(std *cli.Std, session string) error {
	set := new(record.Set)
	for line, err := range record.All(std.In) {
		if err != nil {
			return err
		}
		if line.Record.By != std.Program {
			set.Add(line)
		}
	}
	text, err := classify.Explain(set, session)
	if err != nil {
		return err
	}
	_, err = std.Out.WriteString(text)
	return err
}
