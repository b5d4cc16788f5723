package act

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// A rehearsal says what would keep an act from being done as things are now, by the same
// looks in the same order, and does and notes nothing.
func TestRehearsed(t *testing.T) {
	pause := func(s *spot) {
		s.append(s.now, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "agent-0"})
	}
	for name, tt := range map[string]struct {
		lay   func(*spot)
		verb  string
		kept  string // what it begins with
		tells bool   // a person would be told of it
	}{
		"nothing":                {func(*spot) {}, "restart", "", false},
		"a launch":               {func(s *spot) { s.agents[0].pid = 0 }, "launch", "", false},
		"a message":              {func(*spot) {}, "inject", "", false},
		"no launcher":            {unstartable, "restart", "no-launcher: /w/0/claude.sh is not there, so it could not be started again", true},
		"no launcher to start":   {func(s *spot) { s.agents[0].pid = 0; unstartable(s) }, "launch", "no-launcher: /w/0/claude.sh is not there", true},
		"a draft":                {shows(func(s *driver.State) { s.Draft = true }), "restart", "draft: somebody's text", true},
		"the owner has it":       {shows(func(s *driver.State) { s.Attached = true }), "inject", "attached: a person", true},
		"its pause":              {pause, "restart", "paused: the owner paused it", false},
		"a draft, and its pause": {func(s *spot) { pause(s); shows(func(s *driver.State) { s.Draft = true })(s) }, "restart", "draft: ", true},
		"an upgrade of macf":     {locked(0), "restart", "maintenance: ", false},
		"it works":               {func(s *spot) { s.agents[0].busy = true }, "restart", "busy: ", true},
		"an update that works":   {func(s *spot) { s.updates = errors.New("process 7 still updates") }, "upgrade", "open: process 7 still updates", true},
		"no driver":              {func(s *spot) { s.fails = map[string]bool{"no driver": true} }, "restart", "driver: no driver is called", false},
		"an attempt just now": {func(s *spot) {
			id := s.append(s.now.Add(-time.Minute), record.Entry{Kind: record.EntryIntent, By: "act", Verb: "restart", Key: "agent-0"})
			s.append(s.now.Add(-time.Minute), record.Entry{Kind: record.EntryFailed, By: "act", Verb: "restart", Key: "agent-0", Of: id, Reason: "deaf"})
		}, "restart", "backoff: attempt 1 was", false},
	} {
		for _, looks := range []bool{true, false} {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = tt.verb == "upgrade"
			tt.lay(s)
			d := s.decided(0, tt.verb)
			d.Alert = &record.Alert{Severity: "restarted", Text: "it is restarted"}
			a := s.acting(&got)
			if s.fails["no driver"] {
				a.Drivers = nil
			}
			a.Dry, a.Rehearse = "--execute was not given", looks
			wrote := s.wrote
			if err := handed(a, a.One(t.Context(), d)); err != nil || got != "dry dry" || s.last.Detail != a.Dry {
				t.Errorf("%s: %v, %s, %+v", name, err, got, s.last)
			}
			if tells := s.last.Tells; (tells != "") != (looks && tt.tells) {
				t.Errorf("%s: a person would be told %q", name, tells)
			}
			if kept := s.last.Kept; !looks && kept != "" || looks && (!strings.HasPrefix(kept, tt.kept) || tt.kept == "" && kept != "") {
				t.Errorf("%s: kept %q, want %q", name, kept, tt.kept)
			}
			if s.wrote != wrote || len(s.said)+len(s.told)+s.stops > 0 {
				t.Errorf("%s: %d entries, written to %q, told %q, ended %d", name, s.wrote-wrote, s.said, s.told, s.stops)
			}
		}
	}
}

// A ledger that cannot be read keeps everything from being done.
func TestRehearsed_ledger(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	s.agents[0].answers = false
	a := s.acting(&got)
	a.Dry, a.Rehearse, a.Book = "dry", true, &broken{s, "read", 1}
	if err := handed(a, a.One(t.Context(), s.decided(0, "restart"))); err != nil || s.last.Kept != syscall.EIO.Error() {
		t.Errorf("%v, %+v", err, s.last)
	}
}
