package board

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/record"
)

var now = time.Date(2026, 8, 2, 15, 0, 0, 0, time.UTC)

func at(clock string) *record.Time {
	u, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	return record.TimeOf(time.Date(2026, 8, 2, u.Hour(), u.Minute(), u.Second(), 0, time.UTC))
}

// line is one event of a log. more is further fields, each with a comma behind
// it.
func line(session, typ, clock, payload string, more ...string) string {
	return fmt.Sprintf(`{%s"branch":"feat/lamp","cwd":"/r/lamp","payload":%s,"repo":"/r/lamp/.git","session_id":%q,"ts":"2026-08-02T%s.000Z","type":%q,"v":1}`,
		strings.Join(more, ""), payload, session, clock, typ) + "\n"
}

func TestFold(t *testing.T) {
	const (
		blocked = `{"arc_status":"BLOCKED","arc_line":"ARC-STATUS: BLOCKED on a decision"}`
		merged  = `{"arc_status":"MERGED","arc_line":"ARC-STATUS: MERGED #41"}`
		limit   = `{"error_type":"rate_limit","error":"You've hit your session limit"}`
	)
	arc := func(clock, status, text string) *record.ArcStatus {
		return &record.ArcStatus{At: at(clock), Status: status, Line: text}
	}
	died := func(clock, class, text string) *record.BoardDeath {
		return &record.BoardDeath{At: *at(clock), Class: class, Text: text}
	}
	tests := []struct {
		name string
		log  string
		want record.Board
	}{
		{"a start", line("s", "session.start", "10:00:00", `{"source":"startup","model":"m"}`), record.Board{LastAt: at("10:00:00"), LastType: typeStart, Events: 1}},
		{"an older hook's start", line("s", "session.start", "10:00:00", `{}`), record.Board{LastAt: at("10:00:00"), LastType: typeStart, Events: 1}},
		{"a status", line("s", "session.start", "10:00:00", `{}`) + line("s", "session.stop", "11:00:00", blocked),
			record.Board{LastAt: at("11:00:00"), LastType: typeStop, Events: 2, Arc: arc("11:00:00", "BLOCKED", "ARC-STATUS: BLOCKED on a decision")}},
		{"a status with something behind it", line("s", "session.stop", "11:00:00", merged) + line("s", "session.start", "12:00:00", `{}`),
			record.Board{LastAt: at("12:00:00"), LastType: typeStart, Events: 2}},
		{"a turn behind it without a status", line("s", "session.stop", "11:00:00", merged) + line("s", "session.stop", "12:00:00", `{}`),
			record.Board{LastAt: at("12:00:00"), LastType: typeStop, Events: 2}},
		{"a death", line("s", "session.died", "11:00:00", limit),
			record.Board{LastAt: at("11:00:00"), LastType: typeDied, Events: 1, Died: died("11:00:00", "rate_limit", "You've hit your session limit")}},
		{"a death of an older hook", line("s", "session.died", "11:00:00", `{"error":"authentication_failed"}`),
			record.Board{LastAt: at("11:00:00"), LastType: typeDied, Events: 1, Died: died("11:00:00", "authentication_failed", "")}},
		{"a death without a class", line("s", "session.died", "11:00:00", `{"error":"it broke"}`),
			record.Board{LastAt: at("11:00:00"), LastType: typeDied, Events: 1, Died: died("11:00:00", "", "it broke")}},
		{"a death with a status", line("s", "session.died", "11:00:00", `{"error":"rate_limit","arc_status":"BLOCKED"}`),
			record.Board{LastAt: at("11:00:00"), LastType: typeDied, Events: 1, Died: died("11:00:00", "rate_limit", ""), Arc: arc("11:00:00", "BLOCKED", "")}},
		{"it went on after a death", line("s", "session.died", "11:00:00", limit) + line("s", "session.stop", "13:00:00", merged),
			record.Board{LastAt: at("13:00:00"), LastType: typeStop, Events: 2, Died: died("11:00:00", "rate_limit", "You've hit your session limit"), Arc: arc("13:00:00", "MERGED", "ARC-STATUS: MERGED #41")}},
		{"the same death twice", line("s", "session.died", "11:00:00", limit) + line("s", "session.died", "11:00:04", `{"error":"rate_limit"}`),
			record.Board{LastAt: at("11:00:04"), LastType: typeDied, Events: 2, Died: died("11:00:04", "rate_limit", "")}},
		{"lines out of order", line("s", "session.stop", "12:00:00", merged) + line("s", "session.died", "11:00:00", limit) + line("s", "session.start", "10:00:00", `{}`),
			record.Board{LastAt: at("12:00:00"), LastType: typeStop, Events: 3, Died: died("11:00:00", "rate_limit", "You've hit your session limit"), Arc: arc("12:00:00", "MERGED", "ARC-STATUS: MERGED #41")}},
		{"two events of one instant", line("s", "session.stop", "12:00:00", merged) + line("s", "session.start", "12:00:00", `{}`),
			record.Board{LastAt: at("12:00:00"), LastType: typeStart, Events: 2}},
		{"an agent", line("s", "session.start", "10:00:00", `{}`, `"paseo_agent_id":"a-1",`) + line("s", "session.stop", "10:01:00", `{}`),
			record.Board{LastAt: at("10:01:00"), LastType: typeStop, Events: 2, PaseoAgentID: "a-1"}},
		{"a payload of odd types", line("s", "session.died", "11:00:00", `{"error":{"a":1},"error_type":7,"arc_status":["x"]}`),
			record.Board{LastAt: at("11:00:00"), LastType: typeDied, Events: 1, Died: died("11:00:00", "", "")}},
		{"no payload", line("s", "session.stop", "11:00:00", `null`), record.Board{LastAt: at("11:00:00"), LastType: typeStop, Events: 1}},
	}
	for _, tt := range tests {
		var b Board
		s := b.Add("lamp", []byte(tt.log), now)
		tt.want.SessionID, tt.want.Scope, tt.want.Cwd, tt.want.Repo = "s", "lamp", "/r/lamp", "/r/lamp/.git"
		tt.want.Branch, tt.want.BranchID = "feat/lamp", gitrepo.BranchID("feat/lamp")
		for _, d := range pretty.Diff(b.Rows(), []record.Board{tt.want}) {
			t.Errorf("%s: %s", tt.name, d)
		}
		if s.Unparsed > 0 || s.Rows != tt.want.Events || !s.OK {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

// A session moves: where it is is where its last event was.
func TestFoldMoves(t *testing.T) {
	moved := `{"branch":null,"cwd":"/r/desk","payload":{},"repo":"/r/desk/.git","session_id":"s","ts":"2026-08-02T12:00:00.000Z","type":"session.stop","v":1}` + "\n"
	detached := strings.Replace(strings.Replace(moved, "null", `"detached@0123456789ab"`, 1), "12:00", "13:00", 1)
	var b Board
	b.Add("desk", []byte(moved), now)
	b.Add("lamp", []byte(line("s", "session.start", "10:00:00", `{}`)+line("t", "session.start", "10:00:00", `{}`)), now)
	if rows := b.Rows(); len(rows) != 2 || rows[0].Scope != "desk" || rows[0].Cwd != "/r/desk" || rows[0].Branch != "" || rows[0].BranchID != "" || rows[0].Events != 2 || rows[1].SessionID != "t" {
		t.Errorf("%+v", rows)
	}
	b.Add("desk", []byte(detached), now)
	if row := b.Rows()[0]; row.Branch != "detached@0123456789ab" || row.BranchID != "" {
		t.Errorf("%+v", row)
	}
}

func TestAddCounts(t *testing.T) {
	good := line("s", "session.start", "10:00:00", `{}`)
	tests := []struct {
		name, log      string
		rows, unparsed int
		drift, notes   string
	}{
		{"empty", "", 0, 0, "[]", "[]"},
		{"blank lines", "\n" + good + "\r\n\n", 1, 0, "[]", "[]"},
		{"no JSON", "junk\n" + good, 1, 1, "[]", "[]"},
		{"no object", "[1]\n7\n" + good, 1, 2, "[]", "[]"},
		{"no version", strings.Replace(good, `,"v":1`, "", 1), 0, 1, "[]", "[]"},
		{"another version", strings.Replace(good, `"v":1`, `"v":2`, 1), 0, 1, "[version 2]", "[]"},
		{"unknown types", line("s", "mail.sent", "10:00:00", `{}`) + line("s", "mail.sent", "10:01:00", `[]`) + line("s", "claim", "10:01:00", `{}`) + good, 1, 3, "[type claim type mail.sent]", "[]"},
		{"no session", strings.Replace(good, `"s"`, `""`, 1), 0, 1, "[]", "[]"},
		{"an odd session", strings.Replace(good, `"s"`, `"../s"`, 1), 0, 1, "[]", "[]"},
		{"no time", strings.Replace(good, "2026-08-02T", "today", 1), 0, 1, "[]", "[]"},
		{"a payload that is no object", strings.Replace(good, `{},"repo"`, `[],"repo"`, 1), 0, 1, "[]", "[]"},
		{"a torn last line", good + good[:40], 1, 1, "[]", "[torn last lines: 1]"},
		{"a whole last line without its end", good + strings.TrimSuffix(good, "\n"), 2, 0, "[]", "[]"},
		{"a torn line with another behind it", good[:40] + "\n" + good, 1, 1, "[]", "[]"},
		{"NUL bytes at the end", good + "\x00\x00\x00", 1, 1, "[]", "[runs of NUL bytes: 1]"},
		{"an event behind NUL bytes", "\x00\x00" + good, 1, 1, "[]", "[runs of NUL bytes: 1]"},
		{"a mark", "\ufeff" + good, 1, 0, "[]", "[it begins with a byte order mark]"},
		{"the future", line("s", "session.died", "15:02:01", `{}`) + good, 1, 0, "[]", "[events of the future left out: 1]"},
		{"nearly the future", line("s", "session.died", "15:02:00", `{}`), 1, 0, "[]", "[]"},
	}
	for _, tt := range tests {
		var b Board
		s := b.Add("lamp", []byte(tt.log), now)
		if s.Rows != tt.rows || s.Unparsed != tt.unparsed || fmt.Sprint(s.Drift) != tt.drift || fmt.Sprint(s.Notes) != tt.notes {
			t.Errorf("%s: %d rows, %d unparsed, drift %v, notes %v; want %d, %d, %s, %s", tt.name, s.Rows, s.Unparsed, s.Drift, s.Notes, tt.rows, tt.unparsed, tt.drift, tt.notes)
		}
	}
}

// A log is what any session can write: words come out clean.
func TestFoldGuards(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	log := strings.ReplaceAll(line("s", "session.died", "10:00:00", `{"error":"TOKEN \u001b[31mred\nnext","error_type":"TOKEN","arc_status":"TOKEN","arc_line":"TOKEN"}`, `"paseo_agent_id":"TOKEN",`), "TOKEN", token)
	log = strings.Replace(log, "feat/lamp", token, 1)
	log = strings.Replace(log, `"/r/lamp"`, `"/r/`+token+`"`, 1)
	log += strings.Replace(line("s", token, "10:00:00", `{}`), "feat", "x", 1)
	log += line(token, "session.start", "10:00:00", `{}`)
	var b Board
	s := b.Add("lamp", []byte(log), now)
	out, err := json.Marshal([]any{b.Rows(), s})
	if err != nil || len(b.Rows()) != 2 || strings.Contains(string(out), token[:12]) || strings.Contains(string(out), "u001b") || strings.Contains(string(out), `\n`) {
		t.Errorf("%s, %v", out, err)
	}
}

// What is recorded makes the same rows, and holds nothing that is not read.
func TestEncode(t *testing.T) {
	log := line("s", "session.start", "10:00:00", `{"model":"m"}`, `"paseo_agent_id":"a-1",`, `"x":1,`) + "junk\n" + line("s", "mail.sent", "10:00:30", `{}`) +
		strings.Replace(line("s", "session.died", "10:01:00", `{"error":"rate_limit","arc_status":"DONE","tool":"t"}`), `"feat/lamp"`, "null", 1)
	const want = `{"v":1,"type":"session.start","ts":"2026-08-02T10:00:00.000Z","session_id":"s","cwd":"/r/lamp","repo":"/r/lamp/.git","branch":"feat/lamp","paseo_agent_id":"a-1","payload":{}}
{"v":1,"type":"session.died","ts":"2026-08-02T10:01:00.000Z","session_id":"s","cwd":"/r/lamp","repo":"/r/lamp/.git","branch":null,"paseo_agent_id":"","payload":{"arc_status":"DONE","error":"rate_limit"}}
`
	got, err := Encode([]byte(log))
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
	var raw, again Board
	raw.Add("lamp", []byte(log), now)
	again.Add("lamp", got, now)
	for _, d := range pretty.Diff(again.Rows(), raw.Rows()) {
		t.Error(d)
	}
}

// Folding a log in two parts is folding it whole, and what is read and what is
// not make up all its lines.
func FuzzFold(f *testing.F) {
	f.Add([]byte(line("s", "session.start", "10:00:00", `{}`)+line("s", "session.died", "11:00:00", `{"error":"rate_limit"}`)), 1)
	f.Add([]byte("\ufeff\x00{}\n"+line("s", "mail", "10:00:00", `{}`)+`{"v":1`), 2)
	f.Fuzz(func(t *testing.T, log []byte, cut int) {
		var whole, parts Board
		s := whole.Add("a", log, now)
		lines := strings.SplitAfter(string(log), "\n")
		n := min(max(cut, 0), len(lines))
		parts.Add("a", []byte(strings.Join(lines[:n], "")), now)
		parts.Add("a", []byte(strings.Join(lines[n:], "")), now)
		got, err := json.Marshal(parts.Rows())
		want, err2 := json.Marshal(whole.Rows())
		if !strings.Contains(string(log), "\ufeff") && string(got) != string(want) || err != nil || err2 != nil {
			t.Errorf("in two parts %s, whole %s, %v %v", got, want, err, err2)
		}
		if s.Rows+s.Unparsed > 2*len(lines) {
			t.Errorf("%d rows and %d unparsed of %d lines", s.Rows, s.Unparsed, len(lines))
		}
		events := 0
		for _, r := range whole.Rows() {
			events += r.Events
		}
		if events != s.Rows {
			t.Errorf("%d events in rows, %d read", events, s.Rows)
		}
	})
}
