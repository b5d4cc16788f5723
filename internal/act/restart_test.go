package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// A restart ends the process that was seen, and begins another only where none
// works then; what its driver cannot reach stays, and nothing is begun beside it.
func TestRestart_beside(t *testing.T) {
	other := &record.AgentProc{PID: 9999, Kind: "claude"}
	for name, tt := range map[string]struct {
		lay           func(*spot)
		want          string
		stops, starts int
		intent        bool
		told          string
	}{
		"it is there": {func(*spot) {}, "done", 1, 1, true, ""},
		"no session of its name": {func(s *spot) { s.look = func(st *driver.State) { *st = driver.State{} } },
			"refused absent", 0, 0, false, "kept-absent"},
		"a session without it": {func(s *spot) { s.look = func(st *driver.State) { st.PID = 0 } },
			"refused absent", 0, 0, false, "kept-absent"},
		"its session closes, and it lives": {func(s *spot) { s.stop = func() error { return driver.ErrAbsent } },
			"refused absent", 1, 0, true, "kept-absent"},
		"its session closes, and it with it": {func(s *spot) {
			s.stop = func() error { s.agents[0].pid = 0; return fmt.Errorf("x: %w", driver.ErrAbsent) }
		}, "done", 1, 1, true, ""},
		"its session closes, and it is not begun": {func(s *spot) {
			s.startErr = errors.New("no server")
			s.stop = func() error { s.agents[0].pid = 0; return driver.ErrAbsent }
		}, "failed driver", 1, 1, true, "restart-failed"},
		"another beside it": {func(s *spot) {
			s.other = other
		}, "refused runs", 0, 0, false, "kept-runs"},
		"another comes beside it": {func(s *spot) {
			s.look = func(*driver.State) { s.other = map[int]*record.AgentProc{0: nil, 1: other}[s.wrote] }
		}, "refused runs", 0, 0, true, "kept-runs"},
		"another is left": {func(s *spot) {
			s.process = func(_ record.Seen, p *record.AgentProc) *record.AgentProc {
				if p == nil && s.starts == 0 {
					return other
				}
				return p
			}
		}, "failed runs", 1, 0, true, "restart-failed"},
		"its session is somebody's": {func(s *spot) { s.stop = func() error { return driver.ErrRuns } }, "failed name-taken", 1, 0, true, "restart-failed"},
		"its session stays": {func(s *spot) {
			s.stop = func() error { s.agents[0].pid = 0; return fmt.Errorf("%w: %w", driver.ErrEnded, driver.ErrChanged) }
		}, "failed ended", 1, 0, true, "restart-failed"},
		"it has no prompt": {func(s *spot) { s.look = func(st *driver.State) { st.Prompt = false } },
			"refused no-prompt", 0, 0, false, "kept-no-prompt"},
		"it has no prompt, a moment later": {func(s *spot) {
			n := 0
			s.look = func(st *driver.State) { n++; st.Prompt = n == 1 }
		}, "refused no-prompt", 0, 0, true, "kept-no-prompt"},
		"another agent's is in its session": {func(s *spot) { s.look = func(st *driver.State) { st.PID = 99 } },
			"refused absent", 0, 0, false, "kept-absent"},
		"only its session is found": {func(s *spot) {
			s.process = func(seen record.Seen, p *record.AgentProc) *record.AgentProc {
				if seen.SessionID == "" && s.starts == 0 {
					return nil
				}
				return p
			}
		}, "done", 1, 1, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spot{desk: newDesk(t)}
			s.agents[0].answers = false
			d := s.decided(0, "restart")
			d.Seen.SessionID = "s1"
			tt.lay(s)
			got := s.does(d)
			if strings.Contains(s.last.Detail, "updated") {
				t.Error(s.last.Detail)
			}
			if got != tt.want || s.stops != tt.stops || s.starts != tt.starts || strings.Join(s.told, " ") != tt.told {
				t.Errorf("%s, %d ended, %d begun, told %q", got, s.stops, s.starts, s.told)
			}
			if h := s.state.Heal("agent-0"); (h.Attempts > 0) != tt.intent || len(h.Open) > 0 {
				t.Errorf("%+v", h)
			}
		})
	}
}

// A person is told that it is restarted when it is, and else what became of it: that its
// process was ended is in that, when it was.
func TestRestart_told(t *testing.T) {
	for name, tt := range map[string]struct {
		lay  func(*spot)
		told string
	}{
		"done":                {func(*spot) {}, "restarted: it did not answer and was restarted, attempt 1"},
		"its session is gone": {func(s *spot) { s.look = func(st *driver.State) { st.PID = 0 } }, "kept-absent: it does not answer, and is not restarted: process 1 works"},
		"it is not ended":     {func(s *spot) { s.stop = func() error { return driver.ErrRuns } }, "restart-failed: it did not answer, and its restart failed: a session of"},
		"it is not begun":     {func(s *spot) { s.startErr = errors.New("no server") }, "restart-failed: it did not answer, and its restart failed: its process 1 was ended; no server"},
		"it is deaf":          {func(s *spot) { s.deaf = true }, "restart-failed: it did not answer, and its restart failed: its process ran, and no"},
		"it is not seen":      {once("beside"), "restart-failed: it did not answer, and its restart failed: its process 1 was ended; nothing was started, since"},
		"nobody knows": {func(s *spot) {
			s.blind = func(what string) bool { return what == "health" && s.starts > 0 }
		}, "restart-failed: it did not answer, and what became of its restart is not known: what became"},
	} {
		s, got, told := &spot{desk: newDesk(t)}, "", ""
		s.agents[0].answers = false
		d := s.decided(0, "restart")
		d.Seen.SessionID, d.Alert = "s1", &record.Alert{Severity: "restarted", Text: "x"}
		tt.lay(s)
		a := s.acting(&got)
		a.Tell = func(_ context.Context, _, severity, text string) error {
			told += severity + ": " + text
			return nil
		}
		if err := handed(a, a.One(t.Context(), d)); err != nil || !strings.HasPrefix(told, strings.ReplaceAll(tt.told, "process 1 ", fmt.Sprintf("process %d ", d.Seen.PID))) {
			t.Errorf("%s: %s, %v, told %q", name, got, err, told)
		}
	}
}

