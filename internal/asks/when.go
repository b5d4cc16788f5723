package asks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// configured are the conditions of the configuration's own. An expression that
// fails on a record is not met by it; whether it is met is then not known
// unless another record meets it.
func (s *stream) configured(when When) ([]condition, error) {
	var cs []condition
	for _, a := range s.tick.AskWhen {
		meets, err := when(a.When)
		if err != nil {
			return nil, fmt.Errorf("ask_when %s: %w", a.Key, err)
		}
		met, failed := s.met(meets)
		switch {
		case met:
			cs = append(cs, condition{key: "when:" + a.Key, question: a.Question})
		case failed != nil:
			s.broken = append(s.broken, fmt.Sprintf("ask_when %s: %v", a.Key, failed))
			s.unsure = append(s.unsure, a.Key)
		}
	}
	return cs, nil
}

// met tells whether a record meets an expression, else on which it first
// failed. Asks and entries are conclusions of this program's own.
func (s *stream) met(meets func(record.Record) (bool, error)) (met bool, failed error) {
	for r := range s.set.Each() {
		if s.beside(r) {
			continue
		}
		yes, err := meets(r)
		if yes {
			return true, nil
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s %s: %w", r.Kind, r.Subject, err)
		}
	}
	return false, failed
}

// whenRead: the configuration asks it no more, or everything was read, for any
// record may meet an expression.
func whenRead(s *stream, key string) bool {
	if !slices.ContainsFunc(s.tick.AskWhen, func(a record.AskWhen) bool { return a.Key == key }) {
		return true
	}
	return !slices.Contains(s.unsure, key) && s.allRead()
}

// allRead tells whether all that must be read was read, and nothing that was
// tried failed.
func (s *stream) allRead() bool {
	for _, host := range s.hosts {
		for _, p := range s.products() {
			if s.expects(p.name) && s.runs(host, p.name) && !s.productRead(host, p.name, p.first) {
				return false
			}
		}
	}
	for id := range s.programs() {
		if !s.closes(id.Host, id.Subject) {
			return false
		}
	}
	if slices.ContainsFunc(s.surfaces, func(r record.Record) bool {
		p, _ := record.Payload[record.Surface](r)
		return !p.OK
	}) {
		return false
	}
	return !s.expects("gh") || len(s.unseen()) == 0 && !slices.ContainsFunc(s.seen(), func(p *record.Repo) bool { return !p.OK && !p.NotGitHub })
}

// programs are the observers of which anything is here, by host, each further
// directory apart.
func (s *stream) programs() map[record.Identity]bool {
	ids := map[record.Identity]bool{}
	for r := range s.set.Each() {
		if strings.HasPrefix(r.By, observer) && !s.beside(r) {
			ids[record.Identity{Host: r.Host, Subject: r.By}] = true
		}
	}
	for _, host := range s.hosts {
		for _, label := range s.labels[host] {
			ids[record.Identity{Host: host, Subject: observer + "claude" + label}] = true
		}
	}
	return ids
}
