package guard

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// No emoji and no syllable is longer, in runes; a longer cluster is made to break things, and goes.
const maxCluster = 32

// clip returns s cut to width columns, between grapheme clusters and never inside a marker. more says that s is only a
// beginning, so it ends in "…" whatever its width.
func clip(s string, width int, more bool) string {
	if !more && len(s) <= width && isASCII(s) {
		return s
	}
	var out strings.Builder
	columns := 0 // of out
	fit := 0     // length of the beginning of out after which "…" still fits
	for part, w := range parts(s) {
		if columns += w; columns > width {
			more = true
			break
		}
		out.WriteString(part)
		if columns < width {
			fit = out.Len()
		}
	}
	if !more {
		return out.String()
	}
	return strings.TrimRight(out.String()[:fit], " …") + "…"
}

// parts yields what is shown whole or not at all, with its width: markers and grapheme clusters.
func parts(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for text, mark := range segments(s) {
			g := displaywidth.StringGraphemes(text)
			for g.Next() {
				if utf8.RuneCountInString(g.Value()) <= maxCluster && !yield(g.Value(), g.Width()) {
					return
				}
			}
			if mark != "" && !yield(mark, len(mark)) {
				return
			}
		}
	}
}
