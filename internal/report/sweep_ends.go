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
	EndDone     = "done"
	EndFailed   = "failed"
	EndUnknown  = "of unknown end"
	EndRefused  = "refused"
	EndHeld     = "held"       // something is due, and waits: it is tried again by itself
	EndNot      = "not done"   // only said
	EndWould    = "to be done" // of a rehearsal, as things are
	EndWouldNot = "would be refused"
	EndBlind    = "undecided" // what it rests on was not read
	EndLeft     = "left"      // nothing is due
	EndWell     = "well"
)

var sweepEnds = []string{EndDone, EndFailed, EndUnknown, EndRefused, EndWould, EndWouldNot, EndHeld, EndNot, EndBlind, EndLeft, EndWell}

// holds are the reasons of docs/reconcile.md and docs/act.md for which what is due waits.
var holds = map[string]bool{"backoff": true, "stuck": true, "exhausted": true, "limit": true, "unjudged": true, "cap": true, "held": true,
	"rate": true, "fleet-gap": true, "usage-limit": true, "mail-interval": true}

// waits are those of them that a refusal has: of another one a person may have to look.
var waits = map[string]bool{"backoff": true, "cap": true, "usage-limit": true, "mail-interval": true, "fleet-gap": true, "rate": true}

// lookVerb is that of an outcome that only tells what was seen.
const lookVerb = "look"

// endOf is how a row ended, and by what, "" when that is not one word. o is nil without
// an outcome.
func endOf(d *record.Decision, o *record.Outcome) (end, by string) {
	switch {
	case o != nil && o.Verb == lookVerb:
		return endOf(d, nil)
	case o != nil && o.Result == record.Done:
		return EndDone, ""
	case o != nil && o.Result == record.Failed:
		return EndFailed, o.Reason
	case o != nil && o.Result == record.Refused && waits[o.Reason]:
		return EndHeld, o.Reason
	case o != nil && o.Result == record.Refused:
		return EndRefused, o.Reason
	case o != nil && o.Result == record.Dry:
		return EndNot, cmp.Or(o.Detail, dryUnsaid)
	case o != nil:
		return EndUnknown, o.Reason
	case d.Action != nil:
		return EndNot, "no fleet-act has seen it"
	case d.Decision == "OK":
		return EndWell, ""
	case d.Reason == "blind":
		return EndBlind, ""
	case d.Decision != "SKIP" && holds[d.Reason]:
		return EndHeld, d.Reason
	}
	return EndLeft, ""
}

// dryUnsaid is why nothing was done where an outcome does not say it.
const dryUnsaid = "it was dry"

// ended counts how the rows of a sweep ended, and by what, as plain text.
func ended(rows []SweepRow) string {
	ends := map[string]map[string]int{}
	for _, r := range rows {
		if ends[r.End] == nil {
			ends[r.End] = map[string]int{}
		}
		ends[r.End][r.By]++
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
		if shown := clip(clean(by), psPath); times[by] == n {
			says = append(says, shown)
		} else {
			says = append(says, count(times[by], shown, shown))
		}
	}
	return " (" + strings.Join(says, ", ") + ")"
}
