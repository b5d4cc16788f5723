package act

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// at is an actor for what was looked at at a moment.
func (d *desk) at(seen time.Time) *Actor {
	a := d.actor("")
	a.Book, a.Eyes, a.Drivers = d, d, map[string]driver.Driver{"tmux": d}
	a.Sleep = func(_ context.Context, t time.Duration) { d.now = d.now.Add(t) }
	a.SeenAt = record.TimeOf(seen)
	return a
}

// A stream that is read twice is done once, be it that the first run noted its sweep,
// or that it died before.
func TestReplay(t *testing.T) {
	ctx := context.Background()
	for _, verb := range []string{"inject", "launch", "restart", "mail"} {
		t.Run(verb, func(t *testing.T) {
			d := newDesk(t)
			d.agents[0].answers = false
			seen, dec := d.now, d.decided(0, verb)
			d.dead = verb == "launch" // else it is refused since it runs
			d.now = d.now.Add(time.Second)
			if err := d.at(seen).One(ctx, dec); err != nil { // killed before it notes the sweep
				t.Fatal(err)
			}
			did := len(d.said) + d.starts
			d.now = d.now.Add(9 * time.Minute)
			d.agents[0].answers = false
			if err := d.at(seen).One(ctx, dec); err != nil || did != 1 || len(d.said)+d.starts != 1 {
				t.Errorf("%v: done %d times", err, len(d.said)+d.starts)
			}
			if err := d.at(seen).Do(ctx, []record.Decision{dec}); err != nil || len(d.said)+d.starts != 1 {
				t.Errorf("%v: done %d times", err, len(d.said)+d.starts)
			}
			wrote := d.wrote
			err := d.at(seen).Do(ctx, []record.Decision{dec})
			if err == nil || !strings.HasPrefix(err.Error(), "nothing is done: the sweep of ") || d.wrote != wrote || len(d.said)+d.starts != 1 {
				t.Errorf("%v: done %d times, %d entries more", err, len(d.said)+d.starts, d.wrote-wrote)
			}
		})
	}
}

// An older stream than the last sweep's is not noted: an agent that was well then
// would begin a new episode now. A sweep of a clock that was wrong holds nothing back.
func TestReplay_older(t *testing.T) {
	ctx, d := context.Background(), newDesk(t)
	before := d.now
	seen := &record.Seen{Host: "devbox", Workspace: "/w/0"}
	ok := record.Decision{Agent: "agent-0", Decision: "OK", Seen: seen}
	deaf := record.Decision{Agent: "agent-0", Decision: "HEAL", Deaf: 3, Seen: seen}
	d.now = d.now.Add(time.Minute)
	if err := d.at(d.now).Do(ctx, []record.Decision{deaf}); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(time.Minute)
	if err := d.at(before).Do(ctx, []record.Decision{ok}); err == nil || d.state.Heal("agent-0").Deaf != 3 {
		t.Errorf("%v: %+v", err, d.state.Heal("agent-0"))
	}
	d.now = d.now.Add(-24 * time.Hour)
	if err := d.at(d.now).Do(ctx, []record.Decision{ok}); err != nil || d.state.Heal("agent-0").Deaf != 0 {
		t.Errorf("after the clock was set back: %v: %+v", err, d.state.Heal("agent-0"))
	}
}

// A pause that came after the decision holds: nothing is done, nobody is told.
func TestPaused_meanwhile(t *testing.T) {
	d := newDesk(t)
	d.agents[0].answers = false
	dec, told := d.decided(0, "restart"), record.Decision{Agent: "agent-0", Decision: "HEAL", Seen: &record.Seen{Host: "devbox", Workspace: "/w/0"}, Alert: &record.Alert{Severity: "exhausted", Text: "x"}}
	dec.Alert = &record.Alert{Severity: "restarted", Text: "x"}
	d.append(d.now, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "agent-0"})
	want(t, d.run(dec, told), "restart refused paused")
	if d.starts > 0 || len(d.state.Heal("agent-0").Alerts) > 0 {
		t.Errorf("%d starts, told %v", d.starts, d.state.Heal("agent-0").Alerts)
	}
}

// A stream of a clock that is ahead is done once too, whether its run came to an end
// or not.
func TestReplay_ahead(t *testing.T) {
	ctx, d := context.Background(), newDesk(t)
	d.agents[0].answers = false
	seen, dec := d.now.Add(100*time.Second), d.decided(0, "inject")
	for range 3 {
		d.agents[0].answers = false
		if err := d.at(seen).One(ctx, dec); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(31 * time.Second)
	}
	if err := d.at(seen).Do(ctx, []record.Decision{dec}); err != nil || len(d.said) != 1 {
		t.Errorf("%v: done %d times", err, len(d.said))
	}
	d.now = d.now.Add(10 * time.Minute)
	if err := d.at(seen).Do(ctx, []record.Decision{dec}); err == nil || len(d.said) != 1 {
		t.Errorf("%v: done %d times", err, len(d.said))
	}
}

// What is on another machine, or in a workspace that no list names, is not touched.
func TestFits_elsewhere(t *testing.T) {
	d := newDesk(t)
	d.agents[0].answers, d.agents[1].answers = false, false
	far, other, nowhere := d.decided(0, "inject"), d.decided(1, "restart"), d.decided(0, "restart")
	far.Seen.Host = "attic"
	nowhere.Seen, other.Action.Argv = nil, nil
	a := d.at(d.now)
	a.Command = func(agent, _ string) []string {
		if agent == "agent-1" { // the list has it in another workspace
			return nil
		}
		return starts("", "/w/0")
	}
	var got []string
	a.Emit = func(_ string, o record.Outcome) error {
		got = append(got, o.Result+" "+o.Reason)
		return nil
	}
	for _, dec := range []record.Decision{far, other, nowhere} {
		if err := handed(a, a.One(context.Background(), dec)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, got, "refused decision", "refused decision", "refused decision")
	if d.wrote > 0 || len(d.said) > 0 || d.starts > 0 {
		t.Errorf("%d entries, written to %q, %d starts", d.wrote, d.said, d.starts)
	}
}
