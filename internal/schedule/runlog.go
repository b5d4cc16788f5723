package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Log is what is known of a log that each run of something adds to.
type Log struct {
	Name       string        // what the configuration calls it
	StaleAfter time.Duration // it should run more often than that
	There      bool
	Written    time.Time // the file's own time
	Last       *Line     // nil when its last line is no JSON object
}

// Line is what is read of the last line of a log. Nothing else of it is
// decoded, whatever it holds.
type Line struct {
	At     time.Time // zero when none of its fields is a time that is known
	Result string    // in a word of Schedule.LastResult; "" when none is given
}

// lineFile is the fields that may hold when a run was and how it went. No
// format is agreed on; these are the usual names. What else a line holds is not
// decoded.
type lineFile struct {
	FinishedAt  json.RawMessage `json:"finished_at"`
	FinishedAt2 json.RawMessage `json:"finishedAt"`
	EndedAt     json.RawMessage `json:"ended_at"`
	EndedAt2    json.RawMessage `json:"endedAt"`
	TS          json.RawMessage `json:"ts"`
	Timestamp   json.RawMessage `json:"timestamp"`
	Time        json.RawMessage `json:"time"`
	At          json.RawMessage `json:"at"`
	Date        json.RawMessage `json:"date"`
	StartedAt   json.RawMessage `json:"started_at"`
	StartedAt2  json.RawMessage `json:"startedAt"`

	Result    json.RawMessage `json:"result"`
	Status    json.RawMessage `json:"status"`
	Exit      json.RawMessage `json:"exit"`
	ExitCode  json.RawMessage `json:"exit_code"`
	ExitCode2 json.RawMessage `json:"exitCode"`
	OK        json.RawMessage `json:"ok"`
	Success   json.RawMessage `json:"success"`
	Error     json.RawMessage `json:"error"`
}

// times are the fields that may hold a time; the first that does counts.
func (f lineFile) times() []json.RawMessage {
	return []json.RawMessage{f.FinishedAt, f.FinishedAt2, f.EndedAt, f.EndedAt2, f.TS, f.Timestamp, f.Time, f.At, f.Date, f.StartedAt, f.StartedAt2}
}

// ParseLine reads the last whole line of the end of a log; nil when that is no
// JSON object. whole tells that b begins where the log does: otherwise its
// first line may be the rest of one. A torn end, which no newline follows, is
// read when it is whole JSON.
func ParseLine(b []byte, whole bool) *Line {
	b = bytes.TrimRight(b, "\r\n \t\x00")
	last := b
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		last = b[i+1:]
	} else if !whole {
		return nil
	}
	line := parseLine(last)
	if line == nil && len(last) < len(b) { // a run may be writing it
		before := bytes.TrimRight(b[:len(b)-len(last)], "\r\n \t")
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 || whole {
			return parseLine(before[i+1:])
		}
	}
	return line
}

func parseLine(b []byte) *Line {
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '{' {
		return nil
	}
	var f lineFile
	if json.Unmarshal(b, &f) != nil {
		return nil
	}
	l := &Line{}
	for _, v := range f.times() {
		if l.At = stamp(v); !l.At.IsZero() {
			break
		}
	}
	l.Result = f.result()
	return l
}

// stamp reads RFC 3339, a date alone, or seconds or milliseconds since 1970.
func stamp(v json.RawMessage) time.Time {
	var s string
	if json.Unmarshal(v, &s) == nil {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", time.DateOnly} {
			if t, err := time.Parse(layout, s); err == nil {
				return t.UTC()
			}
		}
		return time.Time{}
	}
	var n float64
	if v == nil || json.Unmarshal(v, &n) != nil || n < 1e9 || n > 4e12 { // 2001 to 2096
		return time.Time{}
	}
	if n > 1e11 {
		n /= 1000
	}
	sec, frac := math.Modf(n)
	return time.Unix(int64(sec), int64(frac*1e9)).UTC()
}

// result is how a run went, by the first field that tells.
func (f lineFile) result() string {
	for _, v := range []json.RawMessage{f.Result, f.Status} {
		if w := word(v); w != "" {
			return w
		}
	}
	for _, v := range []json.RawMessage{f.Exit, f.ExitCode, f.ExitCode2} {
		var n int
		if v == nil || string(v) == "null" || json.Unmarshal(v, &n) != nil {
			continue
		}
		if n == 0 {
			return succeeded
		}
		return fmt.Sprintf("exit %d", n)
	}
	for _, v := range []json.RawMessage{f.OK, f.Success} {
		switch string(v) {
		case "true":
			return succeeded
		case "false":
			return failed
		}
	}
	switch string(f.Error) {
	case "", "null", "false", `""`:
		return ""
	}
	return failed
}

// The words of Schedule.LastResult.
const (
	succeeded = "succeeded"
	failed    = "failed"
)

// word is a result that is said in a word.
func word(v json.RawMessage) string {
	var s string
	if v == nil || json.Unmarshal(v, &s) != nil {
		return ""
	}
	if is := outcome(s); is != "" {
		return is
	}
	if s = guard.Text(s, wordWidth); outcome(s) != "" {
		return "?" + s // cleaning made a result of what was none
	}
	return s
}

// outcome is what a word says of a run; "" for any other word.
func outcome(word string) string {
	switch strings.ToLower(word) {
	case "ok", "success", succeeded, "done", "passed", "pass", "completed":
		return succeeded
	case "fail", failed, "failure", "error":
		return failed
	}
	return ""
}

// Encode returns a log of which ParseLine makes the same line.
func (l *Line) Encode() ([]byte, error) {
	f := map[string]any{}
	if !l.At.IsZero() {
		f["ts"] = l.At
	}
	if n := 0; l.Result != "" {
		f["result"] = l.Result
		if _, err := fmt.Sscanf(l.Result, "exit %d", &n); err == nil && n != 0 && l.Result == fmt.Sprintf("exit %d", n) {
			delete(f, "result")
			f["exit"] = n
		}
	}
	b, err := json.Marshal(f)
	return append(b, '\n'), err
}

// Record returns the log as a payload. A log that is not there is that of
// something that never ran: its configuration says that it should.
func (g Log) Record(l Look) record.Schedule {
	r := record.Schedule{Source: "log", ID: guard.ID(g.Name), Name: guard.Text(g.Name, nameWidth), Cadence: "at least every " + Every(g.StaleAfter)}
	var d says
	ran := g.Written
	switch {
	case !g.There:
		d.add(true, "its log is not there: it never ran, or it is written elsewhere")
	case g.Last == nil:
		d.add(true, "its last line is no JSON: the time is that of the file")
	default:
		r.LastResult = g.Last.Result
		if g.Last.At.IsZero() {
			d.add(true, "its last line tells no time: the time is that of the file")
			break
		}
		ran = g.Last.At
	}
	if l.future(ran) {
		d.add(true, "its log bears a time that has not come yet")
		ran = time.Time{}
	}
	r.LastRun = record.TimeOf(ran)
	switch {
	case r.LastRun == nil && !g.There:
		r.Status, r.Stale = statusNeverRan, true
	case r.LastRun == nil || l.At.Sub(ran) > g.StaleAfter:
		r.Status, r.Stale = statusLate, true
		d.add(r.LastRun != nil, "late: it should run at least every %s", Every(g.StaleAfter))
	default:
		r.Status = statusOnTime
	}
	r.Detail = d.line()
	return r
}
