package ledger

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// tailBlock is how much of the end of a ledger is read at a time.
const tailBlock = 64 << 10

// tail is the package's tail of the ledger.
func (h held) tail(words ...string) ([]record.Entry, error) {
	es, err := tail(h, h.size, words)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", h.name, err)
	}
	return es, nil
}

// fireWord is in every line that may be a fire.
const fireWord = `"` + record.EntryFire + `"`

// tail returns the last fire and, of what came after it, the entries whose line
// has one of the words; without a fire, of all entries those. It reads
// backwards, block by block, until it has come to a fire. A line without a word
// is not parsed: a tick may write many.
func tail(r io.ReaderAt, size int64, words []string) ([]record.Entry, error) {
	block := make([]byte, min(size, tailBlock))
	var after []byte // of a line that began before what was read
	var found [][]record.Entry
	for end := size; end > 0; {
		start := max(end-tailBlock, 0)
		b := block[:end-start]
		if _, err := r.ReadAt(b, start); err != nil && err != io.EOF {
			return nil, err
		}
		end = start
		half := 0
		if start > 0 {
			half = bytes.IndexByte(b, '\n') + 1
		}
		if start > 0 && half == 0 {
			after = line(b, after)
			continue
		}
		last := bytes.LastIndexByte(b, '\n') + 1
		es, fired := entries(line(b[last:], after), words)
		found = append(found, es)
		if !fired {
			es, fired = entries(b[half:last], words)
			found = append(found, es)
		}
		if fired {
			break
		}
		after = bytes.Clone(b[:half])
	}
	slices.Reverse(found)
	return slices.Concat(found...), nil
}

// line is a line of two parts; one that is too long to be read is cut.
func line(begin, rest []byte) []byte {
	l := slices.Concat(begin, rest)
	return l[:min(len(l), fold.MaxLine+1)]
}

// entries returns what tail does, of whole lines, and whether there is a fire.
func entries(b []byte, words []string) (es []record.Entry, fired bool) {
	words = append([]string{fireWord}, words...)
	for raw := range bytes.Lines(b) {
		if len(raw) > fold.MaxLine || !slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(raw, []byte(w)) }) {
			continue
		}
		e, newer, damage := fold.Parse(bytes.TrimSuffix(raw, []byte("\n")))
		if newer || damage != nil {
			continue
		}
		if e.Kind == record.EntryFire {
			es, fired = nil, true
		}
		es = append(es, e)
	}
	return es, fired
}
