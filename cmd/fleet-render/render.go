package main

import (
	"errors"
	"io"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/report"
)

var formats = map[string]func(io.Writer, report.Report) error{
	"md":   report.Markdown,
	"json": report.JSON,
	"html": report.HTML,
	"asks": report.Asks,
}

var sweeps = map[string]func(io.Writer, report.Sweep) error{
	"sweep":      report.SweepMarkdown,
	"sweep-json": report.SweepJSON,
}

// render reports what comes in.
func render(std *cli.Std, opts *options) error {
	set := new(record.Set)
	for line, err := range record.All(std.In) {
		if err != nil {
			return err
		}
		set.Add(line)
	}
	if opts.Format == "ps" {
		return report.PS(std.Out, set)
	}
	if write := sweeps[opts.Format]; write != nil {
		s := report.BuildSweep(set, set.Now(std.Now))
		if opts.Failed != "" {
			s.Over(opts.Failed, std.Clock)
		}
		return write(std.Out, s)
	}
	r := report.Build(set, set.Now(std.Now))
	if opts.Failed != "" {
		r.Failed(opts.Failed, std.Clock)
	}
	if opts.Into != "" {
		return writeInto(std.Out, opts.Into, opts.Lead, r)
	}
	if opts.Open {
		return openPage(std, r)
	}
	return formats[opts.Format](std.Out, r)
}

var sheets = map[string]func(io.Writer, []report.Label) error{
	"label-sheet": report.LabelMarkdown,
	"label-csv":   report.LabelCSV,
}

// label draws a sample of all verdicts that come in.
func label(std *cli.Std, opts *options) error {
	if opts.PerClass < 1 {
		return cli.Usage(errors.New("--per-class: want 1 or more"))
	}
	labels := new(report.Labels)
	for line, err := range record.All(std.In) {
		if err != nil {
			return err
		}
		labels.Add(line.Record)
	}
	if err := labels.Err(); err != nil {
		return err
	}
	return sheets[opts.Format](std.Out, labels.Sample(opts.PerClass, opts.Seed))
}
