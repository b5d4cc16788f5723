package claude

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/limit"
	"github.com/fleet-tools/fleet/internal/record"
)

// FutureGrace is how much later than the look a timestamp may be; later ones
// are distrusted.
const FutureGrace = 120 * time.Second

// The words of record.Transcript.LastTurn.
const (
	TurnEnded       = "ended"
	TurnOpen        = "open"
	TurnError       = "error"
	TurnInterrupted = "interrupted"
	TurnNone        = "none"
)

// Tail answers from the end of a transcript what a monitor asks of it. Lines
// are added newest first, until Done.
type Tail struct {
	at time.Time // when the file was looked at

	activity time.Time
	turn     string
	turnAt   time.Time
	fail     entry // the error line, when turn is TurnError
	failAt   time.Time

	results  map[string]bool // ids of results seen, which are later than what is still to come
	calls    []block         // open calls, newest first
	callAt   time.Time
	message  string // id of the newest assistant message
	closed   bool   // a turn_duration line came later
	boundary bool   // the beginning of the last turn, or of its last message, was passed
	text     string // last assistant text of the last turn
	textAt   time.Time

	bad   int
	drift driftWords
}

// NewTail returns a Tail for a file that was looked at at.
func NewTail(at time.Time) *Tail { return &Tail{at: at, results: map[string]bool{}} }

// Done tells whether older lines can change nothing any more.
func (t *Tail) Done() bool { return t.turn != "" && t.boundary && !t.activity.IsZero() }

// Dated tells whether an activity was found.
func (t *Tail) Dated() bool { return !t.activity.IsZero() }

// Decided tells whether the last turn was found.
func (t *Tail) Decided() bool { return t.turn != "" }

// Add takes the next older line. A line that is no JSON object is counted, a
// blank one is not.
func (t *Tail) Add(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, bom))
	if len(line) == 0 {
		return
	}
	var e entry
	if !isObject(line) || json.Unmarshal(line, &e) != nil {
		t.bad++
		return
	}
	if !lineTypes[e.Type] && !strings.HasPrefix(e.Type, "artifact-") {
		t.drift.add("transcript line type", e.Type)
	}
	at := time.Time{}
	if e.Timestamp != nil {
		at = isoTime(*e.Timestamp)
	}
	if at.Sub(t.at) > FutureGrace {
		at = time.Time{}
	}
	results := e.results()
	if (e.Type == "assistant" || len(results) > 0) && at.After(t.activity) {
		t.activity = at
	}
	if e.IsSidechain || t.boundary {
		return
	}
	switch e.Type {
	case "assistant":
		t.assistant(e, at)
	case "user":
		t.user(e, at, results)
	case "system":
		t.system(e, at)
	}
}

func (t *Tail) decide(turn string, at time.Time) {
	if t.turn == "" {
		t.turn, t.turnAt = turn, at
	}
}

func (t *Tail) assistant(e entry, at time.Time) {
	if e.Message == nil {
		return
	}
	if e.IsAPIError {
		if t.turn == "" {
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
		if !t.results[c.ID] && t.turn == TurnOpen {
			t.calls, t.callAt = append(t.calls, c), at
		}
	}
}

func (t *Tail) user(e entry, at time.Time, results []string) {
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

func (t *Tail) unlessClosed(turn string) string {
	if t.closed {
		return TurnEnded
	}
	return turn
}

func (t *Tail) system(e entry, at time.Time) {
	switch e.Subtype {
	case "turn_duration":
		t.closed = t.closed || t.turn == ""
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

// Result is what the lines so far say. Texts are raw: whoever writes them out
// cleans them.
func (t *Tail) Result() record.Transcript {
	r := record.Transcript{Found: true, ActivityAt: record.TimeOf(t.activity), LastTurn: t.turn, LastTurnAt: record.TimeOf(t.turnAt),
		BadLines: t.bad, Unknown: t.drift.list()}
	if r.LastTurn == "" {
		r.LastTurn = TurnNone
	}
	for _, c := range slices.Backward(t.calls) {
		r.OpenCalls = append(r.OpenCalls, strings.TrimSuffix(c.Name+": "+c.Summary, ": "))
		if q := questionOf(c, t.callAt); q != nil && r.Question == nil {
			r.Question = q
		}
	}
	if t.turn == TurnError {
		r.Error, r.Limit = t.failure()
	}
	if t.turn == TurnEnded && t.text != "" {
		r.ArcStatus = arcStatus(t.text, t.textAt)
		r.Question = proseQuestion(t.text, t.textAt)
	}
	return r
}

// failure is the API error that ended the last turn, and its usage-limit part
// when it is one: quotaLimits, or a usage-limit text.
func (t *Tail) failure() (*record.TurnError, *record.TurnLimit) {
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
