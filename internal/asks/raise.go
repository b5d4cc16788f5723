package asks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/record"
)

// condition is something that is true now and that the owner is asked about.
type condition struct {
	key, class, question string
	host, session        string       // of the session that it is about
	lead                 string       // the command that leads to it; "" when none is known
	began                *record.Time // when it was asked; null when it cannot be told
}

// beganAsking is when a session began to wait: since when its process does, else
// when it asked. While it waits neither changes, whatever its other calls and
// its subagents write.
func beganAsking(s *record.Session) *record.Time {
	if p := s.Process; p != nil && p.RawStatus == "waiting" && p.StatusSince != nil {
		return p.StatusSince
	}
	if s.Transcript == nil || s.Transcript.Question == nil {
		return nil
	}
	return s.Transcript.Question.At
}

// raise returns the conditions of the stream, by key; none when the judge was
// not read whole. Without a configuration only sessions and the listing raise
// any.
func (s *stream) raise(when When) ([]condition, error) {
	if !s.judged {
		return nil, nil
	}
	cs := append(s.sessions(), s.listing()...)
	if s.tick != nil {
		own, err := s.configured(when)
		if err != nil {
			return nil, err
		}
		cs = slices.Concat(cs, s.unread(), s.unparsed(), s.drift(), s.findings(), s.repos(), s.heals(), own)
	}
	for i := range cs {
		cs[i].question = oneLine(cs[i].question)
	}
	slices.SortFunc(cs, func(a, b condition) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.question, b.question), cmp.Compare(a.host, b.host))
	})
	return slices.CompactFunc(cs, func(a, b condition) bool { return a.key == b.key }), nil
}

// oneLine keeps a text to its line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }), " ")
}

// sessions that wait at a prompt, or are blocked on the owner. The key has a
// hash of what is asked: another question is another ask.
func (s *stream) sessions() []condition {
	var cs []condition
	for _, r := range s.set.Of(record.KindVerdict) {
		v, ok := record.Payload[record.Verdict](r)
		if !ok || r.By != judge || v.Class != "3" && v.Class != "7" {
			continue
		}
		session := s.session(r.Host, r.Subject)
		if session == nil {
			continue
		}
		prefix := "prompt:"
		if v.Class == "7" {
			prefix = "blocked:"
		}
		prefix += s.in(r.Host, r.Subject) + ":"
		if s.asks(prefix) && !s.worded(r.Host, r.Subject, session) {
			continue // which question it asks is not known, and one is asked
		}
		waiting := ""
		if session.Listing != nil {
			waiting = session.Listing.WaitingFor
		}
		cs = append(cs, condition{prefix + tag(waiting+"\x00"+v.Question), v.Class,
			cmp.Or(v.Session.Name, r.Subject) + ": " + cmp.Or(v.Question, waiting, v.ClassName), r.Host, r.Subject, s.lead(r.Host, v), beganAsking(session)})
	}
	return cs
}

// lead is the command that leads to a session that was judged, "" when none is known.
func (s *stream) lead(host string, v *record.Verdict) string {
	via := attach.Via(s.set, host)
	if via == "" && !s.own(host) {
		return ""
	}
	return attach.Command(v.Session, v.Class != "unknown", via)
}

func (s *stream) session(host, subject string) *record.Session {
	r, _ := s.set.Get(record.Identity{Host: host, Kind: record.KindSession, Subject: subject})
	p, _ := record.Payload[record.Session](r)
	return p
}

// asks tells whether a key that is no more than prefix and a hash is being
// asked.
func (s *stream) asks(prefix string) bool { return s.prefixes[prefix] }

// worded tells whether all that words a session's question was read. Otherwise
// the same question may have other words, and so another key, for a while.
func (s *stream) worded(host, subject string, p *record.Session) bool {
	if p == nil || p.Transcript == nil || p.Transcript.Unread != "" || p.Job != nil && p.Job.Unread != "" {
		return false
	}
	at := s.place(subject)
	return s.read(host, "claude/listing", at.label) && (p.Kind != "background" || p.Job != nil || s.read(host, "claude/jobs", at.label))
}

// listing that was not read. Without a configuration it must be.
func (s *stream) listing() []condition {
	if s.tick != nil && !s.expects("claude") {
		return nil
	}
	var cs []condition
	for _, host := range s.hosts {
		for _, label := range s.labelsOf(host) {
			if s.read(host, "claude/listing", label) {
				continue
			}
			key := "listing" + label
			if !s.own(host) {
				key = "listing:" + host + label
			}
			cs = append(cs, condition{key: key, question: "Claude Code's listing was not read" + on(s, host) + of(label) + ": what its sessions do is not known"})
		}
	}
	return cs
}

