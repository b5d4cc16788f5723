// Fleet-render reads records on standard input and writes one report for a
// person or, as JSON, for a program. It ends a pipe: no record is copied.
//
// Usage:
//
//	fleet-render [--format md|json|html|asks] [--now TIME] < records > report
package main

import (
	"context"
	"errors"
	"io"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/report"
)

var program = cli.Program{
	Name: "fleet-render",
	About: "Fleet-render reads records on standard input and writes a report: what needs you first, then what is wrong, " +
		"then what runs and what idles, and above all of it what could not be read.",
}

type options struct {
	cli.Common
	Format string `long:"format" value-name:"FORMAT" choice:"md" choice:"json" choice:"html" choice:"asks" default:"md" description:"write md, for a person, json, for jq, html, one page with all of it for a browser, or asks: what this tick asks that was not asked before, nothing when there is none"`
}

var formats = map[string]func(io.Writer, report.Report) error{
	"md":   report.Markdown,
	"json": report.JSON,
	"html": report.HTML,
	"asks": report.Asks,
}

func main() { cli.Main(program, run) }

func run(_ context.Context, std *cli.Std, opts *options) error {
	if std.EndsPipe() {
		return cli.Usage(errors.New("--jq: a report is no record; use --format json | jq"))
	}
	set := new(record.Set)
	for line, err := range record.All(std.In) {
		if err != nil {
			return err
		}
		set.Add(line)
	}
	return formats[opts.Format](std.Out, report.Build(set, set.Now(std.Now)))
}
