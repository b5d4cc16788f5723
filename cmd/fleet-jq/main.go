// Fleet-jq writes what a jq expression makes of each JSON value on standard input,
// for who has no jq: strings raw, any other value as one line of JSON.
//
// Usage:
//
//	fleet-observe-claude | fleet-classify | fleet-jq EXPR
//	fleet-jq EXPR < latest.json
//
// The values are those of a stream, a line each, or of any other JSON. To the
// expression, now is what a value has as at, else the present, and the environment is
// empty. The first value that it fails on ends it.
//
// The flag --jq of the other programs is this program, which they start and ask: so
// gojq, which evaluates the language, costs no start where nobody asks for it.
package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq/query"
)

type options struct {
	cli.Common
	Serve bool `long:"serve" description:"answer another program of fleet: a line for each of its lines, of which the first is EXPR"`
}

func main() {
	cli.Main(cli.Program{
		Name: "fleet-jq", Args: "EXPR",
		About: "Fleet-jq writes what a jq expression makes of each JSON value on standard input: strings raw, any other value as one line of JSON.",
	}, run)
}

func run(_ context.Context, std *cli.Std, opts *options) error {
	if opts.Serve {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // who asks has still to write what it did
		return query.Serve(std.In, unbuffered{std})
	}
	if len(std.Args) != 1 {
		return cli.Usage(errors.New("want one expression\ntry fleet-jq --help"))
	}
	return filter(std, std.Args[0])
}

// unbuffered hands every answer on at once: who asked waits for it.
type unbuffered struct{ std *cli.Std }

func (u unbuffered) Write(p []byte) (int, error) {
	n, err := u.std.Out.Write(p)
	return n, errors.Join(err, u.std.Out.Flush())
}
