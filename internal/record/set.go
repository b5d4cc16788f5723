package record

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Set is a stream read whole: the counting record of each identity, and what
// each program's closing record says of it. The zero Set is empty.
type Set struct {
	lines  map[Identity]Line
	newest Time
}

// Add takes a line. Blank lines are ignored. Of several records of one
// identity the one with the newest At is kept, of equally new ones the greater
// line.
func (s *Set) Add(l Line) {
	if l.Blank {
		return
	}
	if s.lines == nil {
		s.lines = map[Identity]Line{}
	}
	if l.Record.At.After(s.newest.Time) {
		s.newest = l.Record.At
	}
	id := l.Record.Identity()
	old, ok := s.lines[id]
	if ok {
		c := l.Record.At.Compare(old.Record.At.Time)
		if c < 0 || c == 0 && bytes.Compare(l.Raw, old.Raw) <= 0 {
			return
		}
	}
	s.lines[id] = l
}

// Of returns the records of one kind, by host, then subject.
func (s *Set) Of(kind Kind) []Record {
	var rs []Record
	for id, l := range s.lines {
		if id.Kind == kind {
			rs = append(rs, l.Record)
		}
	}
	slices.SortFunc(rs, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Subject, b.Subject))
	})
	return rs
}

// All returns every counting record, by kind, host and subject.
func (s *Set) All() []Record {
	kinds := map[Kind]bool{}
	for id := range s.lines {
		kinds[id.Kind] = true
	}
	var rs []Record
	for _, k := range slices.Sorted(mapKeys(kinds)) {
		rs = append(rs, s.Of(k)...)
	}
	return rs
}

func mapKeys(m map[Kind]bool) func(func(Kind) bool) {
	return func(yield func(Kind) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Get returns the counting record of an identity.
func (s *Set) Get(id Identity) (Record, bool) {
	l, ok := s.lines[id]
	return l.Record, ok
}

// Tick returns the newest tick record and its payload; ok is false when there
// is none.
func (s *Set) Tick() (Record, *Tick, bool) {
	var best Record
	for _, r := range s.Of(KindTick) {
		if best.Subject == "" || r.At.After(best.At.Time) {
			best = r
		}
	}
	t, ok := Payload[Tick](best)
	return best, t, ok
}

// Now is the present of a filter, which has no clock: given if it is not zero,
// else the tick record's At, else the newest At of any line. It is the zero
// Time for an empty stream.
func (s *Set) Now(given time.Time) Time {
	if !given.IsZero() {
		return NewTime(given)
	}
	if r, _, ok := s.Tick(); ok {
		return r.At
	}
	return s.newest
}

// Hosts returns the hosts that any record names, sorted.
func (s *Set) Hosts() []string {
	seen := map[string]bool{}
	var hs []string
	for id := range s.lines {
		if id.Host != "" && !seen[id.Host] {
			seen[id.Host] = true
			hs = append(hs, id.Host)
		}
	}
	slices.Sort(hs)
	return hs
}

// By returns the names of the programs that have a closing record on a host,
// with their "@label" when they read a further directory.
func (s *Set) By(host string) []string {
	var names []string
	for _, r := range s.Of(KindSurface) {
		if p, ok := Payload[Surface](r); ok && p.Records != nil && r.Host == host {
			names = append(names, r.Subject)
		}
	}
	return names
}

// Closed says whether the closing record of a program is there and counts what
// is there. name may end in "@label"; a judge, whose records bear the hosts of
// what it judged, closes with an empty host and is counted over all. The error
// says what does not fit; nil means that all that the program added was read.
func (s *Set) Closed(host, name string) error {
	r, ok := s.Get(Identity{host, KindSurface, name})
	p, isSurface := Payload[Surface](r)
	if !ok || !isSurface || p.Records == nil {
		return fmt.Errorf("%s: no closing record", name)
	}
	if n := s.count(host, name); n != *p.Records {
		return fmt.Errorf("%s: closing record counts %d, %d are here", name, *p.Records, n)
	}
	if !p.OK {
		return fmt.Errorf("%s: %s", name, p.Error)
	}
	return nil
}

// count returns how many identities a program added on a host. Those that
// belong to a labelled closing record are counted under it alone.
func (s *Set) count(host, name string) int {
	program, label, labelled := strings.Cut(name, "@")
	var others []string
	if !labelled {
		for _, other := range s.By(host) {
			if p, l, ok := strings.Cut(other, "@"); ok && p == program {
				others = append(others, "@"+l)
			}
		}
	}
	n := 0
	for id, l := range s.lines {
		r := l.Record
		if r.By != program || host != "" && r.Host != host || isClosing(r) {
			continue
		}
		if labelled && !strings.HasSuffix(id.Subject, "@"+label) || hasAnySuffix(id.Subject, others) {
			continue
		}
		n++
	}
	return n
}

// isClosing tells a closing record from any other.
func isClosing(r Record) bool {
	p, ok := Payload[Surface](r)
	return ok && p.Records != nil
}

func hasAnySuffix(s string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(x string) bool { return strings.HasSuffix(s, x) })
}
