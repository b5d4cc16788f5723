package asks

import (
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// What was filed is asked in its own words, each severity for itself; a sweep
// that ended in time is no question, nor is one where nothing is kept alive.
func TestHeals(t *testing.T) {
	f := newWorld(healed("code-agent", "stuck", "held")).fold(t)
	var questions []string
	for _, a := range f.Asks {
		questions = append(questions, a.Key+" = "+a.Question)
	}
	if want := []string{"heal:code-agent:held = code-agent: held", "heal:code-agent:stuck = code-agent: three attempts"}; !slices.Equal(questions, want) {
		t.Errorf("%q", questions)
	}
	f = newWorld(judged(devbox, "s1", "4", ""), healed("session:s1", "stuck"), healed("session:s2", "held")).fold(t)
	if len(f.Asks) != 2 || f.Asks[0].Session != "s1" || f.Asks[0].Class != "4" || f.Asks[0].Question != "n-s1: three attempts" || f.Asks[1].Session != "" || f.Asks[1].Question != "session:s2: held" {
		t.Errorf("%+v", f.Asks)
	}
	over := func(w *world) { w.heals[0].Unasked = []string{"restarted"} }
	if f := newWorld(healed("a"), over).fold(t); !slices.Equal(f.raised(), []string{"heal:a:restarted"}) {
		t.Errorf("over, and not asked: %q", f.raised())
	}
	stalls := func(ids ...string) change {
		return func(w *world) {
			for _, id := range ids {
				w.tick.Heal.Stalls = append(w.tick.Heal.Stalls, record.StallRule{ID: id})
			}
		}
	}
	if f := newWorld(healed("a", "stall-limit", "stall-gone"), stalls("limit", "other")).fold(t); !slices.Equal(f.raised(), []string{"heal:a:stall-limit"}) {
		t.Errorf("a stall that nobody looks for: %q", f.raised())
	}
	for _, c := range []change{sweeps(-15*time.Minute-time.Second, 0), sweeps(-time.Minute, 1), sweeps(15*time.Minute+time.Second, 0)} {
		if f := newWorld(c).fold(t); len(f.Asks) != 1 || f.Asks[0].Key != "heal:sweep" {
			t.Errorf("%+v", f.Asks)
		}
	}
	for detail, want := range map[string]string{"": "heal.log says why", "no room": "no room"} {
		failed := func(w *world) { sweeps(-time.Minute, 1)(w); w.swept.Detail = detail }
		if f := newWorld(failed).fold(t); len(f.Asks) != 1 || f.Asks[0].Question != "the last sweep of heal.sh failed: "+want {
			t.Errorf("%+v", f.Asks)
		}
	}
	for filed, want := range map[time.Duration]string{-2 * time.Hour: record.AskAcked, -30 * time.Minute: record.AskNew, 0: record.AskNew, time.Hour: record.AskAcked} {
		answered := func(w *world) {
			w.heals[0].Filed = map[string]record.Time{"stuck": record.NewTime(noon.Add(filed))}
			w.asked = []record.Asked{{Key: "heal:code-agent:stuck", ID: "a1", Batch: 7, Intent: "7-2", State: record.AskAcked, FirstTick: 7, AnsweredAt: record.TimeOf(noon.Add(-time.Hour))}}
		}
		if f := newWorld(healed("code-agent", "stuck"), answered).fold(t); len(f.Asks) != 1 || f.Asks[0].State != want {
			t.Errorf("answered an hour ago, filed %v: %+v", filed, f.Asks)
		}
	}
	again := newWorld(sweeps(-time.Minute, 0), undecided(-time.Hour)).fold(t)
	if len(again.Asks) != 1 || again.Asks[0].Key != "heal:undecided" || again.Asks[0].Question != "sweeps of heal.sh decide nothing about code: macf/roster:p: gone" {
		t.Errorf("%+v", again.Asks)
	}
	once := func(w *world) { sweeps(-time.Minute, 0)(w); undecided(-time.Minute)(w) }
	for what, c := range map[string]change{"undecided once": once, "in time": sweeps(-15*time.Minute, 0), "a little ahead": sweeps(15*time.Minute, 0), "not kept alive": func(w *world) { healed("a", "stuck")(w); w.tick.Heal = nil }} {
		if f := newWorld(c).fold(t); len(f.Asks) > 0 {
			t.Errorf("%s: %+v", what, f.Asks)
		}
	}
}
