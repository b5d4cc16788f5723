package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// Nothing of the last bytes of a cut text is shown, because a credential may be cut there beyond recognition.
	margin = 8 << 10
	// More marks than any script stacks on one letter.
	maxMarks = 8
	// More joiners than any emoji has: a family of four with a skin tone each needs three.
	maxJoins = 8
)

// window returns how many bytes of flat text are looked at to show width columns. A column rarely needs 16 bytes.
func window(width int) int { return 16*width + 2*margin }

// A flattener writes runes that are safe on one line.
type flattener struct {
	out   []byte
	fold  bool  // white space becomes one space, and none at either end
	space bool  // a space is owed
	join  bool  // a joiner is owed
	last  rune  // last rune written, 0 at the start
	base  rune  // last rune written that is no mark and no selector
	marks int   // since base
	joins int   // in this emoji
	gaps  []int // where something between two of out is gone
}

// flatten returns s without anything that moves a cursor, hides or reorders text, or is invalid, and whether it stopped at
// max bytes with more to show.
func flatten(s string, max int, fold bool) (flat string, cut bool) {
	flat, _, cut = flattened(s, max, fold)
	return flat, cut
}

// flattened is flatten, and tells where in flat something is gone that stood between other characters.
func flattened(s string, max int, fold bool) (flat string, gaps []int, cut bool) {
	if isFlat(s, max, fold) {
		return s, nil, false
	}
	f := flattener{out: make([]byte, 0, min(len(s), max)+utf8.UTFMax), fold: fold}
	rest := f.write(s, max)
	if rest != "" {
		probe := flattener{fold: true}
		probe.write(rest, 1)
		cut = len(probe.out) > 0
	}
	flat = string(f.out)
	if whole := dropResidue(flat); whole != flat {
		return whole, nil, cut
	}
	return flat, f.gaps, cut
}

// isFlat reports whether s is short printable ASCII that flatten would leave alone.
func isFlat(s string, max int, fold bool) bool {
	if len(s) > max || strings.Contains(s, "rgb") || fold && (strings.Contains(s, "  ") || strings.Trim(s, " ") != s) {
		return false
	}
	return isASCII(s)
}

// isASCII reports whether s is printable ASCII.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// write takes s until max bytes are out, and returns what is left of it.
func (f *flattener) write(s string, max int) string {
	for len(s) > 0 && len(f.out) < max {
		switch c := s[0]; {
		case ' ' < c && c <= '~':
			f.put(rune(c))
			s = s[1:]
			continue
		case c == ' ', c == '\n':
			f.blank()
			s = s[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		length := len(f.out)
		switch {
		case r == utf8.RuneError:
		case r == esc || isC1(r):
			size = sequence(s)
		default:
			f.rune(r)
		}
		if length > 0 && length == len(f.out) && !f.space && !f.join && (len(f.gaps) == 0 || f.gaps[len(f.gaps)-1] != length) {
			f.gaps = append(f.gaps, length)
		}
		s = s[size:]
	}
	return s
}

func (f *flattener) rune(r rune) {
	switch {
	case unicode.IsSpace(r) || unicode.In(r, unicode.Z):
		f.blank()
	case r == zwj:
		f.join = pictographic(f.base) && f.last != zwj
	case unicode.Is(unicode.Variation_Selector, r):
		if f.last == f.base && selects(f.base, r) && !f.space {
			f.append(r)
		}
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
	case unicode.In(r, unicode.Mn, unicode.Me):
		if f.marks++; f.marks <= maxMarks && f.base > ' ' && !f.space {
			f.append(r)
		}
	default:
		f.put(r)
	}
}

// put writes a rune that stands for itself, and what is owed before it.
func (f *flattener) put(r rune) {
	if f.join && !f.space && pictographic(r) && f.joins < maxJoins {
		f.joins++
		f.append(zwj)
	} else if r < 0x1F3FB || r > 0x1F3FF { // skin tones belong to the emoji before them
		f.joins = 0
	}
	if f.space {
		f.append(' ')
	}
	f.space, f.join, f.marks, f.base = false, false, 0, r
	f.append(r)
}

func (f *flattener) append(r rune) {
	f.out = utf8.AppendRune(f.out, r)
	f.last = r
}

func (f *flattener) blank() {
	if !f.fold {
		f.put(' ')
		return
	}
	f.space = len(f.out) > 0
}

const (
	esc = 0x1b
	zwj = 0x200d
)

// pictographic reports whether r may be part of an emoji of several characters.
func pictographic(r rune) bool {
	return r > 0xff && unicode.Is(unicode.So, r) || r == 0x2194 || 0x1F000 <= r && r <= 0x1FAFF
}

// selects reports whether the variation selector r has a meaning after base: text or emoji style, or the form of a Han
// character. After letters it would hide in a word.
func selects(base, r rune) bool {
	if r >= 0xE0100 {
		return unicode.Is(unicode.Han, base)
	}
	return r >= 0xFE00 && (pictographic(base) || unicode.In(base, unicode.So, unicode.Sm, unicode.Po, unicode.Han) && base > '~')
}

var residue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\^\[)?\](?:1\d|4;\d{1,3});rgba?:[0-9A-Fa-f]{1,4}(?:/[0-9A-Fa-f]{1,4}){2,3}(?:\\|\^G)?`)
})

// dropResidue takes away what is left of a terminal's answer about its colours when something before us took the escape
// character away.
func dropResidue(s string) string {
	if !strings.Contains(s, ";rgb") {
		return s
	}
	return residue().ReplaceAllString(s, "")
}
