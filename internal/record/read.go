package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

// Line is one line of a stream as it was given.
type Line struct {
	Raw    []byte // the bytes, with a newline at the end
	N      int    // its number, from 1
	Blank  bool   // nothing but white space; Record is empty
	Record Record
}

// All yields the lines of r in order, blank ones too. A last line without a
// newline is read and gets one. It stops after the first line that is not a
// record, or that cannot be read, with an error that names the line.
func All(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			raw, err := br.ReadBytes('\n')
			if err != nil && err != io.EOF {
				yield(Line{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if len(raw) == 0 {
				return
			}
			if raw[len(raw)-1] != '\n' {
				raw = append(raw, '\n')
			}
			line := Line{Raw: raw, N: n, Blank: len(bytes.TrimSpace(raw)) == 0}
			if !line.Blank {
				if line.Record, err = Parse(raw); err != nil {
					yield(Line{}, fmt.Errorf("line %d: %w", n, err))
					return
				}
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