// What came up while an upgrade fetched what it needs ends nothing.
func TestUpgrade_meanwhile(t *testing.T) {
	for want, lay := range map[string]func(*spot){
		"done":                func(*spot) {},
		"refused busy":        func(s *spot) { s.agents[0].busy = true },
		"refused unknown":     only("health"),
		"refused dialog":      func(s *spot) { s.agents[0].dialog = true },
		"refused attached":    func(s *spot) { s.agents[0].attached = true },
		"refused draft":       func(s *spot) { s.look = func(st *driver.State) { st.Draft = true } },
		"refused changed":     func(s *spot) { s.agents[0].pid = 0 },
		"refused maintenance": locked(0),
		"refused no-prompt":   shows(func(s *driver.State) { s.Prompt = false }),
		"refused no-launcher": unstartable,
	} {
		s := &spot{desk: newDesk(t)}
		s.update = func() error { lay(s); return nil }
		s.startable = func(string, string) error { return nil }
		got := ""
		a := s.acting(&got)
		a.Startable = func(program, dir string) error { return s.startable(program, dir) }
		if err := handed(a, a.One(t.Context(), s.decided(0, "upgrade"))); err != nil {
			t.Fatal(err)
		}
		if ended := map[bool]int{true: 1}[want == "done"]; got != want || s.stops != ended || s.starts != ended {
			t.Errorf("%s, want %s; %d ended, %d begun", got, want, s.stops, s.starts)
		}
		if why, updated := strings.CutSuffix(s.last.Detail, "; it is updated, and runs on as it was"); updated != (want != "done") || updated && why == "" {
			t.Errorf("%s: %s", want, s.last.Detail)
		}
		if h := s.state.Heal("agent-0"); len(h.Open) > 0 {
			t.Errorf("%s: %+v", want, h)
		}
	}
}

// Beside an update that still works no other is begun, of whatever agent.
func TestUpgrade_beside(t *testing.T) {
	s := &spot{desk: newDesk(t), updates: errors.New("it works")}
	s.update = func() error { t.Error("another is begun"); return nil }
	if got := s.does(s.decided(0, "upgrade")); got != "refused open" || s.last.Detail != "it works" || s.state.Heal("agent-0").LastAct != nil {
		t.Errorf("%s: %s", got, s.last.Detail)
	}
	if got := s.does(s.decided(1, "restart")); got != "refused reachable" {
		t.Errorf("a restart: %s", got)
	}
}

// The process that comes is seen though one of the old session's id lives on.
func TestRan_session(t *testing.T) {
	s := &spot{desk: newDesk(t)}
	s.agents[0].answers = false
	d := s.decided(0, "restart")
	d.Seen.SessionID = "s1"
	was := s.agents[0].process()
	s.process = func(seen record.Seen, p *record.AgentProc) *record.AgentProc {
		if seen.SessionID == "s1" {
			return was
		}
		return p
	}
	if got := s.does(d); got != "done" {
		t.Error(got)
	}
}

// A pane that a decision names is that which is acted on.
func TestTarget_place(t *testing.T) {
	for tmux, want := range map[string][]string{"lamp": {"lamp", ""}, "lamp:@1.%7": {"lamp", "%7"}, "p@code": {"p@code", ""}, "a b:@12.%0": {"a b", "%0"}} {
		got := target(record.Decision{Action: &record.Action{Driver: "tmux"}, Seen: &record.Seen{Tmux: tmux}})
		if !slices.Equal([]string{got.Session, got.Place}, want) {
			t.Errorf("%q: %q in %q", tmux, got.Place, got.Session)
		}
	}
}

// A session that Claude Code keeps is called by its job; what is known of the process
// goes with it.
func TestTarget_job(t *testing.T) {
	seen := &record.Seen{Workspace: "/w/a", Tmux: "p@a", SessionID: "s1", JobID: "j1", PID: 7, Start: record.TimeOf(noon)}
	for by, want := range map[string]string{"tmux": "p@a", "claude": "j1"} {
		got := target(record.Decision{Agent: "a", Action: &record.Action{Driver: by}, Seen: seen})
		if got != (driver.Target{Agent: "a", Session: want, Cwd: "/w/a", PID: 7, Start: noon, SessionID: "s1"}) {
			t.Errorf("%s: %+v", by, got)
		}
	}
}

// Of what ran nowhere when it was decided nothing can be ended: a restart goes on to
// start it, and an upgrade wants the session that it is to be upgraded in.
func TestReached_nothingSeen(t *testing.T) {
	for _, tt := range []struct {
		verb  string
		alive bool
		want  bool // it is refused
	}{{"restart", false, false}, {"restart", true, false}, {"upgrade", true, false}, {"upgrade", false, true}} {
		d := record.Decision{Action: &record.Action{Verb: tt.verb}, Seen: &record.Seen{Workspace: "/w/a"}}
		if err := new(Actor).reached(t.Context(), d, driver.State{Alive: tt.alive}, driver.Target{Session: "lamp@a"}); (err != nil) != tt.want {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
