// Package jq is the flag --jq of every program that writes records. fleet-jq
// evaluates the expression: see package query.
package jq

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/record"
)

// answerTime is more than fleet-jq takes for an answer.
const answerTime = 30 * time.Second

// Common is the flags of every program that writes records.
type Common struct {
	cli.Common
	JQ string `long:"jq" value-name:"EXPR" description:"end the pipe: write what the jq EXPR makes of each record that this program adds, strings raw"`
}

// Query is the compiled expression of --jq; nil when it was not given. A mistake
// in it is the caller's.
func (c *Common) Query() (cli.Query, error) {
	if c.JQ == "" {
		return nil, nil
	}
	q, err := Compile(c.JQ)
	if err != nil {
		err = fmt.Errorf("--jq: %w", err)
	}
	if _, ok := errors.AsType[*Mistake](err); ok {
		err = cli.Usage(err)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Query is an expression that a fleet-jq of its own has compiled.
type Query struct{ with *command.Conversation }

// Mistake is what fleet-jq has against an expression, or against what it makes of a
// record.
type Mistake struct{ says string }

func (m *Mistake) Error() string { return m.says }

// answer is that of query.Serve.
type answer struct {
	Values []json.RawMessage `json:"values"`
	Error  string            `json:"error"`
}

// Compile has fleet-jq compile a jq expression. The error is a *Mistake, which names
// the column, or says why there is no fleet-jq.
func Compile(expr string) (*Query, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	spec := command.Spec{Argv: []string{"fleet-jq", "--serve"}, Path: path, Timeout: answerTime, KillAfter: time.Second, MaxOutput: 4096}
	with, err := command.Converse(spec)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	q := &Query{with}
	line, err := json.Marshal(expr)
	if err == nil {
		_, err = q.ask(append(line, '\n'))
	}
	if err != nil {
		_ = q.Close() // err says more
		return nil, err
	}
	return q, nil
}

// Check says why an expression does not compile, as Compile does; nil when it does.
func Check(expr string) error {
	q, err := Compile(expr)
	if err != nil {
		return err
	}
	return q.Close()
}

// program is the fleet-jq beside this program, else the one on PATH.
func program() (string, error) {
	self, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), "fleet-jq")
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath("fleet-jq")
	if err != nil {
		return "", errors.New("fleet-jq, which evaluates it, is neither beside this program nor on PATH")
	}
	return path, nil
}

func (q *Query) ask(line []byte) ([]json.RawMessage, error) {
	b, err := q.with.Ask(line)
	if err != nil {
		return nil, fmt.Errorf("fleet-jq: %w", err)
	}
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fmt.Errorf("what fleet-jq answered: %w", err)
	}
	if a.Error != "" {
		return nil, &Mistake{a.Error}
	}
	return a.Values, nil
}

// Run returns the values that the expression makes of r, as JSON. To the
// expression, now is the record's at.
func (q *Query) Run(r record.Record) ([]json.RawMessage, error) {
	line, err := r.Line()
	if err != nil {
		return nil, err
	}
	return q.ask(line)
}

// Met tells whether the first value that the expression makes of r is anything but
// null and false.
func (q *Query) Met(r record.Record) (bool, error) {
	values, err := q.Run(r)
	if err != nil || len(values) == 0 {
		return false, err
	}
	first := string(values[0])
	return first != "null" && first != "false", nil
}

// Write writes the values, one a line, strings raw.
func (q *Query) Write(w io.Writer, r record.Record) error {
	values, err := q.Run(r)
	if err != nil {
		return fmt.Errorf("--jq: %s %s: %w", r.Kind, r.Subject, err)
	}
	for _, v := range values {
		text := []byte(v)
		if v[0] == '"' {
			var s string
			if err := json.Unmarshal(v, &s); err != nil {
				return fmt.Errorf("what fleet-jq answered: %w", err)
			}
			text = []byte(s)
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("writing output: %w", err)
		}
	}
	return nil
}

// Close ends the fleet-jq.
func (q *Query) Close() error { return q.with.Close() }
