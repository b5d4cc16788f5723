package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// judged is what laws knows of a verdict, read without this module's types.
type judged struct {
	Host, Subject string
	At            time.Time
	Data          struct {
		Class   string
		Session struct {
			Kind    string
			Process bool
		}
	}
}

// verdictsOf is the counting verdicts of a stream.
func verdictsOf(stream []byte) []judged {
	var vs []judged
	for _, rec := range setOf(stream).Of("verdict") {
		var v judged
		line, _ := rec.Line()
		if json.Unmarshal(line, &v) == nil {
			vs = append(vs, v)
		}
	}
	return vs
}

// document is the JSON form as a reader would decode it.
type document struct {
	V        int
	Total    int
	Alarm    string
	NotRead  []struct{ Name, Why string } `json:"not_read"`
	Needs    []struct{ Question string }  `json:"needs_me"`
	Asks     []struct{ Host, Key, State, Session string }
	Findings []any
	Sections []struct {
		ID, Title string
		Count     int
		Rows      []struct {
			Host, Subject, Class string
			Session              struct{ Since *time.Time }
		}
	}
}

var sectionIDs = []string{"needs_me", "2", "4", "6", "unknown", "5", "9", "9a", "8", "10", "1"}

// laws checks what holds of the report of any stream.
func laws(t testing.TB, stream []byte, md string, doc []byte) {
	t.Helper()
	verdicts := verdictsOf(stream)
	d := lawsOfJSON(t, verdicts, doc)
	lawsOfText(t, md)
	lawsOfTables(t, md)
	if (len(verdicts) == 0 && d.hides() || d.Alarm != "") && !strings.HasPrefix(md, "**BLIND: ") && !strings.HasPrefix(md, "**INCOMPLETE: ") && len(verdicts) == 0 {
		t.Errorf("blind, and the first line is %.80q", md)
	}
	if (d.Alarm == "") == (strings.HasPrefix(md, "**BLIND: ") || strings.HasPrefix(md, "**INCOMPLETE: ")) {
		t.Errorf("alarm %q, and the first line is %.80q", d.Alarm, md)
	}
	lawsOfCounts(t, verdicts, d, md)
	if got, want := headings(md), titles(d); !isSubsequence(got, want) {
		t.Errorf("sections of the Markdown %q are not in the order of the JSON %q", got, want)
	}
}

// lawsOfJSON: one document; every verdict in one row or in a number; sections
// complete and in order; rows in order.
func lawsOfJSON(t testing.TB, verdicts []judged, doc []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatalf("JSON: %v", err)
	}
	if !bytes.HasSuffix(doc, []byte("}\n")) || bytes.Contains(doc, []byte(": null,\n  \"sections")) {
		t.Errorf("JSON ends in %q", doc[max(0, len(doc)-20):])
	}
	for _, r := range string(doc) {
		if r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			t.Errorf("character %U in the JSON", r)
		}
	}
	var ids []string
	rows, sum := map[string]string{}, 0
	for _, s := range d.Sections {
		ids = append(ids, s.ID)
		sum += s.Count
		if s.Rows == nil || s.ID != "1" && s.Count != len(s.Rows) {
			t.Errorf("section %s: count %d, %d rows", s.ID, s.Count, len(s.Rows))
		}
		for i, r := range s.Rows {
			k := r.Host + "\x00" + r.Subject
			if rows[k] != "" {
				t.Errorf("%q stands in %s and in %s", r.Subject, rows[k], s.ID)
			}
			rows[k] = s.ID
			if i > 0 && s.ID != "needs_me" && s.Rows[i-1].Host == r.Host && later(s.Rows[i-1].Session.Since, r.Session.Since) {
				t.Errorf("section %s: row %d began after row %d", s.ID, i, i+1)
			}
		}
	}
	if !slices.Equal(ids, sectionIDs) {
		t.Errorf("sections %q", ids)
	}
	if sum != len(verdicts) || d.Total != len(verdicts) {
		t.Errorf("sections count %d, total %d, verdicts %d", sum, d.Total, len(verdicts))
	}
	for _, v := range verdicts {
		if rows[v.Host+"\x00"+v.Subject] == "" && v.Data.Class != "1" {
			t.Errorf("verdict %q is lost", v.Subject)
		}
	}
	return d
}

// later tells whether a must stand after b: nil is last.
func later(a, b *time.Time) bool { return b != nil && (a == nil || a.After(*b)) }

