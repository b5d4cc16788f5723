package claude

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var look = time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)

// The lines below are written after captured ones of 2.1.280.
func stamp(min int) string {
	return look.Add(time.Duration(min) * time.Minute).Format("2006-01-02T15:04:05.000Z")
}

func prompt(min int, text string) string {
	return fmt.Sprintf(`{"type":"user","timestamp":%q,"origin":{"kind":"human"},"message":{"role":"user","content":%q}}`, stamp(min), text)
}

func says(min int, id, stop, text string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":%q,"role":"assistant","stop_reason":%q,"content":[{"type":"text","text":%q}]}}`, stamp(min), id, stop, text)
}

func call(min int, id, tool, name, input string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":%q,"stop_reason":"tool_use","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, stamp(min), id, tool, name, input)
}

func result(min int, tool, text string) string {
	return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}}`, stamp(min), tool, text)
}

func apiError(min int, word string, status int, text, more string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"isApiErrorMessage":true,"error":%q,"apiErrorStatus":%d%s,"message":{"id":"e","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":%q}]}}`,
		stamp(min), word, status, more, text)
}

func turnOver(min int) string {
	return fmt.Sprintf(`{"type":"system","subtype":"turn_duration","durationMs":5,"timestamp":%q}`, stamp(min))
}

const meta = `{"type":"last-prompt","lastPrompt":"x","sessionId":"s"}`
const ask = `{"questions":[{"question":"Which database?","options":[{"label":"Postgres"},{"label":"SQLite"}]}]}`

