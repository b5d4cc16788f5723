package claude

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

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

// 2.1.280 writes lines of one moment in any order, an answer even before its
// prompt. So lines beyond the deciding ones are read: until one is a Moment
// older than they are, which is more than ten times as far as a line of a
// captured transcript is from its place, or until there were Slack of them.
const (
	Moment = 20 * time.Second
	Slack  = 64
)

// Tail answers from the end of a transcript what a monitor asks of it. Lines
// are added newest first, until Done; what counts is the order of their
// timestamps.
type Tail struct {
	at    time.Time // when the file was looked at
	first turn      // what the lines say in the order of the file, which tells when to stop
	after int       // lines added since then
	lines []dated
	bad   int
	blind int // lines without sense that are newer than the first that tells of a turn; of one that is only half written, none
	drift driftWords

	reader reader

	activity time.Time
	reached  time.Time // of the last line that was added; zero when it has none
	undated  bool      // a line that shows activity has a timestamp that is not understood, or has not come yet
	ahead    bool      // a line has a timestamp that has not come yet
}

// dated is an entry with its time, or that of the line behind it.
type dated struct {
	entry
	at time.Time
}

// NewTail returns a Tail for a file that was looked at at.
func NewTail(at time.Time) *Tail { return &Tail{at: at, first: turn{results: map[string]bool{}}} }

// NewSubagentTail returns a Tail for a subagent's own file, all of whose lines
// are a side chain of the session's.
func NewSubagentTail(at time.Time) *Tail {
	t := NewTail(at)
	t.first.side = true
	return t
}

// Done tells whether older lines can change nothing any more.
func (t *Tail) Done() bool {
	if !t.Enough() || t.after >= Slack {
		return t.Enough()
	}
	horizon := t.reached.Add(Moment)
	if t.reached.IsZero() || horizon.After(t.activity) || horizon.After(t.first.boundaryAt) {
		return false
	}
	last := t.last()
	return last.boundary && !horizon.After(last.boundaryAt)
}

// Enough tells whether the questions are answered, order within a moment left
// aside.
func (t *Tail) Enough() bool { return t.first.boundary && t.Decided() && t.Dated() }

// Dated tells whether an activity was found.
func (t *Tail) Dated() bool { return !t.activity.IsZero() }

// Decided tells whether the last turn was found.
func (t *Tail) Decided() bool { return t.first.state != "" }

// Add takes the next older line. A line that is no JSON object is counted, a
// blank one is not. A field of another form than it had reads as absent, so that
// the line still counts.
func (t *Tail) Add(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, bom))
	if len(line) == 0 {
		return
	}
	if !isObject(line) {
		t.damaged(line)
		return
	}
	e, err := t.reader.entry(line)
	if err != nil {
		t.damaged(line)
		return
	}
	for _, field := range t.reader.odd {
		t.drift.add("form of transcript field", field)
	}
	if t.Enough() {
		t.after++
	}
	if !lineTypes[e.Type] && !strings.HasPrefix(e.Type, "artifact-") {
		t.drift.add("transcript line type", e.Type)
	}
	at := isoTime(str(e.Timestamp))
	doing := e.Type == "assistant" || e.answers()
	if doing && at.IsZero() {
		t.undated = t.undated || e.Timestamp != nil || slices.Contains(t.reader.odd, "timestamp")
	}
	if at.Sub(t.at) > FutureGrace {
		at, t.undated, t.ahead = time.Time{}, t.undated || doing, true
	}
	if doing && at.After(t.activity) {
		t.activity = at
	}
	t.reached = at
	if e.Type != "assistant" && e.Type != "user" && e.Type != "system" {
		return
	}
	t.first.add(e, at, at)
	t.lines = append(t.lines, dated{e, at})
}

// damaged takes a line that is not understood. The newest may be half written; what
// else is newer than what tells of a turn may have told of a later one.
func (t *Tail) damaged(line []byte) {
	if t.bad++; len(t.lines) == 0 && (t.bad > 1 || line[0] != '{') {
		t.blind = t.bad
	}
}

// last folds the lines in the order of their timestamps.
func (t *Tail) last() turn {
	lines := slices.Clone(t.lines)
	behind := t.at.Add(FutureGrace)
	for i := range lines {
		if lines[i].at.IsZero() {
			lines[i].at = behind
		}
		behind = lines[i].at
	}
	slices.SortStableFunc(lines, func(a, b dated) int { return b.at.Compare(a.at) })
	last := turn{results: map[string]bool{}, side: t.first.side}
	for _, l := range lines {
		at := l.at
		if l.Timestamp == nil {
			at = time.Time{}
		}
		last.add(l.entry, at, l.at)
	}
	return last
}

// Result is what the lines so far say. Texts are raw: whoever writes them out
// cleans them.
func (t *Tail) Result() record.Transcript {
	last := t.last()
	r := record.Transcript{Found: true, ActivityAt: record.TimeOf(t.activity), LastTurn: last.state, LastTurnAt: record.TimeOf(last.at),
		BadLines: t.bad, Ahead: t.ahead, Unknown: t.drift.list()}
	if r.LastTurn == "" {
		r.LastTurn = TurnNone
	}
	if t.undated && !t.Dated() {
		r.Unread = "no timestamp is understood, or all lie ahead"
	}
	switch {
	case t.bad > 0 && len(t.lines) == 0:
		r.Unread = "no line of it is understood"
	case t.blind > 0:
		r.Unread = fmt.Sprintf("its last %s understood", map[bool]string{true: "line is not", false: fmt.Sprintf("%d lines are not", t.blind)}[t.blind == 1])
	}
	for _, c := range slices.Backward(last.calls) {
		r.OpenCalls = append(r.OpenCalls, strings.TrimSuffix(c.Name+": "+c.Summary, ": "))
		if q := questionOf(c, last.callAt); q != nil && r.Question == nil {
			r.Question = q
		}
	}
	if last.state == TurnError {
		r.Error, r.Limit = last.failure()
	}
	if last.state == TurnEnded && last.text != "" {
		r.ArcStatus = arcStatus(last.text, last.textAt)
		r.Question = proseQuestion(last.text, last.textAt)
	}
	return r
}
