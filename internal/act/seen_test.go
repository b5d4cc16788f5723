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

// once has what could be seen until something was done not be seen any more.
func once(what string) func(*spot) {
	return func(s *spot) {
		s.blind = func(asked string) bool { return asked == what && len(s.said)+s.starts+s.stops > 0 }
	}
}

// answering has what was started answer as the n-th question after it is to be answered.
func answering(answer func(h *record.Health, n int)) func(*spot) {
	return func(s *spot) {
		n := 0
		s.health = func(h *record.Health) {
			if s.starts > 0 {
				answer(h, n)
				n++
			}
		}
	}
}

// What became of an act is told by what is seen of it: done when its effect is, failed
// when it is not, and unknown when that could not be looked at.
func TestSeen(t *testing.T) {
	silent := func(h *record.Health) { h.Online, h.Instance = false, "" }
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot)
		want string
		kind string // of the outcome in the ledger
		says string // what that says came of it
		why  string // and why it did not help
	}{
		"a message is there":             {"inject", func(*spot) {}, "done", record.EntryDone, "user record u1", ""},
		"a message is not looked for":    {"inject", once("said"), "unknown unseen", record.EntryUnknown, "", "could not be looked at: said was not read"},
		"what was launched is not":       {"launch", once("beside"), "unknown unseen", record.EntryUnknown, "", "could not be looked at: beside was not read"},
		"it cannot be asked":             {"restart", once("health"), "unknown unseen", record.EntryUnknown, "\"process ", "could not be looked at: health was not read"},
		"an instance answers":            {"restart", func(*spot) {}, "done", record.EntryDone, "; instance i", ""},
		"what is left could not be seen": {"restart", once("beside"), "failed driver", record.EntryFailed, "", "nothing was started, since what works in /w/0 could not be looked at: beside was not read"},
		"it is not begun again":          {"restart", func(s *spot) { s.startErr = errors.New("no server") }, "failed driver", record.EntryFailed, "", "no server"},
		"what runs began before":         {"launch", older, "failed gone", record.EntryFailed, "", "no Claude Code process came to run in /w/0"},
		"the version is not to be had":   {"upgrade", func(s *spot) { s.update = func() error { return errors.New("npm") } }, "failed driver", record.EntryFailed, "", "bringing agent-0 to 1.2.3: npm"},
		"an upgraded one answers":        {"upgrade", func(*spot) {}, "done", record.EntryDone, "; instance i", ""},
		"an upgraded one answers twice, then not": {"upgrade", answering(func(h *record.Health, n int) {
			if n > 1 {
				silent(h)
			}
		}), "done", record.EntryDone, `"process 5; instance i5"`, ""},
		"an upgraded one changes its mind": {"upgrade", answering(func(h *record.Health, n int) {
			if n == 0 {
				h.Version = "1.2.2"
			}
		}), "done", record.EntryDone, `"process 5; instance i5"`, ""},
		"a restarted one answers by turns": {"restart", answering(func(h *record.Health, n int) {
			if n != 1 {
				silent(h)
			}
		}), "done", record.EntryDone, `"process 5; instance i5"`, ""},
		"an upgraded one answers in vain": {"upgrade", answering(func(h *record.Health, _ int) { h.Version = "1.2.2" }), "failed wrong-version", record.EntryFailed, "\"process ", "it came back, and runs 1.2.2"},
		"an upgraded one answers in vain, then not at all": {"upgrade", func(s *spot) {
			n := 0
			answering(func(h *record.Health, _ int) { h.Version, n = "1.2.2", n+1 })(s)
			s.blind = func(asked string) bool { return asked == "health" && n > 0 }
		}, "unknown unseen", record.EntryUnknown, "\"process ", "could not be looked at: health was not read"},
		"an upgraded one answers by turns": {"upgrade", answering(func(h *record.Health, n int) {
			if n%2 == 1 {
				silent(h)
			}
		}), "failed deaf", record.EntryFailed, "\"process ", "its process ran, and no new instance answered"},
		"an upgraded one is of two minds": {"upgrade", answering(func(h *record.Health, n int) {
			if n%2 == 1 {
				h.Version = "1.2.2"
			}
		}), "failed wrong-version", record.EntryFailed, "\"process ", "it came back, and runs 1.2.2"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = tt.verb == "upgrade"
			d := s.decided(0, tt.verb)
			d.Seen.SessionID = "s0"
			tt.lay(s)
			a, book := s.acting(&got), &keeps{Book: s}
			a.Book = book
			if err := handed(a, a.One(t.Context(), d)); err != nil || got != tt.want {
				t.Errorf("%s, want %s; %v", got, tt.want, err)
			}
			end := book.kept[1] // the intent is before it, an alert may be behind it
			if !strings.Contains(end, `"kind":"`+tt.kind+`"`) || strings.Contains(end, `"result":`) != (tt.says != "") || !strings.Contains(end, tt.says) ||
				!strings.Contains(end, tt.why) || strings.Contains(end, `"detail":`) != (tt.why != "") {
				t.Error(end)
			}
			if tt.want == "failed driver" && (s.starts > 0 && s.startErr == nil || tt.verb == "upgrade" && s.stops > 0) {
				t.Errorf("%d begun, %d ended", s.starts, s.stops)
			}
		})
	}
}

