package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

const (
	// maxBytes bounds how much of a foreign string is looked at: no line of a
	// report needs more, and a name may be megabytes long.
	maxBytes = 8 << 10
	// maxCluster is how many code points one character on the screen may have.
	// The longest emoji sequences stay below it; stacked marks do not.
	maxCluster = 16
)

// clean makes a foreign string one harmless line: escape sequences are taken
// out whole, line breaks and other controls become spaces, invisible and
// direction-changing characters go, runs of spaces shrink to one.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	cut := len(s) > maxBytes
	if cut {
		s = s[:maxBytes]
	}
	s = stripEscapes(strings.ToValidUTF8(s, "\uFFFD"))
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			gap = true
			continue
		case invisible(r), b.Len() == 0 && unicode.In(r, unicode.M):
			continue // a mark without a letter would land on the one before the text
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// isClean tells, of most texts, that clean would change nothing: that one is
// short, printable ASCII, and single-spaced.
func isClean(s string) bool {
	gap := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && gap {
			return false
		}
		gap = s[i] == ' '
	}
	return len(s) <= maxBytes && (!gap || s == "")
}

// invisible tells characters that show nothing but change how the rest is
// shown or read. The two joiners stay: emoji and several scripts need them.
func invisible(r rune) bool {
	const nonJoiner, joiner = 0x200C, 0x200D
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point) && r != nonJoiner && r != joiner
}

// stripEscapes removes terminal control sequences with what belongs to them,
// so that no "[31m" is left behind: CSI up to its final byte, OSC and the other
// strings up to their terminator, two-byte escapes.
func stripEscapes(s string) string {
	const introducers = "\x1b\u0090\u0098\u009b\u009d\u009e\u009f"
	var b strings.Builder
	for {
		i := strings.IndexAny(s, introducers)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		s = s[i+size:]
		if r == 0x1b && s != "" && s[0] >= '@' && s[0] <= '_' {
			r = rune(s[0]) + 0x40 // ESC [ is the long form of U+009B
			s = s[1:]
		}
		switch r {
		case 0x9b:
			s = afterCSI(s)
		case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
			s = afterString(s)
		case 0x1b:
			s = afterCharset(s)
		}
	}
}

// afterCharset skips the rest of an escape such as "ESC ( B": intermediate
// bytes and, only after one, a final byte.
func afterCharset(s string) string {
	t := strings.TrimLeft(s, "#%()*+-./")
	if len(t) < len(s) && t != "" && t[0] >= '0' && t[0] <= '~' {
		return t[1:]
	}
	return t
}

// afterCSI skips parameter and intermediate bytes and the final byte.
func afterCSI(s string) string {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return s[i:]
}

// afterString skips a control string. One without an end loses its introducer
// only: what follows may be the text that matters.
func afterString(s string) string {
	end, size := -1, 0
	for _, t := range []string{"\a", "\x1b\\", "\u009c"} {
		if i := strings.Index(s, t); i >= 0 && (end < 0 || i < end) {
			end, size = i, len(t)
		}
	}
	if end < 0 {
		return s
	}
	return s[end+size:]
}

// width is the number of terminal columns that s takes.
func width(s string) int { return displaywidth.String(s) }

// clip cleans s and cuts it to at most n columns, an ellipsis included, never
// inside a character.
func clip(s string, n int) string {
	if len(s) <= n && isClean(s) {
		return s
	}
	s = clean(s)
	if plain(s) {
		if len(s) <= n {
			return s
		}
		return strings.TrimRight(s[:max(n-1, 0)], " ") + "…"
	}
	if len(s) <= n && !piles(s) {
		return s // no character takes more columns than it has bytes
	}
	cs := clusters(s)
	used, keep := 0, 0
	for i, c := range cs {
		used += c.width
		if used > n {
			return strings.TrimRight(join(cs[:keep]), " ") + "…"
		}
		if used <= n-1 {
			keep = i + 1
		}
	}
	return join(cs)
}

// plain tells a text whose bytes are a column each.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// piles tells that s may have a character of more than maxCluster code points:
// all but one of them are no ASCII.
func piles(s string) bool {
	run := 0
	for _, r := range s {
		if run++; r < utf8.RuneSelf {
			run = 0
		}
		if run >= maxCluster/2 {
			return true
		}
	}
	return false
}

// clipLeft is clip that keeps the end of s: of a path the last parts matter.
func clipLeft(s string, n int) string {
	s = clean(s)
	if plain(s) {
		if len(s) <= n {
			return s
		}
		return "…" + s[len(s)-max(n-1, 0):]
	}
	cs := clusters(s)
	used, keep := 0, len(cs)
	for i := len(cs) - 1; i >= 0; i-- {
		used += cs[i].width
		if used > n {
			return "…" + join(cs[keep:])
		}
		if used <= n-1 {
			keep = i
		}
	}
	return join(cs)
}

// clipPath is clipLeft that begins with a whole part of the path when it can.
func clipPath(s string, n int) string {
	c := clipLeft(s, n)
	if rest, cut := strings.CutPrefix(c, "…"); cut {
		if i := strings.IndexByte(rest, '/'); i > 0 && i < len(rest)-1 {
			return "…" + rest[i:]
		}
	}
	return c
}

// cluster is one character on the screen.
type cluster struct {
	text  string
	width int
}

func clusters(s string) []cluster {
	var cs []cluster
	g := displaywidth.StringGraphemes(s)
	for g.Next() {
		cs = append(cs, cluster{shorten(g.Value()), g.Width()})
	}
	return cs
}

func join(cs []cluster) string {
	var b strings.Builder
	for _, c := range cs {
		b.WriteString(c.text)
	}
	return b.String()
}

// shorten cuts a character that is piled up out of too many code points.
func shorten(cluster string) string {
	n := 0
	for i := range cluster {
		if n++; n > maxCluster {
			return cluster[:i]
		}
	}
	return cluster
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-width(s)))
}
