package act

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// spot is a desk whose driver and eyes are set call by call.
type spot struct {
	*desk
	look      func(*driver.State)
	stop      func() error // in place of ending it
	process   func(s record.Seen, p *record.AgentProc) *record.AgentProc
	health    func(*record.Health)
	wroteAt   *record.Time           // when each session last did something
	other     *record.AgentProc      // another that works in each workspace
	blind     func(what string) bool // whether it could not be looked: at what is said, process, beside, health, busy, lock
	stops     int
	update    func() error
	updates   error // of before, which still works
	startable func(program, dir string) error
	slept     func() // what happens while it is waited
	owner     *record.Workspace
	told      []string
	last      record.Outcome
}

// cannot is the error of a look that fails.
func (s *spot) cannot(what string) error {
	if s.blind != nil && s.blind(what) {
		return errors.New(what + " was not read")
	}
	return nil
}

func (s *spot) Said(_ context.Context, seen record.Seen, text string, _ time.Time) (string, error) {
	if err := s.cannot("said"); err != nil {
		return "", err
	}
	if slices.Contains(s.agents[index(seen.Workspace)].said, text) { // whatever process has the session by now
		return "u1", nil
	}
	return "", nil
}

func (s *spot) Health(ctx context.Context, agent string, seen record.Seen) (*record.Health, error) {
	if err := s.cannot("health"); err != nil {
		return nil, err
	}
	h, err := s.desk.Health(ctx, agent, seen)
	if s.health != nil && h != nil {
		s.health(h)
	}
	return h, err
}

func (s *spot) Owner(context.Context, record.Seen) (*record.Workspace, error) {
	return s.owner, s.cannot("owner")
}

func (s *spot) Busy(ctx context.Context, seen record.Seen) (bool, error) {
	if err := s.cannot("busy"); err != nil {
		return false, err
	}
	return s.desk.Busy(ctx, seen)
}

func (s *spot) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	st, err := s.desk.Look(ctx, t)
	if s.look != nil {
		s.look(&st)
	}
	return st, err
}

func (s *spot) Stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	s.stops++
	if s.stop != nil {
		return s.stop()
	}
	return s.desk.Stop(ctx, t, grace)
}

func (s *spot) Process(ctx context.Context, seen record.Seen) (*record.AgentProc, error) {
	if err := s.cannot(map[bool]string{true: "beside", false: "process"}[seen.SessionID == ""]); err != nil {
		return nil, err
	}
	p, err := s.desk.Process(ctx, seen)
	if s.process != nil {
		p = s.process(seen, p)
	}
	return p, err
}

func (s *spot) Other(_ context.Context, seen record.Seen) (*record.AgentProc, error) {
	if err := s.cannot("beside"); err != nil || s.other == nil || s.other.PID == seen.PID {
		return nil, err
	}
	return s.other, nil
}

func (s *spot) Wrote(context.Context, record.Seen) (*record.Time, error) {
	return s.wroteAt, s.cannot("wrote")
}

func (s *spot) Maintenance(ctx context.Context, seen record.Seen) (*record.Maintenance, error) {
	if err := s.cannot("lock"); err != nil {
		return nil, err
	}
	return s.desk.Maintenance(ctx, seen)
}

// locked has macf's own upgrade have the first agent, by a lock of so long ago.
func locked(ago time.Duration) func(*spot) {
	return func(s *spot) {
		s.agents[0].lock = &record.Maintenance{HeartbeatAt: record.NewTime(s.now.Add(-ago))}
	}
}

// does has a decision done, and returns its outcome.
func (s *spot) does(d record.Decision) string {
	got := ""
	a := s.acting(&got)
	if err := handed(a, a.One(context.Background(), d)); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// acting is an actor that leaves the last outcome in got.
func (s *spot) acting(got *string) *Actor {
	a := s.actor("")
	a.Book, a.Eyes, a.Drivers = s, s, map[string]driver.Driver{"tmux": s}
	a.Sleep = func(_ context.Context, t time.Duration) {
		if s.now = s.now.Add(t); s.slept != nil {
			s.slept()
		}
	}
	a.Update = func(context.Context, string) error {
		if s.update != nil {
			return s.update()
		}
		return nil
	}
	a.Updates = func() error { return s.updates }
	if s.startable != nil {
		a.Startable = s.startable
	}
	a.Emit = func(_ string, o record.Outcome) error {
		*got, s.last = strings.TrimSpace(o.Result+" "+o.Reason), o
		return nil
	}
	a.Tell = func(_ context.Context, _, severity, _ string) error {
		s.told = append(s.told, severity)
		return nil
	}
	return a
}

// handed is err, of what an actor did last, when it is one; else that of handing on what it
// filed, as a run does at its end.
func handed(a *Actor, err error) error {
	if err != nil {
		return err
	}
	return a.Hand(context.Background())
}
