package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq/query"
)

// filter writes what expr makes of each line of the input.
func filter(std *cli.Std, expr string) error {
	q, err := query.Compile(std.Args[0])
	if err != nil {
		return cli.Usage(err)
	}
	lines := bufio.NewReader(std.In)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := write(std, q, line); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// write writes what the expression makes of a line.
func write(std *cli.Std, q *query.Query, line []byte) error {
	values, err := q.Run(line, std.Clock)
	if err != nil {
		return err
	}
	for _, v := range values {
		text, err := query.Text(v)
		if err != nil {
			return err
		}
		if _, err := std.Out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("writing output: %w", err)
		}
	}
	return nil
}
