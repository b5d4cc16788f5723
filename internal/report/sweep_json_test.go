package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// For jq the same stands unclipped and as plain text, in the order of the page, with
// what was decided and what became of it whole.
func TestSweepJSON(t *testing.T) {
	s := sweepOf(t, func(s *stream) {
		rules := record.DefaultHealRules()
		ran(s, "h")
		says(s, record.KindTick, "h", "fleet-config", "lamp", record.Tick{Scope: "lamp", Host: "h", Heal: &rules})
		decide(s, "h", "b", "OK", "")
		decide(s, "h", "a", "LAUNCH", "launch")
		became(s, "h", record.Outcome{Agent: "a", Verb: "launch", Result: record.Dry, Detail: "the *mode* is | not act", Kept: "a|b: it *is* so"})
		says(s, record.KindSurface, "h", "fleet-observe-health", "macf/roster:lamp", record.Surface{Error: "no <such> file"})
		says(s, record.KindSurface, "h", "fleet-observe-workspaces", "macf/workspaces", record.Surface{OK: true, Unparsed: 1, Notes: []string{"/w/b: no label"}})
		closed(s, record.Surface{OK: true, Records: new(2), Notes: []string{"c is left"}, Undecided: []string{"c: unread"}})
	})
	s.Over("no room", look.Add(time.Hour))
	var b bytes.Buffer
	if err := SweepJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var got Sweep
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	late := record.NewTime(look.Add(15 * time.Minute))
	want := Sweep{V: 1, At: look, Scope: "lamp", Outdated: &late, Alarm: "at 2026-11-29T15:50:02Z: no room", Says: "1 would be refused (a|b), 1 well", Dry: "the *mode* is | not act",
		NotRead: []NotRead{{Host: "h", Name: "macf/roster:lamp", Why: WhyFailed, Says: "no <such> file"}, {Host: "h", Name: "macf/workspaces", Why: WhyUnparsed, Says: "1 of 1 could not be understood: /w/b: no label"}},
		Notes:   []string{"c is left"}, Undecided: []string{"c: unread"},
		Rows: []SweepRow{
			{Host: "h", Subject: "a", Decision: "LAUNCH", Reason: "why-a", Detail: "how a is", Action: &record.Action{Verb: "launch", Driver: "tmux"}, End: EndWouldNot, By: "a|b",
				Outcome: &record.Outcome{Agent: "a", Verb: "launch", Result: record.Dry, Detail: "the *mode* is | not act", Kept: "a|b: it *is* so"}},
			{Host: "h", Subject: "b", Decision: "OK", Reason: "why-b", Detail: "how b is", End: EndWell},
		}}
	if diff := pretty.Diff(got, want); len(diff) > 0 {
		t.Errorf("%v\n%s", diff, &b)
	}
	alert := &record.Alert{Severity: "restarted", Text: "it is restarted"}
	s = sweepOf(t, func(s *stream) {
		for i, o := range []record.Outcome{{Result: record.Done, Tells: "it was restarted"}, {Result: record.Refused, Reason: "busy"}, {Result: record.Failed, Tells: "it failed"}, {Result: record.Dry}, {Result: record.Dry, Kept: "busy: it works"}} {
			o.Agent, o.Verb = string(rune('a'+i)), "restart"
			says(s, record.KindDecision, "h", judgeOfSweeps, o.Agent, record.Decision{Agent: o.Agent, Decision: "HEAL", Action: &record.Action{Verb: "restart"}, Alert: alert})
			became(s, "h", o)
		}
		says(s, record.KindDecision, "h", judgeOfSweeps, "x", record.Decision{Agent: "x", Decision: "SKIP", Alert: alert})
	})
	for i, want := range []string{"it was restarted", "", "it failed", "it is restarted", "", "it is restarted"} { // what became of it, not what was to
		if s.Rows[i].Told != want {
			t.Errorf("%s: %q, want %q", s.Rows[i].Subject, s.Rows[i].Told, want)
		}
	}
	s = sweepOf(t, func(s *stream) { decide(s, "h", "a", "OK", "") })
	if s.Over("no room", look.Time); !strings.HasPrefix(s.Alarm, "at 2026-11-29T14:50:02Z: no room; of the last one was said: decisions may be missing: fleet-reconcile: ") {
		t.Error(s.Alarm)
	}
	b.Reset()
	if err := SweepJSON(&b, sweepOf(t, func(*stream) {})); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"not_read", "undecided", "notes", "rows"} {
		has(t, b.String(), `"`+list+`": []`)
	}
}