// older has a process found after a start that had begun before it.
func older(s *spot) {
	s.dead = true
	s.process = func(record.Seen, *record.AgentProc) *record.AgentProc {
		if s.starts == 0 {
			return nil
		}
		return &record.AgentProc{PID: 99, Start: record.TimeOf(noon.Add(-time.Hour)), Kind: "claude"}
	}
}

// A process is another than the one that was seen when its pid or its start is, and
// new when it did not begin before the act, by the ticks of its clock.
func TestIsNew(t *testing.T) {
	at := func(d time.Duration) *record.Time { return record.TimeOf(noon.Add(d)) }
	was := &record.Seen{PID: 7, Start: at(-time.Hour)}
	for _, tt := range []struct {
		name string
		p    *record.AgentProc
		was  *record.Seen
		want bool
	}{
		{"none", nil, was, false},
		{"it", &record.AgentProc{PID: 7, Start: at(-time.Hour)}, was, false},
		{"its pid, no start", &record.AgentProc{PID: 7}, was, false},
		{"its pid, and no start was seen", &record.AgentProc{PID: 7, Start: at(time.Second)}, &record.Seen{PID: 7}, false},
		{"its pid again", &record.AgentProc{PID: 7, Start: at(time.Second)}, was, true},
		{"another", &record.AgentProc{PID: 8, Start: at(time.Second)}, was, true},
		{"another, no start", &record.AgentProc{PID: 8}, was, true},
		{"another, a tick before", &record.AgentProc{PID: 8, Start: at(-2 * time.Second)}, was, true},
		{"another, long before", &record.AgentProc{PID: 8, Start: at(-3 * time.Second)}, was, false},
	} {
		if got := isNew(tt.p, tt.was, noon); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// What is resumed is done when its process runs and its text is read; what nobody can
// ask is done when its process runs.
func TestSeen_resume(t *testing.T) {
	for name, tt := range map[string]struct {
		verb string
		lay  func(*spot, *record.Decision)
		want string
	}{
		"it runs, and reads":          {"resume", func(*spot, *record.Decision) {}, "done"},
		"it runs, and reads not":      {"resume", func(s *spot, _ *record.Decision) { s.agents[0].swallows = true }, "failed unread"},
		"it does not run":             {"resume", func(s *spot, _ *record.Decision) { s.dead = true }, "failed gone"},
		"it is found by its session":  {"resume", func(s *spot, _ *record.Decision) { only("beside")(s) }, "done"},
		"its agent is of no project":  {"launch", func(s *spot, d *record.Decision) { s.deaf, d.Seen.Project = true, "" }, "done"},
		"its agent had an address":    {"launch", func(s *spot, d *record.Decision) { s.deaf, d.Seen.Project, d.Seen.Address = true, "", "127.0.0.1:1" }, "failed deaf"},
		"its agent is of a project":   {"launch", func(s *spot, d *record.Decision) { s.deaf = true }, "failed deaf"},
		"it is upgraded, and is deaf": {"upgrade", func(s *spot, d *record.Decision) { s.deaf, d.Seen.Project, d.Seen.Address = true, "", "" }, "failed deaf"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			if tt.verb == "resume" {
				s.agents[0].pid = 0
			}
			d := s.decided(0, tt.verb)
			d.Seen.SessionID = map[string]string{"resume": "s0"}[tt.verb]
			tt.lay(s, &d)
			a := s.acting(&got)
			if d.Action.Driver = "tmux"; tt.verb == "resume" {
				d.Decision, d.Action.Driver, a.Drivers = "RESUME", "claude", map[string]driver.Driver{"claude": s}
			}
			if err := handed(a, a.One(t.Context(), d)); err != nil || got != tt.want || s.starts != 1 {
				t.Errorf("%s, want %s: %s; %v, %d begun", got, tt.want, s.last.Detail, err, s.starts)
			}
		})
	}
}

// Nothing is waited for by a run that is ended.
func TestUntil_ended(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	asked := 0
	a := &Actor{Now: func() time.Time { return noon }, Sleep: func(context.Context, time.Duration) { t.Fatal("it waits") }}
	if a.until(ctx, time.Hour, func() bool { asked++; return false }) || asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// Where what was seen never said which instance it is, the answer of the new process counts;
// of an upgrade, in the version that was asked for.
func TestSeen_nameless(t *testing.T) {
	for _, tt := range []struct{ verb, version, want string }{
		{"launch", "1.2.3", "done"}, {"restart", "1.2.3", "done"}, {"upgrade", "1.2.3", "done"}, {"upgrade", "1.2.2", "failed wrong-version"},
	} {
		s, got := &spot{desk: newDesk(t)}, ""
		s.agents[0].answers = tt.verb == "upgrade"
		d := s.decided(0, tt.verb)
		d.Seen.Instance = ""
		s.health = func(h *record.Health) { h.Instance, h.Version = "", tt.version }
		if err := s.acting(&got).One(t.Context(), d); err != nil || got != tt.want || tt.want == "done" && s.last.Proof != "process 5; it answers" {
			t.Errorf("%s in %s: %s, %+v, %v", tt.verb, tt.version, got, s.last, err)
		}
	}
}
