package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is a row of a pane: its text, and of each character whether it is dim or
// under the cursor that Claude Code draws itself.
type row struct {
	text         string // without blanks at its end
	runes        []rune
	dim, reverse []bool
}

// blank tells a row that shows nothing on the left, where the conversation is:
// an empty one, or one with a status at the right edge.
func (r row) blank() bool {
	return r.text == "" || strings.HasPrefix(r.text, strings.Repeat(" ", statusIndent))
}

// statusIndent is how far right a status stands at least that is no part of the
// conversation, such as "◐ medium · /effort".
const statusIndent = 40

// rule tells a line across the pane: nothing but dashes.
func (r row) rule() bool {
	return strings.HasPrefix(r.text, "──────────") && strings.Trim(r.text, "─") == ""
}

// topRule tells the line above the prompt, in which the name of the session may
// stand.
func (r row) topRule() bool {
	return strings.HasPrefix(r.text, "────") && strings.HasSuffix(r.text, "─")
}

// edge tells a line that something begins below.
func (r row) edge() bool {
	return r.topRule() || strings.HasPrefix(r.text, "▔▔▔▔▔▔▔▔▔▔")
}

// style is what the sequences before a character make of it.
type style struct{ dim, reverse bool }

// rows reads what tmux capture-pane -p prints, with or without -e. The style
// goes on from row to row, a sequence doesn't. Unknown sequences and control
// characters show nothing.
func rows(text string) []row {
	var out []row
	var now style
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		var r row
		for len(line) > 0 {
			if line[0] == '\x1b' {
				line = line[now.sequence(line):]
				continue
			}
			c, n := utf8.DecodeRuneInString(line)
			line = line[n:]
			if unicode.IsControl(c) && c != '\t' {
				continue
			}
			r.runes = append(r.runes, c)
			r.dim = append(r.dim, now.dim)
			r.reverse = append(r.reverse, now.reverse)
		}
		r.text = strings.TrimRight(string(r.runes), " \t")
		out = append(out, r)
	}
	for len(out) > 0 && out[len(out)-1].text == "" {
		out = out[:len(out)-1]
	}
	return out
}

// sequence applies the escape sequence that s begins with, and returns its
// length.
func (st *style) sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				if s[i] == 'm' {
					st.render(s[2:i])
				}
				return i + 1
			}
		}
		return len(s)
	case ']': // ends in BEL or ESC \
		end := strings.IndexAny(s[2:], "\a\x1b")
		if end < 0 {
			return len(s)
		}
		if end += 2; s[end] == '\x1b' && end+1 < len(s) && s[end+1] == '\\' {
			end++
		}
		return end + 1
	}
	return 2
}

// render applies the parameters of SGR.
func (st *style) render(params string) {
	p := strings.Split(params, ";")
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case "", "0":
			*st = style{}
		case "2":
			st.dim = true
		case "22":
			st.dim = false
		case "7":
			st.reverse = true
		case "27":
			st.reverse = false
		case "38", "48", "58": // a colour: 5;N or 2;R;G;B
			if i+1 < len(p) && p[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
}
