// Package guard makes other people's words safe to store and to show: one line, clipped by display width, without
// anything that looks like a credential or names a path under crm/.
//
// An observer passes every foreign string through it once; what comes out may go into a record, a report or a terminal.
// Guarding again changes nothing.
package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

//go:generate go run ./gen

// maxPath is the longest path that Linux and macOS open, in bytes; no longer one is worth showing.
const maxPath = 4096

// maxID is the longest identifier that stays as it is, in bytes.
const maxID = 200

// Text returns s on one line of at most width columns, a cut shown by "…" within them; "" when width is less than 1.
// Line breaks and other white space become one space. Control characters, terminal sequences, invisible and
// direction-changing characters and invalid UTF-8 are gone, replacement characters with them. Credentials are replaced,
// whole, by "[withheld: <rule>]" and paths under crm/ by "[withheld: crm path]" before anything is cut.
//
// A megabyte costs one scan; all else is bounded by width.
func Text(s string, width int) string {
	if width < 1 {
		return ""
	}
	return settle(s, func(s string) string {
		flat, gaps, cut := flattened(s, window(width), true)
		return clip(withhold(flat, findBetween(flat, gaps), cut), width, cut)
	})
}

// Path returns the file path s as Text would, but keeps its spaces as they are, is clipped only after 4,096 columns, and
// is "[withheld: crm path]" as a whole when one part of it is crm.
func Path(s string) string {
	return settle(s, func(s string) string {
		flat, gaps, cut := flattened(s, window(maxPath), false)
		spans := findBetween(flat, gaps)
		for _, sp := range spans {
			if sp.rule == crmRule {
				return marker(crmRule)
			}
		}
		return clip(withhold(flat, spans, cut), maxPath, cut)
	})
}

// Line returns s as Text would, but keeps its spaces as they are, and is not clipped.
func Line(s string) string {
	return settle(s, func(s string) string {
		flat, gaps, _ := flattened(s, len(s)+1, false)
		return withhold(flat, findBetween(flat, gaps), false)
	})
}

// Quote returns s in quotes as Go writes it, or Line of it where that withholds something. A credential with an invisible
// character in it would not show any more that it is one once that is quoted: "\u200b" are six plain ones.
func Quote(s string) string {
	if line := Line(s); strings.Contains(line, markerStart) {
		s = line
	}
	return Line(strconv.Quote(s))
}

// ID returns s when it is a plain identifier: up to 200 of the characters A–Z a–z 0–9 . _ : @ / + - and nothing that Text
// would withhold. Any other s, the empty one too, becomes "h-" and 12 hex digits of its SHA-256: the same on every host,
// and no part of a secret. It is never empty.
func ID(s string) string {
	if plain(s) && len(find(s)) == 0 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "h-" + hex.EncodeToString(sum[:6])
}

func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == ':', c == '@', c == '/', c == '+', c == '-':
		default:
			return false
		}
	}
	return 0 < len(s) && len(s) <= maxID
}

// settle applies pass until it changes nothing more: what it takes away may bring other things together, and a cut may
// leave the shape of a shorter credential. Each further pass leaves less of s, so it ends.
func settle(s string, pass func(string) string) string {
	for {
		next := pass(s)
		if next == s {
			return s
		}
		s = next
	}
}
