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

// blocks reads lines into blocks of which each holds many. They are read into
// one place first: memory that the kernel is the first to touch is paid for
// twice where the machine is a guest.
type blocks struct {
	r    io.Reader
	read []byte // what was read and not yet given out, in buffer
	free []byte // rest of the block that lines are kept in
	size int    // of that block
	into []byte // where is read to
	seen int    // how much of read has no newline
	err  error  // how r ended
}

// The lines that are longer than what is read at once are kept by themselves.
const (
	blockSize = 256 << 10
	readSize  = 64 << 10
)

// line returns the next line with its newline, or how the input ended.
func (b *blocks) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(b.read[b.seen:], '\n'); i >= 0 {
			end := b.seen + i + 1
			line := b.keep(b.read[:end])
			b.read, b.seen = b.read[end:], 0
			return line, nil
		}
		if b.seen = len(b.read); b.err != nil {
			return b.last()
		}
		if len(b.into) == 0 || len(b.read) > len(b.into)/2 {
			b.into = make([]byte, max(readSize, 2*len(b.into)))
		}
		n := copy(b.into, b.read)
		m, err := b.r.Read(b.into[n:])
		b.read, b.err = b.into[:n+m], err
	}
}

// keep copies a line to where it stays.
func (b *blocks) keep(line []byte) []byte {
	if len(line) > len(b.free) {
		if len(line) > readSize {
			return bytes.Clone(line)
		}
		b.size = min(max(2*b.size, readSize), blockSize)
		b.free = make([]byte, b.size)
	}
	n := copy(b.free, line)
	line, b.free = b.free[:n:n], b.free[n:]
	return line
}

// last is what is left when the input ended.
func (b *blocks) last() ([]byte, error) {
	if len(b.read) == 0 || b.err != io.EOF {
		return nil, b.err
	}
	line := append(bytes.Clone(b.read), '\n')
	b.read, b.seen = nil, 0
	return line, nil
}
