package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// table writes a section that is read by running the eye down it: one line a
// session, and one line for all that are over.
func (p *page) table(s Section) {
	if s.Count == 0 {
		return
	}
	p.heading(s.Title, s.Count)
	var live, ended []*Row
	for _, row := range s.Rows {
		if row.ended() {
			ended = append(ended, row)
		} else {
			live = append(live, row)
		}
	}
	for _, rows := range p.ofHosts(live) {
		p.rows(s.ID, rows)
	}
	p.prsUnread(s)
	p.ended("finished background job", ended, func(r *Row) bool { return r.Session.Kind == "background" })
	p.ended("ended session", ended, func(r *Row) bool { return r.Session.Kind != "background" })
}

// rows writes the table of a section, without its last column when that says
// nothing.
func (p *page) rows(section string, rows []*Row) {
	p.gap()
	if last := ""; p.many {
		p.hostHead(&last, rows[0].Host)
	}
	cells := [][]string{{"session", "id", "where", "since", doing(section)}}
	for _, row := range rows {
		cells = append(cells, []string{
			text(row.Session.Name, 28), p.id(row), p.where(row, 44), p.when(row), p.progress(section, row),
		})
	}
	if !slices.ContainsFunc(cells[1:], func(c []string) bool { return c[4] != "" }) {
		for i := range cells {
			cells[i] = cells[i][:4]
		}
	}
	p.grid(cells)
}

// grid writes a table whose first row is its titles. Every column but the last
// is filled up to its widest cell, so that it also stands straight in a
// terminal.
func (p *page) grid(cells [][]string) {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
	}
	for i, row := range cells {
		for j, c := range row {
			if j < len(row)-1 {
				c = pad(c, widths[j])
			}
			p.printf("| %s ", c)
		}
		p.printf("|\n")
		if i == 0 {
			for _, w := range widths {
				p.printf("|%s", strings.Repeat("-", w+2))
			}
			p.printf("|\n")
		}
	}
}

// prsUnread says which closed sessions rest on their own word alone.
func (p *page) prsUnread(s Section) {
	const most = 8
	var names []string
	for _, row := range s.Rows {
		if row.PRsUnread {
			names = append(names, p.title(row, 32, false))
		}
	}
	if len(names) == 0 {
		return
	}
	which := strings.Join(names[:min(len(names), most)], ", ")
	switch n := len(names) - most; {
	case len(names) == s.Count:
		which = "all of them"
	case n > 0:
		which += fmt.Sprintf(" and %d more", n)
	}
	p.gap()
	p.printf("By their own word alone, no pull request was looked at: %s.\n", which)
}

// doing is the title of the last column.
func doing(section string) string {
	if section == "9" {
		return "would do"
	}
	return "doing"
}

// when is since for a table.
func (p *page) when(row *Row) string {
	d, ok := row.age()
	switch {
	case row.Session.Since == nil:
		return "unknown"
	case !ok:
		return "in the future"
	}
	return words(d) + ", " + p.local(row.Session.Since.Time)
}

const progressWidth = 60

// progress is a session's own word on what it does. Background sessions are
// expected to have one.
func (p *page) progress(section string, row *Row) string {
	notes := text(strings.Join(besides(row), "; "), progressWidth)
	switch progress := text(row.Session.Progress, progressWidth); {
	case section == "9":
		return text(row.would(), progressWidth)
	case section != "5":
		return notes
	case progress == "" && row.Session.Kind == "background":
		return "no progress line"
	default:
		return cmp.Or(progress, notes)
	}
}

// ended writes the sessions that are over as one line: how many, and the ones
// that ended last.
func (p *page) ended(noun string, rows []*Row, is func(*Row) bool) {
	const most = 8
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return !is(r) })
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return -compareKnown(a, b) })
	var parts []string
	for _, row := range rows[:min(len(rows), most)] {
		parts = append(parts, p.title(row, 32, false))
	}
	p.gap()
	order := ""
	if len(rows) > 1 {
		order = ", newest first"
	}
	p.printf("%s%s: %s", count(len(rows), noun, noun+"s"), order, strings.Join(parts, ", "))
	if more := len(rows) - most; more > 0 {
		p.printf(" and %d older", more)
		if last := rows[len(rows)-1]; last.Session.Since != nil {
			p.printf(" back to %s", p.local(last.Session.Since.Time))
		}
	}
	p.printf(".\n")
}

// compareKnown orders by beginning; an unknown one counts as oldest.
func compareKnown(a, b *Row) int {
	switch {
	case a.Session.Since == nil || b.Session.Since == nil:
		return -compareTimes(a.Session.Since, b.Session.Since)
	}
	return a.Session.Since.Compare(b.Session.Since.Time)
}
