package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// lies is a stream that has the agents of a desk, each in its workspace.
func (d *desk) lies() *record.Set {
	set := new(record.Set)
	for i, r := range d.agents {
		p := record.Workspace{Agent: r.name, Project: "p", Path: fmt.Sprint("/w/", i), Session: "p@" + r.name, Processes: []record.AgentProc{}, Maintenance: r.lock}
		if proc := r.process(); proc != nil {
			p.Processes = append(p.Processes, *proc)
		}
		rec, err := record.New(record.KindWorkspace, record.NewTime(d.now), "devbox", "fleet-observe-workspaces", p.Path, p)
		if err != nil {
			d.t.Fatal(err)
		}
		set.Add(record.Line{Record: rec})
	}
	return set
}

// nudged notes nudges of an agent so long ago.
func nudged(ago ...time.Duration) func(*spot) {
	return func(s *spot) {
		for _, d := range ago {
			id := s.append(s.now.Add(-d), record.Entry{Kind: record.EntryIntent, By: "act", Verb: "nudge", Key: "agent-0"})
			s.append(s.now.Add(-d), record.Entry{Kind: record.EntryDone, By: "act", Verb: "nudge", Key: "agent-0", Of: id})
		}
	}
}

// injected notes other messages to an agent so long ago.
func injected(ago ...time.Duration) func(*spot) {
	return func(s *spot) {
		for _, d := range ago {
			id := s.append(s.now.Add(-d), record.Entry{Kind: record.EntryIntent, By: "act", Verb: "inject", Key: "agent-0"})
			s.append(s.now.Add(-d), record.Entry{Kind: record.EntryDone, By: "act", Verb: "inject", Key: "agent-0", Of: id})
		}
	}
}

