package report

import (
	"bufio"
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// escape writes text as HTML text, which is also safe between double quotes.
// A text that clean has seen holds no other character that HTML obeys.
func escape(b *bufio.Writer, text string) {
	last := 0
	for i := range len(text) {
		var ref string
		switch text[i] {
		case '<':
			ref = "&lt;"
		case '>':
			ref = "&gt;"
		case '&':
			ref = "&amp;"
		case '"':
			ref = "&#34;"
		case '\'':
			ref = "&#39;"
		default:
			continue
		}
		b.WriteString(text[last:i])
		b.WriteString(ref)
		last = i + 1
	}
	b.WriteString(text[last:])
}

// element writes an element that holds text, nothing when there is none. open
// is its start tag.
func element(b *bufio.Writer, open, text, end string) {
	if text != "" {
		b.WriteString(open)
		escape(b, text)
		b.WriteString(end)
	}
}

// row writes a session as a row of the table. Its columns are those of the
// head in page.html.
func (s *sheet) row(b *bufio.Writer, section string, row *Row) {
	b.WriteString(`<tr class="k-` + section + `"`)
	if n := s.anchors[row.key()]; n > 0 {
		b.WriteString(` id="s` + strconv.Itoa(n) + `"`)
	}
	b.WriteString("><td>")
	element(b, `<b class="k">`, s.className(row), "</b>")
	b.WriteString(`</td><th scope="row">`)
	element(b, "<span>", cmp.Or(s.Name(row.Session.Name), "(no name)"), "</span> ")
	element(b, "<code>", s.short(row), "</code>")
	b.WriteString("</th><td>")
	if s.many {
		element(b, "<span>", clip(row.Host, 40), "</span> ")
	}
	element(b, "<span>", clip(repoName(row.Session.Repo), 60), "</span> ")
	element(b, `<i>`, clip(row.Session.Branch, 60), "</i>")
	b.WriteString("</td><td>")
	element(b, "<span>", s.Name(s.dir(row)), "</span>")
	element(b, ` <code class="go">`, row.attach(), "</code>")
	b.WriteString("</td><td>")
	s.age(b, row.At, row.Session.ActivityAt, false)
	b.WriteString("</td><td>")
	s.age(b, row.At, row.Session.Since, true)
	b.WriteString("</td><td>")
	s.says(b, section, row)
	b.WriteString("</td><td>")
	escape(b, s.Text(row.would()))
	b.WriteString("</td></tr>\n")
}

// age writes how long before at something was, and, in full, when that was.
func (s *sheet) age(b *bufio.Writer, at record.Time, t *record.Time, full bool) {
	if t == nil {
		b.WriteString("unknown")
		return
	}
	says := "in the future"
	if d := at.Sub(t.Time); d >= -skew {
		says = words(max(d, 0))
	}
	b.WriteString(`<time datetime="`)
	b.Write(t.AppendFormat(b.AvailableBuffer(), time.RFC3339))
	b.WriteString(`">` + says)
	if full {
		b.WriteString(" <i>" + s.local(t.Time) + "</i>")
	}
	b.WriteString("</time>")
}

// says writes what a session's class rests on, and what else is known of it.
func (s *sheet) says(b *bufio.Writer, section string, row *Row) {
	element(b, "<p>", s.cause(section, row), "</p>")
	element(b, `<p class="q">`, s.Text(row.Question), "</p>")
	element(b, "<p>", s.readings(row), "</p>")
	element(b, "<p>", s.Text(row.Session.Progress), "</p>")
	for _, says := range besides(row) {
		element(b, "<p>", s.Text(says), "</p>")
	}
	if row.PRsUnread {
		b.WriteString("<p>no pull request was looked at</p>")
	}
}

// cause is what keeps a session from working, or from being judged.
func (s *sheet) cause(section string, row *Row) string {
	switch section {
	case "2":
		cause := cmp.Or(s.Name(row.Cause), "usage limit")
		if account := s.Name(row.Session.Account); account != "" {
			cause += " of account " + account
		}
		if row.ResetAt == nil {
			return cause + ", reset not known"
		}
		return cause + ", " + s.reset(row.ResetAt.Time)
	case unknown:
		return s.Text(why(row))
	}
	return s.Name(row.Cause)
}

// readings is the evidence: where, and what it says.
func (s *sheet) readings(row *Row) string {
	if len(row.Evidence) == 1 && row.Evidence[0].Source != "" {
		return clip(row.Evidence[0].Source, nameWidth) + ": " + clip(row.Evidence[0].Says, 400)
	}
	var parts []string
	for _, e := range row.Evidence[:min(len(row.Evidence), 6)] {
		if says := clip(e.Says, 400); says != "" {
			parts = append(parts, strings.TrimPrefix(clip(e.Source, nameWidth)+": ", ": ")+says)
		}
	}
	return strings.Join(parts, "; ")
}

// place is where a session works, on one line.
func (s *sheet) place(row *Row) string {
	var parts []string
	if s.many {
		parts = append(parts, clip(row.Host, 40))
	}
	where := clip(repoName(row.Session.Repo), 60)
	if branch := clip(row.Session.Branch, 60); branch != "" {
		where = strings.TrimSpace(where + " (" + branch + ")")
	}
	for _, part := range []string{where, s.Name(s.dir(row))} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}
