package act

import (
	"errors"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// What keeps hands off an agent keeps them off a session in its workspace, at the moment
// of acting: its pause, an upgrade of macf, its process; a list leaves it to the agent.
func TestOwned(t *testing.T) {
	docs := func(change func(*record.Workspace)) func(*spot) {
		return func(s *spot) {
			s.owner = &record.Workspace{Agent: "docs", Project: "p", Path: "/w/docs"}
			change(s.owner)
		}
	}
	pause := func(key string) func(*spot) {
		return func(s *spot) {
			docs(func(*record.Workspace) {})(s)
			s.append(s.now, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: key})
		}
	}
	for name, tt := range map[string]struct {
		lay          func(*spot)
		listed       string
		mail, resume string
	}{
		"in none":                    {func(*spot) {}, "docs", "done", "done"},
		"of no list":                 {docs(func(*record.Workspace) {}), "", "done", "done"},
		"of the list":                {docs(func(*record.Workspace) {}), "docs", "refused changed", "refused changed"},
		"nobody knows whose":         {docs(func(p *record.Workspace) { p.Agent = "" }), "", "refused nameless", "refused nameless"},
		"it could not be looked for": {only("owner"), "", "refused unknown", "refused unknown"},
		"its agent is paused":        {pause("docs"), "", "refused paused", "refused paused"},
		"another is paused":          {pause("code"), "", "done", "done"},
		"it is paused":               {pause("session:s0"), "", "refused paused", "refused paused"},
		"macf has its agent": {func(s *spot) {
			docs(func(p *record.Workspace) { p.Maintenance = &record.Maintenance{HeartbeatAt: record.NewTime(s.now)} })(s)
		}, "", "refused maintenance", "refused maintenance"},
		"its agent works there": {docs(func(p *record.Workspace) {
			p.Processes = []record.AgentProc{{PID: 9, Kind: "claude"}}
		}), "", "done", "refused runs"},
	} {
		for verb, want := range map[string]string{"mail": tt.mail, "resume": tt.resume} {
			s, got := &spot{desk: newDesk(t)}, ""
			if verb == "resume" {
				s.agents[0].pid = 0
			}
			tt.lay(s)
			d, a := s.decided(0, verb), s.acting(&got)
			a.Drivers["claude"] = s
			a.Command = func(agent, workspace string) []string {
				if agent != tt.listed || workspace != "/w/docs" {
					return nil
				}
				return []string{"/x"}
			}
			if err := handed(a, a.One(t.Context(), d)); err != nil || got != want {
				t.Errorf("%s: %s: %v, %s, %s", name, verb, err, got, s.last.Detail)
			}
		}
	}
}

// An episode that ended since the run began, or in which something was done, is another.
func TestMoved(t *testing.T) {
	was := []did{{"a", "inject", 2 * time.Hour, "done"}, {"a", "restart", time.Hour, "done"}}
	for name, tt := range map[string]struct {
		since []did
		want  string
	}{
		"nothing":                  {nil, ""},
		"another's pause":          {[]did{{"b", record.EntryPause, time.Minute, ""}}, ""},
		"a pause":                  {[]did{{"a", record.EntryPause, time.Minute, ""}}, "paused"},
		"a pause, and an unpause":  {[]did{{"a", record.EntryPause, time.Minute, ""}, {"a", record.EntryUnpause, time.Minute, ""}}, "changed"},
		"it was well":              {[]did{{"a", "ok", time.Minute, ""}}, "changed"},
		"a message":                {[]did{{"a", "inject", 3 * time.Minute, "done"}}, "changed"},
		"somebody was told":        {[]did{{"a", record.VerbAlert, time.Minute, "done"}}, ""},
		"what it had as its pause": {[]did{{"a", record.EntryUnpause, time.Minute, ""}}, ""},
	} {
		a := &Actor{Rules: record.DefaultHealRules(), Now: func() time.Time { return noon }}
		a.begin(ledgerOf(t, was...))
		got := ""
		for _, verb := range []string{"inject", "upgrade"} {
			err := a.may(t.Context(), record.Decision{Agent: "a", Seen: &record.Seen{}, Action: &record.Action{Verb: verb}})(ledgerOf(t, append(was, tt.since...)...))
			if r, ok := errors.AsType[refusal](err); ok {
				got = r.reason
			} else if err == nil {
				got = ""
			}
			if got != tt.want {
				t.Errorf("%s: %s %v", name, verb, err)
			}
		}
	}
	a := &Actor{Now: func() time.Time { return noon }}
	a.begin(ledgerOf(t))
	for _, tt := range []struct {
		h    record.Heal
		want bool
	}{{record.Heal{Agent: "new"}, false}, {record.Heal{Agent: "new", LastAct: record.TimeOf(noon)}, true}, {record.Heal{Agent: "new", Deaf: 1}, true}, {record.Heal{Agent: "new", Throttled: 1}, true},
		{record.Heal{Agent: "new", Attempts: 1}, true}, {record.Heal{Agent: "new", Injects: 1}, true}, {record.Heal{Agent: "new", Paused: true}, false}} {
		if got := a.moved(tt.h); got != tt.want {
			t.Errorf("%+v: %v", tt.h, got)
		}
	}
	if new(Actor).moved(record.Heal{Agent: "new", Deaf: 1}) {
		t.Error("nobody looked")
	}
}

