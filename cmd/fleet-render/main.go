// Fleet-render reads records on standard input and writes one report for a
// person or, as JSON, for a program. It ends a pipe: no record is copied.
//
// Usage:
//
//	fleet-render [--format md|json|html|asks|ps|sweep|sweep-json] [--now TIME] [--failed WHY] < records > report
//	fleet-render --format html --open < records
//	fleet-render --into DIR < records > line
//	fleet-render --format label-sheet|label-csv [--per-class N] [--seed N] < records > sheet
//	fleet-render label-score < sheet
//
// A label sheet is a sample of verdicts, of one snapshot or of several one
// after another, for a person to agree with or not; label-score counts how
// often they agreed.
package main

import (
	"context"
	"errors"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/report"
)

var program = cli.Program{
	Name: "fleet-render", Args: "[label-score]",
	About: "Fleet-render reads records on standard input and writes a report: what needs you first, then what is wrong, " +
		"then what runs and what idles, and above all of it what could not be read.\n" +
		"label-score: read a filled label sheet and count how often the owner agreed.",
}

type options struct {
	jq.Common
	//lint:ignore SA5008 a choice of go-flags is a tag of its own
	Format   string `long:"format" value-name:"FORMAT" choice:"md" choice:"json" choice:"html" choice:"asks" choice:"ps" choice:"sweep" choice:"sweep-json" choice:"label-sheet" choice:"label-csv" default:"md" description:"write md, for a person; json, for jq; html, one page with all of it for a browser; asks, what this tick asks that was not asked before, nothing when there is none; ps, a line for each process and each dead workspace of a macf agent; sweep, what was decided about agents and sessions, and what became of it; sweep-json, the same for jq; label-sheet, a sample of verdicts to read; label-csv, the same to fill in"`
	Into     string `long:"into" value-name:"DIR" description:"write report.md, report.json and report.html into DIR, and asks.md when something is asked that was not asked before; each gets its name when all of it is on the disk; print what they say in a line"`
	Lead     string `long:"lead" value-name:"DIR" description:"--into: make latest.md, latest.json and latest.html in DIR lead to what was written"`
	Failed   string `long:"failed" value-name:"WHY" description:"md, json, html: say that a tick after these records failed for this reason, so that they are outdated; sweep, sweep-json: say that no sweep was made after them, and why"`
	Open     bool   `long:"open" description:"html: write the page to a private file, print its name and open it in the browser"`
	PerClass int    `long:"per-class" value-name:"N" default:"3" description:"label-sheet, label-csv: at most N sessions of each class"`
	Seed     uint64 `long:"seed" value-name:"N" default:"0" description:"label-sheet, label-csv: draw the sample that belongs to N"`
}

func main() { cli.Main(program, run) }

func run(_ context.Context, std *cli.Std, opts *options) error {
	switch score := len(std.Args) == 1 && std.Args[0] == "label-score"; {
	case std.EndsPipe():
		return cli.Usage(errors.New("--jq: a report is no record; use --format json | fleet-jq"))
	case score:
		return report.Score(std.Out, std.In)
	case len(std.Args) > 0:
		return cli.Usage(errors.New("which command? label-score, or none; ps and sweep are words of --format\ntry fleet-render --help"))
	case opts.Open && opts.Format != "html":
		return cli.Usage(errors.New("--open: only a page can be opened: --format html"))
	case opts.Into != "" && (opts.Open || opts.Format != "md"):
		return cli.Usage(errors.New("--into: it writes its own formats: leave out --format and --open"))
	case opts.Failed != "" && sweeps[opts.Format] == nil && (formats[opts.Format] == nil || opts.Format == "asks"):
		return cli.Usage(errors.New("--failed: it goes with --format md, json, html, sweep or sweep-json"))
	case opts.Lead != "" && opts.Into == "":
		return cli.Usage(errors.New("--lead: it goes with --into"))
	case sheets[opts.Format] != nil:
		return label(std, opts)
	}
	return render(std, opts)
}