// A stall is nudged as often as its rule lets, or told; what works, waits for nobody
// or is the owner's is left.
func TestStalled(t *testing.T) {
	const h = time.Hour
	in := func(stall string) func(*spot) { return shows(func(s *driver.State) { s.Stall = stall }) }
	for name, tt := range map[string]struct {
		lay   func(*spot)
		said  string // agents that were written to
		told  string // severities
		text  string // what a person is told
		warns string
		looks string // outcomes, each agent, verb and result
	}{
		"nothing":                   {lay: func(*spot) {}},
		"a stall":                   {lay: func(*spot) {}, said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"of no rule":                {lay: in("other")},
		"reported":                  {lay: in("gone"), told: "stall-gone", text: "it shows the stall gone"},
		"reported before":           {lay: func(s *spot) { in("gone")(s); s.heard("stall-gone") }},
		"nudged once":               {lay: nudged(h), said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"nudged as often as it may": {lay: nudged(23*h, h), told: "stall-limit", text: "it shows the stall limit, and nudges did not help"},
		"nudged a day ago":          {lay: nudged(24*h, h), said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"told that nudges do not":   {lay: func(s *spot) { nudged(2*h, h)(s); s.heard("stall-limit") }},
		"told twice what it is":     {lay: injected(2*h, h), said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"nudged by a clock ahead":   {lay: nudged(-time.Hour, -time.Hour), said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"a draft is in its prompt":  {lay: shows(func(s *driver.State) { s.Stall, s.Draft = "limit", true }), told: "stall-limit/kept-draft", text: "it shows the stall limit, and is not nudged: somebody's text is in the prompt: send it, or take it away", looks: "agent-0 look done; agent-0 nudge refused"},
		"that was told before": {lay: func(s *spot) {
			shows(func(s *driver.State) { s.Stall, s.Draft = "limit", true })(s)
			s.heard("stall-limit/kept-draft")
		}, looks: "agent-0 look done; agent-0 nudge refused"},
		"the owner has it before him": {lay: shows(func(s *driver.State) { s.Stall, s.Attached = "limit", true }), looks: "agent-0 look done; agent-0 nudge refused"},
		"nudged a moment ago":         {lay: nudged(time.Second), looks: "agent-0 look done; agent-0 nudge refused"},
		"its pane moves":              {lay: shows(func(s *driver.State) { s.Stall, s.Moving = "limit", true })},
		"it says that it works":       {lay: func(s *spot) { s.agents[0].busy = true }},
		"whether it works is unseen":  {lay: only("busy")},
		"macf has it":                 {lay: locked(0)},
		"macf had it":                 {lay: locked(time.Hour), said: "agent-0", looks: "agent-0 look done; agent-0 nudge done"},
		"it is paused":                {lay: func(s *spot) { s.append(s.now, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "agent-0"}) }},
		"it does not run":             {lay: func(s *spot) { s.agents[0].pid = 0 }},
		"it cannot be looked at":      {lay: func(s *spot) { s.fails = map[string]bool{"agent-0": true} }, warns: "looking at agent-0: no server runs"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			if name != "nothing" {
				in("limit")(s)
			}
			tt.lay(s)
			s.agents = s.agents[:1]
			a, looks, warns, texts := s.acting(&got), []string{}, "", []string{}
			a.Rules.Stalls = []record.StallRule{{ID: "limit", Action: "nudge", Max: 2}, {ID: "gone", Action: "report", Max: 9}}
			a.Emit = func(_ string, o record.Outcome) error {
				looks = append(looks, fmt.Sprint(o.Agent, " ", o.Verb, " ", o.Result))
				return nil
			}
			a.Warn = func(format string, args ...any) { warns += fmt.Sprintf(format, args...) }
			a.Tell = func(_ context.Context, _, severity, text string) error {
				s.told, texts = append(s.told, severity), append(texts, text)
				return nil
			}
			if err := handed(a, a.Stalled(t.Context(), s.lies(), "devbox")); err != nil {
				t.Fatal(err)
			}
			if strings.Join(s.said, " ") != tt.said || strings.Join(s.told, " ") != tt.told || strings.Join(texts, " ") != tt.text || warns != tt.warns || strings.Join(looks, "; ") != tt.looks {
				t.Errorf("written to %q, told %q %q, warned of %q; %q", s.said, s.told, texts, warns, looks)
			}
		})
	}
}

// heard notes that somebody was told about the first agent.
func (s *spot) heard(severity string) {
	target := record.ActTarget{Severity: severity, Text: "x"}
	id := s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: record.VerbAlert, Key: "agent-0", Target: fold.Marshal(target)})
	s.append(s.now, record.Entry{Kind: record.EntryDone, By: "act", Verb: record.VerbAlert, Key: "agent-0", Of: id})
}

// A stall that a person was told of is told of until it is seen no more: not by each
// sweep, and anew when it comes back.
func TestStalled_over(t *testing.T) {
	s := &spot{desk: newDesk(t)}
	s.agents = s.agents[:1]
	rules := []record.StallRule{{ID: "gone", Action: "report", Max: 9}, {ID: "limit", Action: "report", Max: 9}}
	sweep := func(what string, dry bool, change func(*driver.State), lets error, told, alerts, warns string) {
		t.Helper()
		got, said := "", ""
		s.now = s.now.Add(10 * time.Minute)
		s.append(s.now, record.Entry{Kind: record.EntrySweep, By: "act", Agents: []record.SweepAgent{{Agent: "agent-0", Decision: "OK"}}})
		s.told, s.look = nil, change
		a := s.acting(&got)
		a.Rules.Stalls, a.Warn = rules, func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
		a.Lets = func(string) error { return lets }
		if dry {
			a.Dry = "dry"
		}
		a.Tell = func(_ context.Context, _, severity, _ string) error { s.told = append(s.told, severity); return nil }
		if err := handed(a, a.Stalled(t.Context(), s.lies(), "devbox")); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		h := s.state.Heal("agent-0")
		if strings.Join(s.told, " ") != told || strings.Join(h.Alerts, " ") != alerts || said != warns || len(h.Open) > 0 {
			t.Errorf("%s: told %q, alerts %q, warned of %q, open %v", what, s.told, h.Alerts, said, h.Open)
		}
	}
	in := func(stall string) func(*driver.State) { return func(st *driver.State) { st.Stall = stall } }
	sweep("it stalls", false, in("limit"), nil, "stall-limit", "stall-limit", "")
	sweep("it answers, and stalls", false, in("limit"), nil, "", "stall-limit", "")
	sweep("no prompt is shown", false, func(st *driver.State) { st.Prompt = false }, nil, "", "stall-limit", "")
	sweep("it is not there", false, func(st *driver.State) { st.Alive = false }, nil, "", "stall-limit", "")
	sweep("a dry look", true, in(""), nil, "", "stall-limit", "")
	sweep("it is switched off", false, in(""), errors.New("switched off"), "", "stall-limit", "it is not noted that agent-0 shows the stall limit no more: switched off")
	sweep("it shows another", false, in("gone"), nil, "stall-gone", "stall-gone", "")
	sweep("it shows none", false, in(""), nil, "", "", "")
	sweep("and still none", false, in(""), nil, "", "", "")
	sweep("it stalls again", false, in("limit"), nil, "stall-limit", "stall-limit", "")
	s.heard("stall-limit/kept-mode")
	sweep("that is told in two ways", false, in("limit"), nil, "", "stall-limit stall-limit/kept-mode", "")
	id := s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "nudge", Key: "agent-0"})
	s.append(s.now, record.Entry{Kind: record.EntryDone, By: "act", Verb: "nudge", Key: "agent-0", Of: id})
	sweep("it was nudged after all", false, in("limit"), nil, "", "stall-limit", "")
	s.heard("stall-limit/kept-draft")
	sweep("and then not", false, in("limit"), nil, "", "stall-limit stall-limit/kept-draft", "")
	sweep("both are over", false, in(""), nil, "", "", "")
	sweep("and it stalls again", false, in("limit"), nil, "stall-limit", "stall-limit", "")
	for _, what := range []string{"begin", "end"} {
		got := ""
		a := s.acting(&got)
		a.Rules.Stalls, s.look = rules, in("")
		a.Book = &broken{s, what, 1}
		if err := handed(a, a.Stalled(t.Context(), s.lies(), "devbox")); !errors.Is(err, syscall.EIO) || what == "begin" && err.Error() != "noting that agent-0 shows the stall limit no more: "+syscall.EIO.Error() {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A dry run says what is stalled and what would be done, and neither does nor notes it.
func TestStalled_dry(t *testing.T) {
	for action, want := range map[string]string{"nudge": "look done it shows the stall limit; nudge dry --execute was not given", "report": "look done it shows the stall limit"} {
		s, got := &spot{desk: newDesk(t), look: func(st *driver.State) { st.Stall = "limit" }}, ""
		s.agents = s.agents[:1]
		a, looks := s.acting(&got), []string{}
		s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "nudge", Key: "agent-1"}) // which is not closed
		a.Dry, a.Rules.Stalls = "--execute was not given", []record.StallRule{{ID: "limit", Action: action, Max: 2}}
		a.Emit = func(subject string, o record.Outcome) error {
			if looks = append(looks, o.Verb+" "+o.Result+" "+o.Detail); subject != "stall:agent-0" {
				t.Errorf("it would take the place of what else is done to the agent: %s", subject)
			}
			return nil
		}
		if err := handed(a, a.Stalled(t.Context(), s.lies(), "devbox")); err != nil || strings.Join(looks, "; ") != want || s.wrote+len(s.said)+len(s.told) > 1 {
			t.Errorf("%s: %q, %v, %d entries, written to %q, told %q", action, looks, err, s.wrote, s.said, s.told)
		}
	}
}

