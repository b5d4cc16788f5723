package report

import (
	"cmp"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Need is one thing that needs the owner: a question that fleet asks, of a session that
// waits too, or a session that waits and that fleet asked nothing about. They are what the
// other formats show as "Needs me", in their order: what is answered last, of several
// machines one after the other, oldest first.
type Need struct {
	Host     string       `json:"host"`               // machine of the session, else that the question names; "" when it names none
	Session  string       `json:"session"`            // subject of its verdict, or of what it would have; "" when it is about none
	Name     string       `json:"name"`               // of the session; "" when it has none, or no verdict
	Class    string       `json:"class"`              // of the session, as it is judged now where it is; "" when it is about none
	Question string       `json:"question"`           // what fleet asks, without the name of the session in front, else what the session does; one line
	Now      string       `json:"asks_now,omitempty"` // what the session asks now; absent when that is what fleet asks, or nothing
	Since    *record.Time `json:"since"`              // of a session that waits when it began to, else when fleet asked; null when it cannot be told
	Go       string       `json:"go"`                 // the command that leads to the session; "" when none is known
	Ack      string       `json:"ack"`                // the command that acknowledges the question; "" when it was, or fleet asked none that an answer would find
	Answered bool         `json:"answered"`           // it is acknowledged, and still true

	ask *Ask // null when fleet asked nothing
	row *Row // null when it is about no session that was judged
}

// say fills what a need says.
func (r *Report) say(n *Need) {
	n.Host, n.Since, n.Answered = n.id().host, n.since(), n.rank() == answered
	if a := n.ask; a != nil {
		n.Ack, n.Question = r.ack(a), cmp.Or(clean(a.Question), clean(a.Key), "a question without words")
		n.Session, n.Class = a.Session, a.Class
	}
	if n.row == nil {
		return
	}
	n.Session, n.Name, n.Class, n.Go = n.row.Subject, n.row.Session.Name, n.row.Class, n.row.attach()
	now := clean(n.row.Question)
	if n.ask == nil {
		n.Question = now
		return
	}
	asked := strings.TrimPrefix(clean(n.ask.Question), clean(cmp.Or(n.row.Session.Name, n.row.Subject))+": ")
	switch waits := n.row.waits(); {
	case asked != "":
		n.Question = asked
		if waits && now != asked {
			n.Now = now
		}
	case waits && now != "":
		n.Question = now
	}
}

func (n Need) rank() int {
	if n.ask == nil {
		return open
	}
	return n.ask.rank()
}

// since is when the need began: of a session that waits, when it began to.
func (n Need) since() *record.Time {
	if n.row != nil && (n.ask == nil || n.row.waits() && n.row.Session.Since != nil) {
		return n.row.Session.Since
	}
	return n.ask.Since
}

func compareNeeds(a, b Need) int {
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		compareTimes(a.since(), b.since()),
		a.id().compare(b.id()),
		cmp.Compare(a.askKey(), b.askKey()),
	)
}

func (n Need) id() key {
	if n.row != nil {
		return n.row.key()
	}
	return key{host: n.ask.Host}
}

func (n Need) askKey() string {
	if n.ask != nil {
		return n.ask.Key
	}
	return ""
}
