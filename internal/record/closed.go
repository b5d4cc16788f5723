package record

import (
	"fmt"
	"strings"
)

// By returns the names of the programs that have a closing record on a host,
// with their "@label" when they read a further directory.
func (s *Set) By(host string) []string {
	s.count()
	return s.closes[host]
}

// Closed says whether the closing record of a program is there and counts what
// is there. name may end in "@label"; a judge, whose records bear the hosts of
// what it judged, closes with an empty host and is counted over all. The error
// says what does not fit; nil means that all that the program added was read.
func (s *Set) Closed(host, name string) error {
	r, ok := s.Get(Identity{host, KindSurface, name})
	if !ok || !isClosing(r) {
		return fmt.Errorf("%s: no closing record", name)
	}
	s.count()
	p, _ := Payload[Surface](r)
	if n := s.tally[program{host, name}]; n != *p.Records {
		return fmt.Errorf("%s: closing record counts %d, %d are here", name, *p.Records, n)
	}
	if !p.OK {
		return fmt.Errorf("%s: %s", name, p.Error)
	}
	return nil
}

// count finds the closing records of each host and how many identities each
// program added. Those whose subject ends in the label of a closing record are
// counted under it alone.
func (s *Set) count() {
	if s.tally != nil {
		return
	}
	s.tally, s.closes = map[program]int{}, map[string][]string{}
	labels := map[program][]string{} // of a program without its label
	for _, r := range s.Of(KindSurface) {
		if !isClosing(r) {
			continue
		}
		s.closes[r.Host] = append(s.closes[r.Host], r.Subject)
		if name, label, ok := strings.Cut(r.Subject, "@"); ok {
			p := program{r.Host, name}
			labels[p] = append(labels[p], "@"+label)
		}
	}
	for _, g := range s.groups {
		for _, r := range g.counting() {
			if isClosing(r) {
				continue
			}
			s.tallied(program{r.Host, r.By}, r.Subject, labels)
			if r.Host != "" {
				s.tallied(program{"", r.By}, r.Subject, labels)
			}
		}
	}
}

// tallied counts a subject under its program, or under the labels that it ends
// in.
func (s *Set) tallied(p program, subject string, labels map[program][]string) {
	labelled := false
	for _, l := range labels[p] {
		if strings.HasSuffix(subject, l) {
			s.tally[program{p.host, p.name + l}]++
			labelled = true
		}
	}
	if !labelled {
		s.tally[p]++
	}
}

// isClosing tells a closing record from any other.
func isClosing(r Record) bool {
	p, ok := Payload[Surface](r)
	return ok && p.Records != nil
}
