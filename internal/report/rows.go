package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/record"
)

// The ids of the sections that are not simply a class.
const (
	needsMe    = "needs_me"
	unknown    = "unknown"
	outOfScope = "1"
)

// kinds is every section in the order of the report: its id, its title, and
// how the summary counts it.
var kinds = []struct{ id, title, one, many string }{
	{needsMe, "Needs me", "needs you", "need you"},
	{"2", "At a usage limit", "at a limit", "at a limit"},
	{"4", "Errors", "error", "errors"},
	{"6", "Hung", "hung", "hung"},
	{unknown, "Unknown", "unknown", "unknown"},
	{"5", "Running", "running", "running"},
	{"9", "Stalled", "stalled", "stalled"},
	{"9a", "Idle, recent", "idle", "idle"},
	{"8", "Closed", "closed", "closed"},
	{"10", "Unmanaged", "unmanaged", "unmanaged"},
	{outOfScope, "Out of scope", "out of scope", "out of scope"},
}

// sectionOf is where a class belongs. A class that this release does not know
// is unknown: it must not be lost.
func sectionOf(class string) string {
	if class == "3" || class == "7" {
		return needsMe
	}
	for _, k := range kinds {
		if k.id == class {
			return class
		}
	}
	return unknown
}

func (r *Report) addRows(set *record.Set) {
	recs := set.Of(record.KindVerdict)
	r.verdicts = make([]Row, 0, len(recs)) // never grown: rows are pointed at
	via := ""
	for _, rec := range recs {
		n := len(r.verdicts)
		r.verdicts = r.verdicts[:n+1]
		row := &r.verdicts[n]
		if !record.Read(rec, &row.Verdict) {
			*row, r.verdicts = Row{}, r.verdicts[:n]
			continue
		}
		row.Host, row.Subject, row.At = rec.Host, rec.Subject, rec.At
		row.Evidence, row.Notes, row.Matched = nonNil(row.Evidence), nonNil(row.Notes), nonNil(row.Matched)
		if n == 0 || r.verdicts[n-1].Host != row.Host {
			via = attach.Via(set, row.Host)
		}
		row.via = via
	}
	r.Total = len(r.verdicts)
	from := 0
	for i := range r.verdicts {
		if i+1 == r.Total || r.verdicts[i+1].Host != r.verdicts[i].Host {
			r.hosts = append(r.hosts, r.verdicts[from:i+1])
			from = i + 1
		}
	}
	r.several = len(r.hosts) > 1
}

// verdict returns the row of a session, nil when it has none.
func (r *Report) verdict(k key) *Row {
	i, ok := slices.BinarySearchFunc(r.hosts, k.host, func(rows []Row, host string) int { return strings.Compare(rows[0].Host, host) })
	if !ok {
		return nil
	}
	return rowOf(r.hosts[i], k.subject)
}

// rowOf returns the row of a subject among those of a machine.
func rowOf(rows []Row, subject string) *Row {
	i, ok := slices.BinarySearchFunc(rows, subject, func(row Row, subject string) int { return strings.Compare(row.Subject, subject) })
	if !ok {
		return nil
	}
	return &rows[i]
}

// addSections deals the rows out. Those that need the owner come in the order
// of their asks, so that every format tells the same story.
func (r *Report) addSections(set *record.Set) {
	bySection := map[string][]*Row{}
	for i := range r.verdicts {
		row := &r.verdicts[i]
		id := sectionOf(row.Class)
		bySection[id] = append(bySection[id], row)
	}
	for _, k := range kinds {
		section := Section{ID: k.id, Title: k.title, Count: len(bySection[k.id]), Rows: []*Row{}}
		switch k.id {
		case needsMe:
			section.Rows = r.waiting()
			for _, row := range section.Rows {
				row.Answered = r.answered[row]
			}
		case outOfScope:
			section.Places = r.places(bySection[k.id], set)
		default:
			slices.SortFunc(bySection[k.id], func(a, b *Row) int { return cmp.Or(byHost(r.several, a.Host, b.Host), compareRows(a, b)) })
			section.Rows = append(section.Rows, bySection[k.id]...)
		}
		for _, row := range section.Rows {
			row.Go = row.attach()
		}
		r.Sections = append(r.Sections, section)
	}
}

// compareRows puts the oldest situation first and those without a beginning
// last.
func compareRows(a, b *Row) int {
	return cmp.Or(
		compareTimes(a.Session.Since, b.Session.Since),
		a.key().compare(b.key()),
	)
}

func compareTimes(a, b *record.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(b.Time)
}

func (row *Row) key() key { return key{row.Host, row.Subject} }

// waits tells a session that needs the owner.
func (row *Row) waits() bool { return sectionOf(row.Class) == needsMe }

// age is how long the situation had lasted when the session was looked at. It
// is not known without a beginning, or with one in the future.
func (row *Row) age() (time.Duration, bool) {
	if row.Session.Since == nil {
		return 0, false
	}
	d := row.At.Sub(row.Session.Since.Time)
	return max(d, 0), d >= -skew
}

// ended tells a session that is over and only still listed: nothing runs, and
// nothing waits for anybody. A session of ours that stalled is over only when
// it is a background job, whose work ended with its turn.
func (row *Row) ended() bool {
	if row.Session.Process {
		return false
	}
	switch row.Class {
	case "8", "10":
		return true
	case "9", "9a":
		return row.Session.Kind == "background"
	}
	return false
}
