package guard

import (
	"strings"
	"unicode/utf8"
)

// isC1 reports whether r alone introduces a terminal sequence, as ESC and a letter do.
func isC1(r rune) bool {
	switch r {
	case 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f:
		return true
	}
	return false
}

// sequence returns the length of the terminal sequence (ECMA-48) at the start of s, which starts with ESC or with a rune
// for which isC1 is true. A sequence that isn't complete ends where it stops being one.
func sequence(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == esc {
		if len(s) == n {
			return n
		}
		switch c := s[n]; {
		case strings.IndexByte("[]PX^_", c) >= 0:
			r, n = rune(c)+0x40, n+1 // ESC [ is U+009B, and so on
		case '!' <= c && c <= '/' || c == ' ' && len(s) > n+1 && strings.IndexByte("FGLMN", s[n+1]) >= 0:
			return n + final(s[n:], ' ', '/', '0', '~')
		case '0' <= c && c <= '~':
			return n + 1
		default:
			return n
		}
	}
	if r == 0x9b {
		for n < len(s) && '0' <= s[n] && s[n] <= '?' {
			n++
		}
		return n + final(s[n:], ' ', '/', '@', '~')
	}
	return n + stringLength(s[n:])
}

// final returns the length of bytes from lo to hi and one from first to last after them; 0 when that one is missing.
func final(s string, lo, hi, first, last byte) int {
	n := 0
	for n < len(s) && lo <= s[n] && s[n] <= hi {
		n++
	}
	if n < len(s) && first <= s[n] && s[n] <= last {
		return n + 1
	}
	return 0
}

// stringLength returns the length of a control string with its end: BEL, ST, or ESC \. Any other control character ends
// it too, and is left.
func stringLength(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\a':
			return i + 1
		case c == esc && strings.HasPrefix(s[i:], "\x1b\\"):
			return i + 2
		case strings.HasPrefix(s[i:], "\u009c"):
			return i + len("\u009c")
		case c < ' ':
			return i
		}
	}
	return len(s)
}
