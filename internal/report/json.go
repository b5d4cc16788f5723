package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON writes the report as one indented JSON document that ends in a newline.
// Nothing is clipped or replaced; characters that a terminal would obey or that
// turn text around are written as \u escapes, which decode to themselves.
func JSON(w io.Writer, r Report) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, report any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(report); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes every control and invisible character of a JSON document
// as an escape. They can only stand in strings, but for line ends and spaces.
func escapeHidden(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		r, size := utf8.DecodeRune(doc[i:])
		if r >= 0x7f && (r <= 0x9f || invisible(r)) {
			out = appendEscape(out, r)
		} else {
			out = append(out, doc[i:i+size]...)
		}
		i += size
	}
	return out
}

func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
