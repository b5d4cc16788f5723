package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// needsMe writes the open asks, and the waiting sessions that nobody asked
// about; answered ones last.
func (p *page) needsMe(s Section) {
	if len(p.Needs) > 0 {
		p.heading(s.Title, len(p.Needs))
	} else if p.Alarm == "" && p.Total > 0 {
		quiet := "Nothing needs you."
		if len(p.NotRead) > 0 {
			quiet = "Nothing that was read needs you."
		}
		p.printf("\n%s\n", quiet)
	}
	if b := p.batches(); b.unanswered > 0 {
		p.printf("%s unanswered, %d of them unseen; the oldest is batch %d", count(b.unanswered, "batch", "batches"), b.unseen, b.oldest)
		if b.since != nil {
			p.printf(", %s", p.local(b.since.Time))
		}
		p.printf(".\n\n")
	}
	if how := p.ackable(); how != "" {
		p.printf("Acknowledge by batch and number, such as the first with %s.\n\n", code(how))
	}
	last := "\x00"
	for _, n := range p.Needs {
		p.hostHead(&last, n.id().host)
		p.needed(n)
	}
	p.resolved()
}

// ackable is how to acknowledge the first ask that can be, "" when none can.
func (p *page) ackable() string {
	for _, n := range p.Needs {
		if n.Ack != "" {
			return n.Ack
		}
	}
	return ""
}

// needed writes one thing that needs the owner.
func (p *page) needed(n Need) {
	switch {
	case n.row == nil:
		p.printf("- **%s**\n", text(n.Question, questionWidth))
		p.sub("fleet asks", p.state(n.ask))
	case n.ask == nil:
		p.printf("- %s\n", p.line(n.row))
		p.sub("asks", text(n.Question, questionWidth))
		p.facts(n.row)
	case n.row.waits():
		p.printf("- %s\n", p.line(n.row))
		p.sub("fleet asks", p.state(n.ask))
		p.sub("asks", text(n.Question, questionWidth))
		p.sub("asks now", text(n.Now, questionWidth))
		p.facts(n.row)
	default: // its session stands in another section
		p.printf("- %s · %s\n", p.title(n.row, nameWidth, true), p.where(n.row, whereWidth))
		p.sub("fleet asks", p.state(n.ask))
		p.sub("asked", text(n.Question, questionWidth))
		p.sub("go", code(n.Go))
	}
	if n.row != nil && n.Go == "" {
		p.sub("go", nowhere)
	}
}

// nowhere stands where the command would that leads to a session.
const nowhere = "no command leads there: no tmux pane and no background job of it is known"

// title is an ask's question, else its key.
func title(a *Ask, columns int) string {
	return cmp.Or(text(a.Question, columns), text(a.Key, columns), "a question without words")
}

// state is an ask's number and what became of it.
func (p *page) state(a *Ask) string { return inert(p.stateOf(a)) }

// stateOf is state before it is made inert.
func (p *page) stateOf(a *Ask) string {
	s := clip(a.ID, 12)
	if a.Batch > 0 {
		s = fmt.Sprintf("%s of batch %d", cmp.Or(s, "one"), a.Batch)
	}
	said := map[string]string{
		record.AskNew:       "new",
		record.AskOpen:      "still open",
		record.AskUnchecked: "open, not re-checked: what it rests on was not read",
		record.AskAcked:     "answered, and still true",
	}
	s = strings.TrimPrefix(s+", "+cmp.Or(said[a.State], clip(a.State, 12), "open"), ", ")
	if a.Since != nil && a.State != record.AskNew {
		s += ", raised " + p.local(a.Since.Time)
	}
	return s
}

// resolved writes what is no longer true.
func (p *page) resolved() {
	var parts []string
	for _, a := range p.Asks {
		if a.rank() == resolved {
			parts = append(parts, title(&a, 80))
		}
	}
	if len(parts) > 0 {
		p.printf("\nResolved since the last tick: %s.\n", strings.Join(parts, "; "))
	}
}
