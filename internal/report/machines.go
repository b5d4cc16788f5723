package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Machine is one of the machines of a report.
type Machine struct {
	Host     string         `json:"host"`
	At       *record.Time   `json:"at"`       // when it was looked at, by its own clock; null when it was not
	Says     string         `json:"says"`     // why it was not read; "" when it was
	Sessions int            `json:"sessions"` // verdicts
	Counts   map[string]int `json:"counts"`   // the same by section
}

// overSSH is the surface that tells whether another machine answered, and when
// by the clock of the machine that asked.
const overSSH = "ssh"

// answeredAt is when a machine that was asked through ssh answered; ok is false
// when it did not, or was not asked.
func answeredAt(set *record.Set, host string) (at record.Time, ok bool) {
	rec, _ := set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: overSSH})
	s, is := record.Payload[record.Surface](rec)
	return rec.At, is && s.OK
}

// addMachines takes the machines that were looked at, or should have been, the
// tick's own first.
func (r *Report) addMachines(set *record.Set) {
	hosts := expectedHosts(ticksOf(set))
	pictures := pictures(set)
	for _, host := range set.Hosts() {
		_, looked := pictures[host]
		judged := slices.ContainsFunc(r.hosts, func(rows []Row) bool { return rows[0].Host == host })
		if (looked || judged) && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	r.Machines = []Machine{}
	for _, host := range hosts {
		m := Machine{Host: host, Counts: map[string]int{}}
		if at, ok := pictures[host]; ok {
			m.At = &at
		}
		for _, n := range r.NotRead {
			program, _, _ := strings.Cut(n.Name, "@")
			if n.Host == host && (n.Why == WhyHost || n.Why == WhyCut && program == observers["claude"]) {
				m.Says = cmp.Or(m.Says, n.Says)
			}
		}
		for _, rows := range r.hosts {
			if rows[0].Host == host {
				m.Sessions = len(rows)
				for i := range rows {
					m.Counts[sectionOf(rows[i].Class)]++
				}
			}
		}
		r.Machines = append(r.Machines, m)
	}
}

// pictures is the newest look at each machine that was looked at.
func pictures(set *record.Set) map[string]record.Time {
	newest := map[string]record.Time{}
	for _, kind := range []record.Kind{record.KindHost, record.KindSession} {
		for _, rec := range set.Of(kind) {
			if rec.At.After(newest[rec.Host].Time) {
				newest[rec.Host] = rec.At
			}
		}
	}
	return newest
}

// oldHosts is the machines whose picture is old. A clock that is wrong is no
// picture that is old: one that answered in this tick is never, one ahead of the
// tick makes no other old, and without a tick nobody knows which clock is right.
func oldHosts(set *record.Set) []NotRead {
	seen := pictures(set)
	rec, _, ok := set.Tick()
	if !ok {
		first, last := apart(seen)
		if first == last {
			return nil
		}
		return []NotRead{{Host: first, Name: first, Why: WhyOld, Says: fmt.Sprintf("its picture is %s older than that of %s, or a clock is wrong",
			words(seen[last].Sub(seen[first].Time)), last)}}
	}
	var ns []NotRead
	for host, at := range seen {
		if _, ok := answeredAt(set, host); ok {
			continue
		}
		if d := rec.At.Sub(at.Time); d > oldAfter {
			ns = append(ns, NotRead{Host: host, Name: host, Why: WhyOld, Says: words(d) + " older than the tick, unless its clock is wrong"})
		}
	}
	return ns
}

// apart is the machines with the oldest and the newest picture, which are one
// when all pictures are of about one time.
func apart(seen map[string]record.Time) (first, last string) {
	for host, at := range seen {
		if first == "" || at.Before(seen[first].Time) || at.Equal(seen[first].Time) && host < first {
			first = host
		}
		if last == "" || at.After(seen[last].Time) || at.Equal(seen[last].Time) && host < last {
			last = host
		}
	}
	if seen[last].Sub(seen[first].Time) <= oldAfter {
		return first, first
	}
	return first, last
}

// asOf is when the oldest observation of sessions was made: nothing in the
// picture is older. Of a machine that was asked through ssh the clock of who
// asked counts.
func asOf(set *record.Set) *record.Time {
	var oldest *record.Time
	for _, kind := range []record.Kind{record.KindHost, record.KindSession, record.KindVerdict} {
		host, asked, ok := "\x00", record.Time{}, false
		for _, rec := range set.Of(kind) {
			if rec.Host != host {
				host = rec.Host
				asked, ok = answeredAt(set, host)
			}
			at := rec.At
			if ok {
				at = asked
			}
			if oldest == nil || at.Before(oldest.Time) {
				oldest = &at
			}
		}
	}
	return oldest
}

// machines writes a line a machine, when there are several.
func (p *page) machines() {
	if len(p.Machines) < 2 {
		return
	}
	p.heading("Machines", len(p.Machines))
	for _, m := range p.Machines {
		p.printf("- **%s**: %s\n", label(m.Host), text(p.machine(m), questionWidth))
	}
}

// machine says what a machine has, or why that is not known.
func (p *page) machine(m Machine) string {
	var parts []string
	for _, k := range kinds {
		if n := m.Counts[k.id]; n > 0 {
			parts = append(parts, count(n, k.one, k.many))
		}
	}
	says := count(m.Sessions, "session", "sessions")
	if m.Sessions == 0 {
		says = "no sessions"
	}
	if len(parts) > 0 {
		says += ": " + strings.Join(parts, ", ")
	}
	switch {
	case m.Says != "" && m.Sessions == 0:
		return "not read: " + m.Says
	case m.Says != "":
		return "not read whole: " + m.Says + "; " + says
	case m.At == nil:
		return "not looked at; " + says
	}
	return says
}

// byHost puts what is of one machine together, in the order of the machines'
// names, when there are several; what is of none comes last.
func byHost(many bool, a, b string) int {
	switch {
	case !many || a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return cmp.Compare(a, b)
}

// ofHosts is rows, which are in order, machine by machine; all in one when there
// is but one machine.
func (p *page) ofHosts(rows []*Row) [][]*Row {
	var groups [][]*Row
	for i, row := range rows {
		if i == 0 || p.many && row.Host != rows[i-1].Host {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], row)
	}
	return groups
}

// hostHead writes the head of what is of a machine, when it is another than the
// one before.
func (p *page) hostHead(last *string, host string) {
	if !p.many || *last == host {
		return
	}
	*last = host
	p.gap()
	p.printf("### %s\n\n", cmp.Or(text(host, nameWidth), "The scope"))
}

// Several is a line a machine, when there are several.
func (s *sheet) Several() []line {
	if len(s.Machines) < 2 {
		return nil
	}
	p := &page{Report: s.Report, clock: s.clock}
	var ls []line
	for _, m := range s.Machines {
		ls = append(ls, line{Name: s.Name(m.Host), Says: s.Text(p.machine(m))})
	}
	return ls
}
