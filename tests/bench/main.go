// Bench measures what the programs of fleet cost as whole processes, each
// against another program over the same input in the same run, and says whether
// the ratio is within its bound.
//
// Usage:
//
//	go run ./tests/bench                           every row
//	go run ./tests/bench -gen stream -n 100000     write an input: stream, ledger
//
// It is run in the checkout, builds the programs from it, and works in a
// scratch directory that it removes.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	gen := flag.String("gen", "", "write a generated input to standard output and exit: `stream` or ledger")
	n := flag.Int("n", 100000, "its size: sessions of a stream, lines of a ledger")
	scratch := flag.String("scratch", "", "make the scratch directory in `DIR` (default $TMPDIR)")
	flag.Parse()
	if err := run(*gen, *n, *scratch); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(gen string, n int, scratch string) error {
	l, err := newLab(scratch)
	if err != nil {
		return err
	}
	defer l.close()
	return generate(os.Stdout, l, gen, n)
}

func generate(w io.Writer, l lab, gen string, n int) error {
	switch gen {
	case "stream":
		return writeStream(w, l, n)
	case "ledger":
		return writeLedger(w, n)
	case "fleet":
		_, err := newFleet(l, "../"+filepath.Base(l.dir)+"-fleet", n, int64(n)<<30*4/10000)
		return err
	}
	return fmt.Errorf("-gen %s: stream or ledger", gen)
}
