package act

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// An intent that a run left is closed by what is seen of it, once, and nothing is done
// again. One of which that cannot be looked at stays open, and is named, after a while to a
// person too, who is told as well what the run would have told; those of other programs
// stay as they are.
func TestRecover(t *testing.T) {
	reborn := func(s *spot) { s.now = s.now.Add(time.Second); s.runs(s.agents[0]) }
	deaf := func(s *spot) { reborn(s); s.agents[0].answers = false }
	gone := func(s *spot) { s.agents[0].pid = 0 }
	comes := func(after time.Duration) func(*spot) {
		return func(s *spot) {
			gone(s)
			s.slept = func() {
				if s.agents[0].pid == 0 && !s.now.Before(noon.Add(after)) {
					s.runs(s.agents[0])
				}
			}
		}
	}
	const dead = "restart-failed: it did not answer, and the run that was to restart it died; recovered: "
	tick := 3
	for name, tt := range map[string]struct {
		verb string
		lay  func(s *spot) // after the intent
		left func(e *record.Entry, t *record.ActTarget)
		want string // outcome, reason, a part of its detail; "open": none
		warn string // a part of what is warned of
		told string // what a person is told, or its beginning; "": nothing
	}{
		"an alert":                      {verb: record.VerbAlert, want: "done  it is told: the ledger has it", told: "stuck: x"},
		"of what is not told":           {verb: "restart", left: func(_ *record.Entry, t *record.ActTarget) { t.Seen = nil }, want: "unknown lost the intent does not say what was to be done", told: "restart-failed: it did not answer, and the run that was to restart it died; recovered: the intent does not say what was to be done"},
		"a text is there":               {verb: "inject", lay: func(s *spot) { s.agents[0].said = []string{"x"} }, want: "done  user record u1"},
		"a text is not there":           {verb: "inject", want: "failed lost no user record of it is in the transcript"},
		"a text is not looked for":      {verb: "inject", lay: only("said"), want: "open", warn: "said was not read; until it can"},
		"no process came":               {verb: "restart", want: "failed lost no Claude Code process that is younger than the intent runs in /w/0", told: "restart-failed: it did not answer, and the run that was to restart it died; recovered: no Claude Code process that is younger than the intent runs in /w/0; its process 1 runs on"},
		"a process is not looked for":   {verb: "restart", lay: only("beside"), want: "open", warn: "beside was not read; until it can"},
		"a process came, of no project": {verb: "launch", lay: deaf, left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.Project = "" }, want: "done  process 5"},
		"it came back":                  {verb: "restart", lay: reborn, want: "done  process 5; instance i5", told: "restarted: it did not answer and was restarted, attempt 2; the run that did it died"},
		"it is deaf":                    {verb: "restart", lay: deaf, want: "failed deaf process 5 ran, and no new instance answered", told: "restart-failed: it did not answer, and the run that was to restart it died; recovered: process 5 ran, and no new instance answered"},
		"it does not say which it is":   {verb: "restart", lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Instance = "" } }, want: "failed deaf process 5", told: "restart-failed: it did not answer, and the run that was to restart it died; recovered: process 5 ran"},
		"it answers in a moment": {verb: "restart", lay: func(s *spot) {
			reborn(s)
			s.health = func(h *record.Health) { h.Online = s.now.After(noon.Add(3 * time.Second)) }
		}, want: "done  process 5; instance i5", told: "restarted: "},
		"it cannot be asked": {verb: "restart", lay: func(s *spot) { reborn(s); only("health")(s) }, want: "open", warn: "health was not read; until it can"},
		"it cannot be asked again": {verb: "restart", lay: func(s *spot) {
			deaf(s)
			s.blind = func(what string) bool { return what == "health" && s.now.After(noon.Add(3*time.Second)) }
		}, want: "open", warn: "health was not read; until it can"},
		"an upgraded one came back":   {verb: "upgrade", lay: reborn, want: "done  process 5; instance i5"},
		"it came back as it was":      {verb: "upgrade", lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Version = "1.2.2" } }, want: "failed wrong-version it runs 1.2.2", told: "upgrade-stopped: the upgrade to 1.2.3 stopped here, its run died; recovered: it runs 1.2.2"},
		"its update still works":      {verb: "upgrade", lay: func(s *spot) { reborn(s); s.updates = errors.New("it works") }, want: "open", warn: "it works; until it can"},
		"the update of another works": {verb: "restart", lay: func(s *spot) { reborn(s); s.updates = errors.New("it works") }, want: "done  process 5; instance i5", told: "restarted: "},
		"an upgrade began nothing":    {verb: "upgrade", want: "failed lost no Claude Code process that is younger than the intent runs in /w/0; its process 1 runs on", told: "upgrade-stopped: "},
		"its process ended": {verb: "restart", lay: gone, want: "failed lost no Claude Code process that is younger than the intent runs in /w/0; its process 1 has ended, and nothing was started in its place",
			told: dead + "no Claude Code process that is younger than the intent runs in /w/0; its process 1 has ended, and nothing was started in its place"},
		"another was there before": {verb: "restart", lay: runs(func(p *record.AgentProc) { p.PID, p.Start = 9, record.TimeOf(noon.Add(-time.Hour)) }),
			want: "failed lost no Claude Code process that is younger than the intent runs in /w/0; its process 1 has ended, and process 9 works there", told: dead},
		"what was launched did not come": {verb: "launch", lay: gone, left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.PID, t.Seen.Start = 0, nil }, want: "failed lost no Claude Code process that is younger than the intent runs in /w/0 "},
		"what starts it takes its time":  {verb: "launch", lay: comes(3 * time.Second), want: "done  process 5; instance i5"},
		"and longer than it may":         {verb: "launch", lay: comes(4 * time.Second), want: "failed lost "},
		"what starts it after its update takes its time": {verb: "upgrade", lay: func(s *spot) {
			s.now, s.look = noon.Add(20*time.Minute), func(st *driver.State) { st.Alive, st.PID = true, 0 }
			comes(20*time.Minute + 3*time.Second)(s)
		}, want: "done  process 5; instance i5"},
		"and longer than that may": {verb: "upgrade", lay: func(s *spot) {
			s.now, s.look = noon.Add(20*time.Minute), func(st *driver.State) { st.Alive, st.PID = true, 0 }
			comes(20*time.Minute + 5*time.Second)(s)
		}, want: "failed lost ", told: "upgrade-stopped: "},
		"its session is gone after its update": {verb: "upgrade", lay: func(s *spot) {
			s.now, s.look = noon.Add(20*time.Minute), func(st *driver.State) { *st = driver.State{} }
			comes(20*time.Minute + time.Second)(s)
		}, want: "failed lost ", told: "upgrade-stopped: "},
		"another's session has its name": {verb: "launch", lay: func(s *spot) {
			s.now, s.look = noon.Add(20*time.Minute), func(st *driver.State) { st.Alive, st.PID = true, 77 }
			comes(20*time.Minute + time.Second)(s)
		}, want: "failed lost "},
		"its session cannot be looked at": {verb: "launch", lay: func(s *spot) {
			s.now, s.fails = noon.Add(20*time.Minute), map[string]bool{"agent-0": true}
			comes(20*time.Minute + time.Second)(s)
		}, want: "failed lost "},
		"of a driver that is none": {verb: "launch", left: func(_ *record.Entry, t *record.ActTarget) { t.Action.Driver = "" }, lay: func(s *spot) {
			s.now = noon.Add(20 * time.Minute)
			comes(20*time.Minute + time.Second)(s)
		}, want: "failed lost "},
		"it came late, and answers in a moment": {verb: "upgrade", lay: func(s *spot) {
			s.now = noon.Add(20 * time.Minute)
			reborn(s)
			s.health = func(h *record.Health) { h.Online = s.now.After(noon.Add(20*time.Minute + 4*time.Second)) }
		}, want: "done  process 5; instance i5"},
		"it answers, and never says which it is": {verb: "launch", left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.Instance = "" }, lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Instance = "" } },
			want: "done  process 5; it answers "},
		"an upgraded one never says which it is": {verb: "upgrade", left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.Instance = "" }, lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Instance = "" } },
			want: "done  process 5; it answers "},
		"the old one answers for a moment": {verb: "upgrade", left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.Instance = "" }, lay: func(s *spot) {
			reborn(s)
			s.health = func(h *record.Health) {
				if h.Instance = ""; s.now.Before(noon.Add(3 * time.Second)) {
					h.Version = "1.2.2"
				}
			}
		}, want: "done  process 5; it answers "},
		"it is open for long": {verb: "upgrade", lay: func(s *spot) {
			s.updates = errors.New("held by process 7: end it")
			s.now = noon.Add(10*time.Minute + 1)
		}, want: "open", warn: "held by process 7", told: "kept-open: nothing is done to it, since the upgrade that began at 2026-11-29T12:00:00Z has no outcome: held by process 7: end it"},
		"it is open for as long as may be":     {verb: "upgrade", lay: func(s *spot) { s.updates = errors.New("it works"); s.now = noon.Add(10 * time.Minute) }, want: "open", warn: "it works"},
		"it is open by a clock ahead":          {verb: "inject", lay: func(s *spot) { only("said")(s); s.now = noon.Add(-2*time.Minute - 1) }, want: "open", warn: "said was not read", told: "kept-open: "},
		"it is open by a clock a little ahead": {verb: "inject", lay: func(s *spot) { only("said")(s); s.now = noon.Add(-2 * time.Minute) }, want: "open", warn: "said was not read"},
		"an upgraded one is deaf":              {verb: "upgrade", lay: deaf, want: "failed deaf process 5 ran, and no new instance answered", told: "upgrade-stopped: "},
		"of a dry run":                         {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.DryRun = true }, want: "open"},
		"of a tick":                            {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.Tick = &tick }, want: "open"},
		"of another program":                   {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.By = "tick" }, want: "open"},
		"an alert of another program":          {verb: record.VerbAlert, left: func(e *record.Entry, _ *record.ActTarget) { e.By = "tick" }, want: "open"},
		"of another program's own verb":        {verb: "spawn", want: "open"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got, warned := &spot{desk: newDesk(t)}, "", ""
			s.now = noon
			e := record.Entry{Kind: record.EntryIntent, By: "act", Verb: tt.verb, Key: "agent-0"}
			target := record.ActTarget{Action: record.Action{Verb: tt.verb, Driver: "tmux", Text: "x", To: "1.2.3"}, Attempt: 2, Seen: s.decided(0, "restart").Seen}
			if tt.verb == record.VerbAlert {
				target = record.ActTarget{Severity: "stuck", Text: "x"}
			}
			if tt.left != nil {
				tt.left(&e, &target)
			}
			e.Target = fold.Marshal(target)
			id := s.append(s.now, e)
			if tt.lay != nil {
				tt.lay(s)
			}
			a, book := s.acting(&got), &keeps{Book: s}
			a.Book = book
			a.Warn = func(format string, args ...any) { warned += fmt.Sprintf(format, args...) }
			for range 2 {
				if err := handed(a, a.Recover(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			says, ends := "open", 0
			for _, kept := range book.kept {
				end := record.Entry{}
				if err := json.Unmarshal([]byte(kept), &end); err != nil {
					t.Fatal(err)
				}
				if end.Verb != tt.verb {
					continue // of what a person is told
				}
				detail, ok := strings.CutPrefix(end.Detail, "recovered: ")
				if says, ends = fmt.Sprint(end.Kind, " ", end.Reason, " ", detail, " "), ends+1; !ok {
					t.Error(end.Detail)
				}
			}
			told := ""
			for severity, text := range s.state.Heal("agent-0").Texts {
				told += severity + ": " + text
			}
			if told != tt.told && (tt.told == "" || !strings.HasPrefix(told, tt.told)) || tt.verb != record.VerbAlert && len(s.told) != min(1, len(tt.told)) {
				t.Errorf("told %q, want %q", told, tt.told)
			}
			if !strings.HasPrefix(says, tt.want) || s.state.IsOpen(id) != (tt.want == "open") || ends > 1 {
				t.Errorf("%s, want %s; %d outcomes", says, tt.want, ends)
			}
			if !strings.Contains(warned, tt.warn) || (warned != "") != (tt.warn != "") {
				t.Errorf("warned of %q", warned)
			}
			if len(s.said)+s.starts+s.stops > 0 {
				t.Errorf("written to %q, %d begun, %d ended", s.said, s.starts, s.stops)
			}
		})
	}
}

