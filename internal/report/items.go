package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// title names a session: its name, and beside it its id, because a name may be
// anything.
func (p *page) title(row *Row, columns int, bold bool) string {
	name := text(row.Session.Name, columns)
	if name == "" || code(name) == p.id(row) {
		return p.id(row)
	}
	if bold {
		name = "**" + name + "**"
	}
	return name + " " + p.id(row)
}

// line is a session on one line: who, where, since when.
func (p *page) line(row *Row) string {
	return fmt.Sprintf("%s · %s · %s", p.title(row, nameWidth, true), p.where(row, whereWidth), p.since(row))
}

// since says when a situation began and how long it lasted when it was seen.
func (p *page) since(row *Row) string {
	d, ok := row.age()
	switch {
	case row.Session.Since == nil:
		return "since when is unknown"
	case !ok:
		return "since " + p.local(row.Session.Since.Time) + ", which is in the future"
	}
	return words(d) + ", since " + p.local(row.Session.Since.Time)
}

// sub writes a line below an item, nothing when it says nothing.
func (p *page) sub(label, says string) {
	if says != "" {
		p.printf("  - %s: %s\n", label, says)
	}
}

// details writes what a person wants to know before going to a session.
func (p *page) details(row *Row) {
	p.sub("asks", text(row.Question, questionWidth))
	p.facts(row)
}

// facts is details without the question.
func (p *page) facts(row *Row) {
	p.sub("evidence", p.evidence(row))
	for _, says := range besides(row) {
		p.sub("note", text(says, saysWidth))
	}
	p.sub("would do", text(row.would(), saysWidth))
	p.sub("go", code(row.attach()))
}

// why is what keeps a session from being judged.
func why(row *Row) string {
	if row.Class != unknown {
		return "class " + row.Class + " is not known to this release"
	}
	return cmp.Or(clean(row.Why), "the judge gives no reason")
}

// evidence is the readings in short: where, and what it says.
func (p *page) evidence(row *Row) string { return p.evidenceOf(row.Evidence) }

func (p *page) evidenceOf(es []record.Evidence) string {
	var parts []string
	for _, e := range es[:min(len(es), 4)] {
		if says := clip(e.Says, 120); says != "" {
			parts = append(parts, strings.TrimPrefix(clip(e.Source, nameWidth)+": ", ": ")+says)
		}
	}
	return text(strings.Join(parts, "; "), evidenceWidth)
}

// decisive is the first of the readings, which decided.
func (p *page) decisive(row *Row) string {
	return p.evidenceOf(first(row.Evidence))
}

// besides is the notes of a session that do not merely repeat its question.
func besides(row *Row) []string {
	var says []string
	for _, n := range row.Notes[:min(len(row.Notes), 4)] {
		_, tail, ok := strings.Cut(n.Says, ": ")
		if !ok || !strings.HasPrefix(row.Question, tail) {
			says = append(says, n.Says)
		}
	}
	return says
}

// would is what an acting fleet would do, "" when that is nothing to speak of:
// of a session that waits for the owner there is nothing else to say.
func (row *Row) would() string {
	switch row.WouldDo {
	case "nothing", "report", "report only":
		return ""
	}
	if row.waits() {
		return ""
	}
	return row.WouldDo
}

// group is sessions of one cause.
type group struct {
	lead string // what they share
	rows []*Row
}

// grouped writes a section whose sessions often share a cause: an account's
// limit, a lost login, a surface that was not read.
func (p *page) grouped(s Section) {
	p.heading(s.Title, s.Count)
	last := "\x00"
	for _, g := range p.groups(s) {
		if len(g.rows) > 0 {
			p.hostHead(&last, g.rows[0].Host)
		}
		if len(g.rows) == 1 {
			p.printf("- %s\n", p.line(g.rows[0]))
			p.sub(leadLabel(s.ID), g.lead)
			p.details(g.rows[0])
			continue
		}
		p.printf("- **%s**: %d sessions\n", g.lead, len(g.rows))
		p.sub("evidence", p.sharedEvidence(g.rows))
		p.sub("would do", text(shared(g.rows, func(r *Row) string { return r.would() }), saysWidth))
		for _, row := range g.rows {
			p.printf("  - %s", p.line(row))
			if a := row.attach(); a != "" {
				p.printf(" · %s", code(a))
			}
			p.printf("\n")
		}
	}
}

// sharedEvidence is what decided of every row, "" when that is not the same. Of
// thousands of rows that say it in the same words it is written once.
func (p *page) sharedEvidence(rows []*Row) string {
	differ := slices.CompactFunc(slices.Clone(rows), func(a, b *Row) bool { return slices.Equal(first(a.Evidence), first(b.Evidence)) })
	return shared(differ, p.decisive)
}

func first(es []record.Evidence) []record.Evidence { return es[:min(len(es), 1)] }

// shared is what f says of every row, "" when it does not say the same.
func shared(rows []*Row, f func(*Row) string) string {
	first := f(rows[0])
	for _, r := range rows[1:] {
		if f(r) != first {
			return ""
		}
	}
	return first
}

// groups puts sessions of one cause together, in the order of their oldest
// member; limits whose reset has passed come after live ones.
func (p *page) groups(s Section) []group {
	var gs []group
	index := map[string]int{}
	for _, row := range s.Rows {
		lead := p.lead(s.ID, row)
		j, ok := index[row.Host+"\n"+lead]
		if !ok || lead == "" {
			j = len(gs)
			gs = append(gs, group{lead: lead})
			index[row.Host+"\n"+lead] = j
		}
		gs[j].rows = append(gs[j].rows, row)
	}
	if s.ID == "2" {
		slices.SortStableFunc(gs, func(a, b group) int {
			rank := map[bool]int{true: 1}
			return cmp.Or(byHost(p.many, a.rows[0].Host, b.rows[0].Host), rank[p.passed(a.rows[0])]-rank[p.passed(b.rows[0])])
		})
	}
	return gs
}

// leadLabel says what the lead of a lone session is.
func leadLabel(section string) string {
	switch section {
	case "2":
		return "limit"
	case unknown:
		return "why"
	}
	return "cause"
}

// lead is the cause that a session shares with others, "" when it stands for
// itself.
func (p *page) lead(section string, row *Row) string {
	cause := text(row.Cause, nameWidth)
	switch section {
	case "2":
		cause = cmp.Or(cause, "usage limit")
		if account := text(row.Session.Account, nameWidth); account != "" {
			cause += " of account " + account
		}
		if row.ResetAt == nil {
			return cause + ", reset not known"
		}
		return cause + ", " + p.reset(row.ResetAt.Time)
	case "4":
		return cause
	case unknown:
		return text(why(row), saysWidth)
	}
	return ""
}
