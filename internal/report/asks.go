package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// addAsks takes the asks of the stream and works out what needs the owner: every
// ask that is not resolved, and every waiting session that none of them is
// about; answered ones at the end.
func (r *Report) addAsks(set *record.Set) {
	var all []Need
	for _, rec := range set.Of(record.KindAsk) {
		if p, ok := record.Payload[record.Ask](rec); ok {
			a := Ask{rec.Host, *p}
			a.Key = cmp.Or(a.Key, rec.Subject)
			all = append(all, r.join(&a))
		}
	}
	slices.SortFunc(all, compareNeeds)
	r.Asks, r.Needs = []Ask{}, []Need{}
	asked := map[*Row]bool{}
	for _, n := range all {
		r.Asks = append(r.Asks, *n.ask)
		if n.ask.rank() == resolved {
			continue
		}
		r.Needs = append(r.Needs, n)
		if n.row != nil {
			asked[n.row] = true
		}
	}
	for i := range r.verdicts {
		if row := &r.verdicts[i]; row.waits() && !asked[row] {
			r.Needs = append(r.Needs, Need{row: row})
		}
	}
	slices.SortFunc(r.Needs, func(a, b Need) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), byHost(r.several, a.id().host, b.id().host), compareNeeds(a, b))
	})
	for i := range r.Needs {
		r.say(&r.Needs[i])
	}
	r.answered = map[*Row]bool{}
	for _, n := range slices.Backward(r.Needs) {
		if n.row != nil {
			r.answered[n.row] = n.rank() == answered // open asks come last here, and win
		}
	}
}

// The ranks of asks.
const (
	open = iota
	answered
	resolved
)

// rank puts open asks before answered ones and these before resolved ones. A
// state that this release does not know counts as open.
func (a Ask) rank() int {
	switch a.State {
	case record.AskAcked:
		return answered
	case record.AskResolved:
		return resolved
	}
	return open
}

// join finds the verdict on the session of an ask. An ask that names another
// machine, or none, is joined when only one has such a session.
func (r *Report) join(a *Ask) Need {
	if a.Session == "" {
		return Need{ask: a}
	}
	if row := r.verdict(key{a.Host, a.Session}); row != nil {
		return Need{ask: a, row: row}
	}
	var only *Row
	for _, rows := range r.hosts {
		row := rowOf(rows, a.Session)
		if row != nil && only != nil {
			return Need{ask: a}
		}
		only = cmp.Or(only, row)
	}
	return Need{ask: a, row: only}
}

// waiting is the sessions that wait for the owner, in the order of the needs.
func (r *Report) waiting() []*Row {
	rows := []*Row{}
	done := map[*Row]bool{}
	for _, n := range r.Needs {
		if n.row != nil && n.row.waits() && !done[n.row] {
			done[n.row] = true
			rows = append(rows, n.row)
		}
	}
	return rows
}

// questions counts what needs the owner beside the sessions that wait: with them
// it makes as many as needs has.
func (r *Report) questions() []string {
	const more, other, none = 0, 1, 2
	var all, done [3]int
	sessions := map[*Row]bool{}
	for _, n := range r.Needs {
		kind := none
		switch {
		case n.row != nil && n.row.waits():
			kind = more
			if !sessions[n.row] { // the section counts it
				sessions[n.row] = true
				all[more]--
				if r.answered[n.row] {
					done[more]--
				}
			}
		case n.row != nil:
			kind = other
		}
		all[kind]++
		if n.rank() == answered {
			done[kind]++
		}
	}
	var says []string
	for kind, words := range [3][2]string{
		{"more question about them", "more questions about them"},
		{"question about another session", "questions about other sessions"},
		{"question about no session", "questions about no session"},
	} {
		if all[kind] > 0 {
			says = append(says, count(all[kind], words[0], words[1])+answeredOf(done[kind]))
		}
	}
	return says
}

// answeredOf says how many are answered, "" when none is.
func answeredOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d answered)", n)
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
		if a.rank() != open || a.Batch == 0 {
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
