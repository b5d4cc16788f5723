package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// A run that is ended does nothing more, and does not note a sweep that it did not make.
func TestDo_ended(t *testing.T) {
	d := newDesk(t)
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := d.at(d.now).Do(ctx, []record.Decision{d.decided(0, "inject")}); !errors.Is(err, context.Canceled) || d.wrote > 0 || len(d.said) > 0 {
		t.Errorf("%v, %d entries, written to %q", err, d.wrote, d.said)
	}
}

// What cannot be told of a decision ends the run: of one that is done, and of one that is none.
func TestDo_untold(t *testing.T) {
	for _, agent := range []string{"agent-0", "Agent_0"} {
		d, lost := newDesk(t), errors.New("a closed pipe")
		d.agents[0].answers, d.agents[1].answers = false, false
		dec := d.decided(0, "inject")
		dec.Agent = agent
		a := d.at(d.now)
		a.Emit = func(string, record.Outcome) error { return lost }
		if err := a.Do(t.Context(), []record.Decision{dec, d.decided(1, "inject")}); !errors.Is(err, lost) || slices.Contains(d.said, "agent-1") || d.state.Heal("agent-1").SweptAt != nil {
			t.Errorf("%s: %v, written to %q", agent, err, d.said)
		}
	}
}

// A decision that is none and asks for nothing has no outcome, and is warned of; so is
// an alert that could not be handed on.
func TestDo_warns(t *testing.T) {
	alert := &record.Alert{Severity: "stuck", Text: "x"}
	seen := &record.Seen{Host: "devbox", Workspace: "/w/0"}
	for want, dec := range map[string]record.Decision{
		`a decision about "Agent_0" is left: what it calls the agent is no name of one`: {Agent: "Agent_0", Decision: "HEAL", Seen: seen, Alert: alert},
		`telling the owner about agent-0: no channel; the next sweep tells it again`:    {Agent: "agent-0", Decision: "HEAL", Seen: seen, Alert: alert},
	} {
		d, warned := newDesk(t), ""
		a := d.at(d.now)
		a.Warn = func(format string, args ...any) { warned += fmt.Sprintf(format, args...) }
		a.Tell = func(context.Context, string, string, string) error { return errors.New("no channel") }
		if err := a.Do(t.Context(), []record.Decision{dec}); err != nil || warned != want || d.state.Heal("agent-0").Told("stuck") {
			t.Errorf("%v, warned of %q, want %q", err, warned, want)
		}
	}
}

// A message to a session that no list names is refused again by each sweep, and no other
// rung comes after it: a person is told of what may last. One that has it before him sees it.
func TestKept_messages(t *testing.T) {
	shown := func(change func(*driver.State)) func(*spot) {
		return shows(func(st *driver.State) { st.Alive, st.Prompt = true, true; change(st) })
	}
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		told string
	}{
		"a draft":                    {"mail", shown(func(s *driver.State) { s.Draft = true }), "kept-draft: it stands still, and is not written to: somebody's text is in the prompt"},
		"a dialog":                   {"mail", shown(func(s *driver.State) { s.Dialog = "x" }), "kept-dialog: it stands still, "},
		"copy mode":                  {"mail", shown(func(s *driver.State) { s.Mode = true }), "kept-mode: it stands still, "},
		"its transcript":             {"mail", shown(func(s *driver.State) { s.Viewer = true }), "kept-viewer: it stands still, "},
		"no prompt":                  {"mail", shown(func(s *driver.State) { s.Prompt = false }), "kept-no-prompt: it stands still, "},
		"no session":                 {"mail", shown(func(s *driver.State) { s.Alive = false }), "kept-absent: it stands still, "},
		"it cannot be looked at":     {"mail", only("busy"), "kept-unknown: it stands still, "},
		"one that was at its limit":  {"inject", shown(func(s *driver.State) { s.Draft = true }), "kept-draft: it stopped, and is not told to go on: somebody's text"},
		"somebody has it before him": {"mail", shown(func(s *driver.State) { s.Attached = true }), ""},
		"it works by now":            {"mail", func(s *spot) { s.agents[0].busy = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spot{desk: newDesk(t)}
			d := s.decided(0, "mail")
			if tt.verb == "inject" {
				d.Action.Verb, d.Action.Text = "inject", reconcile.ResumeText
			}
			tt.lay(s)
			for range 2 {
				got := s.does(d)
				severity, text, _ := strings.Cut(tt.told, ": ")
				if h := s.state.Heal(d.Agent); !strings.HasPrefix(got, "refused ") || !slices.Equal(s.told, strings.Fields(severity)) || !strings.HasPrefix(h.Texts[severity], text) {
					t.Errorf("%s: told %q: %q, want %q", got, s.told, h.Texts, tt.told)
				}
			}
		})
	}
}