// Every intent that was left is closed, and one that answers is asked once.
func TestRecover_all(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	for i := range 2 {
		s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "restart", Key: fmt.Sprint("agent-", i), Target: fold.Marshal(record.ActTarget{Action: record.Action{Verb: "restart"}, Seen: s.decided(i, "restart").Seen})})
		s.runs(s.agents[i])
	}
	was := s.now
	a := s.acting(&got)
	if err := handed(a, a.Recover(t.Context())); err != nil || len(s.state.Open()) > 0 || !s.now.Equal(was) {
		t.Errorf("%v, open %v, waited %v", err, s.state.Open(), s.now.Sub(was))
	}
}

// An intent of which a person could not be told stays open, so that the next run tells it.
func TestRecover_untold(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	id := s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "restart", Key: "agent-0", Target: fold.Marshal(record.ActTarget{Action: record.Action{Verb: "restart"}, Seen: s.decided(0, "restart").Seen})})
	a := s.acting(&got)
	a.Book = &broken{s, "begin", 1}
	if err := handed(a, a.Recover(t.Context())); !errors.Is(err, syscall.EIO) || !s.state.IsOpen(id) {
		t.Errorf("%v, open: %t", err, s.state.IsOpen(id))
	}
	a.Book = s
	if err := handed(a, a.Recover(t.Context())); err != nil || s.state.IsOpen(id) || len(s.told) != 1 {
		t.Errorf("%v, told %q", err, s.told)
	}
}

