package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq/query"
)

// filter writes what expr makes of each value of the input.
func filter(std *cli.Std, expr string) error {
	q, err := query.Compile(expr)
	if err != nil {
		return cli.Usage(err)
	}
	in := &lines{r: std.In}
	for dec := json.NewDecoder(in); ; {
		var value json.RawMessage
		err := dec.Decode(&value)
		at := dec.InputOffset()
		bad, isBad := errors.AsType[*json.SyntaxError](err)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case isBad:
			err, at = fmt.Errorf("not JSON: %w", err), bad.Offset
		case errors.Is(err, io.ErrUnexpectedEOF):
			err, at = errors.New("not JSON: it ends in a value"), in.read
		case err == nil:
			err = write(std, q, value)
		}
		line := in.at(at) // asked each time: what is behind is not kept
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// lines counts the lines of what is read through it.
type lines struct {
	r    io.Reader
	read int64
	ends []int64 // offsets of line ends that were not asked for yet
	n    int     // line ends before them
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at is the line of the byte before an offset. Offsets only grow.
func (l *lines) at(offset int64) int {
	for len(l.ends) > 0 && l.ends[0] < offset-1 {
		l.ends, l.n = l.ends[1:], l.n+1
	}
	return l.n + 1
}

// write writes what the expression makes of a value.
func write(std *cli.Std, q *query.Query, value []byte) error {
	values, err := q.Run(value, std.Clock)
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