// An agent that does not answer is told so before it is restarted. When that is refused for
// what may last, on a sweep on which it would be restarted else, a person is told: nothing
// else comes.
func TestKept_untold(t *testing.T) {
	for name, tt := range map[string]struct {
		lay  func(*spot)
		told string
	}{
		"a draft":                 {shows(func(s *driver.State) { s.Draft = true }), "kept-draft: it does not answer, and is not told so: somebody's text is in the prompt"},
		"its owner has it":        {shows(func(s *driver.State) { s.Attached = true }), "kept-attached: it does not answer, and is not told so: "},
		"it works":                {func(s *spot) { s.agents[0].busy = true }, "kept-busy: it does not answer, and is not told so: "},
		"no session":              {shows(func(s *driver.State) { *s = driver.State{} }), "kept-absent: it does not answer, and is not told so: process "},
		"another has its session": {shows(func(s *driver.State) { s.PID = 99 }), "kept-absent: it does not answer, and is not told so: process "},
		"it answers by now":       {func(s *spot) { s.agents[0].answers = true }, ""},
		"macf has it":             {locked(0), ""},
	} {
		for deaf, want := range map[int]string{1: "", 2: tt.told} {
			s := &spot{desk: newDesk(t)}
			s.agents[0].answers = false
			d := s.decided(0, "inject")
			d.Deaf = deaf
			tt.lay(s)
			got := s.does(d)
			severity, text, _ := strings.Cut(want, ": ")
			if h := s.state.Heal(d.Agent); !strings.HasPrefix(got, "refused ") || !slices.Equal(s.told, strings.Fields(severity)) || !strings.HasPrefix(h.Texts[severity], text) || len(s.said) > 0 {
				t.Errorf("%s, sweep %d: %s, told %q: %q", name, deaf, got, s.told, h.Texts)
			}
		}
	}
}