// lawsOfText: nothing that a terminal obeys, nothing that turns text around.
func lawsOfText(t testing.TB, md string) {
	t.Helper()
	if !utf8.ValidString(md) || !strings.HasSuffix(md, "\n") || strings.Contains(md, "\n\n\n") {
		t.Errorf("not text, or badly ended, or with gaps: %.200q", md)
	}
	for _, r := range md {
		if r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			t.Errorf("character %U in the report", r)
		}
	}
	for line := range strings.Lines(md) {
		if n := width(line); n > 4000 {
			t.Errorf("a line of %d columns", n)
		}
	}
}

// lawsOfTables: rows of a table have equally many cells, and stand straight.
func lawsOfTables(t testing.TB, md string) {
	t.Helper()
	pipes, edge := 0, 0
	for line := range strings.Lines(md) {
		if !strings.HasPrefix(line, "|") {
			pipes = 0
			continue
		}
		n := cells(line)
		e := width(line[:lastColumn(line)])
		if pipes != 0 && (n != pipes || e != edge) {
			t.Errorf("a row of %d cells, last at column %d, in a table of %d at %d:\n%s", n, e, pipes, edge, line)
		}
		pipes, edge = n, e
	}
}

// cells counts the pipes of a line that no backslash hides.
func cells(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

// lastColumn is where the last cell of a row begins.
func lastColumn(line string) int {
	var at []int
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			at = append(at, i)
		}
	}
	return at[max(0, len(at)-2)]
}

var (
	number = regexp.MustCompile(`\d+ `)
	parens = regexp.MustCompile(`\([^)]*\)`)
)

var (
	needCount   = regexp.MustCompile(`(\d+) needs? you`)
	needHeading = regexp.MustCompile(`(?m)^## Needs me \((\d+)\)$`)
)

// lawOfNeeds: the first line counts as much that needs the owner as the section
// and the list have.
func lawOfNeeds(t testing.TB, title, questions, md string, listed int) {
	t.Helper()
	said, has := 0, 0
	if m := needCount.FindStringSubmatch(title); m != nil {
		said, _ = strconv.Atoi(m[1])
	}
	for _, m := range number.FindAllString(questions, -1) {
		n, _ := strconv.Atoi(strings.TrimSpace(m))
		said += n
	}
	if m := needHeading.FindStringSubmatch(md); m != nil {
		has, _ = strconv.Atoi(m[1])
	}
	if said != has || has != listed {
		t.Errorf("%q; %q counts %d that need the owner, the section %d, the list %d", title, questions, said, has, listed)
	}
}

// lawsOfCounts: the numbers of the summary add up to the verdicts, and every
// session in a row is named by its id.
func lawsOfCounts(t testing.TB, verdicts []judged, d document, md string) {
	t.Helper()
	var title string
	for line := range strings.Lines(md) {
		if strings.HasPrefix(line, "# ") {
			title = parens.ReplaceAllString(line, "")
			break
		}
	}
	title, questions, _ := strings.Cut(strings.TrimSuffix(title, "\n"), "; ")
	title += "\n"
	lawOfNeeds(t, title, questions, md, len(d.Needs))
	if len(verdicts) == 0 {
		if title != "# No sessions\n" && title != "# No session was judged\n" {
			t.Errorf("title %q without a verdict", title)
		}
		return
	}
	total, sum := 0, 0
	for i, m := range number.FindAllString(title, -1) {
		n, _ := strconv.Atoi(strings.TrimSpace(m))
		if i == 0 {
			total = n
		} else {
			sum += n
		}
	}
	if total != len(verdicts) || sum != len(verdicts) {
		t.Errorf("%q speaks of %d and adds up to %d of %d verdicts", title, total, sum, len(verdicts))
	}
	for _, v := range verdicts {
		over := !v.Data.Session.Process && slices.Contains([]string{"8", "9", "9a", "10"}, v.Data.Class)
		id := text(shortID(v.Subject), idWidth)
		if v.Data.Class != "1" && !over && !strings.Contains(md, id) {
			t.Errorf("session %q is not in the Markdown", v.Subject)
		}
	}
}

var heading = regexp.MustCompile(`(?m)^## (.*) \(\d+\)$`)

// headings is the titles of the sections of a Markdown report, without those
// that are no sections of sessions.
func headings(md string) []string {
	var hs []string
	for _, m := range heading.FindAllStringSubmatch(md, -1) {
		if !slices.Contains([]string{"Not read", "Machines", "Missed time", "Findings", "Repositories", "Scheduled work", "Notes"}, m[1]) {
			hs = append(hs, m[1])
		}
	}
	return hs
}

func titles(d document) []string {
	var ts []string
	for _, s := range d.Sections {
		ts = append(ts, s.Title)
	}
	return ts
}

func isSubsequence(some, all []string) bool {
	for _, s := range some {
		i := slices.Index(all, s)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}
