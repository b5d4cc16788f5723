package act

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

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
		"it answers by now":       {func(s *spot) { s.agents[0].answers = true }, "4 kept-reachable: it does not answer, and is not told so: it answers by now"},
		"macf has it":             {locked(0), "4 kept-maintenance: it does not answer, and is not told so: "},
	} {
		late, passing := strings.CutPrefix(tt.told, "4 ") // what should end by itself
		first := tt.told
		if passing {
			first = ""
		}
		for deaf, want := range map[int]string{1: "", 2: first, 3: first, 4: late} {
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
