package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/record"
)

// How many columns of a terminal the parts of a line may take.
const (
	nameWidth     = 48
	questionWidth = 400
	saysWidth     = 200
	whereWidth    = 60
	alarmWidth    = 240
	evidenceWidth = 240
)

// Markdown writes the report for a person, to be read raw in a terminal or
// rendered. Sections without sessions are left out.
func Markdown(w io.Writer, r Report) error {
	p := &page{Report: r, names: r.short, clock: newClock(r.Zone, r.At)}
	p.head()
	p.notRead()
	p.machines()
	p.findings("Missed time", func(f Finding) bool { return f.Name == gap })
	for _, s := range r.Sections {
		switch {
		case s.ID == needsMe:
			p.needsMe(s)
		case s.ID == "5":
			p.findings("Findings", func(f Finding) bool { return f.Name != gap }) // between what is wrong and what is well
			p.table(s)
		case s.ID == outOfScope:
			p.outOfScope(s)
		case s.Count == 0:
		case s.ID == "2" || s.ID == "4" || s.ID == "6" || s.ID == unknown:
			p.grouped(s)
		default:
			p.table(s)
		}
	}
	p.repos()
	p.schedules()
	p.notes()
	p.ticks()
	p.unlooked()
	_, err := w.Write(p.b.Bytes())
	return err
}

