package act

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// What starts an agent may end with 0 when its process is ended by a restart: that is
// nobody's leaving. When the restart got no further, it is launched.
func TestRestart_exit(t *testing.T) {
	for name, tt := range map[string]struct {
		lay  func(s *spot, exit func())
		want string
	}{
		"the start fails": {func(s *spot, exit func()) {
			s.stop = func() error { s.agents[0].pid = 0; exit(); return nil }
			s.startErr = driver.ErrGone
		}, "LAUNCH"},
		"its launcher takes its time": {func(s *spot, exit func()) {
			s.stop = func() error { s.agents[0].pid = 0; return nil }
			s.startErr = driver.ErrGone
			s.told = nil
		}, "LAUNCH"},
		"the run is killed": {func(s *spot, exit func()) {
			s.stop = func() error { s.agents[0].pid = 0; exit(); panic(killed{}) }
		}, "LAUNCH"},
		"it was left before it was ended": {func(s *spot, exit func()) {
			exit()
			s.now = s.now.Add(time.Second)
			s.stop = func() error { s.agents[0].pid = 0; return nil }
			s.startErr = driver.ErrGone
		}, "SKIP left"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.agents[0].answers = false
			exit := func() {
				zero := 0
				s.append(s.now, record.Entry{Kind: record.EntryAgentExit, By: "hook", Key: "agent-0", Exit: &zero})
			}
			d := s.decided(0, "restart")
			tt.lay(s, exit)
			a := s.acting(&got)
			func() {
				defer func() {
					if k := recover(); k != nil && k != any(killed{}) {
						panic(k)
					}
				}()
				if err := handed(a, a.One(t.Context(), d)); err != nil {
					t.Fatal(err)
				}
			}()
			if strings.HasPrefix(name, "its launcher") {
				s.now = s.now.Add(5 * time.Second)
				exit()
			}
			s.now = s.now.Add(time.Minute)
			if err := handed(a, a.Recover(t.Context())); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(time.Hour)
			for _, x := range reconcile.Judge(s.stream(""), reconcile.Options{}).Decisions {
				if says := x.Decision.Decision + " " + x.Decision.Reason; x.Subject == "agent-0" && !strings.HasPrefix(says, tt.want) {
					t.Errorf("%s, want %s", says, tt.want)
				}
			}
		})
	}
}
