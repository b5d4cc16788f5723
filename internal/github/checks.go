package github

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// The words for the checks of a pull request's head.
const (
	ChecksPassing = "passing"
	ChecksFailing = "failing"
	ChecksPending = "pending"
	ChecksNone    = "none"
	ChecksUnknown = "unknown" // none fails, and not all of them can be read
)

// shownContexts is how many contexts of a commit gh shows at most.
const shownContexts = 100

// contextRow is one entry of statusCheckRollup: a check run, or a commit status
// with a context and a state in place of name, status and conclusion.
type contextRow struct {
	Typename   string    `json:"__typename"`
	Workflow   string    `json:"workflowName"`
	Name       string    `json:"name"`
	Status     string    `json:"status"`
	Conclusion string    `json:"conclusion"`
	Context    string    `json:"context"`
	State      string    `json:"state"`
	StartedAt  time.Time `json:"startedAt"`
}

// rollup sums up the checks: one that fails decides, then one that cannot be
// read, then one that still runs. It is "" when they were not asked for.
func rollup(raw json.RawMessage, seen words) string {
	if len(raw) == 0 {
		return ""
	}
	var rows []contextRow
	if err := json.Unmarshal(raw, &rows); err != nil {
		seen["checks that are no list"] = true
		return ChecksUnknown
	}
	count := map[string]int{}
	for _, row := range latest(rows) {
		count[row.verdict(seen)]++
	}
	switch {
	case count[ChecksFailing] > 0:
		return ChecksFailing
	case count[ChecksUnknown] > 0 || len(rows) >= shownContexts:
		return ChecksUnknown
	case count[ChecksPending] > 0:
		return ChecksPending
	case count[ChecksPassing] > 0:
		return ChecksPassing
	}
	return ChecksNone
}

// latest keeps of the reruns of one check the one that started last. One that
// has not started is later than any that has; of equals the later row counts.
func latest(rows []contextRow) map[[3]string]contextRow {
	kept := map[[3]string]contextRow{}
	for _, row := range rows {
		key := [3]string{row.Workflow, row.Name, row.Context}
		old, ok := kept[key]
		if ok && !row.waits() && (old.waits() || row.StartedAt.Before(old.StartedAt)) {
			continue
		}
		kept[key] = row
	}
	return kept
}

// waits tells a check that is queued and has no start yet.
func (c contextRow) waits() bool {
	return c.StartedAt.IsZero() && c.Status != "COMPLETED"
}

// verdict is one check as a Checks… word.
func (c contextRow) verdict(seen words) string {
	if c.Context != "" || c.Typename == "StatusContext" {
		return seen.look("check state", c.State, stateWords)
	}
	if c.Status != "COMPLETED" {
		return seen.look("check status", c.Status, statusWords)
	}
	return seen.look("check conclusion", c.Conclusion, conclusionWords)
}

// The words of GitHub's GraphQL schema.
var (
	stateWords = map[string]string{"SUCCESS": ChecksPassing, "FAILURE": ChecksFailing, "ERROR": ChecksFailing,
		"PENDING": ChecksPending, "EXPECTED": ChecksPending}
	statusWords = map[string]string{"QUEUED": ChecksPending, "IN_PROGRESS": ChecksPending, "WAITING": ChecksPending,
		"PENDING": ChecksPending, "REQUESTED": ChecksPending}
	conclusionWords = map[string]string{"SUCCESS": ChecksPassing, "NEUTRAL": ChecksPassing, "SKIPPED": ChecksPassing,
		"FAILURE": ChecksFailing, "CANCELLED": ChecksFailing, "TIMED_OUT": ChecksFailing, "ACTION_REQUIRED": ChecksFailing,
		"STARTUP_FAILURE": ChecksFailing, "STALE": ChecksPending}
)

// words collects what this release doesn't know.
type words map[string]bool

// look returns what known makes of a word; a word that is not known is noted
// and ChecksUnknown.
func (w words) look(what, word string, known map[string]string) string {
	if v, ok := known[word]; ok {
		return v
	}
	w[what+" "+guard.Text(word, 30)] = true
	return ChecksUnknown
}

func (w words) check(what, word string, known map[string]bool) {
	if !known[word] {
		w[what+" "+guard.Text(word, 30)] = true
	}
}

func (w words) sorted() []string { return slices.Sorted(maps.Keys(w)) }