// A person is told of a refusal that may last, once, and of none that the next sweep ends.
func TestKept_passing(t *testing.T) {
	in := func(st driver.State) func(*spot) { return shows(func(s *driver.State) { *s = st }) }
	open := func(s *spot) {
		s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "inject", Key: "agent-0"})
	}
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		told string
	}{
		"it answers by now":           {"restart", func(s *spot) { s.agents[0].answers = true }, ""},
		"it ended":                    {"restart", func(s *spot) { s.agents[0].pid = 0 }, ""},
		"macf has it":                 {"restart", locked(0), ""},
		"whether it works is unseen":  {"restart", only("busy"), "kept-unknown"},
		"it works":                    {"restart", func(s *spot) { s.agents[0].busy = true }, "kept-busy"},
		"it shows a dialog":           {"restart", func(s *spot) { s.agents[0].dialog = true }, "kept-dialog"},
		"an act of it has no outcome": {"restart", open, "kept-open"},
		"tmux cannot be asked":        {"launch", func(s *spot) { s.fails = map[string]bool{"agent-0": true} }, "kept-unknown"},
		"its health cannot":           {"launch", only("health"), "kept-unknown"},
		"nothing can start it":        {"launch", unstartable, "kept-no-launcher"},
		"nothing can start it again":  {"restart", unstartable, "kept-no-launcher"},
		"somebody has its session":    {"launch", in(driver.State{Alive: true, Attached: true}), "kept-attached"},
		"another's has its name":      {"launch", in(driver.State{Alive: true, PID: 99, Prompt: true, Moving: true}), "kept-runs"},
		"a draft is in its session":   {"launch", in(driver.State{Alive: true, PID: 99, Draft: true}), "kept-draft"},
		"what it was left with":       {"launch", open, "kept-open"},
		"it came up":                  {"launch", func(s *spot) { s.agents[0].pid = 7 }, ""},
		"it is listed, and works":     {"launch", func(s *spot) { s.agents[0].lists, s.health = "i9", func(h *record.Health) { w := true; h.Busy = &w } }, ""},
		"macf took it":                {"launch", locked(0), ""},
		"one was just before": {"launch", func(s *spot) {
			id := s.append(s.now.Add(-time.Minute), record.Entry{Kind: record.EntryIntent, By: "act", Verb: "launch", Key: "agent-0"})
			s.append(s.now.Add(-time.Minute), record.Entry{Kind: record.EntryFailed, By: "act", Verb: "launch", Key: "agent-0", Of: id})
		}, ""},
		"its message is refused": {"inject", func(s *spot) { s.agents[0].dialog = true }, ""}, // the first: the next sweep tries again
		"its nudge is":           {"nudge", func(s *spot) { s.agents[0].dialog = true }, ""},
		"an upgrade is":          {"upgrade", func(s *spot) { s.agents[0].dialog = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spot{desk: newDesk(t)}
			s.agents[0].answers = false
			d := s.decided(0, tt.verb)
			if tt.verb == "restart" {
				d.Alert = &record.Alert{Severity: "restarted", Text: "x"}
			}
			tt.lay(s)
			for range 2 {
				if got := s.does(d); !strings.HasPrefix(got, "refused ") || !slices.Equal(s.told, strings.Fields(tt.told)) || !slices.Equal(s.state.Heal("agent-0").Alerts, s.told) {
					t.Errorf("%s: told %q, want %q", got, s.told, tt.told)
				}
			}
			if s.starts+s.stops > 0 {
				t.Errorf("%d begun, %d ended", s.starts, s.stops)
			}
		})
	}
}

// What was to be told of a decision that is refused is told all the same, unless it
// was that it is done.
func TestKept_other(t *testing.T) {
	stuck := &record.Alert{Severity: "stuck", Text: "x"}
	if got := new(Actor).kept(record.Decision{Alert: stuck}, record.Outcome{Verb: "inject", Reason: "dialog"}); got != stuck {
		t.Errorf("%+v", got)
	}
	if got := new(Actor).kept(record.Decision{Alert: &record.Alert{Severity: "restarted"}}, record.Outcome{Verb: "restart", Reason: "changed"}); got != nil {
		t.Errorf("%+v", got)
	}
}

// That two judges differ about an agent is told once, and of no name that is none.
func TestUndecided(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	a := s.acting(&got)
	ours := s.decided(0, "launch")
	for range 2 {
		if err := a.Undecided(t.Context(), ours, "another command"); err != nil {
			t.Fatal(err)
		}
	}
	if h := s.state.Heal("agent-0"); !slices.Equal(s.told, []string{"kept-decision"}) || !strings.HasSuffix(h.Texts["kept-decision"], "is not done: another command") || s.starts > 0 {
		t.Errorf("told %q, %+v", s.told, h)
	}
	a.Book = roomless{s}
	if err := a.Undecided(t.Context(), s.decided(1, "inject"), "x"); err == nil {
		t.Error("no room, and no error")
	}
	n := s.wrote
	ours.Agent = "Agent_1"
	if err := a.Undecided(t.Context(), ours, "x"); err != nil || s.wrote != n {
		t.Errorf("of none: %v, %d entries", err, s.wrote-n)
	}
	a.Dry, ours.Agent = "--execute was not given", "agent-1"
	if err := a.Undecided(t.Context(), ours, "x"); err != nil || s.wrote != n {
		t.Errorf("dry: %v, %d entries", err, s.wrote-n)
	}
}

