package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// NotShown is that open questions could not be put before the owner when that was tried,
// and were not since: only a report tells.
type NotShown struct {
	Batches []int       `json:"batches"` // numbers of the ticks that asked, in order
	Since   record.Time `json:"since"`   // when the first of them could not be
	Why     string      `json:"why"`     // what was said of the newest
	Says    string      `json:"says"`    // all of that in one line, the time in the zone of the report
}

// addUnshown sums up the open asks whose batches could not be shown.
func (r *Report) addUnshown() {
	newest := 0
	for _, a := range r.Asks {
		u := a.Ask.Unshown
		if u == nil || a.rank() != open {
			continue
		}
		if r.Unshown == nil {
			r.Unshown = &NotShown{Since: u.Since}
		}
		r.Unshown.Batches = append(r.Unshown.Batches, a.Batch)
		if u.Since.Before(r.Unshown.Since.Time) {
			r.Unshown.Since = u.Since
		}
		if r.Unshown.Why == "" || a.Batch > newest {
			newest, r.Unshown.Why = a.Batch, u.Why
		}
	}
	if u := r.Unshown; u != nil {
		slices.Sort(u.Batches)
		u.Batches = slices.Compact(u.Batches)
		u.Says = fmt.Sprintf("%s could not be shown since %s: %s", batchesOf(u.Batches), newClock(r.Zone, r.At).local(u.Since.Time), clip(u.Why, saysWidth))
	}
}

// batchesOf names batches, the newest of many.
func batchesOf(all []int) string {
	var words []string
	for _, n := range all[max(len(all)-5, 0):] {
		words = append(words, fmt.Sprint(n))
	}
	switch n := len(all) - len(words); {
	case len(all) == 1:
		return "batch " + words[0]
	case n > 0:
		return fmt.Sprintf("batches %s and %d older", strings.Join(words, ", "), n)
	}
	last := len(words) - 1
	return "batches " + strings.Join(words[:last], ", ") + " and " + words[last]
}

// Unseen is what Unshown says as a sentence, "" when it is null.
func (r *Report) Unseen() string {
	if r.Unshown == nil {
		return ""
	}
	return strings.ToUpper(r.Unshown.Says[:1]) + r.Unshown.Says[1:] + "."
}
