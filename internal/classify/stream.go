package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Local is the scope of a stream without a configuration: everything on the
// machine.
const Local = "local"

// The programs whose lines a verdict may rest on.
const (
	config  = "fleet-config"
	claude  = "fleet-observe-claude"
	paseo   = "fleet-observe-paseo"
	github  = "fleet-observe-gh"
	board   = "fleet-observe-board"
	ledgers = "fleet-ledger"
)

// products are the words of the configuration key surfaces.
var products = map[string]string{paseo: "paseo", github: "gh", board: "board", ledgers: "ledger"}

// stream is a record set with what judging looks up again and again.
type stream struct {
	set      *record.Set
	tick     *record.Tick // nil: no configuration
	surfaces map[record.Identity]*record.Surface
	closed   map[record.Identity]error
	wrote    map[string][]string // hosts of the lines of a program
	boards   map[record.Identity]*record.Board
	repos    map[string]*record.Repo
	hosts    map[string]*record.Host
	waking   map[string]waking // by host
	agents   []record.Record
	mine     map[string]string // why a session or job id is ours
	makers   []string          // Paseo agents whose sessions are ours
	all      bool              // the configuration adopts every session
	ledger   map[string]bool   // session and job ids that the ledger knows
	asked    map[string]int    // by session, as a question names it: the tick that first asked what is not resolved
	config   Reading           // what fleet-config said is here whole
}

func newStream(set *record.Set) *stream {
	st := &stream{set: set, surfaces: map[record.Identity]*record.Surface{}, closed: map[record.Identity]error{},
		wrote: map[string][]string{}, boards: map[record.Identity]*record.Board{}, repos: map[string]*record.Repo{},
		hosts: map[string]*record.Host{}, agents: set.Of(record.KindAgent), mine: map[string]string{}, ledger: map[string]bool{}, asked: map[string]int{}}
	_, st.tick, _ = set.Tick()
	for r := range set.Each() {
		if !slices.Contains(st.wrote[r.By], r.Host) {
			st.wrote[r.By] = append(st.wrote[r.By], r.Host)
		}
		if p, ok := record.Payload[record.Surface](r); ok {
			st.surfaces[r.Identity()] = p
		}
		if p, ok := record.Payload[record.Board](r); ok {
			st.boards[record.Identity{Host: r.Host, Subject: p.SessionID}] = p
		}
		if p, ok := record.Payload[record.Repo](r); ok {
			st.repos[p.CommonDir] = p
		}
		if p, ok := record.Payload[record.Host](r); ok {
			st.hosts[r.Host] = p
		}
		if p, ok := record.Payload[record.Asked](r); ok && p.State != record.AskResolved && p.Session != "" {
			st.asked[p.Session] = p.FirstTick
		}
		if p, ok := record.Payload[record.Owned](r); ok {
			id := cmp.Or(p.SessionID, p.JobID)
			st.ledger[id] = true
			st.adopt(id, p.PaseoAgentID, cmp.Or(p.Why, "in the ledger"))
		}
	}
	if st.tick != nil {
		for _, a := range st.tick.Adopted {
			st.adopt(a.SessionID, a.PaseoAgentID, "adopted in the configuration")
		}
	}
	st.config = st.configured()
	st.waking = st.wakings()
	return st
}

// adopt makes a session, or all of an agent's, ours.
func (st *stream) adopt(session, agent, why string) {
	if st.all = st.all || session == "*"; session != "" {
		st.mine[session] = why
	}
	if agent != "" {
		st.makers = append(st.makers, agent)
	}
}

// scope is the id of the scope that is judged.
func (st *stream) scope() string {
	if st.tick == nil {
		return Local
	}
	return st.tick.Scope
}

// program answers whether all that a program added on a host is here.
func (st *stream) program(host, name string) Reading {
	id := record.Identity{Host: host, Kind: record.KindSurface, Subject: name}
	err, ok := st.closed[id]
	if !ok {
		err = st.set.Closed(host, name)
		st.closed[id] = err
	}
	if err != nil {
		why := strings.TrimPrefix(err.Error(), name+": ")
		return unread(name, "%s", why)
	}
	return Reading{Truth: Yes}
}

// configured answers whether what fleet-config said is here whole: its closing
// record without its tick would judge a scope as everything on the machine.
func (st *stream) configured() Reading {
	for _, host := range st.wrote[config] {
		if r := st.program(host, config); r.Truth != Yes {
			return r
		}
		if st.tick == nil {
			return unread(config, "its tick record is not here")
		}
	}
	return Reading{Truth: Yes}
}

// expects tells whether a verdict may rest on a program: the configuration
// names its product, or it was run.
func (st *stream) expects(program string) bool {
	return len(st.wrote[program]) > 0 || st.named(program)
}

