// Bench measures what the programs of fleet cost as whole processes, each
// against another program over the same input, in turn in one run, and prints
// whether the ratio is within its bound.
//
// Usage:
//
//	go run ./tests/bench [-run REGEXP] [-count N] [-write FILE]     measure
//	go run ./tests/bench -gen stream -n 100000 -into FILE           make an input
//
// A row is a median of N rounds. Status 1: a row is not within its bound. It is
// run in the checkout, builds the programs from it, needs jq, and works in a
// scratch directory that it removes: 5 GB for the transcripts of 10,000
// sessions.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "measure the rows whose names match `REGEXP`")
	flag.IntVar(&o.count, "count", 7, "rounds, of which the median counts")
	flag.StringVar(&o.write, "write", "", "keep the table in `FILE`")
	flag.StringVar(&o.gen, "gen", "", "make an input and measure nothing: stream, ledger, fleet, or large, sessions of 300 MB each")
	flag.IntVar(&o.n, "n", 100000, "its size: sessions of a stream or fleet, lines of a ledger")
	flag.StringVar(&o.into, "into", "", "make it as `FILE` (a fleet: a directory); standard output when not given")
	flag.StringVar(&o.bin, "bin", "", "take the programs from `DIR`")
	flag.StringVar(&o.scratch, "scratch", "", "make the scratch directory in `DIR` (default $TMPDIR)")
	flag.Parse()
	if err := o.main(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	run, write, gen, into, bin, scratch string
	count, n                            int
}

func (o options) main() error {
	if o.bin != "" { // asked by itself
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		return o.generate(lab{root: root, bin: o.bin})
	}
	only, err := regexp.Compile(o.run)
	if err != nil {
		return err
	}
	l, err := newLab(o.scratch)
	if err != nil {
		return err
	}
	defer l.close()
	if o.gen != "" {
		return o.generate(l)
	}
	return measure(l, only, o.count, o.write)
}

func (o options) generate(l lab) (err error) {
	if o.gen == "fleet" || o.gen == "large" {
		home, err := filepath.Abs(o.into)
		if err != nil || o.into == "" {
			return errors.Join(err, fmt.Errorf("-gen %s takes -into DIR", o.gen))
		}
		if o.gen == "large" {
			return newFleet(l, home, o.n, int64(o.n)*300<<20)
		}
		return newFleet(l, home, o.n, int64(o.n)<<32/10000)
	}
	out := os.Stdout
	if o.into != "" {
		if out, err = os.Create(o.into); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
	}
	write, ok := map[string]func(io.Writer, lab, int) error{"stream": writeStream, "ledger": writeLedger}[o.gen]
	if !ok {
		return fmt.Errorf("-gen %s: stream, ledger, fleet or large", o.gen)
	}
	return write(out, l, o.n)
}
