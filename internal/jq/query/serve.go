package query

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/itchyny/gojq"
)

// Serve answers another program line by line until in ends. The first line is an
// expression, a JSON string; each further one a value to run it over. An answer is
// an object with values, a list, which is empty for the first line, or with error, a text. What
// was no expression has no values of any line.
func Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	var q *Query
	for n := 0; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // a line without its end is one that was not asked
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading what is asked: %w", err)
		}
		var values []any
		if n == 0 {
			q, err = compile(line)
		} else {
			values, err = q.run(line)
		}
		answer := map[string]any{"values": values}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		b, err := gojq.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
}

func compile(line []byte) (*Query, error) {
	var expr string
	if err := json.Unmarshal(line, &expr); err != nil {
		return nil, errors.New("not an expression as JSON")
	}
	return Compile(expr)
}

func (q *Query) run(line []byte) ([]any, error) {
	if q == nil {
		return nil, errors.New("no expression")
	}
	return q.Run(line, time.Time{})
}
