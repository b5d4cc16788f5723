package record

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// Set is a stream read whole: the counting record of each identity, and what
// each program's closing record says of it. The zero Set is empty.
//
// Of a session and of a verdict, of which there may be 100,000, it keeps the
// line alone: decoded they are as much memory again, and the first touch of
// memory costs more than to decode once more.
type Set struct {
	groups map[group]*lines
	newest Time
	of     map[Kind][]Record // what Of returned of several groups, until a line of the kind is added
	tally  map[program]int   // what count returns; nil after a line was added
	closes map[string][]string
}

// group is where a subject is unique.
type group struct {
	kind Kind
	host string
}

// lines are the records of a group. The first of them are in order, one a
// subject; what was added since is behind them.
type lines struct {
	rs      []Record
	inOrder int
}

// program is what added a record on a host; over all hosts when host is empty.
// name may end in "@label".
type program struct{ host, name string }

// Add takes a line. Blank lines are ignored. Of several records of one
// identity the one with the newest At is kept, of equally new ones the greater
// line.
func (s *Set) Add(l Line) {
	if l.Blank {
		return
	}
	if s.groups == nil {
		s.groups, s.of = map[group]*lines{}, map[Kind][]Record{}
	}
	r := l.Record
	if r.At.After(s.newest.Time) {
		s.newest = r.At
	}
	r.raw = l.Raw
	switch r.payload.(type) {
	case *Session:
		r.payload = (*Session)(nil)
	case *Verdict:
		r.payload = (*Verdict)(nil)
	}
	key := group{r.Kind, r.Host}
	g := s.groups[key]
	if g == nil {
		g = new(lines)
		s.groups[key] = g
	}
	if len(g.rs) == cap(g.rs) {
		g.rs = slices.Grow(g.rs, max(len(g.rs), 8))
	}
	g.rs = append(g.rs, r)
	delete(s.of, r.Kind)
	s.tally = nil
}

// counting returns the counting records of a group by subject.
func (g *lines) counting() []Record {
	if g == nil {
		return nil
	}
	if g.inOrder == len(g.rs) {
		return g.rs
	}
	slices.SortFunc(g.rs, func(a, b Record) int {
		return cmp.Or(strings.Compare(a.Subject, b.Subject), b.At.Compare(a.At.Time), bytes.Compare(b.raw, a.raw))
	})
	g.rs = slices.CompactFunc(g.rs, func(a, b Record) bool { return a.Subject == b.Subject })
	g.inOrder = len(g.rs)
	return g.rs
}

// Of returns the records of one kind, by host, then subject. The caller does
// not change them.
func (s *Set) Of(kind Kind) []Record {
	if rs, ok := s.of[kind]; ok {
		return rs
	}
	var hosts []string
	for key := range s.groups {
		if key.kind == kind {
			hosts = append(hosts, key.host)
		}
	}
	if len(hosts) == 1 {
		return slices.Clip(s.groups[group{kind, hosts[0]}].counting())
	}
	slices.Sort(hosts)
	var rs []Record
	for _, host := range hosts {
		rs = append(rs, s.groups[group{kind, host}].counting()...)
	}
	if s.of != nil {
		s.of[kind] = rs
	}
	return rs
}

// kinds returns the kinds that the set has records of, sorted.
func (s *Set) kinds() []Kind {
	var kinds []Kind
	for key := range s.groups {
		kinds = append(kinds, key.kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// All returns every counting record, by kind, host and subject.
func (s *Set) All() []Record {
	n := 0
	for _, g := range s.groups {
		n += len(g.counting())
	}
	return slices.AppendSeq(make([]Record, 0, n), s.Each())
}

// Each yields what All returns, and keeps no list of it.
func (s *Set) Each() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, k := range s.kinds() {
			for _, r := range s.Of(k) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Get returns the counting record of an identity.
func (s *Set) Get(id Identity) (Record, bool) {
	rs := s.groups[group{id.Kind, id.Host}].counting()
	i, ok := slices.BinarySearchFunc(rs, id.Subject, func(r Record, subject string) int { return strings.Compare(r.Subject, subject) })
	if !ok {
		return Record{}, false
	}
	return rs[i], true
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

// Empty tells that the set has no record.
func (s *Set) Empty() bool { return len(s.groups) == 0 }

// Hosts returns the hosts that any record names, sorted.
func (s *Set) Hosts() []string {
	var hs []string
	for key := range s.groups {
		if key.host != "" {
			hs = append(hs, key.host)
		}
	}
	slices.Sort(hs)
	return slices.Compact(hs)
}