// Each agent of this machine is looked at once, whatever came before it; what is of
// none, or on another machine, is not.
func TestStalled_each(t *testing.T) {
	d := newDesk(t)
	dr := &stalls{desk: d}
	a := d.at(d.now)
	a.Drivers, a.Rules.Stalls = map[string]driver.Driver{"tmux": dr}, []record.StallRule{{ID: "limit", Action: "nudge", Max: 2}}
	set := d.lies()
	for path, agent := range map[string]string{"/w/none": "", "/x/0": "agent-0"} {
		for _, host := range []string{"devbox", "attic"} {
			p := record.Workspace{Agent: agent, Project: "p", Path: path + host, Processes: []record.AgentProc{*d.agents[0].process()}}
			r, err := record.New(record.KindWorkspace, record.NewTime(d.now), host, "fleet-observe-workspaces", p.Path, p)
			if err != nil {
				t.Fatal(err)
			}
			set.Add(record.Line{Record: r})
		}
	}
	if err := handed(a, a.Stalled(t.Context(), set, "devbox")); err != nil {
		t.Fatal(err)
	}
	slices.Sort(d.said)
	if strings.Join(d.said, " ") != "agent-0 agent-1 agent-2 agent-3" || len(dr.looked) != 8 { // once to see, once before it is written to
		t.Errorf("looked at %q, written to %q", dr.looked, d.said)
	}
	none := d.at(d.now)
	none.Drivers, none.Rules.Stalls = nil, a.Rules.Stalls
	if err := handed(none, none.Stalled(t.Context(), set, "devbox")); err != nil || len(d.said) != 4 {
		t.Errorf("without a driver: %v, written to %q", err, d.said)
	}
}

// What cannot be read, noted or told ends it, and says so.
func TestStalled_errors(t *testing.T) {
	for name, tt := range map[string]struct {
		lay  func(a *Actor, s *spot)
		want string
	}{
		"the ledger":       {func(a *Actor, s *spot) { a.Book = &broken{s, "read", 1} }, "reading the ledger: "},
		"the ledger again": {func(a *Actor, s *spot) { a.Book = &broken{s, "read", 2} }, "reading the ledger: "},
		"what was left": {func(a *Actor, s *spot) {
			s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "nudge", Key: "agent-0"})
			a.Book = &broken{s, "end", 1}
		}, "noting what became of nudge agent-0: "},
		"the intent":   {func(a *Actor, s *spot) { a.Book = &broken{s, "begin", 1} }, "noting that nudge is about to be done to agent-0: "},
		"the outcome":  {func(a *Actor, s *spot) { a.Book = &broken{s, "end", 1} }, "noting what became of nudge agent-0: "},
		"what is told": {func(a *Actor, s *spot) { a.Emit = func(string, record.Outcome) error { return syscall.EIO } }, syscall.EIO.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t), look: func(st *driver.State) { st.Stall = "limit" }}, ""
			s.agents = s.agents[:1]
			a := s.acting(&got)
			a.Rules.Stalls = []record.StallRule{{ID: "limit", Action: "nudge", Max: 2}}
			tt.lay(a, s)
			err := handed(a, a.Stalled(t.Context(), s.lies(), "devbox"))
			if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), tt.want) || (len(s.said) > 0) != (name == "the outcome") {
				t.Errorf("%v, written to %q", err, s.said)
			}
		})
	}
}
