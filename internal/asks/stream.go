package asks

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// stream is the input, and what of it may be rested on.
type stream struct {
	set       *record.Set
	tick      *record.Tick // nil without a configuration
	host      string       // the tick's own
	number    *int         // of the tick; nil when nothing is persisted
	judged    bool         // the judge was read whole
	remembers bool         // entries may be made
	verdicts  []record.Record
	surfaces  []record.Record
}

func newStream(set *record.Set) *stream {
	s := &stream{set: set, judged: set.Closed("", judge) == nil, verdicts: set.Of(record.KindVerdict)}
	for _, r := range set.Of(record.KindSurface) {
		if p, ok := record.Payload[record.Surface](r); ok && p.Records == nil {
			s.surfaces = append(s.surfaces, r)
		}
	}
	if r, t, ok := set.Tick(); ok && set.Closed(r.Host, "fleet-config") == nil {
		s.tick, s.host, s.number = t, r.Host, t.Tick
		s.remembers = t.Tick != nil && s.judged && s.surfaceRead(r.Host, "ledger")
	}
	return s
}

// asked is what the ledger remembers, by key; nothing when it was not read.
func (s *stream) asked() map[string]record.Asked {
	m := map[string]record.Asked{}
	for _, r := range s.set.Of(record.KindAsked) {
		if a, ok := record.Payload[record.Asked](r); ok && s.tick != nil && r.Host == s.host {
			m[a.Key] = *a
		}
	}
	return m
}

// hosts are the machines that must be in the stream.
func (s *stream) hosts() []string {
	switch {
	case s.tick == nil:
		return s.set.Hosts()
	case len(s.tick.Hosts) > 0:
		return s.tick.Hosts
	}
	return []string{s.host}
}

// expects tells whether a product must be read.
func (s *stream) expects(product string) bool {
	if s.tick == nil {
		return product == "claude"
	}
	return slices.Contains(s.tick.Surfaces, product)
}

// programOf is the observer that writes the surfaces of a name.
func programOf(surface string) string {
	product, _, _ := strings.Cut(surface, "/")
	if product == "ledger" {
		return "fleet-ledger"
	}
	return "fleet-observe-" + product
}

// surfaceRead tells whether a surface of a host was read now: its program
// closed, it is there and not absent, and so is each further directory's.
func (s *stream) surfaceRead(host, name string) bool {
	found := false
	program := programOf(name)
	for _, by := range s.set.By(host) {
		if p, _, _ := strings.Cut(by, "@"); p == program && s.set.Closed(host, by) != nil {
			return false
		}
	}
	if s.set.Closed(host, program) != nil {
		return false
	}
	for _, r := range s.surfaces {
		base, _, _ := strings.Cut(r.Subject, "@")
		if r.Host != host || base != name {
			continue
		}
		p, _ := record.Payload[record.Surface](r)
		if !p.OK || p.Absent {
			return false
		}
		found = true
	}
	return found
}

// everywhere tells whether surfaces were read on every host.
func (s *stream) everywhere(names ...string) bool {
	for _, host := range s.hosts() {
		for _, name := range names {
			if !s.surfaceRead(host, name) {
				return false
			}
		}
	}
	return len(s.hosts()) > 0
}

// closed tells whether every program that closes on a host is whole.
func (s *stream) closed() bool {
	for _, host := range s.hosts() {
		for _, by := range s.set.By(host) {
			if s.set.Closed(host, by) != nil {
				return false
			}
		}
	}
	return true
}
