package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// The configuration is asked before each act, after the look, and before a process is
// ended: from where it lets nothing be done any more, nothing is done.
func TestLets(t *testing.T) {
	for _, tt := range []struct {
		verb   string
		lets   int // questions that it answers with yes
		want   string
		intent bool
	}{
		{"inject", 0, "refused switched-off", false},
		{"inject", 1, "refused switched-off", false},
		{"inject", 2, "done", true},
		{"launch", 0, "refused switched-off", false},
		{"launch", 1, "refused switched-off", false},
		{"launch", 2, "done", true},
		{"restart", 1, "refused switched-off", false},
		{"restart", 2, "refused switched-off", true},
		{"restart", 3, "refused switched-off", true},
		{"restart", 4, "done", true},
		{"upgrade", 0, "refused switched-off", false},
		{"upgrade", 2, "refused switched-off", true}, // it was updated meanwhile
		{"upgrade", 4, "done", true},
	} {
		t.Run(fmt.Sprint(tt.verb, tt.lets), func(t *testing.T) {
			s, got, asked := &spot{desk: newDesk(t)}, "", 0
			s.agents[0].answers = tt.verb == "upgrade"
			a := s.acting(&got)
			a.Lets = func(verb string) error {
				if verb != tt.verb {
					t.Errorf("asked about %s", verb)
				}
				if asked++; asked > tt.lets {
					return errors.New("the scope's mode is not act")
				}
				return nil
			}
			if err := handed(a, a.One(t.Context(), s.decided(0, tt.verb))); err != nil || got != tt.want {
				t.Errorf("%v, %s", err, got)
			}
			if done := len(s.said)+s.starts+s.stops > 0; done != (tt.want == "done") || (s.state.Heal("agent-0").LastAct != nil) != tt.intent {
				t.Errorf("written to %q, %d begun, %d ended, %+v", s.said, s.starts, s.stops, s.state.Heal("agent-0"))
			}
			if tt.want != "done" && s.last.Detail[:27] != "the scope's mode is not act" {
				t.Error(s.last.Detail)
			}
		})
	}
}

// Nobody is told of an agent by a run that may do nothing any more; that is warned of.
func TestLets_alert(t *testing.T) {
	s, got, warned := &spot{desk: newDesk(t)}, "", ""
	a := s.acting(&got)
	a.Lets = func(verb string) error { return fmt.Errorf("no %s", verb) }
	a.Warn = func(format string, args ...any) { warned += fmt.Sprintf(format, args...) }
	d := record.Decision{Agent: "agent-0", Decision: "HEAL", Seen: s.decided(0, "inject").Seen, Alert: &record.Alert{Severity: "stuck", Text: "x"}}
	if err := handed(a, a.One(t.Context(), d)); err != nil || len(s.told) > 0 || s.wrote > 0 || warned != "nobody is told of agent-0, stuck: no alert" {
		t.Errorf("%v, told %q, %d entries, warned of %q", err, s.told, s.wrote, warned)
	}
}

// A run that is told to end says of what it was about that nobody knows, and leaves it
// open to the next one; it begins nothing more, and the sweep is not noted.
func TestDo_told(t *testing.T) {
	ended := errors.New("told to end")
	for name, tt := range map[string]struct {
		verb string
		lay  func(s *spot, end func())
		want string // "": no outcome
		open bool
	}{
		"while it waits before a launch": {"launch", func(s *spot, end func()) { s.slept = end }, "", false},
		"while it looks":                 {"restart", func(s *spot, end func()) { s.look = func(*driver.State) { end() } }, "", false},
		"while a text is read":           {"inject", func(s *spot, end func()) { s.agents[0].swallows = true; s.slept = end }, "unknown unseen", true},
		"while a process comes":          {"restart", func(s *spot, end func()) { s.dead = true; s.slept = end }, "unknown unseen", true},
		"while an instance comes":        {"restart", func(s *spot, end func()) { s.deaf = true; s.slept = end }, "unknown unseen", true},
		"while one of a version comes": {"upgrade", func(s *spot, end func()) {
			s.slept = end
			s.health = func(h *record.Health) { h.Version = "1.2.2" }
		}, "unknown unseen", true},
		"while it is updated":    {"upgrade", func(s *spot, end func()) { s.update = func() error { end(); return nil } }, "unknown unseen", true},
		"and what it does fails": {"restart", func(s *spot, end func()) { s.stop = func() error { end(); return driver.ErrRuns } }, "unknown unseen", true},
		"while it looks again": {"upgrade", func(s *spot, end func()) {
			s.update = func() error { s.look = func(*driver.State) { end() }; return nil }
		}, "unknown unseen", true},
		"while it looks again, and is refused": {"upgrade", func(s *spot, end func()) {
			s.update = func() error { s.look = func(st *driver.State) { end(); st.Draft = true }; return nil }
		}, "unknown unseen", true},
		"when what it does is done": {"restart", func(s *spot, end func()) {
			s.health = func(*record.Health) {
				if s.starts > 0 {
					end()
				}
			}
		}, "done", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = tt.verb == "upgrade"
			ctx, cancel := context.WithCancelCause(t.Context())
			d := s.decided(0, tt.verb)
			if tt.verb == "launch" {
				d.Action.DelayS = 1
			}
			tt.lay(s, func() { cancel(ended) })
			a, outcomes := s.acting(&got), 0
			emit := a.Emit
			a.Emit = func(subject string, o record.Outcome) error { outcomes++; return emit(subject, o) }
			a.SeenAt = record.TimeOf(s.now.Add(-time.Second))
			err := a.Do(ctx, []record.Decision{d, s.decided(1, "inject")})
			if !errors.Is(err, ended) && !errors.Is(err, context.Canceled) || got != tt.want || slices.Contains(s.said, "agent-1") || s.state.Heal("agent-0").SweptAt != nil {
				t.Errorf("%v, %q, written to %q", err, got, s.said)
			}
			if tt.want == "" && outcomes > 0 || tt.open && s.last.Detail == "" {
				t.Errorf("%d outcomes, %+v", outcomes, s.last)
			}
			if h := s.state.Heal("agent-0"); (len(h.Open) > 0) != tt.open || (h.LastEnd != "") != (tt.want == "done") {
				t.Errorf("%+v", h)
			}
		})
	}
}

// Nothing is recovered by a run that is told to end: what it sees may be that alone.
func TestRecover_told(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	s.agents[0].answers, s.deaf = false, true
	a := s.acting(&got)
	ctx, cancel := context.WithCancel(t.Context())
	s.slept = cancel
	if err := handed(a, a.One(ctx, s.decided(0, "restart"))); !errors.Is(err, context.Canceled) || len(s.state.Heal("agent-0").Open) != 1 {
		t.Fatalf("%v, %+v", err, s.state.Heal("agent-0"))
	}
	if err := handed(a, a.Recover(ctx)); !errors.Is(err, context.Canceled) || len(s.state.Heal("agent-0").Open) != 1 {
		t.Errorf("%v, %+v", err, s.state.Heal("agent-0"))
	}
	if err := handed(a, a.Recover(t.Context())); err != nil || s.state.Heal("agent-0").LastEnd != "deaf" {
		t.Errorf("%v, %+v", err, s.state.Heal("agent-0"))
	}
}
