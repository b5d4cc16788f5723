package record

import (
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// scan is a place in a line. Its methods are true, and go on, when what they
// name stands there.
type scan struct {
	b    []byte
	at   int
	kept bool // b never changes, and may be kept
}

// string is a text that was read; of a line that is kept a part of it, because
// to copy the texts of 100,000 sessions costs more than to read them.
func (s *scan) string(text []byte) string {
	if s.kept {
		return unsafe.String(unsafe.SliceData(text), len(text))
	}
	return string(text)
}

func (s *scan) token(t string) bool {
	if end := s.at + len(t); end <= len(s.b) && string(s.b[s.at:end]) == t {
		s.at = end
		return true
	}
	return false
}

// name is token of a name of an object, with the comma before all but the first.
func (s *scan) name(n string, first bool) bool {
	at := s.at
	if first || s.token(",") {
		if s.token(n) {
			return true
		}
	}
	s.at = at
	return false
}

// plain are the bytes that stand for themselves in a text.
var plain = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// text reads a string, which is part of the line when it has no escape.
func (s *scan) text(text *[]byte) bool {
	if !s.token(`"`) {
		return false
	}
	for i, c := range s.b[s.at:] {
		if plain[c] {
			continue
		}
		if c != '"' {
			break
		}
		*text = s.b[s.at : s.at+i]
		s.at += i + 1
		return true
	}
	return s.foreign(text)
}

// foreign is text of what has escapes or is no ASCII, behind its first quote.
func (s *scan) foreign(text *[]byte) bool {
	for i := s.at; i < len(s.b); i++ {
		switch s.b[i] {
		case '\\':
			i++
		case '"':
			raw := s.b[s.at-1 : i+1]
			s.at = i + 1
			var err error
			*text, err = jsontext.AppendUnquote(nil, raw)
			return err == nil
		}
	}
	return false
}

// time reads a time in Layout.
func (s *scan) time(t *Time) bool {
	end := s.at + len(Layout) + 2
	if end > len(s.b) {
		return false
	}
	u, ok := written(s.b[s.at:end])
	if ok {
		*t, s.at = Time{u}, end
	}
	return ok
}

// integer reads a number without a point or an exponent, of at most 18 digits
// and such that an int holds it.
func (s *scan) integer() (n int64, ok bool) {
	b := s.number()
	sign := int64(1)
	if len(b) > 1 && b[0] == '-' {
		b, sign = b[1:], -1
	}
	if len(b) == 0 || len(b) > 18 || b[0] == '0' && (len(b) > 1 || sign < 0) {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return sign * n, int64(int(n)) == n
}

// number returns what may be a number.
func (s *scan) number() []byte {
	from := s.at
	for ; s.at < len(s.b); s.at++ {
		switch c := s.b[s.at]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
		default:
			return s.b[from:s.at]
		}
	}
	return s.b[from:]
}

// value returns a text, a list or an object whole.
func (s *scan) value() ([]byte, bool) {
	from, depth := s.at, 0
	var text []byte
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case '"':
			if !s.text(&text) {
				return nil, false
			}
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default:
			if depth == 0 {
				return nil, false
			}
			s.at++
		}
		if depth <= 0 {
			v := s.b[from:s.at]
			return v, jsontext.Value(v).IsValid()
		}
	}
	return nil, false
}
