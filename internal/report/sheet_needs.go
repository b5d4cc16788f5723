package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/shell"
)

// A card is one thing that needs the owner.
type card struct {
	Done     bool   // answered, and still true
	State    string // its number and what became of it; "" when nobody asked
	Question string
	Now      string // what its session asks now; "" when that is the question
	Name, ID string // its session; "" when it is about none
	Anchor   int    // row of the session
	Label    string // class of the session
	Kind     string // section of the session
	Place    string
	Since    string
	Seen     string
	Notes    []string
	Ack, Go  string // commands
	Nowhere  string // why there is no command that leads to its session; "" when there is one
}

// Cards is what needs the owner, in order.
func (s *sheet) Cards() []card {
	p := &page{Report: s.Report, names: s.names, clock: s.clock}
	var cs []card
	for _, n := range s.Needs {
		c := card{Done: n.Answered, Question: s.Text(n.Question), Now: s.Text(n.Now), Ack: n.Ack, Go: n.Go}
		if n.ask != nil {
			c.State = p.stateOf(n.ask)
		}
		if row := n.row; row != nil {
			c.Name, c.ID, c.Anchor = cmp.Or(s.Name(row.Session.Name), "(no name)"), s.short(row), s.anchors[row.key()]
			c.Kind, c.Label, c.Place = sectionOf(row.Class), s.className(row), s.place(row)
			if row.waits() {
				c.Since, c.Seen = p.since(row), s.readings(row)
				for _, says := range besides(row) {
					c.Notes = append(c.Notes, s.Text(says))
				}
			}
		}
		if n.row != nil && n.Go == "" {
			c.Nowhere = nowhere
		}
		cs = append(cs, c)
	}
	return cs
}

// ack is the command that acknowledges an ask, "" when no answer would find it.
func (r *Report) ack(a *Ask) string {
	if a.Batch <= 0 || a.rank() != open || r.Tick == nil || !plainAsk(a.ID) {
		return ""
	}
	return r.ackCommand(strconv.Itoa(a.Batch), a.ID)
}

// ackCommand acknowledges an ask of a batch, the whole batch without one. It is
// "" when the scope is not what a shell reads as it stands, or the configuration
// is at a path that cannot be shown.
func (r *Report) ackCommand(batch, ask string) string {
	if !plainID(r.Scope) || len(r.Scope) > idWidth || r.config != clean(r.config) || strings.Contains(r.config, "`") {
		return ""
	}
	s := "fleet-asks ack " + batch + " --scope " + r.Scope
	if r.config != "" {
		s += " --config " + shell.Word(r.config)
	}
	if ask != "" {
		s += " --ask " + ask
	}
	return s
}

// plainAsk tells an id of an ask that a shell reads as it stands.
func plainAsk(id string) bool { return plainID(id) && len(id) <= 12 }

// Quiet is what to say when nothing needs the owner.
func (s *sheet) Quiet() string {
	switch {
	case len(s.Needs) > 0 || s.Alarm != "":
		return ""
	case s.Total == 0:
		return "No sessions."
	case len(s.NotRead) > 0:
		return "Nothing that was read needs you."
	}
	return "Nothing needs you."
}

// Batches sums up the batches that wait for an answer.
func (s *sheet) Batches() string {
	b := s.batches()
	if b.unanswered == 0 {
		return ""
	}
	says := fmt.Sprintf("%s unanswered, %d of them unseen; the oldest is batch %d", count(b.unanswered, "batch", "batches"), b.unseen, b.oldest)
	if b.since != nil {
		says += ", " + s.local(b.since.Time)
	}
	return says + "."
}

// Resolved is the questions that are no longer open.
func (s *sheet) Resolved() []string {
	var parts []string
	for _, a := range s.Asks {
		if a.rank() == resolved {
			parts = append(parts, s.Text(cmp.Or(clean(a.Question), clean(a.Key), "a question without words")))
		}
	}
	return parts
}

// className is a row's class in words.
func (s *sheet) className(row *Row) string {
	if c := clip(row.ClassName, 40); c != "" {
		return c
	}
	return "class " + clip(row.Class, 12)
}
