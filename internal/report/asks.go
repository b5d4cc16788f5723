package report

import (
	"cmp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// need is one thing that needs the owner: an ask, the session that it is
// about, or a session that waits and was not asked about.
type need struct {
	ask *Ask
	row *Row
}

// addAsks takes the asks of the stream, in the order of the report.
func (r *Report) addAsks(set *record.Set) {
	r.Asks = []Ask{}
	for _, rec := range set.Of(record.KindAsk) {
		if a, ok := record.Payload[record.Ask](rec); ok {
			a := *a
			a.Key = cmp.Or(a.Key, rec.Subject)
			r.Asks = append(r.Asks, Ask{rec.Host, a})
		}
	}
	r.hasAsks = len(r.Asks) > 0
	slices.SortStableFunc(r.Asks, func(a, b Ask) int {
		return cmp.Or(
			cmp.Compare(a.rank(), b.rank()),
			compareTimes(r.join(&a).since(), r.join(&b).since()),
			cmp.Compare(a.Host, b.Host),
			cmp.Compare(a.Key, b.Key),
		)
	})
}

// rank puts open asks before answered ones and these before resolved ones. A
// state that this release does not know counts as open.
func (a Ask) rank() int {
	switch a.State {
	case record.AskAcked:
		return 1
	case record.AskResolved:
		return 2
	}
	return 0
}

// join finds the verdict on the session of an ask: an ask with the verdict on its session. An ask that names no host
// is joined when only one machine has such a session.
func (r *Report) join(a *Ask) need {
	if a.Session == "" {
		return need{a, nil}
	}
	if row, ok := r.verdicts[key{a.Host, a.Session}]; ok {
		return need{a, row}
	}
	var found *Row
	for k, row := range r.verdicts {
		if k.subject == a.Session {
			if found != nil {
				return need{a, nil}
			}
			found = row
		}
	}
	return need{a, found}
}

// since is when the need began: of a session that waits, when it began to.
func (n need) since() *record.Time {
	if n.row != nil && sectionOf(n.row.Class) == needsMe && n.row.Session.Since != nil {
		return n.row.Session.Since
	}
	if n.ask != nil {
		return n.ask.Since
	}
	return nil
}

func (n need) answered() bool { return n.ask != nil && n.ask.State == record.AskAcked }

// needs is what needs the owner, in order: every ask that is not resolved and
// every waiting session that none of them is about; answered ones at the end.
func (r *Report) needs() []need {
	var ns []need
	asked := map[key]bool{}
	for i := range r.Asks {
		if n := r.join(&r.Asks[i]); n.ask.rank() < 2 {
			ns = append(ns, n)
			if n.row != nil {
				asked[key{n.row.Host, n.row.Subject}] = true
			}
		}
	}
	for k, row := range r.verdicts {
		if sectionOf(row.Class) == needsMe && !asked[k] {
			ns = append(ns, need{nil, row})
		}
	}
	slices.SortFunc(ns, compareNeeds)
	return ns
}

func compareNeeds(a, b need) int {
	answered := func(n need) int {
		if n.answered() {
			return 1
		}
		return 0
	}
	id := func(n need) (host, subject, ask string) {
		if n.row != nil {
			host, subject = n.row.Host, n.row.Subject
		}
		if n.ask != nil {
			host, ask = cmp.Or(host, n.ask.Host), n.ask.Key
		}
		return host, subject, ask
	}
	ah, as, ak := id(a)
	bh, bs, bk := id(b)
	return cmp.Or(
		answered(a)-answered(b),
		compareTimes(a.since(), b.since()),
		cmp.Compare(ah, bh), cmp.Compare(as, bs), cmp.Compare(ak, bk),
	)
}

// answeredLast moves waiting sessions whose questions are all answered behind
// the others.
func (r *Report) answeredLast(rows []Row) []Row {
	open, acked := map[key]bool{}, map[key]bool{}
	for _, n := range r.needs() {
		if n.row != nil && n.answered() {
			acked[key{n.row.Host, n.row.Subject}] = true
		} else if n.row != nil {
			open[key{n.row.Host, n.row.Subject}] = true
		}
	}
	answered := func(row Row) bool {
		k := key{row.Host, row.Subject}
		return acked[k] && !open[k]
	}
	first := slices.DeleteFunc(slices.Clone(rows), answered)
	last := slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return !answered(row) })
	return append(nonNil(first), last...)
}

// batches sums up the batches with an open ask.
type batches struct {
	unanswered, unseen int
	oldest             int          // its number
	since              *record.Time // when the oldest was written; null when not known
}

func (r *Report) batches() batches {
	var b batches
	seen := map[int]bool{}
	since := map[int]*record.Time{}
	for _, a := range r.Asks {
		if a.rank() > 0 || a.Batch == 0 {
			continue
		}
		was, known := seen[a.Batch]
		seen[a.Batch] = a.Seen && (was || !known)
		if s := since[a.Batch]; s == nil || a.Since != nil && a.Since.Before(s.Time) {
			since[a.Batch] = a.Since
		}
	}
	for n, s := range seen {
		b.unanswered++
		if !s {
			b.unseen++
		}
		if b.oldest == 0 || n < b.oldest {
			b.oldest, b.since = n, since[n]
		}
	}
	return b
}
