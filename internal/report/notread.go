package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Why something was not read, worst first.
const (
	WhyCut      = "cut"      // a program's records are not all here
	WhyHost     = "host"     // nothing came from a machine
	WhyJudge    = "unjudged" // sessions without a verdict
	WhyFailed   = "failed"   // the reading failed
	WhyAbsent   = "absent"   // not installed, and needed
	WhyOld      = "old"      // a machine's picture is older than the others'
	WhyUnparsed = "unparsed" // items that were there and were not understood
	WhyDrift    = "drift"    // words that this release does not know
)

var whys = []string{WhyCut, WhyHost, WhyJudge, WhyFailed, WhyAbsent, WhyOld, WhyUnparsed, WhyDrift}

// NotRead is a part of the picture that is missing or in doubt.
type NotRead struct {
	Host     string       `json:"host"`
	Name     string       `json:"name"` // surface, program or machine
	Why      string       `json:"why"`  // a Why… word
	Says     string       `json:"says"`
	Sessions []string     `json:"sessions,omitempty"` // sessions without a verdict
	ResetAt  *record.Time `json:"reset_at,omitempty"` // when a rate limit that stopped the reading ends
}

// The programs that read what a tick may name in surfaces.
var observers = map[string]string{
	"claude":   "fleet-observe-claude",
	"paseo":    "fleet-observe-paseo",
	"gh":       "fleet-observe-gh",
	"board":    "fleet-observe-board",
	"schedule": "fleet-observe-schedule",
	"ledger":   "fleet-ledger",
}

// judge is expected in every stream.
const judge = "fleet-classify"

// oldAfter is how much older one machine's records may be than another's.
const oldAfter = 10 * time.Minute

// addNotRead collects what is missing and, from it, the alarm.
func (r *Report) addNotRead(set *record.Set) {
	ticks := ticksOf(set)
	ns := slices.Concat(failedSurfaces(set, expectedSurfaces(set)), cutPrograms(set), missingRepos(ticks), missingHosts(set, ticks),
		missingPrograms(set, ticks), oldHosts(set), r.addUnjudged(set))
	sortNotRead(ns)
	r.NotRead = nonNil(once(ns))
	r.Alarm = r.alarm(set.Empty(), len(set.Of(record.KindSession)))
}

// sortNotRead has the worst first.
func sortNotRead(ns []NotRead) {
	slices.SortFunc(ns, func(a, b NotRead) int {
		return cmp.Or(
			cmp.Compare(slices.Index(whys, a.Why), slices.Index(whys, b.Why)),
			cmp.Compare(a.Host, b.Host), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Says, b.Says),
		)
	})
}

// failedSurfaces is what the observers say of their own reading.
func failedSurfaces(set *record.Set, expected func(host string) []string) []NotRead {
	var ns []NotRead
	for _, rec := range set.Of(record.KindSurface) {
		s, ok := record.Payload[record.Surface](rec)
		if !ok || s.Records != nil {
			continue
		}
		n := NotRead{Host: rec.Host, Name: rec.Subject, ResetAt: s.ResetAt}
		product, _, _ := strings.Cut(rec.Subject, "/")
		if !s.OK {
			n.Why, n.Says = WhyFailed, cmp.Or(s.Error, "could not be read")
			if rec.Subject == overSSH {
				n.Why, n.Name = WhyHost, rec.Host
			}
			ns = append(ns, n)
			n.Name = rec.Subject
		}
		n.ResetAt = nil
		if s.OK && s.Absent && slices.Contains(expected(rec.Host), product) && !anotherRead(set, rec.Host, product) {
			n.Why, n.Says = WhyAbsent, "not installed on this machine, but expected"
			ns = append(ns, n)
		}
		if s.Unparsed > 0 {
			n.Why, n.Says = WhyUnparsed, fmt.Sprintf("%d of %d could not be understood", s.Unparsed, s.Unparsed+s.Rows)
			if rec.Subject == "macf/workspaces" { // its notes name the files
				n.Says += ": " + strings.Join(s.Notes, "; ")
			}
			ns = append(ns, n)
		}
		if len(s.Drift) > 0 {
			n.Why, n.Says = WhyDrift, "not known to this release: "+strings.Join(s.Drift, ", ")
			ns = append(ns, n)
		}
	}
	return ns
}

// anotherRead tells a product of which one part is absent and another was read: of
// several schedulers a machine has one.
func anotherRead(set *record.Set, host, product string) bool {
	if product != "schedule" {
		return false
	}
	for _, rec := range set.Of(record.KindSurface) {
		s, ok := record.Payload[record.Surface](rec)
		if ok && rec.Host == host && strings.HasPrefix(rec.Subject, product+"/") && s.OK && !s.Absent {
			return true
		}
	}
	return false
}

// cutPrograms is the programs whose closing record is missing or does not fit
// what is here.
func cutPrograms(set *record.Set) []NotRead {
	var ns []NotRead
	closed := map[key]bool{}
	for _, host := range append(set.Hosts(), "") {
		for _, name := range set.By(host) {
			closed[key{host, name}] = true
			if err := set.Closed(host, name); err != nil {
				ns = append(ns, NotRead{Host: host, Name: name, Why: WhyCut, Says: reason(err, name)})
			}
		}
	}
	open := map[key]bool{}
	for rec := range set.Each() {
		_, label, _ := cutLast(rec.Subject, "@")
		if !closed[key{rec.Host, rec.By}] && !closed[key{"", rec.By}] &&
			!(label != "" && closed[key{rec.Host, rec.By + "@" + label}]) {
			open[key{rec.Host, rec.By}] = true
		}
	}
	for k := range open {
		ns = append(ns, NotRead{Host: k.host, Name: k.subject, Why: WhyCut, Says: "no closing record"})
	}
	return ns
}

// reason is a Closed error without the name that it begins with.
func reason(err error, name string) string { return strings.TrimPrefix(err.Error(), name+": ") }

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// addUnjudged finds the sessions that were seen and that no judge spoke of.
func (r *Report) addUnjudged(set *record.Set) []NotRead {
	r.unjudged = map[key]*Row{}
	missing := map[string][]string{}
	rest := r.verdicts // in the order of the sessions
	for _, rec := range set.Of(record.KindSession) {
		k := key{rec.Host, rec.Subject}
		for len(rest) > 0 && rest[0].key().compare(k) < 0 {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].key() == k {
			continue
		}
		s, ok := record.Payload[record.Session](rec)
		if !ok {
			continue
		}
		missing[k.host] = append(missing[k.host], k.subject)
		row := Row{Host: k.host, Subject: k.subject, At: rec.At}
		row.Session.Name = s.Name
		r.unjudged[k] = &row
	}
	var ns []NotRead
	for host, subjects := range missing {
		ns = append(ns, NotRead{Host: host, Name: judge, Why: WhyJudge, Sessions: subjects,
			Says: count(len(subjects), "session was", "sessions were") + " seen and not judged"})
	}
	return ns
}