// on names a machine that is not the tick's own.
func on(s *stream, host string) string {
	if s.own(host) {
		return ""
	}
	return " on " + host
}

// of names a further Claude directory.
func of(label string) string {
	if label == "" {
		return ""
	}
	return " (" + label[1:] + ")"
}

// products that have surfaces, and the surface whose want is the product's; a
// name without a part stands for the program. The listing and repositories have
// keys of their own.
func (s *stream) products() []struct{ name, first string } {
	return []struct{ name, first string }{{"claude", "claude/listing"}, {"paseo", "paseo/agents"}, {"gh", "gh"},
		{"board", "board/" + s.tick.Scope}, {"schedule", "schedule"}}
}

// runs tells whether the observer of a product runs on a host: that of Claude
// Code on every one, the others on the tick's own.
func (s *stream) runs(host, product string) bool { return product == "claude" || host == s.host }

// unread surfaces of the products that must be read. When a program is not
// whole, or its product is not there, that is one question and not one for
// each of its surfaces.
func (s *stream) unread() []condition {
	var cs []condition
	add := func(host, name string) {
		cs = append(cs, condition{key: "surface:" + s.in(host, strings.Replace(name, "board/", "board:", 1)),
			question: name + " was not read" + on(s, host)})
	}
	if p := s.surface(s.host, "ledger"); p != nil && !p.OK {
		add(s.host, "ledger")
	}
	for _, host := range s.hosts {
		for _, p := range s.products() {
			if !s.expects(p.name) || !s.runs(host, p.name) {
				continue
			}
			switch {
			case p.name == "claude":
			case !strings.Contains(p.first, "/") && !s.closed(host, p.name, ""), strings.Contains(p.first, "/") && !s.read(host, p.first, ""):
				add(host, p.first)
			}
			for _, r := range s.surfaces {
				base, _, _ := strings.Cut(r.Subject, "@")
				sp, _ := record.Payload[record.Surface](r)
				if r.Host == host && productOf(base) == p.name && p.name != "gh" && base != "claude/listing" && !sp.OK {
					add(host, r.Subject)
				}
			}
		}
	}
	return cs
}

// unparsed job files and ledger lines.
func (s *stream) unparsed() []condition {
	var cs []condition
	for _, r := range s.surfaces {
		p, _ := record.Payload[record.Surface](r)
		base, _, _ := strings.Cut(r.Subject, "@")
		label := r.Subject[len(base):]
		switch {
		case p.Unparsed == 0:
		case base == "claude/jobs":
			cs = append(cs, condition{key: "surface:" + s.in(r.Host, "jobs-unparsed"+label),
				question: "job files of background sessions are not understood" + on(s, r.Host) + of(label)})
		case base == "ledger" && r.Host == s.host:
			cs = append(cs, condition{key: "surface:ledger-corrupt", question: "the ledger has damaged lines: fleet-ledger verify names them"})
		}
	}
	return cs
}

// drift: a version, field or word that this release does not know. That of
// Claude Code and of the ledger says itself where it is from.
func (s *stream) drift() []condition {
	var cs []condition
	for _, r := range s.surfaces {
		p, _ := record.Payload[record.Surface](r)
		base, _, _ := strings.Cut(r.Subject, "@")
		label := r.Subject[len(base):]
		product := productOf(base)
		for _, word := range p.Drift {
			what := word
			if product != "claude" && product != "ledger" {
				what = product + " " + word
			}
			cs = append(cs, condition{key: "drift:" + what + label, question: fmt.Sprintf("%s is not known to this release%s", what, of(label))})
		}
	}
	return cs
}

// findings that ask: records without a process, names that the ledger lacks.
func (s *stream) findings() []condition {
	var cs []condition
	for _, r := range s.set.Of(record.KindFinding) {
		f, ok := record.Payload[record.Finding](r)
		if !ok || r.By != judge {
			continue
		}
		switch f.Name {
		case "records-without-process", "fleet-shaped-unledgered":
			cs = append(cs, condition{key: f.Name, question: f.Says})
		case "spawn-duplicate":
			cs = append(cs, condition{key: r.Subject, question: f.Says})
		}
	}
	return cs
}
