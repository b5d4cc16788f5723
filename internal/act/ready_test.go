package act

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// only makes blind to one thing.
func only(what string) func(*spot) {
	return func(s *spot) { s.blind = func(asked string) bool { return asked == what } }
}

// shows changes what a session shows.
func shows(change func(*driver.State)) func(*spot) { return func(s *spot) { s.look = change } }

// runs has another process found than the one that was seen.
func runs(change func(p *record.AgentProc)) func(*spot) {
	return func(s *spot) {
		s.process = func(_ record.Seen, p *record.AgentProc) *record.AgentProc {
			change(p)
			return p
		}
	}
}

// unstartable has the system refuse to start what starts the first agent.
func unstartable(s *spot) {
	s.startable = func(program, dir string) error {
		if program != "/w/0/claude.sh" || dir != "/w/0" {
			s.t.Errorf("%s in %s", program, dir)
		}
		return errors.New("is not there")
	}
}

// What is not as it was when it was decided, and what cannot be looked at by now, is
// left alone: nothing is typed, begun or ended, and no intent is in the ledger.
func TestReady(t *testing.T) {
	works := true
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		want string
	}{
		"whether it works is not seen":        {"inject", only("busy"), "refused unknown"},
		"its process is not looked for":       {"inject", only("process"), "refused unknown"},
		"it is in copy mode":                  {"inject", shows(func(s *driver.State) { s.Mode = true }), "refused mode"},
		"a view is open":                      {"inject", shows(func(s *driver.State) { s.Viewer = true }), "refused viewer"},
		"its pane moves":                      {"inject", shows(func(s *driver.State) { s.Moving = true }), "refused busy"},
		"another process is in its pane":      {"inject", shows(func(s *driver.State) { s.PID = 99 }), "refused absent"},
		"another is in a nudged one's":        {"nudge", shows(func(s *driver.State) { s.PID = 99 }), "refused absent"},
		"another is in a session's":           {"mail", shows(func(s *driver.State) { s.PID = 99 }), "refused changed"},
		"its session is gone":                 {"inject", shows(func(s *driver.State) { *s = driver.State{} }), "refused absent"},
		"another process has its place":       {"inject", runs(func(p *record.AgentProc) { p.PID = 99 }), "refused changed"},
		"its pid is another's by now":         {"inject", runs(func(p *record.AgentProc) { p.Start = record.TimeOf(p.Start.Add(time.Hour)) }), "refused changed"},
		"it runs another session":             {"inject", runs(func(p *record.AgentProc) { p.Session = "s2" }), "refused changed"},
		"it moves, and is to be restarted":    {"restart", shows(func(s *driver.State) { s.Moving = true }), "refused busy"},
		"whether it answers is not seen":      {"restart", only("health"), "refused unknown"},
		"it says to who asks that it works":   {"restart", func(s *spot) { s.health = func(h *record.Health) { h.Busy = &works } }, "refused busy"},
		"it answers by now":                   {"restart", func(s *spot) { s.agents[0].answers = true }, "refused reachable"},
		"what works beside it is not seen":    {"restart", only("beside"), "refused unknown"},
		"nothing can start it":                {"launch", unstartable, "refused no-launcher"},
		"nothing can start it again":          {"restart", unstartable, "refused no-launcher"},
		"nothing can start it, and upgraded":  {"upgrade", unstartable, "refused no-launcher"},
		"it has no prompt":                    {"restart", shows(func(s *driver.State) { s.Prompt = false }), "refused no-prompt"},
		"an upgraded one has no prompt":       {"upgrade", shows(func(s *driver.State) { s.Prompt = false }), "refused no-prompt"},
		"nothing listed it, and it answers":   {"restart", func(s *spot) { s.agents[0].answers = true }, "refused reachable"},
		"macf has it":                         {"inject", locked(time.Minute), "refused maintenance"},
		"macf has it, and it is gone":         {"launch", locked(14 * time.Minute), "refused maintenance"},
		"macf has it, and it is deaf":         {"restart", locked(0), "refused maintenance"},
		"macf has it, and it is behind":       {"upgrade", locked(0), "refused maintenance"},
		"whether macf has it is not seen":     {"inject", only("lock"), "refused unknown"},
		"whether a launched one answers":      {"launch", only("health"), "refused unknown"},
		"nothing listed it, and that by now":  {"restart", only("health"), "refused unknown"},
		"what works beside it, upgraded":      {"upgrade", only("beside"), "refused unknown"},
		"it works, and is said to hang":       {"restart", func(s *spot) { s.agents[0].busy = true }, "refused busy"},
		"its registry names no instance":      {"restart", func(s *spot) { s.agents[0].answers, s.health = true, func(h *record.Health) { h.Listed = "" } }, "refused reachable"},
		"it does not say which instance":      {"restart", func(s *spot) { s.agents[0].answers, s.health = true, func(h *record.Health) { h.Instance = "" } }, "refused reachable"},
		"it answers, and was to be told":      {"inject", func(s *spot) { s.agents[0].answers = true }, "refused reachable"},
		"it works, and was to be told":        {"inject", func(s *spot) { s.health = func(h *record.Health) { h.Busy = &works } }, "refused busy"},
		"whether a told one answers":          {"inject", only("health"), "refused unknown"},
		"it works, and was to be nudged":      {"nudge", func(s *spot) { s.health = func(h *record.Health) { h.Busy = &works } }, "refused busy"},
		"it works, and was to be upgraded":    {"upgrade", func(s *spot) { s.health = func(h *record.Health) { h.Busy = &works } }, "refused busy"},
		"it is deaf, and was to be upgraded":  {"upgrade", func(s *spot) { s.agents[0].answers = false }, "refused changed"},
		"nobody lists it, and an upgrade is":  {"upgrade", func(s *spot) { s.agents[0].lists = "" }, "refused changed"},
		"another answers, and an upgrade is":  {"upgrade", func(s *spot) { s.health = func(h *record.Health) { h.Listed = "i0" } }, "refused changed"},
		"nobody knows if an upgraded works":   {"upgrade", func(s *spot) { s.health = func(h *record.Health) { h.Busy = nil } }, "refused changed"},
		"whether an upgraded one answers":     {"upgrade", only("health"), "refused unknown"},
		"the session that is idle works":      {"mail", func(s *spot) { s.agents[0].busy = true }, "refused busy"},
		"a process came up in its session":    {"launch", shows(func(s *driver.State) { *s = driver.State{Alive: true, PID: 99} }), "refused runs"},
		"whether a process came is not seen":  {"launch", only("process"), "refused unknown"},
		"it answers, and was to be launched":  {"launch", func(s *spot) { s.agents[0].lists = "i9"; s.health = func(h *record.Health) { h.Online = true } }, "refused reachable"},
		"it works, and was to be launched":    {"launch", func(s *spot) { s.agents[0].lists = "i9"; s.health = func(h *record.Health) { h.Busy = &works } }, "refused busy"},
		"no driver of that name is there":     {"resume", func(*spot) {}, "refused driver"},
		"the session that hangs has another":  {"mail", runs(func(p *record.AgentProc) { p.PID = 99 }), "refused changed"},
		"the session that hangs is in a view": {"mail", shows(func(s *driver.State) { s.Viewer = true }), "refused viewer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spot{desk: newDesk(t)}
			s.agents[0].answers = tt.verb == "upgrade"
			d := s.decided(0, tt.verb)
			d.Seen.SessionID = "s0"
			if tt.verb == "restart" {
				d.Seen.Class = "6" // which a mail alone is for
			}
			if strings.HasPrefix(name, "nothing listed it") {
				d.Seen.Address = ""
			}
			if tt.verb == "resume" {
				d.Action.Driver = "claude"
			}
			tt.lay(s)
			if got := s.does(d); got != tt.want || s.last.Detail == "" {
				t.Errorf("%s, want %s: %s", got, tt.want, s.last.Detail)
			}
			if h := s.state.Heal(d.Agent); len(s.said)+s.starts+s.stops > 0 || h.LastAct != nil || len(h.Open) > 0 {
				t.Errorf("written to %q, %d begun, %d ended, %+v", s.said, s.starts, s.stops, h)
			}
		})
	}
}

