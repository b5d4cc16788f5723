package act

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// That nothing could start it is over when a sweep finds that it can be started, whatever is
// decided about it; a launcher that is still not there leaves it.
func TestLauncher_over(t *testing.T) {
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		left []string
	}{
		"a launch":            {"launch", func(*spot) {}, []string{"cap"}},
		"a launch that fails": {"launch", func(s *spot) { s.dead = true }, []string{"cap"}},
		"a restart":           {"restart", func(*spot) {}, []string{"cap"}},
		"it is refused":       {"launch", func(s *spot) { s.agents[0].pid = 7 }, []string{"cap"}},
		"a message":           {"inject", func(*spot) {}, []string{"cap"}},
		"it still cannot be": {"inject", func(s *spot) {
			s.startable = func(string, string) error { return errors.New("is not executable") }
		}, []string{"no-launcher", "kept-no-launcher", "cap"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = false
			for _, severity := range []string{"no-launcher", "kept-no-launcher", "cap"} {
				s.heard(severity)
			}
			d := s.decided(0, tt.verb)
			tt.lay(s)
			a := s.acting(&got)
			a.begin(s.state)
			if err := handed(a, a.One(t.Context(), d)); err != nil {
				t.Fatal(err)
			}
			if h := s.state.Heal("agent-0"); !slices.Equal(h.Alerts, tt.left) || len(h.Open) > 0 {
				t.Errorf("%s: %+v", got, h)
			}
		})
	}
}

// Whoever cannot be told keeps what was told.
func TestLauncher_unlet(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	s.agents[0].answers = false
	s.heard("no-launcher")
	d := s.decided(0, "launch")
	a := s.acting(&got)
	a.begin(s.state)
	warned := ""
	a.Warn = func(format string, _ ...any) { warned = format }
	a.Lets = func(verb string) error {
		if verb == record.VerbAlert {
			return refused("switched-off", "it is off")
		}
		return nil
	}
	if err := handed(a, a.One(t.Context(), d)); err != nil || got != "done" || warned == "" || len(s.state.Heal("agent-0").Alerts) != 1 {
		t.Errorf("%s: %v, %q", got, err, warned)
	}
}

// A ledger that does not take it ends the run: nothing is begun.
func TestLauncher_ledger(t *testing.T) {
	for call, n := range map[string]int{"begin": 1, "end": 1} {
		s, got := &spot{desk: newDesk(t)}, ""
		s.agents[0].answers = false
		s.heard("no-launcher")
		d := s.decided(0, "launch")
		a := s.acting(&got)
		a.begin(s.state)
		a.Book = &broken{s, call, n}
		if err := handed(a, a.One(t.Context(), d)); !errors.Is(err, syscall.EIO) || got != "" {
			t.Errorf("%s: %s, %v", call, got, err)
		}
	}
}

// What was told of a mistake is over when a sweep decides by what the judge looks for after
// it, and no sooner.
func TestRectified(t *testing.T) {
	all := []string{"secret", "no-workspace", "mislabelled", "ambiguous", "elsewhere", "cap"}
	for reason, left := range map[string][]string{"gone": {"cap"}, "reachable": {}, "blind": all, "paused": all, "maintenance": all,
		"secret": all, "no-workspace": all[1:], "mislabelled": all[2:], "ambiguous": all[3:], "elsewhere": all[4:]} {
		s, got := &spot{desk: newDesk(t)}, ""
		for _, severity := range all {
			s.heard(severity)
		}
		d := record.Decision{Agent: "agent-0", Decision: "SKIP", Reason: reason, Seen: s.decided(0, "launch").Seen}
		if reason == "reachable" {
			d.Decision = "OK"
		}
		if err := s.acting(&got).Do(t.Context(), []record.Decision{d}); err != nil {
			t.Fatal(err)
		}
		if h := s.state.Heal("agent-0"); !slices.Equal(h.Alerts, left) || len(h.Open) > 0 {
			t.Errorf("%s: %q, want %q", reason, h.Alerts, left)
		}
	}
	s, got := &spot{desk: newDesk(t)}, ""
	s.heard("no-workspace")
	if err := s.actor("a rehearsal").Do(t.Context(), []record.Decision{{Agent: "agent-0", Decision: "SKIP", Reason: "gone"}}); err != nil || len(s.state.Heal("agent-0").Alerts) != 1 {
		t.Errorf("%v %s %+v", err, got, s.state.Heal("agent-0"))
	}
}

func TestRectified_ledger(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	s.agents[0].answers = false
	s.heard("no-workspace")
	d := s.decided(0, "launch")
	a := s.acting(&got)
	a.Book = &broken{s, "begin", 1}
	if err := a.Do(t.Context(), []record.Decision{d}); !errors.Is(err, syscall.EIO) || got != "" {
		t.Errorf("%s, %v", got, err)
	}
}
