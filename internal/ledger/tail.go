package ledger

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// tailWindow is how much of the end of a ledger is read at first.
const tailWindow = 64 << 10

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
// backwards, twice as far each time, until it has come to something that looks
// like a fire. A line without a word is not parsed: a tick may write many.
func tail(r io.ReaderAt, size int64, words []string) ([]record.Entry, error) {
	for window := int64(tailWindow); ; window *= 2 {
		start := max(size-window, 0)
		b := make([]byte, size-start)
		if _, err := r.ReadAt(b, start); err != nil && err != io.EOF {
			return nil, err
		}
		if start > 0 {
			_, b, _ = bytes.Cut(b, []byte("\n")) // the first line may be half of one
		}
		if start > 0 && !bytes.Contains(b, []byte(fireWord)) {
			continue
		}
		if es, fired := entries(b, words); fired || start == 0 {
			return es, nil
		}
	}
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
