// Package jq is the flag --jq, and gojq behind it, whose tables cost a program two
// thirds of a millisecond and 60 pages at its start: only those that write records
// have it.
package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/itchyny/gojq"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
)

// queryTime bounds one run of a jq expression, which could loop for ever.
const queryTime = 10 * time.Second

// Common is the flags of every program that writes records.
type Common struct {
	cli.Common
	JQ string `long:"jq" value-name:"EXPR" description:"end the pipe: write what the jq EXPR makes of each record that this program adds, strings raw"`
}

// Query is the compiled expression of --jq; nil when it was not given.
func (c *Common) Query() (cli.Query, error) {
	if c.JQ == "" {
		return nil, nil
	}
	q, err := Compile(c.JQ)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return q, nil
}

// Query is a compiled jq expression over a record. The environment, other
// inputs and modules are not within its reach, and now is the record's at.
type Query struct{ code *gojq.Code }

// Compile compiles a jq expression. The error names the column.
func Compile(expr string) (*Query, error) {
	q, err := gojq.Parse(expr)
	if err != nil {
		if e, ok := errors.AsType[*gojq.ParseError](err); ok {
			return nil, fmt.Errorf("column %d: %w", e.Offset-len(e.Token)+1, err)
		}
		return nil, err
	}
	clock, err := gojq.Parse("def now: $fleet_now; .")
	if err != nil {
		return nil, err
	}
	q.FuncDefs = append(clock.FuncDefs, q.FuncDefs...)
	code, err := gojq.Compile(q, gojq.WithVariables([]string{"$fleet_now"}))
	if err != nil {
		return nil, err
	}
	return &Query{code}, nil
}

// Run returns the values that the expression makes of r.
func (q *Query) Run(r record.Record) ([]any, error) {
	line, err := r.Line()
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var input any
	if err := dec.Decode(&input); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTime)
	defer cancel()
	iter := q.code.RunWithContext(ctx, input, float64(r.At.UnixMilli())/1000)
	var values []any
	for {
		v, ok := iter.Next()
		if !ok {
			return values, nil
		}
		if err, ok := v.(error); ok {
			if h, ok := errors.AsType[*gojq.HaltError](err); ok && h.Value() == nil {
				return values, nil
			}
			return nil, err
		}
		values = append(values, v)
	}
}

// Write writes the values, one a line, strings raw.
func (q *Query) Write(w io.Writer, r record.Record) error {
	values, err := q.Run(r)
	if err != nil {
		return fmt.Errorf("--jq: %s %s: %w", r.Kind, r.Subject, err)
	}
	for _, v := range values {
		b, ok := []byte(nil), false
		if s, isString := v.(string); isString {
			b, ok = []byte(s), true
		}
		if !ok {
			if b, err = gojq.Marshal(v); err != nil {
				return err
			}
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("writing output: %w", err)
		}
	}
	return nil
}