// What is no matter of an act does not hold it back.
func TestReady_done(t *testing.T) {
	idle := false
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot, *record.Decision)
	}{
		"a message, another beside it":        {"inject", another},
		"a message, nothing can start it":     {"inject", func(s *spot, _ *record.Decision) { unstartable(s) }},
		"a mail, another beside it":           {"mail", another},
		"a mail to one that hangs, and works": {"mail", func(s *spot, d *record.Decision) { d.Seen.Class, s.agents[0].busy = "6", true }},
		"a launch, nobody to ask for work":    {"launch", func(s *spot, _ *record.Decision) { only("busy")(s) }},
		"a nudge to one that answers":         {"nudge", func(s *spot, _ *record.Decision) { s.agents[0].answers = true }},
		"a mail to one that nobody can ask":   {"mail", func(s *spot, _ *record.Decision) { only("health")(s) }},
		"a restart of one that is idle":       {"restart", func(s *spot, _ *record.Decision) { s.health = func(h *record.Health) { h.Busy = &idle } }},
		"a restart, another instance answers": {"restart", func(s *spot, _ *record.Decision) {
			s.agents[0].answers, s.health = true, func(h *record.Health) { h.Listed = "i0" }
		}},
		"a restart of one that nobody lists": {"restart", func(s *spot, d *record.Decision) { d.Seen.Address, s.agents[0].lists = "", "" }},
		"a process that tells no start":      {"inject", func(s *spot, _ *record.Decision) { runs(func(p *record.AgentProc) { p.Start = nil })(s) }},
		"a process of no start seen":         {"inject", func(_ *spot, d *record.Decision) { d.Seen.Start = nil }},
		"a process that says no session":     {"inject", func(s *spot, _ *record.Decision) { runs(func(p *record.AgentProc) { p.Session = "" })(s) }},
		"a process of its session":           {"inject", func(s *spot, _ *record.Decision) { runs(func(p *record.AgentProc) { p.Session = "s0" })(s) }},
		"a process of no session seen": {"inject", func(s *spot, d *record.Decision) {
			d.Seen.SessionID = ""
			runs(func(p *record.AgentProc) { p.Session = "s0" })(s)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spot{desk: newDesk(t)}
			s.agents[0].answers = false
			d := s.decided(0, tt.verb)
			d.Seen.SessionID = "s0"
			tt.lay(s, &d)
			if got := s.does(d); got != "done" || len(s.said)+s.starts != 1 {
				t.Errorf("%s: %s; written to %q, %d begun", got, s.last.Detail, s.said, s.starts)
			}
		})
	}
}