// A pause of the session that an agent works in holds for the agent.
func TestPaused_session(t *testing.T) {
	for key, want := range map[string]string{"session:s1": "paused", "session:s1@two": "paused", "session:s2": "", "session:": ""} {
		for _, id := range []string{"s1", ""} {
			a := &Actor{Rules: record.DefaultHealRules(), Now: func() time.Time { return noon }}
			d := record.Decision{Agent: "a", Seen: &record.Seen{SessionID: id}, Action: &record.Action{Verb: "inject"}}
			err := a.may(t.Context(), d)(ledgerOf(t, did{key, record.EntryPause, time.Minute, ""}))
			if r, _ := errors.AsType[refusal](err); r.reason != want && id != "" || id == "" && err != nil {
				t.Errorf("%s, %s: %v", key, id, err)
			}
		}
	}
}

// A pause that was noted since the run began holds for the agent in whose workspace the
// session worked that it is of. Of one before that the judge knew where it is by now.
func TestPaused_in(t *testing.T) {
	pause := record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "session:s9", Detail: "/w/docs/api"}
	for name, tt := range map[string]struct {
		lay, since func(*spot)
		want       string
	}{
		"in its workspace":  {func(*spot) {}, func(s *spot) { s.append(s.now, pause) }, "refused paused"},
		"before the run":    {func(s *spot) { s.append(s.now, pause) }, func(*spot) {}, "done"},
		"in another":        {func(s *spot) { s.owner.Path = "/w/code" }, func(s *spot) { s.append(s.now, pause) }, "done"},
		"in none":           {func(s *spot) { s.owner = nil }, func(s *spot) { s.append(s.now, pause) }, "done"},
		"nobody can tell":   {only("owner"), func(s *spot) { s.append(s.now, pause) }, "refused unknown"},
		"of an agent":       {func(*spot) {}, func(s *spot) { e := pause; e.Key = "other"; s.append(s.now, e) }, "done"},
		"nobody knew where": {func(*spot) {}, func(s *spot) { e := pause; e.Detail = ""; s.append(s.now, e) }, "done"},
	} {
		s, got := &spot{desk: newDesk(t)}, ""
		s.agents[0].pid = 0
		d := s.decided(0, "launch")
		s.owner = &record.Workspace{Agent: d.Agent, Path: d.Seen.Workspace}
		tt.lay(s)
		a := s.acting(&got)
		a.begin(s.state)
		tt.since(s)
		if err := handed(a, a.One(t.Context(), d)); err != nil || got != tt.want {
			t.Errorf("%s: %v, %s, %s", name, err, got, s.last.Detail)
		}
	}
}

// What is late is told when it was to be done, and what cannot be told is an error.
func TestLate(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	a, d := s.acting(&got), s.decided(0, "launch")
	if err := a.Late(d, "changed", "x"); err != nil || got != "refused changed" || s.last.Detail != "x" {
		t.Errorf("%v, %s, %+v", err, got, s.last)
	}
	lost := errors.New("a closed pipe")
	a.Emit = func(string, record.Outcome) error { return lost }
	if err := a.Late(d, "changed", "x"); !errors.Is(err, lost) {
		t.Error(err)
	}
	if d.Action = nil; a.Late(d, "changed", "x") != nil {
		t.Error("it was not to be done")
	}
}
