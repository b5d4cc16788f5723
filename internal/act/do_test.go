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

// What a person should know is filed before the next act, and handed on after the last: who
// is slow to take it keeps no agent from what it needs, and a run that dies in between has
// told the ledger. It is filed once.
func TestDo_tellsLast(t *testing.T) {
	d := newDesk(t)
	d.agents[1].answers = false
	a, told := d.at(d.now), []string{}
	a.Tell = func(_ context.Context, agent, severity, _ string) error {
		told = append(told, fmt.Sprint(agent, " ", severity, " after ", d.said))
		return nil
	}
	stuck := record.Decision{Agent: "agent-0", Decision: "HEAL", Seen: &record.Seen{Host: "devbox", Workspace: "/w/0"}, Alert: &record.Alert{Severity: "stuck", Text: "x"}}
	if err := a.Do(t.Context(), []record.Decision{stuck, stuck, d.decided(1, "inject")}); err != nil || !slices.Equal(told, []string{"agent-0 stuck after [agent-1]"}) {
		t.Errorf("%v, told %q", err, told)
	}
	d = newDesk(t)
	a = d.at(d.now)
	a.Tell = func(context.Context, string, string, string) error {
		t.Error("told before the run has an end")
		return nil
	}
	if err := a.One(t.Context(), stuck); err != nil || len(d.state.Heal("agent-0").Open) != 1 {
		t.Fatal(err)
	}
	a = d.at(d.now)
	if err := a.Recover(t.Context()); err != nil || !d.state.Heal("agent-0").Told("stuck") || len(d.state.Open()) > 0 {
		t.Errorf("%v, after the next run %+v", err, d.state.Heal("agent-0"))
	}
	d = newDesk(t)
	a = d.at(d.now)
	a.Book, a.Tell = full{Book: d, end: true}, d.tell
	if err := a.Do(t.Context(), []record.Decision{stuck}); err == nil || d.state.Heal("agent-0").SweptAt != nil {
		t.Errorf("what became of it is not noted, and %v", err)
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

// That two judges differ about an agent is told once, and of no name that is none.
func TestUndecided(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	a := s.acting(&got)
	ours := s.decided(0, "launch")
	for range 2 {
		if err := handed(a, a.Undecided(t.Context(), ours, "another command")); err != nil {
			t.Fatal(err)
		}
	}
	if h := s.state.Heal("agent-0"); !slices.Equal(s.told, []string{"kept-decision"}) || !strings.HasSuffix(h.Texts["kept-decision"], "is not done: another command") || s.starts > 0 {
		t.Errorf("told %q, %+v", s.told, h)
	}
	a.Book = roomless{s}
	if err := handed(a, a.Undecided(t.Context(), s.decided(1, "inject"), "x")); err == nil {
		t.Error("no room, and no error")
	}
	n := s.wrote
	ours.Agent = "Agent_1"
	if err := handed(a, a.Undecided(t.Context(), ours, "x")); err != nil || s.wrote != n {
		t.Errorf("of none: %v, %d entries", err, s.wrote-n)
	}
	a.Dry, ours.Agent = "--execute was not given", "agent-1"
	if err := handed(a, a.Undecided(t.Context(), ours, "x")); err != nil || s.wrote != n {
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
	a.Update = func(context.Context, string) error { return refused(token, "%s", token) }
	if err := handed(a, a.One(t.Context(), s.decided(0, "upgrade"))); err != nil || out == "" || len(book.kept) != 2 {
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
		if err := handed(a, a.One(t.Context(), d.decided(0, "launch"))); err != nil || d.starts != 1 || (then == nil) != (how.Then == nil) {
			t.Errorf("%v, %d begun, %q", err, d.starts, how.Then)
		}
	}
}

// roomless has no room for an intent.
type roomless struct{ Book }

func (roomless) Begin(time.Time, record.Entry, func(*fold.State) error) (string, error) {
	return "", errors.New("no room")
}
