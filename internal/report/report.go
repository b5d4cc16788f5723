// Package report turns a stream into one picture for a person: what needs
// them first, then what is wrong, then what runs and what idles, and above all
// of it what could not be looked at.
//
// Build makes a Report, and every format is written from that Report alone:
// two formats of one stream never say different things. The order of the lines
// of a stream does not matter.
//
// A report never makes blind look like quiet. What was not read is named at
// the top; a judge that was cut, or an empty stream, is an alarm in the first
// line. Every verdict stands in exactly one section.
package report

import (
	"cmp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// Version is the version of the JSON form.
const Version = 1

// LocalScope is the scope of a stream without a tick record.
const LocalScope = "local"

// Report is what a stream says, in the order in which a person should read it.
// Lists are never nil.
type Report struct {
	V        int          `json:"v"`           // version of this format
	At       record.Time  `json:"at"`          // the present of the report
	AsOf     *record.Time `json:"as_of"`       // when the oldest observation was made; null without one
	Scope    string       `json:"scope"`       // scope of the tick; local without one
	Tick     *int         `json:"tick"`        // null outside a tick
	Outdated *record.Time `json:"outdated_at"` // when the next tick's report must be there: later, this one says nothing of the present; null outside a tick
	Zone     string       `json:"zone"`        // zone of the times in the text; "" is UTC
	Hosts    []string     `json:"hosts"`       // machines that looked
	Machines []Machine    `json:"machines"`    // those that looked or should have, the tick's own first
	Alarm    string       `json:"alarm"`       // why the report must not be taken for the whole, or that a tick after it failed, or none ran (OUTDATED); "" when it may
	Unshown  *NotShown    `json:"unshown"`     // that the owner could not be shown what is asked; null when all was, or it was not tried
	Total    int          `json:"total"`       // verdicts
	NotRead  []NotRead    `json:"not_read"`    // worst first
	Needs    []Need       `json:"needs_me"`    // what needs the owner
	Sections []Section    `json:"sections"`    // every section, empty ones too
	Asks     []Ask        `json:"asks"`        // open ones, then answered, then resolved
	Findings []Finding    `json:"findings"`    // about more than one session
	Notes    []Note       `json:"notes"`       // what the observers add about their reading

	Surfaces  []Surface      `json:"surfaces"`  // every part that somebody tried to read
	Repos     Part[Repo]     `json:"repos"`     // of the scope: what lacks something first
	Schedules Part[Schedule] `json:"schedules"` // stale ones first
	Past      Part[Past]     `json:"past"`      // the last ticks, oldest first

	config   string        // path of the configuration when it is not the usual one
	short    names         // how sessions and places are written
	verdicts []Row         // every row, also those out of scope, by host and subject
	hosts    [][]Row       // the same, machine by machine
	unjudged map[key]*Row  // sessions without a verdict
	answered map[*Row]bool // sessions of Needs: whether all is answered
	several  bool          // verdicts are of several machines
	apart    bool          // nobody knows which of the machines' clocks is right
	batch    *record.Batch // what this tick asks that was not asked before; nil when nothing is
}

// Section is the sessions of one kind. Its rows are those of one machine after
// the other, in the order in which their situations began, oldest first, unknown
// beginnings last; in needs_me what is answered comes after what is not.
type Section struct {
	ID     string  `json:"id"`               // needs_me, or the class
	Title  string  `json:"title"`            //
	Count  int     `json:"count"`            // verdicts
	Rows   []*Row  `json:"rows"`             // as many as count; none for out of scope
	Places []Place `json:"places,omitempty"` // out of scope only: where its sessions work, most of them first, at most 200 places
}

// Row is one verdict.
type Row struct {
	Host    string      `json:"host"`
	Subject string      `json:"subject"`
	At      record.Time `json:"at"` // when the session was looked at
	record.Verdict
	Go        string `json:"go"`                   // the command that leads there, of a session without a process the one that takes it up again; "" when none is known
	Answered  bool   `json:"answered,omitempty"`   // needs_me only: all that it asks is acknowledged
	PRsUnread bool   `json:"prs_unread,omitempty"` // closed: nobody looked at its repository's pull requests

	short string // id as far as it is unique on its machine
	via   string // what leads ssh to its machine; "" when it is the tick's own, or not known
}

// Ask is a question for the owner.
type Ask struct {
	Host string `json:"host"`
	record.Ask
}

// Finding is something about more than one session.
type Finding struct {
	Host    string `json:"host"`
	Subject string `json:"subject"`
	record.Finding
}

// Note is a fact about the reading that takes no certainty away.
type Note struct {
	Host string `json:"host"`
	Name string `json:"name"` // surface, or the program
	Says string `json:"says"`
}

// key is the identity of a verdict.
type key struct{ host, subject string }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.host, o.host), cmp.Compare(k.subject, o.subject))
}

