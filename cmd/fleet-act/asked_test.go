package main

import (
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// What is told at once is what the next tick asks: its key, and of a session its name and
// the way there.
func TestAsked(t *testing.T) {
	const id, other = "5f0c1d2e-1111-4222-8333-444455556666", "5f0c1d2e-1111-4222-8333-444455556667"
	now := record.NewTime(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	set := new(record.Set)
	add := func(r record.Record, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		set.Add(record.Line{Record: r, Raw: line})
	}
	for _, v := range []struct {
		host, subject, class string
		session              record.VerdictSession
	}{
		{"devbox", id, "6", record.VerdictSession{Name: "port", Tmux: "work:@3.%7", Process: true}},
		{"devbox", other, "2", record.VerdictSession{JobID: "aaaaaaaa"}},
		{"attic", id, "6", record.VerdictSession{Name: "far", Tmux: "far", Process: true}},
		{"devbox", "code-agent", "6", record.VerdictSession{Name: "no agent", Tmux: "no", Process: true}},
	} {
		r, err := record.New(record.KindVerdict, now, v.host, "fleet-classify", v.subject, record.Verdict{Class: v.class, Session: v.session})
		add(r, err)
	}
	for _, v := range []struct {
		host, agent string
		seen        *record.Seen
	}{
		{"devbox", "deaf-agent", &record.Seen{Tmux: "lamp@deaf", PID: 9}},
		{"attic", "far-agent", &record.Seen{Tmux: "lamp@far", PID: 9}},
		{"devbox", "ended-agent", &record.Seen{Tmux: "lamp@ended"}},
		{"devbox", "blind-agent", nil},
	} {
		r, err := record.New(record.KindDecision, now, v.host, "fleet-reconcile", v.agent, record.Decision{Agent: v.agent, Seen: v.seen})
		add(r, err)
	}
	d := &deed{set: set, host: "devbox"}
	for of, want := range map[[2]string]string{
		{"deaf-agent", "stuck"}: "tmux attach -t '=lamp@deaf'", {"deaf-agent", "kept-draft"}: "tmux attach -t '=lamp@deaf'", {"deaf-agent", "restarted"}: "tmux attach -t '=lamp@deaf'",
		{"deaf-agent", "restart-failed"}: "", {"deaf-agent", "kept-absent"}: "", {"ended-agent", "no-launcher"}: "", {"blind-agent", "stuck"}: "", {"far-agent", "stuck"}: "",
	} {
		if got := d.asked(of[0], of[1], "it does not answer", now); got.Go != want || got.Question != of[0]+": it does not answer" || got.Class != "" {
			t.Errorf("%s, %s: %+v, want %q", of[0], of[1], got, want)
		}
	}
	for agent, want := range map[string]record.Asked{
		"session:" + id:    {Key: "heal:session:" + id + ":kept-draft", Question: "port: it hangs", Class: "6", Go: "tmux attach -t work:@3.%7"},
		"session:" + other: {Key: "heal:session:" + other + ":kept-draft", Question: other + ": it hangs", Class: "2", Go: "claude attach aaaaaaaa"},
		"session:unknown":  {Key: "heal:session:unknown:kept-draft", Question: "session:unknown: it hangs"},
		"code-agent":       {Key: "heal:code-agent:kept-draft", Question: "code-agent: it hangs"},
	} {
		want.Since = &now
		for _, d := range pretty.Diff(d.asked(agent, "kept-draft", "it hangs", now), want) {
			t.Error(agent, d)
		}
	}
}
