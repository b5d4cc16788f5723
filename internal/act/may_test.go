package act

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// A did is an act in a ledger: who was acted on, how long before noon, and what
// became of it; "" when nobody noted that.
type did struct {
	agent, verb string
	ago         time.Duration
	end         string
}

// ledgerOf is the state of a ledger with these acts.
func ledgerOf(t *testing.T, acts ...did) *fold.State {
	t.Helper()
	s, n := new(fold.State), 0
	add := func(ago time.Duration, e record.Entry) string {
		n++
		e.V, e.TS, e.Scope, e.ID = record.Version, record.NewTime(noon.Add(-ago)), "lamp", fmt.Sprint("act-", n)
		s.Add(fold.Line{Entry: e})
		return e.ID
	}
	for _, a := range acts {
		switch a.verb {
		case record.EntryPause, record.EntryUnpause:
			add(a.ago, record.Entry{Kind: a.verb, By: "owner:tty", Key: a.agent})
			continue
		case "ok":
			add(a.ago, record.Entry{Kind: record.EntrySweep, By: "act", Agents: []record.SweepAgent{{Agent: a.agent, Decision: "OK"}}})
			continue
		}
		id := add(a.ago, record.Entry{Kind: record.EntryIntent, By: "act", Verb: a.verb, Key: a.agent, Target: fold.Marshal(record.ActTarget{Action: record.Action{Verb: a.verb}})})
		if a.end != "" {
			add(a.ago, record.Entry{Kind: a.end, By: "act", Verb: a.verb, Key: a.agent, Of: id})
		}
	}
	return s
}