// page is a Markdown report while it is written.
type page struct {
	Report
	names
	clock
	b bytes.Buffer
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// gap leaves one blank line.
func (p *page) gap() {
	if !bytes.HasSuffix(p.b.Bytes(), []byte("\n\n")) {
		p.printf("\n")
	}
}

func (p *page) heading(title string, n int) { p.printf("\n## %s (%d)\n\n", title, n) }

// text is foreign text, made harmless and cut.
func text(s string, columns int) string { return inert(clip(s, columns)) }

// label is text that must show something.
func label(s string) string { return cmp.Or(text(s, nameWidth), "(no name)") }

// head writes the alarm, the counts, and what moment the picture shows.
func (p *page) head() {
	if p.Alarm != "" {
		p.printf("**%s**\n\n", text(p.Alarm, alarmWidth))
	}
	p.printf("# %s\n\n", p.summary())
	scope := "Scope " + label(p.Scope)
	if len(p.Hosts) > 0 {
		var hs []string
		for _, h := range p.Hosts {
			hs = append(hs, label(h))
		}
		scope += " on " + strings.Join(hs, ", ")
	}
	if p.Tick != nil {
		scope += fmt.Sprintf(", tick %d", *p.Tick)
	}
	p.printf("%s. %s", scope, p.picture())
	if says := p.due(); says != "" {
		p.printf(" %s", says)
	}
	p.printf("\n")
	if says := p.Unseen(); says != "" {
		p.printf("\n**%s**\n", inert(says))
	}
	for _, says := range p.Pauses() {
		p.printf("\n**%s.**\n", inert(says))
	}
}

// Pauses are until when nothing new should be started, an account each: whoever
// starts a session should know before he reads on.
func (r *Report) Pauses() []string {
	var all []string
	for _, f := range r.Findings {
		says := clip(f.Says, saysWidth)
		if f.Name != "pause" || says == "" {
			continue
		}
		if label := clip(strings.TrimPrefix(strings.TrimPrefix(f.Subject, f.Name), "@"), nameWidth); label != "" {
			says = label + ": " + says
		}
		first, n := utf8.DecodeRuneInString(says)
		all = append(all, string(unicode.ToUpper(first))+says[n:])
	}
	return all
}

// Line is a report in one line of text: its alarm, when there is one, that what is asked
// could not be shown, and the counts.
func Line(r Report) string {
	p := &page{Report: r}
	says := ""
	if r.Alarm != "" {
		says = text(r.Alarm, alarmWidth) + "; "
	}
	if r.Unshown != nil {
		says += inert(r.Unshown.Says) + "; "
	}
	return says + p.summary()
}

// picture says when the sessions were looked at, and how long ago that was: of a tick's
// report only when it was long before, since that is read until the next one is there.
func (p *page) picture() string {
	if p.AsOf == nil {
		return "No machine was looked at."
	}
	s := "Picture of " + p.full(p.AsOf.Time)
	if p.apart {
		return s + " and later, by the clocks of the machines."
	}
	switch d := p.At.Sub(p.AsOf.Time); {
	case d < -skew:
		return s + ", which is later than the present it is shown for, " + p.full(p.At.Time) + "."
	case d > 0 && (p.Outdated == nil || d >= p.Outdated.Sub(p.At.Time)):
		return s + ", " + words(d) + " old."
	}
	return s + "."
}

// summary counts every verdict once, and the questions beside them.
func (p *page) summary() string {
	says := strings.Join(p.questions(), ", ")
	if says != "" {
		says = "; " + says
	}
	if p.Total == 0 && p.Alarm != "" {
		return "No session was judged" + says
	}
	var parts []string
	for i, s := range p.Sections {
		if s.Count == 0 {
			continue
		}
		parts = append(parts, count(s.Count, kinds[i].one, kinds[i].many)+p.of(s))
	}
	if len(parts) == 0 {
		return "No sessions" + says
	}
	return count(p.Total, "session", "sessions") + ": " + strings.Join(parts, ", ") + says
}

// of says how many of a section need less attention than its number suggests.
func (p *page) of(s Section) string {
	n, word := 0, "finished"
	for _, row := range s.Rows {
		switch {
		case s.ID == needsMe:
			word = "answered"
			if p.answered[row] {
				n++
			}
		case s.ID == "2":
			word = "reset passed"
			if p.passed(row) {
				n++
			}
		case row.ended():
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d %s)", n, word)
}

// passed tells a limit that is over by now, though nothing has happened since.
func (p *page) passed(row *Row) bool {
	return row.ResetAt != nil && !row.ResetAt.After(p.now)
}

// notRead writes what is missing, worst first.
func (p *page) notRead() {
	if len(p.NotRead) == 0 {
		return
	}
	p.heading("Not read", len(p.NotRead))
	for _, n := range p.NotRead {
		p.printf("- %s", p.unread(n))
		if len(n.Sessions) > 0 {
			p.printf(": %s", p.list(n.Host, n.Sessions, 12))
		}
		p.printf("\n")
	}
}

// unread says what was not read, where, and why.
func (p *page) unread(n NotRead) string {
	says := "**" + label(n.Name) + "**"
	if n.Host != "" && n.Host != n.Name {
		says += " on " + label(n.Host)
	}
	says += ": " + text(n.Says, saysWidth)
	if n.ResetAt != nil {
		says += " (" + p.reset(n.ResetAt.Time) + ")"
	}
	return says
}

// findings writes what concerns more than one session, as far as it is of a
// kind.
func (p *page) findings(title string, is func(Finding) bool) {
	fs := slices.DeleteFunc(slices.Clone(p.Findings), func(f Finding) bool { return !is(f) })
	if len(fs) == 0 {
		return
	}
	p.heading(title, len(fs))
	for _, f := range fs {
		p.printf("- **%s**: %s", label(cmp.Or(f.Name, f.Subject)), text(f.Says, questionWidth))
		if f.Until != nil {
			p.printf(" (until %s)", p.both(f.Until.Time))
		}
		if len(f.Sessions) > 0 {
			p.printf(": %s", p.list(f.Host, f.Sessions, 5))
		}
		p.printf("\n")
	}
}

// list names sessions by their subjects, the first most of them.
func (p *page) list(host string, subjects []string, most int) string {
	var parts []string
	for _, s := range subjects[:min(len(subjects), most)] {
		row := p.join(&Ask{Host: host, Ask: record.Ask{Session: s}}).row
		if row == nil {
			row = cmp.Or(p.unjudged[key{host, s}], &Row{Host: host, Subject: s})
		}
		parts = append(parts, p.title(row, 32, false))
	}
	more := ""
	if n := len(subjects) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(parts, ", ") + more
}

func (p *page) notes() {
	if len(p.Notes) == 0 {
		return
	}
	p.heading("Notes", len(p.Notes))
	for _, n := range p.Notes {
		p.printf("- %s: %s\n", label(n.Name), text(n.Says, saysWidth))
	}
}