// expectsOn is expects of a program that looks at one machine: in a scope only
// Claude Code is looked at on another than the tick's own.
func (st *stream) expectsOn(host, program string) bool {
	return st.expects(program) && (st.tick == nil || st.tick.Host == "" || st.tick.Host == host)
}

// named tells whether the configuration says that a program's product must be
// read. One that it does not name may be absent.
func (st *stream) named(program string) bool {
	return st.tick != nil && slices.Contains(st.tick.Surfaces, products[program])
}

// absent tells that a part is not installed and that the configuration does not
// name its product: there is nothing to read.
func (st *stream) absent(program, host, name string) bool {
	s := st.surfaces[record.Identity{Host: host, Kind: record.KindSurface, Subject: name}]
	return s != nil && s.Absent && !st.named(program)
}

// everywhere answers whether a program was read on every host it ran on.
func (st *stream) everywhere(program string) Reading {
	if len(st.wrote[program]) == 0 {
		return unread(program, "no closing record")
	}
	for _, host := range st.wrote[program] {
		if r := st.program(host, program); r.Truth != Yes {
			return r
		}
	}
	return Reading{Truth: Yes}
}

// remembered answers whether the ledger was read, also one that is not there yet.
func (st *stream) remembered() Reading {
	if r := st.everywhere(ledgers); r.Truth != Yes {
		return r
	}
	for _, host := range st.wrote[ledgers] {
		s := st.surfaces[record.Identity{Host: host, Kind: record.KindSurface, Subject: "ledger"}]
		if r := st.surface(host, "ledger", false); r.Truth != Yes && (s == nil || !s.Absent) {
			return r
		}
	}
	return Reading{Truth: Yes}
}

// surface answers whether a part was read. here tells that something of the
// part is in the stream, which proves it where no record says so.
func (st *stream) surface(host, name string, here bool) Reading {
	s, ok := st.surfaces[record.Identity{Host: host, Kind: record.KindSurface, Subject: name}]
	switch {
	case !ok && here:
		return Reading{Truth: Yes}
	case !ok:
		return unread(name, "was not read")
	case s.Absent:
		return unread(name, "not installed")
	case !s.OK && s.Error == "":
		return unread(name, "could not be read")
	case !s.OK:
		return unread(name, "could not be read: %s", s.Error)
	}
	return Reading{Truth: Yes}
}

// boardOf returns the row of a session: Yes and the row, No without one, Unread
// when the scope's board was not read.
func (st *stream) boardOf(host string, ids []string) (*record.Board, Reading) {
	name := "board/" + st.scope()
	if !st.expectsOn(host, board) {
		return nil, no(name, "no board is expected")
	}
	if r := st.program(host, board); r.Truth != Yes {
		return nil, unread(name, "%s", r.Says[0].Says)
	}
	var read Reading
	if st.tick != nil {
		read = st.surface(host, name, false)
	} else {
		read = st.boardsOf(host)
	}
	if st.absent(board, host, name) {
		return nil, no(name, "not installed, and not expected")
	}
	if read.Truth != Yes {
		return nil, read
	}
	for _, id := range ids {
		if b := st.boards[record.Identity{Host: host, Subject: id}]; b != nil {
			return b, Reading{Truth: Yes}
		}
	}
	return nil, no(name, "no row")
}

// boardsOf answers whether every board that was tried on a host was read.
func (st *stream) boardsOf(host string) Reading {
	var names []string
	for id := range st.surfaces {
		if id.Host == host && strings.HasPrefix(id.Subject, "board/") {
			names = append(names, id.Subject)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		s := st.surfaces[record.Identity{Host: host, Kind: record.KindSurface, Subject: name}]
		if r := st.surface(host, name, false); r.Truth != Yes && !s.Absent {
			return r
		}
	}
	return Reading{Truth: Yes}
}

// ids are the names under which other sources may know a session.
func ids(s *record.Session) []string {
	all := []string{s.SessionID}
	for _, a := range s.Aliases {
		all = append(all, strings.TrimPrefix(a, "job:"))
	}
	if s.Job != nil {
		all = append(all, s.Job.ID)
	}
	if s.Listing != nil {
		all = append(all, s.Listing.ID)
	}
	return slices.DeleteFunc(all, func(id string) bool { return id == "" })
}

// label is "" or the "@label" of a further Claude directory.
func label(s *record.Session) string {
	if s.Account == "" {
		return ""
	}
	return "@" + s.Account
}

// oneOf reports whether a and b share an element.
func oneOf(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// stamp is a time as a person reads it.
func stamp(t record.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// complaint is what a reading says first, with the surface in front; "" when it
// says nothing.
func complaint(r Reading) string {
	if len(r.Says) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", r.Says[0].Source, r.Says[0].Says)
}