// What is left of a time is never more than that.
func TestLeft(t *testing.T) {
	for passed, want := range map[time.Duration]time.Duration{-time.Hour: time.Minute, 0: time.Minute, time.Second: 59 * time.Second, time.Hour: -59 * time.Minute} {
		if got := left(time.Minute, passed); got != want {
			t.Errorf("%v: %v", passed, got)
		}
	}
}

// An answer is another instance's when it says which it is, and it is not the one that was;
// where that did not say it either, each is.
func TestIsOther(t *testing.T) {
	was, nameless := &record.Seen{Instance: "i1"}, &record.Seen{}
	if isOther(nil, nameless) || isOther(&record.Health{}, nameless) || !isOther(&record.Health{Online: true}, nameless) || !isOther(&record.Health{Online: true, Instance: "i1"}, nameless) {
		t.Error("of one that did not say which it is")
	}
	for _, tt := range []struct {
		h    *record.Health
		want bool
	}{
		{nil, false}, {&record.Health{Online: true, Instance: "i2"}, true}, {&record.Health{Instance: "i2"}, false},
		{&record.Health{Online: true, Instance: "i1"}, false}, {&record.Health{Online: true}, false},
	} {
		if got := isOther(tt.h, was); got != tt.want {
			t.Errorf("%+v: %t", tt.h, got)
		}
	}
}
