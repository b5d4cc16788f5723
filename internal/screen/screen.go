// Package screen tells what Claude Code shows in a terminal, from the text of its pane: whether a prompt takes text, what
// stands in it, which dialog is open, and what stands next to the prompt. It is pure.
//
// Only the block at the bottom counts. What scrolled up, what was quoted and what a command printed may look like anything.
// Where the pane shows neither a prompt nor a dialog that is known, nothing is told, and nothing may be typed.
//
// Source of the shapes: panes of Claude Code 2.1.280, in testdata/panes.
package screen

import (
	"regexp"
	"strings"
	"sync"
)

// Screen is what a pane shows.
type Screen struct {
	Prompt  bool     // a prompt is shown; never together with Dialog or Viewer
	Draft   bool     // somebody's text, or another mode than that of a prompt, stands in it; without colours a suggestion counts as text
	Text    string   // what stands in the prompt, its rows joined by newlines; "" when there is only a suggestion
	Working bool     // next to the prompt it says that it works
	Dialog  string   // the words of the dialog that is open, a line each; "" when there is none
	Viewer  bool     // it shows its transcript in place of the prompt
	Beside  []string // the rows next to the prompt: the end of the conversation, and what is below; those of the dialog when there is one
}

// Read tells what a pane shows, from what tmux capture-pane -p printed. -e adds the colours by which a suggestion is told
// from a draft.
func Read(text string) Screen {
	all := rows(text)
	if viewer(all) {
		return Screen{Viewer: true}
	}
	top, bottom, ok := prompt(all)
	if !ok {
		return dialog(all)
	}
	s := Screen{Prompt: true}
	s.Text, s.Draft = draft(all[top+1 : bottom])
	said := next(all[:top])
	s.Working = spins(all[:top])
	for _, r := range all[bottom+1:] {
		s.Working = s.Working || interruptible(r.text)
		if r.text != "" {
			said = append(said, r.text)
		}
	}
	s.Beside = said
	return s
}

// viewer tells the transcript in place of the prompt, by the line at the bottom.
func viewer(all []row) bool {
	return len(all) > 0 && strings.HasPrefix(strings.TrimSpace(all[len(all)-1].text), "Showing detailed transcript")
}

// maxFooter is how many rows stand below a prompt at most: the list of keys, or
// of commands.
const maxFooter = 16

// prompt finds the prompt at the bottom: a line, the prompt between, a line, and
// below only what a footer holds.
func prompt(all []row) (top, bottom int, ok bool) {
	bottom = -1
	for i := len(all) - 1; i >= 0 && i >= len(all)-1-maxFooter; i-- {
		if all[i].edge() {
			bottom = i
			break
		}
		if t := all[i].text; t != "" && !strings.HasPrefix(t, "  ") || chosen(all[i]) || option().MatchString(t) {
			return 0, 0, false
		}
	}
	if bottom < 2 || !all[bottom].rule() {
		return 0, 0, false
	}
	for top = bottom - 1; top >= 0 && !all[top].edge(); top-- {
		if top > 0 && all[top-1].edge() {
			continue // the first row of the prompt, if it is one
		}
		if t := all[top].text; t != "" && !strings.HasPrefix(t, "  ") {
			return 0, 0, false
		}
	}
	if top < 0 || top+1 == bottom || !all[top].topRule() {
		return 0, 0, false
	}
	first := all[top+1].runes
	if len(first) == 0 || first[0] != '❯' && first[0] != '!' || len(first) > 1 && first[1] != ' ' && first[1] != '\u00a0' {
		return 0, 0, false
	}
	return top, bottom, true
}

// draft reads what stands in the prompt. A suggestion is dim, but for the
// character under the cursor.
func draft(in []row) (text string, is bool) {
	var lines []string
	var first, dim, plain int // characters under a cursor at the beginning, and others
	for i, r := range in {
		lines = append(lines, strings.TrimRight(string(r.runes[min(2, len(r.runes)):]), " \u00a0\t"))
		for j, c := range r.runes {
			switch {
			case j < 2 || c == ' ' || c == '\u00a0':
			case r.dim[j]:
				dim++
			case i == 0 && j == 2 && r.reverse[j]:
				first++
			default:
				plain++
			}
		}
	}
	text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	switch {
	case in[0].runes[0] != '❯':
		return text, true
	case plain > 0, first > 0 && dim == 0:
		return text, true
	}
	return "", false
}

// gap is how many rows without words may stand between what is next to the
// prompt and its line.
const gap = 1

// spins tells whether the last thing above the prompt says that it works: a
// star and a word with an ellipsis, such as "✽ Generating… (48s · ↓ 38 tokens)".
// "✻ Worked for 2m 05s" is over.
func spins(above []row) bool {
	for {
		start, end := last(above, gap)
		if start == end {
			return false
		}
		for _, r := range above[start:end] {
			if spinner().MatchString(r.text) || interruptible(r.text) {
				return true
			}
		}
		if !strings.HasPrefix(above[start].text, "❯") {
			return false
		}
		above = above[:start] // what the user said meanwhile, and waits
	}
}

// last returns the bounds of the last paragraph of rows, with at most so many
// rows without words below it; none: an empty one.
func last(above []row, gap int) (start, end int) {
	for end = len(above); end > 0 && above[end-1].blank(); end-- {
		if len(above)-end == gap {
			return 0, 0
		}
	}
	for start = end; start > 0 && !above[start-1].blank() && end-start < maxBeside; start-- {
	}
	return start, end
}

// interruptible tells what only stands where something works.
func interruptible(text string) bool { return strings.Contains(text, "esc to interrupt") }

// maxBeside is how many rows of the end of the conversation count.
const maxBeside = 12

// next returns the end of the conversation above the prompt: the last
// paragraph, and the mark of the end of a turn below it. What the user said is
// no part of it.
func next(above []row) []string {
	var said []string
	for {
		start, end := last(above, len(above))
		part := above[start:end]
		said = append(paragraph(part), said...)
		if len(part) == 0 || !done().MatchString(part[0].text) {
			return said
		}
		above = above[:start]
	}
}

// paragraph returns the rows of one, without what the user said.
func paragraph(part []row) []string {
	var out []string
	user := false
	for _, r := range part {
		switch {
		case strings.HasPrefix(r.text, "❯"):
			user = true
		case strings.HasPrefix(strings.TrimSpace(r.text), "⎿"), !strings.HasPrefix(r.text, " "):
			user = false
		}
		if !user && !r.edge() {
			out = append(out, r.text)
		}
	}
	return out
}

// spinner is a row that says that something works; done one that says that a
// turn is over.
var (
	spinner = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[·✢✳✶✻✽∗*+] \S[^…]{0,80}…`) })
	done    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[·✢✳✶✻✽∗*+] \p{Lu}\p{L}+ for \d`) })
)
