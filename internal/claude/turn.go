package claude

import (
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/limit"
	"github.com/fleet-tools/fleet/internal/record"
)

// turn is what the newest lines say of the last turn.
type turn struct {
	state      string
	at         time.Time
	fail       entry // the error line, when state is TurnError
	failAt     time.Time
	results    map[string]bool // ids of results seen, which are later than what is still to come
	calls      []block         // open calls, newest first
	callAt     time.Time
	message    string    // id of the newest assistant message
	closed     bool      // a turn_duration line came later
	boundary   bool      // the beginning of the last turn, or of its last message, was passed
	boundaryAt time.Time // the place of the line there
	text       string    // last assistant text of the last turn
	textAt     time.Time
	side       bool // side chains count: the file is a subagent's
}

// add takes the next older line: at is its time, zero when it has none, place
// where among the others it belongs.
func (t *turn) add(e entry, at, place time.Time) {
	if t.boundary || e.IsSidechain && !t.side {
		return
	}
	t.boundaryAt = place
	switch e.Type {
	case "assistant":
		t.assistant(e, at)
	case "user":
		t.user(e, at, e.results())
	case "system":
		t.system(e, at)
	}
}

func (t *turn) decide(state string, at time.Time) {
	if t.state == "" {
		t.state, t.at = state, at
	}
}

func (t *turn) assistant(e entry, at time.Time) {
	if e.Message == nil {
		return
	}
	if e.IsAPIError {
		if t.state == "" {
			t.fail, t.failAt = e, at
		}
		t.decide(TurnError, at)
		t.boundary = true
		return
	}
	if t.message != "" && e.Message.ID != t.message {
		t.boundary = true // an earlier message of the turn: its calls have had their answers
		return
	}
	t.message = e.Message.ID
	calls := e.calls()
	if text := e.text(); text != "" && t.text == "" {
		t.text, t.textAt = text, at
	}
	stop := str(e.Message.StopReason)
	if t.closed || len(calls) == 0 && stop != "" && stop != "tool_use" && stop != "pause_turn" {
		t.decide(TurnEnded, at)
	} else {
		t.decide(TurnOpen, at)
	}
	for _, c := range slices.Backward(calls) {
		if !t.results[c.ID] && t.state == TurnOpen {
			t.calls, t.callAt = append(t.calls, c.read()), at
		}
	}
}

func (t *turn) user(e entry, at time.Time, results []string) {
	if len(results) > 0 {
		for _, id := range results {
			t.results[id] = true
		}
		t.decide(t.unlessClosed(TurnOpen), at)
		return
	}
	text := e.text()
	switch {
	case strings.HasPrefix(text, "[Request interrupted by user"):
		t.decide(TurnInterrupted, at)
		t.boundary = true
	case e.IsCompactSummary || isCommandEcho(text):
	default:
		t.decide(t.unlessClosed(TurnOpen), at)
		t.boundary = true
	}
}

func (t *turn) unlessClosed(state string) string {
	if t.closed {
		return TurnEnded
	}
	return state
}

func (t *turn) system(e entry, at time.Time) {
	switch e.Subtype {
	case "turn_duration":
		t.closed = t.closed || t.state == ""
	case "compact_boundary":
		t.decide(TurnEnded, at)
		t.boundary = true
	}
}

// isCommandEcho tells what Claude Code writes of a command that it ran itself:
// no prompt, and no turn begins.
func isCommandEcho(text string) bool {
	for _, p := range []string{"<local-command", "<command-", "<bash-", "Caveat:"} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// failure is the API error that ended the last turn, and its usage-limit part
// when it is one: quotaLimits, or a usage-limit text.
func (t *turn) failure() (*record.TurnError, *record.TurnLimit) {
	text := t.fail.text()
	e := &record.TurnError{At: record.TimeOf(t.failAt), Kind: string(t.fail.Error), Status: t.fail.APIErrorStatus, Text: text}
	q := t.fail.QuotaLimits
	if q == nil && !limit.Is(text) {
		return e, nil
	}
	l := &record.TurnLimit{Text: text}
	if q != nil {
		l.Kind = q.RateLimitType
		if q.ResetsAt != nil {
			ms := *q.ResetsAt * 1000
			l.ResetAt = record.TimeOf(epochMS(&ms))
		}
	}
	return e, l
}
