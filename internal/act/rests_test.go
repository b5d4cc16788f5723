package act

import (
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// wrote has the first session have done something so long ago; it was looked at a
// minute ago.
func wrote(ago time.Duration) func(*spot) {
	return func(s *spot) { s.wroteAt = record.TimeOf(s.now.Add(-ago)) }
}

// A session that did something since it was looked at, or whose work is over by now, is
// left alone; so is one of which nobody can tell.
func TestRests(t *testing.T) {
	over := shows(func(s *driver.State) { *s = driver.State{Over: "stopped"} })
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		want string
	}{
		"a job that was stopped":            {"resume", over, "refused finished"},
		"a job that is not":                 {"resume", func(*spot) {}, "done"},
		"a job that went on, and stopped":   {"resume", wrote(time.Second), "refused changed"},
		"whether it did is not seen":        {"mail", only("wrote"), "refused unknown"},
		"a session that did something":      {"mail", wrote(0), "refused changed"},
		"one that did when it was looked":   {"mail", wrote(time.Minute), "refused changed"},
		"one that did before":               {"mail", wrote(time.Minute + time.Second), "done"},
		"one that did by a clock far ahead": {"mail", wrote(-time.Hour), "done"},
		"a deaf one that did":               {"inject", wrote(time.Second), "refused changed"},
		"one that did, and is to be ended":  {"restart", wrote(time.Second), "refused changed"},
		"one that did, and stalls":          {"nudge", wrote(time.Second), "refused changed"},
		"one that did, and is behind":       {"upgrade", wrote(time.Second), "done"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = tt.verb == "upgrade"
			if tt.verb == "resume" {
				s.agents[0].pid = 0
			}
			d := s.decided(0, tt.verb)
			d.Seen.SessionID = "s0"
			tt.lay(s)
			a := s.acting(&got)
			a.SeenAt = record.TimeOf(s.now.Add(-time.Minute))
			a.Drivers = map[string]driver.Driver{"tmux": s}
			if err := handed(a, a.One(t.Context(), d)); err != nil || got != tt.want || s.last.Result != record.Done && s.last.Detail == "" {
				t.Errorf("%s, want %s: %s; %v", got, tt.want, s.last.Detail, err)
			}
			if done := len(s.said)+s.starts+s.stops > 0; done != (tt.want == "done") {
				t.Errorf("written to %q, %d begun, %d ended", s.said, s.starts, s.stops)
			}
		})
	}
}

// What was looked at too long ago by the time of an act is not acted on, however short
// a time ago that was when the run began.
func TestKeeps(t *testing.T) {
	for _, tt := range []struct {
		keeps, takes time.Duration
		want         []string
	}{
		{10 * time.Minute, 5 * time.Minute, []string{"inject done", "inject done"}},
		{10 * time.Minute, 6 * time.Minute, []string{"inject done", "inject refused changed"}},
		{0, time.Hour, []string{"inject done", "inject done"}},
	} {
		s, got := &spot{desk: newDesk(t)}, ""
		a, all := s.acting(&got), []string(nil)
		s.agents[0].answers, s.agents[1].answers = false, false
		a.SeenAt, a.Keeps = record.TimeOf(s.now.Add(-5*time.Minute)), tt.keeps
		emit := a.Emit
		a.Emit = func(subject string, o record.Outcome) error {
			s.now = s.now.Add(tt.takes)
			err := emit(subject, o)
			all = append(all, o.Verb+" "+got)
			return err
		}
		if err := a.Do(t.Context(), []record.Decision{s.decided(0, "inject"), s.decided(1, "inject")}); err != nil || !slices.Equal(all, tt.want) {
			t.Errorf("%+v: %q, %v", tt, all, err)
		}
	}
}
