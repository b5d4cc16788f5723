package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// How a row of a sweep ended, as its first line counts them: what was done before what
// was not.
const (
	endDone     = "done"
	endFailed   = "failed"
	endUnknown  = "of unknown end"
	endRefused  = "refused"
	endHeld     = "held"       // something is due, and waits: it is tried again by itself
	endNot      = "not done"   // only said
	endWould    = "to be done" // of a rehearsal, as things are
	endWouldNot = "would be refused"
	endBlind    = "undecided" // what it rests on was not read
	endLeft     = "left"      // nothing is due
	endWell     = "well"
)

var sweepEnds = []string{endDone, endFailed, endUnknown, endRefused, endWould, endWouldNot, endHeld, endNot, endBlind, endLeft, endWell}

// holds are the reasons of docs/reconcile.md and docs/act.md for which what is due waits.
var holds = map[string]bool{"backoff": true, "stuck": true, "exhausted": true, "limit": true, "unjudged": true, "cap": true, "held": true,
	"rate": true, "fleet-gap": true, "usage-limit": true, "mail-interval": true}

// waits are those of them that a refusal has: of another one a person may have to look.
var waits = map[string]bool{"backoff": true, "cap": true, "usage-limit": true, "mail-interval": true, "fleet-gap": true, "rate": true}

// endOf is how a row ended, and by what, "" when that is not one word. o is nil without
// an outcome.
func endOf(d *record.Decision, o *record.Outcome) (end, by string) {
	switch {
	case o != nil && o.Result == record.Done:
		return endDone, ""
	case o != nil && o.Result == record.Failed:
		return endFailed, o.Reason
	case o != nil && o.Result == record.Refused && waits[o.Reason]:
		return endHeld, o.Reason
	case o != nil && o.Result == record.Refused:
		return endRefused, o.Reason
	case o != nil && o.Result == record.Dry:
		return endNot, cmp.Or(o.Detail, dryUnsaid)
	case o != nil:
		return endUnknown, o.Reason
	case d.Action != nil:
		return endNot, "no fleet-act has seen it"
	case d.Decision == "OK":
		return endWell, ""
	case d.Reason == "blind":
		return endBlind, ""
	case d.Decision != "SKIP" && holds[d.Reason]:
		return endHeld, d.Reason
	}
	return endLeft, ""
}

// dryUnsaid is why nothing was done where an outcome does not say it.
const dryUnsaid = "it was dry"

// ended counts how the rows of a sweep ended, and by what.
func ended(rows []sweepRow) string {
	ends := map[string]map[string]int{}
	for _, r := range rows {
		if ends[r.end] == nil {
			ends[r.end] = map[string]int{}
		}
		ends[r.end][r.by]++
	}
	var says []string
	for _, end := range sweepEnds {
		n := 0
		for _, times := range ends[end] {
			n += times
		}
		if n > 0 {
			says = append(says, count(n, end, end)+byWhat(ends[end], n))
		}
	}
	return strings.Join(says, ", ")
}

// byWhat names the causes of n rows in brackets, the most frequent first, with their
// numbers when there are several.
func byWhat(times map[string]int, n int) string {
	const most = 5
	causes := slices.DeleteFunc(slices.Sorted(maps.Keys(times)), func(by string) bool { return strings.TrimSpace(clean(by)) == "" })
	if len(causes) == 0 {
		return ""
	}
	slices.SortStableFunc(causes, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	var says []string
	for i, by := range causes {
		if i == most {
			says = append(says, "and others")
			break
		}
		if shown := inCell(by, psPath); times[by] == n {
			says = append(says, shown)
		} else {
			says = append(says, count(times[by], shown, shown))
		}
	}
	return " (" + strings.Join(says, ", ") + ")"
}

// sweepTrouble writes in full what was tried and did not end well, and what else is longer
// than its cell, each once with all that it is of and what leads there.
func (p *page) sweepTrouble(rows []sweepRow) {
	var order []string
	whom := map[string][]string{}
	for _, r := range rows {
		says := ""
		switch {
		case r.end == endFailed || r.end == endUnknown || r.end == endRefused || r.kept != "":
			says = r.did
		case r.end != endDone && r.end != endWell && clip(named(r.name, r.detail), psPath) != clean(named(r.name, r.detail)):
			says = r.detail
		default:
			continue
		}
		if whom[says] == nil {
			order = append(order, says)
		}
		who := "**" + r.title() + "**"
		if r.lead != "" {
			who += " (" + code(r.lead) + ")"
		}
		whom[says] = append(whom[says], who)
	}
	for i, says := range order {
		if i == 0 {
			p.printf("\n")
		}
		p.printf("- %s: %s\n", strings.Join(whom[says], ", "), text(says, troubleWidth))
	}
}

// troubleWidth is how much of what went wrong is shown: commands say it in many words.
const troubleWidth = 1000

// title is what a row is about: the name of a session, else what is to be typed to mean it.
func (r sweepRow) title() string {
	return cmp.Or(text(r.name, nameWidth), text(r.subject, subjectWidth))
}

// subjectWidth is wide enough for session:, a session id and the label of an account:
// what is to be typed is not cut.
const subjectWidth = psPath
