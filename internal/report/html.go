package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// sheets are read when a page is written: most reports are none.
var sheets = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageHTML)) })

// HTML writes the report as one page that needs nothing else: no network, no
// other file, no script to be read. It has what the Markdown has, every session
// in one table, and a chart of the last ticks. Foreign text is text there and
// nothing else, and a policy in the page forbids what is not its own.
func HTML(w io.Writer, r Report) error {
	s := newSheet(r)
	b := bufio.NewWriterSize(w, 64<<10)
	if err := sheets().ExecuteTemplate(b, "top", s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	// A template takes longer for a row than reading its record does.
	for _, section := range s.Sections {
		for _, row := range section.Rows {
			s.row(b, section.ID, row)
		}
	}
	if err := sheets().ExecuteTemplate(b, "bottom", s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return b.Flush()
}

// sheet is the page while it is written. What the templates show of it is
// cleaned; they escape it.
type sheet struct {
	Report
	names
	clock
	anchors map[key]int // sessions that something on the page leads to
}

func newSheet(r Report) *sheet {
	s := &sheet{Report: r, names: r.short, clock: newClock(r.Zone, r.At), anchors: map[key]int{}}
	for _, n := range r.Needs {
		if _, ok := s.anchors[n.id()]; n.row != nil && !ok && sectionOf(n.row.Class) != outOfScope {
			s.anchors[n.id()] = len(s.anchors) + 1
		}
	}
	return s
}

// CSS and JS are the page's own style and script.
func (s *sheet) CSS() template.CSS { return template.CSS(pageCSS) }
func (s *sheet) JS() template.JS   { return template.JS(pageJS) }

// The hashes of page.css and page.js; a test computes them. Computed here, they would
// link crypto/sha256, and with it the start of all of Go's certified cryptography, into
// every report.
const (
	hashCSS = "sha256-biBxJOVp3MEKPa21JhJUtNiU3ZlFGOQWcr0iYy9OrMg="
	hashJS  = "sha256-T/54d5qlEJfodGR0hETCAl1Z+Xyn3N8G7Z9AxiLWHvY="
)

// Policy is the page's content security policy: its own style and script, by
// their hashes, and nothing else.
func (s *sheet) Policy() string {
	return "default-src 'none'; style-src '" + hashCSS + "'; script-src '" + hashJS + "'; base-uri 'none'; form-action 'none'"
}