// Build makes the report of a stream. now is the present, Set.Now's answer.
func Build(set *record.Set, now record.Time) Report {
	r := Report{V: Version, At: now, Scope: LocalScope, Hosts: nonNil(set.Hosts())}
	home := ""
	if _, t, ok := set.Tick(); ok {
		r.Scope, r.Tick, r.config, home = t.Scope, t.Tick, t.Config, t.Host
	}
	r.Zone = zoneOf(set, home)
	r.AsOf = asOf(set)
	r.Outdated = outdatedAt(set, now)
	if first, last := apart(pictures(set)); first != last {
		_, _, known := set.Tick()
		r.apart = !known
	}
	r.addRows(set)
	r.addUnlooked(set)
	r.addAsks(set)
	r.addUnshown()
	r.addBatch(set)
	r.addSections(set)
	r.Findings = findings(set)
	r.Notes = notes(set)
	r.addParts(set)
	r.addNotRead(set)
	r.addMachines(set)
	r.short = newNames(r)
	return r
}

// zoneOf is the zone of the machine that runs the tick, else of the first one
// that names its zone: one report speaks of one clock.
func zoneOf(set *record.Set, home string) string {
	zone := ""
	for _, rec := range set.Of(record.KindHost) {
		h, ok := record.Payload[record.Host](rec)
		if !ok || h.Zone == "" {
			continue
		}
		if rec.Host == home {
			return h.Zone
		}
		if zone == "" {
			zone = h.Zone
		}
	}
	return zone
}

func findings(set *record.Set) []Finding {
	fs := []Finding{}
	for _, rec := range set.Of(record.KindFinding) {
		if f, ok := record.Payload[record.Finding](rec); ok {
			f := *f
			f.Sessions, f.Evidence = nonNil(f.Sessions), nonNil(f.Evidence)
			fs = append(fs, Finding{rec.Host, rec.Subject, f})
		}
	}
	slices.SortStableFunc(fs, func(a, b Finding) int { return cmp.Compare(a.rank(), b.rank()) })
	return fs
}

// gap is the name of a finding about time in which nobody looked.
const gap = "gap"

// rank puts time that was missed first, then what stops work; what is merely
// crowded and what is merely counted last.
func (f Finding) rank() int {
	return map[string]int{gap: -4, "pause": -3, "process": -2, "boot": -1, "overlap": 1, "count": 2}[f.Name]
}

func notes(set *record.Set) []Note {
	ns := []Note{}
	if rec, t, ok := set.Tick(); ok {
		for _, says := range t.Verbose {
			ns = append(ns, Note{rec.Host, "config", says})
		}
	}
	for _, rec := range set.Of(record.KindSurface) {
		if s, ok := record.Payload[record.Surface](rec); ok {
			for _, says := range s.Notes {
				ns = append(ns, Note{rec.Host, rec.Subject, says})
			}
		}
	}
	return ns
}

// nonNil makes a nil slice an empty one: JSON readers iterate over lists.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
