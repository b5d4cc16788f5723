package asks

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// The programs whose lines asks rest on.
const (
	judge    = "fleet-classify"
	config   = "fleet-config"
	observer = "fleet-observe-" // and its product
	ledger   = "fleet-ledger"
)

// stream is the input, and what of it may be rested on.
type stream struct {
	set      *record.Set
	tick     *record.Tick // nil without a configuration
	host     string       // the tick's own, "" without one
	hosts    []string     // the machines that must be in the stream
	asked    map[string]record.Asked
	prefixes map[string]bool // their keys, each up to its last colon
	surfaces []record.Record // those of hosts, closing records left out
	judged   bool            // the judge was read whole
	known    bool            // the ledger was read: what asked lacks is not being asked
	settled  bool            // and the configuration too, so that an ask may end
	unsure   []string        // keys of ask_when that could not be evaluated
	broken   []string        // what Fold.Broken says

	whole  map[record.Identity]bool // programs, by host and name, whether all that they added is here
	labels map[string][]string      // of the further Claude directories of a host

	unnamed map[place]bool // hosts and labels that have a session of which nobody knows which one it is; nil: nobody looked
}

func newStream(set *record.Set) *stream {
	s := &stream{set: set, asked: map[string]record.Asked{}, prefixes: map[string]bool{}, whole: map[record.Identity]bool{}, labels: map[string][]string{}}
	s.judged = s.closes("", judge)
	r, tick, configured := set.Tick()
	if configured {
		s.tick, s.host, s.hosts = tick, r.Host, tick.Hosts
		if len(s.hosts) == 0 {
			s.hosts = []string{s.host}
		}
		s.known = s.ledgerRead(s.host)
		s.settled = s.known && s.judged && s.closes(s.host, config)
	} else {
		// A configuration of which only a part came is not the want of one.
		s.judged = s.judged && len(s.wrote(config)) == 0
		s.known = !slices.ContainsFunc(s.wrote(ledger), func(host string) bool { return !s.ledgerRead(host) })
		if s.hosts = set.Hosts(); len(s.hosts) == 0 {
			s.hosts = []string{""}
		}
	}
	for _, r := range set.Of(record.KindAsked) {
		if a, ok := record.Payload[record.Asked](r); ok && a.State != record.AskResolved && s.own(r.Host) {
			s.asked[a.Key] = *a
			s.prefixes[a.Key[:strings.LastIndexByte(a.Key, ':')+1]] = true
		}
	}
	for _, r := range set.Of(record.KindSurface) {
		if i := strings.LastIndexByte(r.Subject, '@'); i >= 0 && r.By == observer+"claude" && !slices.Contains(s.labels[r.Host], r.Subject[i:]) {
			s.labels[r.Host] = append(s.labels[r.Host], r.Subject[i:])
		}
		if p, ok := record.Payload[record.Surface](r); ok && p.Records == nil && slices.Contains(s.hosts, r.Host) && !s.beside(r) {
			s.surfaces = append(s.surfaces, r)
		}
	}
	return s
}

// own tells whether a host is the tick's own; without a tick each is.
func (s *stream) own(host string) bool { return s.tick == nil || host == s.host }

// beside tells a record that nothing may rest on: of another machine than the
// tick's own only Claude Code is looked at.
func (s *stream) beside(r record.Record) bool {
	product, observed := strings.CutPrefix(r.By, observer)
	return s.tick != nil && observed && !s.runs(r.Host, product)
}

// persists tells whether entries may be made.
func (s *stream) persists() bool {
	return s.settled && s.tick.Tick != nil && s.read(s.host, "ledger", "")
}

// wrote returns the hosts of the lines that a program added.
func (s *stream) wrote(program string) []string {
	var hosts []string
	for r := range s.set.Each() {
		if r.By == program && !slices.Contains(hosts, r.Host) {
			hosts = append(hosts, r.Host)
		}
	}
	return hosts
}

// ledgerRead tells whether the ledger of a host was read, or was never begun.
func (s *stream) ledgerRead(host string) bool {
	p := s.surface(host, "ledger")
	return p != nil && p.OK && s.closes(host, ledger)
}

// expects tells whether the configuration says that a product must be read.
func (s *stream) expects(product string) bool {
	return slices.Contains(s.tick.Surfaces, product)
}

// productOf is the product of a surface: claude of claude/jobs.
func productOf(surface string) string {
	product, _, _ := strings.Cut(surface, "/")
	return product
}

// surface returns the record of a surface, nil when it is not here.
func (s *stream) surface(host, name string) *record.Surface {
	r, _ := s.set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: name})
	p, _ := record.Payload[record.Surface](r)
	return p
}

// closes tells whether all is here that a program added on a host.
func (s *stream) closes(host, program string) bool {
	id := record.Identity{Host: host, Subject: program}
	whole, known := s.whole[id]
	if !known {
		whole = s.set.Closed(host, program) == nil
		s.whole[id] = whole
	}
	return whole
}

// labelsOf returns the labels of the Claude directories of a host, "" first.
func (s *stream) labelsOf(host string) []string {
	return append([]string{""}, s.labels[host]...)
}

// closed tells whether all is here that the observer of a product added on a
// host, for a further directory when label is not empty.
func (s *stream) closed(host, product, label string) bool {
	program := observer + product
	if product == "ledger" {
		program = ledger
	}
	return s.closes(host, program+label)
}

// read tells whether a surface was read: its program is whole, and it is there,
// not failed and not absent. What the machine has once has no label.
func (s *stream) read(host, name, label string) bool {
	p := s.surface(host, name+label)
	return p != nil && p.OK && !p.Absent && s.closed(host, productOf(name), label)
}

// unfailed tells whether no surface of these names failed on a host. Whether
// one is missing tells the count of its program.
func (s *stream) unfailed(host, label string, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		p := s.surface(host, name+label)
		return p != nil && !p.OK
	})
}

// everywhere tells whether a surface of Claude Code was read on every host, in
// every directory.
func (s *stream) everywhere(name string) bool {
	for _, host := range s.hosts {
		for _, label := range s.labelsOf(host) {
			if !s.read(host, name, label) {
				return false
			}
		}
	}
	return true
}