// A command that the ledger could not hold is not begun, and a person is told.
func TestFits_long(t *testing.T) {
	for n, want := range map[int]string{fold.MaxLine / 2: "refused text", fold.MaxLine / 3: "done"} {
		d := newDesk(t)
		dec := d.decided(0, "launch")
		dec.Action.Argv = slices.Repeat([]string{"x y"}, n/6)
		a, got := d.at(d.now), ""
		a.Command = func(string, string) []string { return dec.Action.Argv }
		a.Emit = func(_ string, o record.Outcome) error {
			got = strings.TrimSpace(o.Result + " " + o.Reason)
			return nil
		}
		if err := a.Do(t.Context(), []record.Decision{dec}); err != nil || got != want || d.starts != map[bool]int{true: 1}[want == "done"] || slices.Contains(d.state.Heal("agent-0").Alerts, "kept-text") == (want == "done") {
			t.Errorf("%d bytes: %s, %v, %d begun, told %q", n, got, err, d.starts, d.state.Heal("agent-0").Alerts)
		}
	}
}

// Why something is refused has no credential in it, whoever says so: neither what is
// told nor the ledger.
func TestRefused_texts(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	s, out := &spot{desk: newDesk(t)}, ""
	a, book := s.acting(&out), &keeps{Book: s}
	a.Book = book
	a.Emit = func(subject string, o record.Outcome) error {
		out += fmt.Sprint(subject, o)
		return nil
	}
	a.Update = func(context.Context, string, string) error { return refused(token, "%s", token) }
	if err := a.One(t.Context(), s.decided(0, "upgrade")); err != nil || out == "" || len(book.kept) != 2 {
		t.Errorf("%v, %d entries, %s", err, len(book.kept), out)
	}
	if all := out + strings.Join(book.kept, ""); strings.Contains(all, "FAKEFAKE") {
		t.Error(all)
	}
}

// What an agent says of itself is told without a credential.
func TestTold_proof(t *testing.T) {
	s := &spot{desk: newDesk(t)}
	token := "ghp_" + strings.Repeat("FAKE", 9)
	s.health = func(h *record.Health) { h.Instance, h.Listed = token, token }
	d := s.decided(0, "launch")
	if got := s.does(d); got != "done" || !strings.Contains(s.last.Proof, "; instance ") || strings.Contains(s.last.Proof, token) {
		t.Errorf("%s: %+v", got, s.last)
	}
}

// A dry run closes nothing that another left.
func TestDo_dry(t *testing.T) {
	d := newDesk(t)
	d.append(d.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "inject", Key: "agent-1"})
	a := d.at(d.now)
	a.Dry = "--execute was not given"
	if err := a.Do(t.Context(), []record.Decision{d.decided(0, "inject")}); err != nil || d.wrote != 1 || len(d.state.Open()) != 1 {
		t.Errorf("%v, %d entries", err, d.wrote)
	}
}

// A person is told of each thing once: what they were told of another holds nothing back.
func TestAlert_each(t *testing.T) {
	d := newDesk(t)
	for _, severity := range []string{"busy", "stuck", "busy", "stuck"} {
		want(t, d.run(record.Decision{Agent: "agent-0", Decision: "HEAL", Seen: &record.Seen{Host: "devbox", Workspace: "/w/0"}, Alert: &record.Alert{Severity: severity, Text: "x"}}))
	}
	if got := d.state.Heal("agent-0").Alerts; !slices.Equal(got, []string{"busy", "stuck"}) {
		t.Errorf("filed %q", got)
	}
}

// Nothing is run when a session ends, unless there is something to run.
func TestStart_then(t *testing.T) {
	for _, then := range [][]string{nil, {"fleet-ledger", "exited"}} {
		d, how := newDesk(t), driver.Launch{}
		a := d.at(d.now)
		a.Drivers, a.Then = map[string]driver.Driver{"tmux": launches{d, &how}}, then
		if err := a.One(t.Context(), d.decided(0, "launch")); err != nil || d.starts != 1 || (then == nil) != (how.Then == nil) {
			t.Errorf("%v, %d begun, %q", err, d.starts, how.Then)
		}
	}
}

// roomless has no room for an intent.
type roomless struct{ Book }

func (roomless) Begin(time.Time, record.Entry, func(*fold.State) error) (string, error) {
	return "", errors.New("no room")
}