func TestTail(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string // turn; activity in minutes before the look; open calls; question; error; limit; arc
	}{
		{"empty", nil, "none"},
		{"never prompted", []string{meta, `{"type":"mode","mode":"normal"}`}, "none"},
		{"prompt only", []string{prompt(-5, "go")}, "open"},
		{"answered", []string{prompt(-5, "go"), says(-4, "a", "end_turn", "Done."), turnOver(-4), meta}, "ended act=4"},
		{"cut at max_tokens", []string{prompt(-5, "go"), says(-4, "a", "max_tokens", "A long")}, "ended act=4"},
		{"text of a message whose call is not written yet", []string{prompt(-5, "go"), says(-4, "a", "tool_use", "I run it.")}, "open act=4"},
		{"call open", []string{prompt(-5, "go"), call(-4, "a", "t1", "Bash", `{"command":"make"}`)}, "open act=4 calls=Bash: make"},
		{"call answered", []string{prompt(-5, "go"), call(-4, "a", "t1", "Bash", `{"command":"make"}`), result(-3, "t1", "ok")}, "open act=3"},
		{"ask-open", []string{prompt(-5, "go"), says(-4, "a", "tool_use", "One question."), call(-4, "a", "t1", "AskUserQuestion", ask), meta}, "open act=4 calls=AskUserQuestion q=question:Which database? (Postgres,SQLite)"},
		{"ask-answered", []string{prompt(-5, "go"), call(-4, "a", "t1", "AskUserQuestion", ask), result(-3, "t1", "SQLite")}, "open act=3"},
		{"ask-superseded", []string{prompt(-5, "go"), call(-4, "a", "t1", "AskUserQuestion", ask), prompt(-3, "never mind")}, "open act=4"},
		{"ask-mixed", []string{prompt(-5, "go"), call(-4, "a", "t1", "AskUserQuestion", ask), call(-4, "a", "t2", "Bash", `{"command":"make"}`)}, "open act=4 calls=AskUserQuestion,Bash: make q=question:Which database? (Postgres,SQLite)"},
		{"one of two answered", []string{call(-4, "a", "t1", "AskUserQuestion", ask), call(-4, "a", "t2", "Bash", `{}`), result(-3, "t2", "x")}, "open act=3 calls=AskUserQuestion q=question:Which database? (Postgres,SQLite)"},
		{"plan", []string{call(-4, "a", "t1", "ExitPlanMode", `{"plan":"1. test"}`)}, "open act=4 calls=ExitPlanMode q=plan:1. test"},
		{"rejected", []string{prompt(-5, "go"), call(-4, "a", "t1", "Bash", `{}`), result(-3, "t1", "The user doesn't want"), `{"type":"user","timestamp":"` + stamp(-3) + `","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`}, "interrupted act=3"},
		{"interrupted without an answer", []string{call(-4, "a", "t1", "AskUserQuestion", ask), prompt(-3, "[Request interrupted by user]")}, "interrupted act=4"},
		{"call of an earlier message", []string{call(-6, "a", "t1", "AskUserQuestion", ask), says(-4, "b", "end_turn", "Fine.")}, "ended act=4"},
		{"err-529", []string{prompt(-5, "go"), apiError(-4, "server_error", 529, "API Error: 529 Overloaded.", ""), turnOver(-4), meta}, "error act=4 err=server_error/529"},
		{"error, then a new prompt", []string{apiError(-4, "server_error", 529, "x", ""), prompt(-3, "again")}, "open act=4"},
		{"lim-structured", []string{prompt(-5, "go"), apiError(-4, "rate_limit", 429, "You've hit your weekly limit · resets Dec 3, 1:49am (UTC)", `,"quotaLimits":{"status":"rejected","resetsAt":1796262567,"rateLimitType":"seven_day"}`)}, "error act=4 err=rate_limit/429 limit=seven_day@1796262567"},
		{"429 without quota", []string{apiError(-4, "rate_limit", 429, "API Error: Request rejected (429) · per minute", "")}, "error act=4 err=rate_limit/429"},
		{"limit by its text alone", []string{apiError(-4, "rate_limit", 429, "You've hit your session limit · resets 4:59pm (UTC)", "")}, "error act=4 err=rate_limit/429 limit="},
		{"lim-cleared", []string{apiError(-300, "rate_limit", 429, "You've hit your session limit", ""), prompt(-5, "go"), says(-4, "a", "end_turn", "Back.")}, "ended act=4"},
		{"lim-quoted-in-talk", []string{prompt(-5, "explain"), result(-5, "t9", "You've hit your session limit · resets 3am (UTC)"), says(-4, "a", "end_turn", "You've hit your session limit · resets 3am (UTC)")}, "ended act=4"},
		{"err-dropped-late-meta", []string{apiError(-40, "server_error", 0, "API Error: Connection closed", ""), meta, `{"type":"mode","mode":"normal"}`}, "error act=40 err=server_error/0"},
		{"arc done", []string{says(-4, "a", "end_turn", "All merged.\n\nARC-STATUS: DONE merged as 1a2b")}, "ended act=4 arc=DONE"},
		{"arc quoted in a code block", []string{says(-4, "a", "end_turn", "Write this:\n```\nARC-STATUS: DONE\n```\nthen stop.")}, "ended act=4"},
		{"arc, then a new prompt", []string{says(-4, "a", "end_turn", "ARC-STATUS: DONE"), prompt(-3, "one more")}, "open act=4"},
		{"cc-prose-question", []string{says(-4, "a", "end_turn", "Two ways. Should I use the queue or the cron job?"), `{"type":"system","subtype":"scheduled_task_fire","timestamp":"` + stamp(-1) + `"}`}, "ended act=4 q=prose:Should I use the queue or the cron job?"},
		{"a subagent's line counts as activity only", []string{says(-9, "a", "end_turn", "Ok."), `{"type":"assistant","isSidechain":true,"timestamp":"` + stamp(-2) + `","message":{"id":"z","content":[]}}`}, "ended act=2"},
		{"the future is distrusted", []string{says(-9, "a", "end_turn", "Ok."), prompt(-8, "x"), says(+60, "b", "end_turn", "Later")}, "ended act=9 ahead"},
		{"what the future has that is no activity", []string{says(-9, "a", "end_turn", "Ok."), prompt(+60, "x")}, "open act=9 ahead"},
		{"two minutes ahead are not the future", []string{says(+1, "b", "end_turn", "Now")}, "ended act=-1"},
		{"tx-partial-last", []string{says(-4, "a", "end_turn", "Ok."), `{"type":"assistant","mess`}, "ended act=4 bad=1"},
		{"tx-partial-then-complete", []string{says(-4, "a", "end_turn", "Ok."), says(-2, "b", "end_turn", "Done.")}, "ended act=2"},
		{"tx-nul-run", []string{says(-9, "a", "end_turn", "Ok."), strings.Repeat("\x00", 400), prompt(-5, "go"), says(-4, "b", "end_turn", "Ok.")}, "ended act=4 bad=1"},
		{"NULs where the newest lines were", []string{says(-9, "a", "end_turn", "Ok."), strings.Repeat("\x00", 400)}, "ended act=9 (its last line is not understood) bad=1"},
		{"the newest lines are none of JSON", []string{says(-9, "a", "end_turn", "ARC-STATUS: DONE"), "{half", "{half"}, "ended act=9 (its last 2 lines are not understood) arc=DONE bad=2"},
		{"only lines that tell of no turn are newer than one that is damaged", []string{says(-9, "a", "end_turn", "Ok."), "rubbish", meta}, "ended act=9 (its last line is not understood) bad=1"},
		{"damaged lines are older than what tells of a turn", []string{"rubbish", "rubbish", says(-9, "a", "end_turn", "Ok.")}, "ended act=9 bad=2"},
		{"nothing is understood", []string{"{half"}, "none (no line of it is understood) bad=1"},
		{"nothing is there that tells of a turn", []string{meta}, "none"},
		{"tx-bom", []string{"\xef\xbb\xbf" + says(-4, "a", "end_turn", "Ok.")}, "ended act=4"},
		{"compacted", []string{apiError(-9, "server_error", 529, "x", ""), `{"type":"system","subtype":"compact_boundary","timestamp":"` + stamp(-8) + `"}`, `{"type":"user","isCompactSummary":true,"timestamp":"` + stamp(-8) + `","message":{"content":"Summary"}}`}, "ended act=9"},
		{"lines of one moment in any order", []string{says(-4, "a", "tool_use", "I ask."), call(-3, "a", "t1", "AskUserQuestion", ask), meta, prompt(-5, "go"), meta}, "open act=3 calls=AskUserQuestion q=question:Which database? (Postgres,SQLite)"},
		{"an error before its prompt in the file", []string{apiError(-4, "server_error", 529, "x", ""), prompt(-5, "go")}, "error act=4 err=server_error/529"},
		{"a local command opens no turn", []string{says(-9, "a", "end_turn", "Ok."), prompt(-8, "<command-name>/model</command-name>"), prompt(-8, "<local-command-stdout>Kept</local-command-stdout>")}, "ended act=9"},
	}
	for _, tt := range tests {
		tail := NewTail(look)
		for _, l := range slices.Backward(tt.lines) {
			if !tail.Done() {
				tail.Add([]byte(l))
			}
		}
		if got := summary(tail); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// summary says what a tail found in one line.
func summary(tail *Tail) string {
	r := tail.Result()
	s := r.LastTurn
	if r.ActivityAt != nil {
		s += fmt.Sprintf(" act=%d", int(look.Sub(r.ActivityAt.Time).Minutes()))
	}
	if r.Ahead {
		s += " ahead"
	}
	if r.Unread != "" {
		s += " (" + r.Unread + ")"
	}
	if len(r.OpenCalls) > 0 {
		s += " calls=" + strings.Join(r.OpenCalls, ",")
	}
	if q := r.Question; q != nil {
		s += " q=" + q.Kind + ":" + q.Text
		if len(q.Options) > 0 {
			s += " (" + strings.Join(q.Options, ",") + ")"
		}
	}
	if r.Error != nil {
		s += fmt.Sprintf(" err=%s/%d", r.Error.Kind, r.Error.Status)
	}
	if l := r.Limit; l != nil {
		s += " limit=" + l.Kind
		if l.ResetAt != nil {
			s += fmt.Sprintf("@%d", l.ResetAt.Unix())
		}
	}
	if r.ArcStatus != nil {
		s += " arc=" + r.ArcStatus.Status
	}
	if r.BadLines > 0 {
		s += fmt.Sprintf(" bad=%d", r.BadLines)
	}
	return s
}

// recordsAs requires of a tail that its recording says of the last turn what it
// says itself.
func recordsAs(t *testing.T, tail *Tail) {
	t.Helper()
	b, err := tail.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := NewTail(look)
	for _, l := range slices.Backward(bytes.Split(b, []byte("\n"))) {
		again.Add(l)
	}
	got, want := again.Result(), tail.Result()
	if got.LastTurn != want.LastTurn || (got.Error == nil) != (want.Error == nil) || (got.Limit == nil) != (want.Limit == nil) || (got.Question == nil) != (want.Question == nil) ||
		(got.ArcStatus == nil) != (want.ArcStatus == nil) || fmt.Sprint(got.ActivityAt) != fmt.Sprint(want.ActivityAt) || !tail.undated && got.Unread != want.Unread || got.Unread == "" && got.BadLines != 0 {
		t.Errorf("recorded %s, which says\n%s, and not\n%s", b, summary(again), summary(tail))
	}
}

// Laws: the order of a few lines that are understood does not matter where their times differ; no
// input makes an activity that is later than the look allows; and a recording
// says the same.
func FuzzTail(f *testing.F) {
	f.Add(says(-4, "a", "end_turn", "Ok.")+"\n"+prompt(-3, "go"), uint8(1))
	f.Add(apiError(-4, "rate_limit", 429, "You've hit your session limit", "")+"\n"+meta, uint8(0))
	f.Add(call(-4, "a", "t1", "AskUserQuestion", ask)+"\n"+prompt(-5, "go")+"\n"+turnOver(-6), uint8(2))
	f.Fuzz(func(t *testing.T, text string, from uint8) {
		lines := strings.Split(text, "\n")
		tail, turned := NewTail(look), NewTail(look)
		times := map[string]bool{}
		for i := range lines {
			tail.Add([]byte(lines[len(lines)-1-i]))
			turned.Add([]byte(lines[(int(from)+i)%len(lines)]))
		}
		r := tail.Result()
		if r.ActivityAt != nil && r.ActivityAt.Sub(look) > FutureGrace {
			t.Errorf("activity %s is in the future", r.ActivityAt)
		}
		if (r.Limit != nil) && (r.Error == nil) || (r.Error != nil) != (r.LastTurn == TurnError) {
			t.Errorf("error %v, limit %v, last turn %s", r.Error, r.Limit, r.LastTurn)
		}
		recordsAs(t, tail)
		for _, l := range tail.lines {
			if l.at.IsZero() || times[l.at.String()] {
				return
			}
			times[l.at.String()] = true
		}
		if tail.bad > 0 { // what is damaged has no time, and so counts by its place
			return
		}
		if len(lines) < Slack && summary(tail) != summary(turned) {
			t.Errorf("in order %s, turned %s", summary(tail), summary(turned))
		}
	})
}

// A field of another form than it had does not take its line away: the error
// that ends a turn still ends it.
func TestTail_otherForms(t *testing.T) {
	for name, last := range map[string]string{
		"status":  `"isApiErrorMessage":true,"error":"server_error","apiErrorStatus":"529","message":{"id":"e","content":[{"type":"text","text":"API Error: 529"}]}`,
		"quota":   `"isApiErrorMessage":true,"error":"server_error","quotaLimits":"none","message":{"id":"e","content":[{"type":"text","text":"API Error: 529"}]}`,
		"id":      `"isApiErrorMessage":true,"error":"server_error","message":{"id":5,"content":[{"type":"text","text":"API Error: 529"}]}`,
		"content": `"isApiErrorMessage":true,"error":"server_error","message":{"id":"e","content":[{"type":"text","text":{}},{"type":7},{"type":"text","text":"API Error: 529"}]}`,
	} {
		tail := NewTail(look)
		tail.Add([]byte(fmt.Sprintf(`{"type":"assistant","timestamp":%q,%s}`, stamp(-3), last)))
		tail.Add([]byte(says(-9, "a", "end_turn", "Done.")))
		if r := tail.Result(); r.LastTurn != TurnError || r.Error == nil || r.Error.Text != "API Error: 529" || r.BadLines != 0 {
			t.Errorf("%s: got %+v, error %+v", name, r, r.Error)
		}
	}
}

// Timestamps of another form, or of the future, are no lack of activity.
func TestTail_otherTimestamps(t *testing.T) {
	for _, at := range []string{`1795962443543`, `"29.11.2026 14:50"`, `"0000-01-01T00:00:00+14:00"`, `"2026-11-30T15:00:00.000Z"`} {
		tail := NewTail(look)
		tail.Add([]byte(`{"type":"assistant","timestamp":` + at + `,"message":{"id":"a","stop_reason":"end_turn","content":"Done."}}`))
		if r := tail.Result(); r.Unread != "no timestamp is understood, or all lie ahead" {
			t.Errorf("%s: unread %q", at, r.Unread)
		}
	}
}
