package record

import (
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
// record, or that cannot be read, with an error that names the line. A line may
// be kept, and must not be changed.
func All(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		b := blocks{r: r}
		var last Record
		for n := 1; ; n++ {
			raw, err := b.line()
			if err != nil {
				if err != io.EOF {
					yield(Line{}, fmt.Errorf("line %d: %w", n, err))
				}
				return
			}
			line := Line{Raw: raw, N: n, Blank: len(bytes.TrimSpace(raw)) == 0}
			if !line.Blank {
				if line.Record, err = parse(raw, &last); err != nil {
					yield(Line{}, fmt.Errorf("line %d: %w", n, err))
					return
				}
				last = line.Record
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// blocks reads lines into blocks of which each holds many, so that a stream
// that is kept whole is copied once.
type blocks struct {
	r     io.Reader
	block []byte // what was read and not yet given out; the rest of the block is free
	seen  int    // how much of it has no newline
	err   error  // how r ended
}

// A block that is full goes to its lines. A longer line gets a block of its own
// size, which doubles until it fits.
const blockSize = 256 << 10

// line returns the next line with its newline, or how the input ended.
func (b *blocks) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(b.block[b.seen:], '\n'); i >= 0 {
			end := b.seen + i + 1
			line := b.block[:end:end]
			b.block, b.seen = b.block[end:], 0
			return line, nil
		}
		if b.seen = len(b.block); b.err != nil {
			return b.last()
		}
		if len(b.block) == cap(b.block) {
			b.block = append(make([]byte, 0, max(blockSize, 2*len(b.block))), b.block...)
		}
		n, err := b.r.Read(b.block[len(b.block):cap(b.block)])
		b.block, b.err = b.block[:len(b.block)+n], err
	}
}

// last is what is left when the input ended.
func (b *blocks) last() ([]byte, error) {
	if len(b.block) == 0 || b.err != io.EOF {
		return nil, b.err
	}
	line := append(b.block[:len(b.block):len(b.block)], '\n')
	b.block, b.seen = nil, 0
	return line, nil
}