// What the ledger forbids, as it stands at the moment of acting: rows of the case
// heal-rate are the two of its report.
func TestMay(t *testing.T) {
	const s, m = time.Second, time.Minute
	done := record.EntryDone
	rules := record.DefaultHealRules() // 20 minutes' backoff, 3 attempts, 60 s between two restarts
	rules.WindowS = 300                // 3 of them, as the reference has it
	soon := rules
	soon.BackoffMin, soon.MaxAttempts = 0, 9
	open := soon
	open.FleetGapS, open.WindowS, open.WindowMax = 0, 0, 1
	for _, tt := range []struct {
		name, verb string
		attempt    int
		rules      record.HealRules
		pause      *record.Time
		acts       []did
		want       string // reason; "": it may be done
	}{
		{"nothing before", "restart", 1, rules, nil, nil, ""},
		{"paused", "restart", 1, rules, nil, []did{{"a", record.EntryPause, m, ""}}, "paused"},
		{"paused, a message", "inject", 0, rules, nil, []did{{"a", record.EntryPause, m, ""}}, "paused"},
		{"paused and again not", "restart", 1, rules, nil, []did{{"a", record.EntryPause, m, ""}, {"a", record.EntryUnpause, s, ""}}, ""},
		{"another is paused", "restart", 1, rules, nil, []did{{"b", record.EntryPause, m, ""}}, ""},
		{"an act is open", "inject", 0, rules, nil, []did{{"a", "restart", 5 * time.Hour, ""}}, "open"},
		{"an alert is open", "restart", 1, rules, nil, []did{{"a", record.VerbAlert, m, ""}}, ""},
		{"an act on another is open", "inject", 0, rules, nil, []did{{"b", "inject", m, ""}}, ""},
		{"another attempt was made since", "restart", 1, rules, nil, []did{{"a", "restart", 5 * time.Hour, done}}, "changed"},
		{"it was well since", "restart", 2, rules, nil, []did{{"a", "restart", 5 * time.Hour, done}, {"a", "ok", 4 * time.Hour, ""}}, "changed"},
		{"within the wait", "restart", 2, rules, nil, []did{{"a", "restart", 19 * m, done}}, "backoff"},
		{"after the wait", "restart", 2, rules, nil, []did{{"a", "restart", 20 * m, done}}, ""},
		{"a launch within the wait", "launch", 2, rules, nil, []did{{"a", "launch", 19 * m, "failed"}}, "backoff"},
		{"after all attempts", "launch", 4, rules, nil, []did{{"a", "launch", 30 * time.Hour, done}, {"a", "launch", 20 * time.Hour, done}, {"a", "launch", 10 * time.Hour, done}}, "backoff"},
		{"an upgrade within the wait", "upgrade", 1, rules, nil, []did{{"a", "restart", 5 * m, done}}, ""},
		{"a limit of the account", "launch", 1, rules, record.TimeOf(noon.Add(m)), nil, "usage-limit"},
		{"a limit that is over", "launch", 1, rules, record.TimeOf(noon), nil, ""},
		{"a message in a limit of the account", "inject", 0, rules, record.TimeOf(noon.Add(m)), nil, ""},
		{"a message a moment after one", "inject", 0, rules, nil, []did{{"a", "inject", 59 * s, done}}, "mail-interval"},
		{"a message a minute after one", "inject", 0, rules, nil, []did{{"a", "inject", m, done}}, ""},
		{"a mail within its interval", "mail", 0, rules, nil, []did{{"a", "mail", 5 * time.Hour, done}}, "mail-interval"},
		{"a mail after its interval", "mail", 0, rules, nil, []did{{"a", "mail", 6 * time.Hour, done}}, ""},
		{"a mail to another", "mail", 0, rules, nil, []did{{"b", "mail", m, done}}, ""},
		{"heal-rate: the fourth restart in 300 s", "restart", 4, soon, nil, []did{{"a", "restart", 250 * s, done}, {"a", "restart", 160 * s, done}, {"a", "restart", 70 * s, done}}, "rate"},
		{"the fourth restart, one long ago", "restart", 4, soon, nil, []did{{"a", "restart", 300 * s, done}, {"a", "restart", 160 * s, done}, {"a", "restart", 70 * s, done}}, ""},
		{"heal-rate: the second restart in the fleet in 60 s", "restart", 1, soon, nil, []did{{"b", "restart", 59 * s, done}}, "fleet-gap"},
		{"a resume beside a restart", "resume", 1, soon, nil, []did{{"b", "restart", 59 * s, done}}, "fleet-gap"},
		{"a minute after another's restart", "restart", 1, soon, nil, []did{{"b", "restart", m, done}}, ""},
		{"a resume after a message", "resume", 2, soon, nil, []did{{"a", "inject", 5 * time.Hour, done}}, ""}, // which counts as one of its attempts
		{"a message after another attempt", "inject", 1, rules, nil, []did{{"a", "restart", 5 * time.Hour, done}}, ""},
		{"a message within the wait of a restart", "inject", 0, rules, nil, []did{{"a", "restart", 19 * m, done}}, ""},
		{"a message after all attempts", "inject", 0, rules, nil, []did{{"a", "launch", 30 * time.Hour, done}, {"a", "launch", 20 * time.Hour, done}, {"a", "launch", 10 * time.Hour, done}}, ""},
		{"an upgrade after all attempts", "upgrade", 1, rules, nil, []did{{"a", "launch", 30 * time.Hour, done}, {"a", "launch", 20 * time.Hour, done}, {"a", "launch", 10 * time.Hour, done}}, ""},
		{"an upgrade in a limit of the account", "upgrade", 1, rules, record.TimeOf(noon.Add(m)), nil, ""},
		{"a restart a moment after a message", "restart", 1, rules, nil, []did{{"a", "inject", 30 * s, done}}, ""},
		{"a message a moment after a launch", "inject", 0, rules, nil, []did{{"a", "launch", 30 * s, done}}, ""},
		{"a restart after messages, which are none", "restart", 1, soon, nil, []did{{"a", "inject", 250 * s, done}, {"a", "inject", 160 * s, done}, {"a", "inject", 70 * s, done}}, ""},
		{"heal-rate: the fourth launch in 300 s, well in between", "launch", 1, soon, nil, []did{{"a", "launch", 250 * s, done}, {"a", "launch", 160 * s, done}, {"a", "restart", 70 * s, done}, {"a", "ok", 60 * s, ""}}, "rate"},
		{"a fourth launch, one long ago", "launch", 1, soon, nil, []did{{"a", "launch", 300 * s, done}, {"a", "launch", 160 * s, done}, {"a", "launch", 70 * s, done}, {"a", "ok", 60 * s, ""}}, ""},
		{"the fourth start in 300 s, an upgrade", "upgrade", 1, soon, nil, []did{{"a", "launch", 250 * s, done}, {"a", "launch", 160 * s, done}, {"a", "restart", 70 * s, done}, {"a", "ok", 60 * s, ""}}, ""},
		{"no window", "restart", 1, open, nil, []did{{"a", "restart", -s, done}, {"a", "restart", -s, done}, {"a", "ok", -s, ""}}, ""},
		{"another was restarted, by a clock a year ahead", "restart", 1, soon, nil, []did{{"b", "restart", -8760 * time.Hour, done}}, ""},
		{"another was restarted, two minutes ahead", "restart", 1, soon, nil, []did{{"b", "restart", -2 * m, done}}, ""},
		{"another was restarted, a little ahead", "restart", 1, soon, nil, []did{{"b", "restart", s - 2*m, done}}, "fleet-gap"},
		{"another was resumed, by a clock ahead", "resume", 1, soon, nil, []did{{"b", "resume", -time.Hour, done}}, ""},
		{"restarts by a clock ahead", "restart", 1, soon, nil, []did{{"a", "restart", -time.Hour, done}, {"a", "restart", -time.Hour, done}, {"a", "restart", -time.Hour, done}, {"a", "ok", 60 * s, ""}}, ""},
		{"a mail by a clock a year ahead", "mail", 0, rules, nil, []did{{"a", "mail", -8760 * time.Hour, done}}, ""},
		{"a mail a little ahead", "mail", 0, rules, nil, []did{{"a", "mail", -m, done}}, "mail-interval"},
		{"a launch beside another's restart", "launch", 1, soon, nil, []did{{"b", "restart", s, done}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Actor{Rules: tt.rules, Mail: 6 * time.Hour, Pause: tt.pause, Now: func() time.Time { return noon }}
			err := a.may(t.Context(), record.Decision{Agent: "a", Attempt: tt.attempt, Action: &record.Action{Verb: tt.verb}})(ledgerOf(t, tt.acts...))
			got, ok := errors.AsType[refusal](err)
			if got.reason != tt.want || ok != (tt.want != "") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// What the ledger forbids says what holds, until when, and what ends it.
func TestMay_says(t *testing.T) {
	rules := record.DefaultHealRules()
	for _, tt := range []struct {
		verb    string
		attempt int
		pause   *record.Time
		acts    []did
		want    string
	}{
		{"restart", 1, nil, []did{{"a", record.EntryPause, time.Minute, ""}}, "paused: the owner paused it: fleet-ledger unpause ends that"},
		{"restart", 2, nil, []did{{"a", "restart", 5 * time.Minute, "done"}}, "backoff: attempt 1 was a short time ago: the next may come at 2026-11-29T12:15:00Z"},
		{"restart", 4, nil, []did{{"a", "restart", 9 * time.Hour, "done"}, {"a", "restart", 8 * time.Hour, "done"}, {"a", "restart", 7 * time.Hour, "done"}},
			"backoff: 3 attempts were made, and there may be no more: fleet-ledger pause, then unpause, begins anew"},
		{"restart", 1, nil, []did{{"a", "restart", 9 * time.Hour, "done"}}, "changed: it was to be attempt 1, and the ledger has 1 by now: the next sweep looks again"},
		{"launch", 1, record.TimeOf(noon.Add(time.Hour)), nil, "usage-limit: a usage limit holds until 2026-11-29T13:00:00Z: nothing is started before"},
		{"mail", 0, nil, []did{{"a", "mail", time.Hour, "done"}}, "mail-interval: a message was written to it less than 6h0m0s ago"},
		{"inject", 0, nil, []did{{"a", "inject", time.Second, "done"}}, "mail-interval: a message was written to it less than 1m0s ago"},
	} {
		a := &Actor{Rules: rules, Mail: 6 * time.Hour, Pause: tt.pause, Now: func() time.Time { return noon }}
		err := a.may(t.Context(), record.Decision{Agent: "a", Attempt: tt.attempt, Action: &record.Action{Verb: tt.verb}})(ledgerOf(t, tt.acts...))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.verb, err, tt.want)
		}
	}
}

// No more agents are launched than the cap leaves; one whose launch failed may run, and
// takes its place for this run.
func TestMay_cap(t *testing.T) {
	for room, want := range map[int]string{-1: "done done", 0: "refused cap refused cap", 1: "done refused cap", 2: "done done"} {
		s, got := &spot{desk: newDesk(t)}, ""
		a := s.acting(&got)
		if room >= 0 {
			a.Room = &room
		}
		all := ""
		for i := range 2 {
			s.agents[i].pid = 0
			if err := handed(a, a.One(t.Context(), s.decided(i, "launch"))); err != nil {
				t.Fatal(err)
			}
			all = strings.TrimSpace(all + " " + got)
		}
		if all != want {
			t.Errorf("%d: %s, want %s", room, all, want)
		}
	}
	s, got, room := &spot{desk: newDesk(t)}, "", 1
	a := s.acting(&got)
	a.Room = &room
	s.agents[0].pid, s.agents[1].pid, s.dead = 0, 0, true
	if err := handed(a, a.One(t.Context(), s.decided(0, "launch"))); err != nil || got != "failed gone" {
		t.Fatal(err, got)
	}
	s.dead = false
	if err := handed(a, a.One(t.Context(), s.decided(1, "launch"))); err != nil || got != "refused cap" {
		t.Error(err, got)
	}
}
