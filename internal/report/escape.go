package report

import (
	"strings"
	"unicode"
)

// inert writes foreign text so that Markdown shows it and does nothing with
// it: no markup, link, picture, HTML or cell of a table comes out of it. What
// would be harmless stays as it is, because the report is also read raw.
func inert(s string) string {
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		before, after := at(rs, i-1), at(rs, i+1)
		switch {
		case r == '<' && startsTag(after):
			b.WriteString("&lt;") // not every reader knows "\<"
			continue
		case r == '&' && startsEntity(rs[i+1:]):
			b.WriteString("&amp;")
			continue
		case special(r, before, after), i == 0 && opensBlock(rs), breaksLink(rs, i):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func at(rs []rune, i int) rune {
	if i < 0 || i >= len(rs) {
		return 0
	}
	return rs[i]
}

// special tells characters that are markup where they stand.
func special(r, before, after rune) bool {
	switch r {
	case '\\', '`', '*', '|':
		return true
	case '_':
		return !isWord(before) || !isWord(after) // inside a word it is text
	case '~':
		return after != '/' || before != 0 && before != ' ' // alone it opens and never closes a deletion
	case '[':
		return before == '!' || before == '[' || after == '['
	case '(':
		return before == ']'
	}
	return false
}

// opensBlock tells a text that would begin a heading, a list, a quotation, a
// rule, a check box or a definition.
func opensBlock(rs []rune) bool {
	switch rs[0] {
	case '#', '-', '+', '>', '=', ':':
		return true
	case '[':
		return at(rs, 2) == ']' || strings.Contains(string(rs), "]:")
	}
	return false
}

// breaksLink tells the character in front of which a backslash keeps a bare
// address, or the number of a list, from being one.
func breaksLink(rs []rune, i int) bool {
	switch rs[i] {
	case '/':
		return at(rs, i-1) == ':' && at(rs, i+1) == '/'
	case '.':
		if i >= 3 && strings.EqualFold(string(rs[i-3:i]), "www") {
			return true
		}
		return leadingDigits(rs, i)
	case ')':
		return leadingDigits(rs, i)
	}
	return false
}

func leadingDigits(rs []rune, i int) bool {
	for _, r := range rs[:i] {
		if r < '0' || r > '9' {
			return false
		}
	}
	return i > 0
}

func startsTag(r rune) bool {
	return r == '/' || r == '!' || r == '?' || unicode.IsLetter(r)
}

// startsEntity tells what follows the & of a character reference.
func startsEntity(rs []rune) bool {
	for i, r := range rs {
		if r == ';' {
			return i > 0
		}
		if i > 40 || !(r == '#' && i == 0 || r < unicode.MaxASCII && isWord(r)) {
			return false
		}
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// code writes s as a code span. A backtick within makes the fence longer.
func code(s string) string {
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// plainID tells an id that is safe anywhere, also in a command.
func plainID(s string) bool {
	if s == "" || s[0] == '-' {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:@%", r)) {
			return false
		}
	}
	return true
}