// another has another process found in the workspace than that of the session.
func another(s *spot, _ *record.Decision) {
	s.process = func(seen record.Seen, p *record.AgentProc) *record.AgentProc {
		if seen.SessionID == "" {
			return &record.AgentProc{PID: 99, Kind: "claude"}
		}
		return p
	}
}

// A launch waits as long as the decision says, and no other does.
func TestReady_delay(t *testing.T) {
	for _, delay := range []int{0, 1} {
		s, slept, got := &spot{desk: newDesk(t)}, []time.Duration{}, ""
		d := s.decided(0, "launch")
		d.Action.DelayS = delay
		a := s.acting(&got)
		a.Sleep = func(_ context.Context, d time.Duration) { slept = append(slept, d) }
		if err := handed(a, a.One(t.Context(), d)); err != nil || got != "done" || len(slept) != delay || delay > 0 && slept[0] != time.Second {
			t.Errorf("%d seconds: %s, %v, slept %v", delay, got, err, slept)
		}
	}
}

// A lock that nobody renews any more holds nobody off; one of an agent is none of
// a session that no list names.
func TestReady_locked(t *testing.T) {
	for verb, lay := range map[string]func(*spot){"inject": locked(15 * time.Minute), "mail": locked(0)} {
		s := &spot{desk: newDesk(t)}
		s.agents[0].answers = false
		d := s.decided(0, verb)
		d.Seen.SessionID = "s0"
		lay(s)
		if got := s.does(d); got != "done" {
			t.Errorf("%s: %s", verb, got)
		}
	}
}
