package record

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
)

// Set is a stream read whole: the counting record of each identity, and what
// each program's closing record says of it. The zero Set is empty.
type Set struct {
	groups map[group]map[string]*Line // by subject
	newest Time
	of     map[Kind][]Record // what Of returned, until a line of the kind is added
	tally  map[program]int   // what count returns; nil after a line was added
	closes map[string][]string
}

// group is where a subject is unique.
type group struct {
	kind Kind
	host string
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
		s.groups, s.of = map[group]map[string]*Line{}, map[Kind][]Record{}
	}
	if l.Record.At.After(s.newest.Time) {
		s.newest = l.Record.At
	}
	key := group{l.Record.Kind, l.Record.Host}
	g := s.groups[key]
	if g == nil {
		g = map[string]*Line{}
		s.groups[key] = g
	}
	if old := g[l.Record.Subject]; old == nil {
		g[l.Record.Subject] = &l
	} else {
		c := l.Record.At.Compare(old.Record.At.Time)
		if c < 0 || c == 0 && bytes.Compare(l.Raw, old.Raw) <= 0 {
			return
		}
		*old = l
	}
	delete(s.of, l.Record.Kind)
	s.tally = nil
}

// Of returns the records of one kind, by host, then subject. The caller does
// not change them.
func (s *Set) Of(kind Kind) []Record {
	if rs, ok := s.of[kind]; ok {
		return rs
	}
	var rs []Record
	for key, g := range s.groups {
		if key.kind == kind {
			rs = slices.Grow(rs, len(g))
			for _, l := range g {
				rs = append(rs, l.Record)
			}
		}
	}
	slices.SortFunc(rs, func(a, b Record) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Subject, b.Subject))
	})
	if s.of != nil {
		s.of[kind] = rs
	}
	return rs
}

// All returns every counting record, by kind, host and subject.
func (s *Set) All() []Record {
	var kinds []Kind
	for key := range s.groups {
		kinds = append(kinds, key.kind)
	}
	slices.Sort(kinds)
	var rs []Record
	for _, k := range slices.Compact(kinds) {
		rs = append(rs, s.Of(k)...)
	}
	return rs
}

// Get returns the counting record of an identity.
func (s *Set) Get(id Identity) (Record, bool) {
	l := s.groups[group{id.Kind, id.Host}][id.Subject]
	if l == nil {
		return Record{}, false
	}
	return l.Record, true
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
	var hs []string
	for key := range s.groups {
		if key.host != "" {
			hs = append(hs, key.host)
		}
	}
	slices.Sort(hs)
	return slices.Compact(hs)
}
