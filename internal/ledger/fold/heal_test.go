package fold

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// Entries about agents.

func begun(id, verb string) record.Entry {
	return record.Entry{ID: id, Kind: record.EntryIntent, By: "act", Verb: verb, Key: "a", Target: Marshal(record.ActTarget{Action: record.Action{Verb: verb, To: "2.0.0"}, Severity: "stuck", Text: "three attempts"})}
}

func became(id, kind, verb, reason string) record.Entry {
	return record.Entry{Kind: kind, By: "act", Verb: verb, Key: "a", Of: id, Reason: reason}
}

// stoppedUpgrade is an upgrade that ended so, of which a person was told, and of something else.
func stoppedUpgrade(kind string) []record.Entry {
	told := begun("2", record.VerbAlert)
	told.Target = Marshal(record.ActTarget{Severity: record.UpgradeStopped, Text: "it stopped"})
	return []record.Entry{begun("1", "upgrade"), became("1", kind, "upgrade", map[string]string{"failed": "wrong-version"}[kind]), told, became("2", record.EntryDone, record.VerbAlert, ""),
		begun("3", record.VerbAlert), became("3", record.EntryDone, record.VerbAlert, "")}
}

func aSweep(decision string, deaf, throttled int) record.Entry {
	return record.Entry{Kind: record.EntrySweep, By: "act", Agents: []record.SweepAgent{{Agent: "a", Decision: decision, Deaf: deaf, Throttled: throttled}}}
}

func exit(code int) record.Entry {
	return record.Entry{Kind: record.EntryAgentExit, By: "hook", Key: "a", Exit: &code}
}

var (
	pausing   = record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "a"}
	unpausing = record.Entry{Kind: record.EntryUnpause, By: "owner:tty", Key: "a"}
)

// ended is when an act that began at the start may have ended a process, until seconds later; -1: it is open.
func ended(seconds int) []record.Ended {
	if seconds < 0 {
		return []record.Ended{{From: at(0)}}
	}
	return []record.Ended{{From: at(0), Until: record.TimeOf(at(0).Add(time.Duration(seconds) * time.Second))}}
}

func ptrAt(min int) *record.Time { return new(at(min)) }

// What is known of the agent a after entries, one a minute.
func TestHeal(t *testing.T) {
	acts := func(verbs ...string) (as []record.ActTime) {
		for i, v := range verbs {
			as = append(as, record.ActTime{At: at(i), Verb: v})
		}
		return as
	}
	dry := begun("1", "restart")
	dry.DryRun = true
	for _, tt := range []struct {
		name    string
		entries []record.Entry
		want    record.Heal
	}{
		{"nothing", nil, record.Heal{}},
		{"an attempt counts before its outcome", []record.Entry{begun("1", "restart")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "restart", Acts: acts("restart"), Open: []record.OpenAct{{ID: "1", Verb: "restart", At: at(0)}}, Ends: ended(-1)}},
		{"an attempt that failed counts", []record.Entry{begun("1", "launch"), became("1", record.EntryFailed, "launch", "gone")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "launch", LastEnd: "gone", Acts: acts("launch"), Ends: ended(90)}},
		{"one that was done", []record.Entry{begun("1", "restart"), became("1", record.EntryDone, "restart", "")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "restart", LastEnd: "done", Acts: acts("restart"), Ends: ended(60)}},
		{"a message is no attempt", []record.Entry{begun("1", "inject"), became("1", record.EntryDone, "inject", "")},
			record.Heal{Injects: 1, LastAct: ptrAt(0), LastVerb: "inject", LastEnd: "done", Acts: acts("inject")}},
		{"a dry run is nothing", []record.Entry{dry}, record.Heal{}},
		{"an alert is filed when it was told", []record.Entry{begun("1", record.VerbAlert), became("1", record.EntryDone, record.VerbAlert, "")}, record.Heal{Alerts: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"}}},
		{"an alert that failed is asked", []record.Entry{begun("1", record.VerbAlert), became("1", record.EntryFailed, record.VerbAlert, record.Untold)}, record.Heal{Alerts: []string{"stuck"}, Untold: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"}}},
		{"one that failed otherwise is not", []record.Entry{begun("1", record.VerbAlert), became("1", record.EntryFailed, record.VerbAlert, "lost")}, record.Heal{}},
		{"an alert without an outcome is not", []record.Entry{begun("1", record.VerbAlert)}, record.Heal{Open: []record.OpenAct{{ID: "1", Verb: record.VerbAlert, At: at(0)}}}},
		{"an alert told twice is filed once", []record.Entry{begun("1", record.VerbAlert), became("1", record.EntryDone, record.VerbAlert, ""), begun("2", record.VerbAlert), became("2", record.EntryDone, record.VerbAlert, "")},
			record.Heal{Alerts: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"}}},
		{"a sweep counts", []record.Entry{aSweep("HEAL", 2, 0), aSweep("SKIP", 2, 1)}, record.Heal{Deaf: 2, Throttled: 1, SweptAt: ptrAt(1)}},
		{"well ends the episode", []record.Entry{begun("1", "restart"), became("1", record.EntryFailed, "restart", "deaf"), begun("2", record.VerbAlert), became("2", record.EntryDone, record.VerbAlert, ""), aSweep("HEAL", 2, 1), aSweep("OK", 0, 0)},
			record.Heal{LastAct: ptrAt(0), LastVerb: "restart", LastEnd: "deaf", Acts: acts("restart"), Ends: ended(90), AliveAt: ptrAt(5), SweptAt: ptrAt(5), Unasked: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"}}},
		{"a pause ends the episode", []record.Entry{begun("1", "inject"), became("1", record.EntryDone, "inject", ""), aSweep("HEAL", 2, 0), pausing},
			record.Heal{Paused: true, PausedAt: ptrAt(3), Acts: acts("inject"), SweptAt: ptrAt(2)}},
		{"and unpause ends the pause", []record.Entry{pausing, unpausing}, record.Heal{}},
		{"an exit", []record.Entry{exit(143), exit(0)}, record.Heal{LastExit: &record.AgentExit{At: ptrAt(1)}}},
		{"a restart of what was another by then ended nothing", []record.Entry{begun("1", "restart"), became("1", record.EntryFailed, "restart", "changed")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "restart", LastEnd: "changed", Acts: acts("restart")}},
		{"an upgrade", []record.Entry{begun("1", "upgrade")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "upgrade", Acts: acts("upgrade"), Open: []record.OpenAct{{ID: "1", Verb: "upgrade", At: at(0)}}, Ends: ended(-1), Upgrade: &record.UpgradeRun{To: "2.0.0", State: "open"}}},
		{"an upgrade that ended", []record.Entry{begun("1", "upgrade"), became("1", record.EntryDone, "upgrade", "")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "upgrade", LastEnd: "done", Acts: acts("upgrade"), Ends: ended(60), Upgrade: &record.UpgradeRun{To: "2.0.0", State: "green"}}},
		{"an upgrade of which nobody knows", []record.Entry{begun("1", "upgrade"), became("1", record.EntryUnknown, "upgrade", "lost")},
			record.Heal{Attempts: 1, LastAct: ptrAt(0), LastVerb: "upgrade", LastEnd: "lost", Acts: acts("upgrade"), Ends: ended(90), Upgrade: &record.UpgradeRun{To: "2.0.0", State: "failed", Reason: "lost"}}},
		{"that an upgrade stopped is told when it is well again", append(stoppedUpgrade("failed"), aSweep("OK", 0, 0)),
			record.Heal{LastAct: ptrAt(0), LastVerb: "upgrade", LastEnd: "wrong-version", Acts: acts("upgrade"), Ends: ended(90), AliveAt: ptrAt(6), SweptAt: ptrAt(6),
				Alerts: []string{"upgrade-stopped"}, Unasked: []string{"stuck"}, Texts: map[string]string{"upgrade-stopped": "it stopped", "stuck": "three attempts"}, Upgrade: &record.UpgradeRun{To: "2.0.0", State: "failed", Reason: "wrong-version"}}},
		{"and not when that was done", append(stoppedUpgrade("done"), aSweep("OK", 0, 0)),
			record.Heal{LastAct: ptrAt(0), LastVerb: "upgrade", LastEnd: "done", Acts: acts("upgrade"), Ends: ended(60), AliveAt: ptrAt(6), SweptAt: ptrAt(6), Upgrade: &record.UpgradeRun{To: "2.0.0", State: "green"}, Unasked: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"}}},
		{"nor after a pause", append(stoppedUpgrade("failed"), pausing),
			record.Heal{Paused: true, PausedAt: ptrAt(6), Acts: acts("upgrade"), Ends: ended(90)}},
		{"nor when another is begun", append(stoppedUpgrade("failed"), begun("4", "upgrade")),
			record.Heal{Attempts: 2, LastAct: ptrAt(6), LastVerb: "upgrade", Acts: []record.ActTime{{At: at(0), Verb: "upgrade"}, {At: at(6), Verb: "upgrade"}}, Alerts: []string{"stuck"}, Texts: map[string]string{"stuck": "three attempts"},
				Open: []record.OpenAct{{ID: "4", Verb: "upgrade", At: at(6)}}, Ends: append(ended(90), record.Ended{From: at(6)}), Upgrade: &record.UpgradeRun{To: "2.0.0", State: "open"}}},
		{"an outcome of nothing", []record.Entry{became("9", record.EntryDone, "restart", "")}, record.Heal{}},
		{"another's", []record.Entry{{Kind: record.EntryPause, By: "owner:tty", Key: "b"}}, record.Heal{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Agent = "a"
			got := state(t, tt.entries...).Heal("a")
			if len(got.Open) == 0 {
				got.Open = nil
			}
			if len(got.Filed) != len(got.Texts) { // TestAlerts says when
				t.Errorf("%v was filed", got.Filed)
			}
			got.Filed = nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s", strings.Join(pretty.Diff(got, tt.want), "\n"))
			}
		})
	}
}

// What the reference forgets, or does not.
func TestDefect(t *testing.T) {
	// A restart that fails holds the next back as one that succeeds does.
	t.Run("D4", func(t *testing.T) {
		for _, kind := range []string{record.EntryDone, record.EntryFailed, record.EntryUnknown} {
			h := state(t, begun("1", "restart"), became("1", kind, "restart", "gone")).Heal("a")
			if h.Attempts != 1 || !h.LastAct.Equal(at(0).Time) {
				t.Errorf("%s: %+v", kind, h)
			}
		}
	})
	// An exit is of one life: when the agent was seen well again, it says nothing.
	t.Run("D6", func(t *testing.T) {
		if h := state(t, exit(0), aSweep("OK", 0, 0)).Heal("a"); h.LastExit != nil || h.AliveAt == nil {
			t.Errorf("%+v", h)
		}
		if h := state(t, aSweep("OK", 0, 0), exit(0)).Heal("a"); h.LastExit == nil || !h.LastExit.At.After(h.AliveAt.Time) {
			t.Errorf("%+v", h)
		}
	})
	// A pause forgets what was tried and told.
	t.Run("D18", func(t *testing.T) {
		h := state(t, begun("1", "restart"), became("1", record.EntryFailed, "restart", "deaf"), begun("2", record.VerbAlert), became("2", record.EntryDone, record.VerbAlert, ""),
			aSweep("HEAL", 5, 2), pausing, unpausing).Heal("a")
		if h.Attempts+h.Injects+h.Deaf+h.Throttled+len(h.Alerts) != 0 || h.Paused {
			t.Errorf("%+v", h)
		}
	})
}

// Acts of a day are told, a hundred at most; a session of which nothing was said for
// a week is not, but for one that is paused or has an act open.
func TestHeals_old(t *testing.T) {
	entry := func(ago time.Duration, e record.Entry) record.Entry {
		e.TS = record.NewTime(at(0).Add(-ago))
		return e
	}
	about := func(key string, e record.Entry) record.Entry { e.Key = key; return e }
	const day = 24 * time.Hour
	s := state(t,
		entry(30*day, about("a", begun("1", "inject"))), entry(30*day, about("a", became("1", record.EntryDone, "inject", ""))),
		entry(30*day, about("session:old", begun("2", "inject"))), entry(30*day, about("session:old", became("2", record.EntryDone, "inject", ""))),
		entry(30*day, about("session:open", begun("3", "inject"))),
		entry(30*day, about("session:paused", pausing)),
		entry(6*day, about("session:new", begun("4", "inject"))), entry(6*day, about("session:new", became("4", record.EntryDone, "inject", ""))),
		entry(0, about("b", begun("5", "inject"))))
	var got []string
	for _, h := range s.Heals(time.Time{}) {
		got = append(got, fmt.Sprint(h.Agent, " ", len(h.Acts)))
	}
	if all := strings.Join(got, ", "); all != "a 0, b 1, session:new 0, session:open 0, session:paused 0" {
		t.Error(all)
	}
	many := []record.Entry{}
	for i := range maxActs + 5 {
		many = append(many, entry(0, begun(fmt.Sprint("x", i), "inject")))
	}
	if n := len(state(t, many...).Heals(time.Time{})[0].Acts); n != maxActs {
		t.Errorf("%d acts", n)
	}
	if n := s.Acts(at(0).Add(-time.Minute), at(1).Time, "inject"); n != 1 {
		t.Errorf("%d acts in the last minute", n)
	}
	if n := s.Acts(at(0).Add(-time.Minute), at(1).Time, "restart"); n != 0 {
		t.Errorf("%d restarts", n)
	}
}

// The newest sweep that ended is the one that is told.
func TestSweep(t *testing.T) {
	one, zero := 1, 0
	if last := state(t).Sweep(); last != nil {
		t.Errorf("%+v", last)
	}
	s := state(t, record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: &zero}, record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: &one})
	if last := s.Sweep(); last == nil || !last.At.Equal(at(1).Time) || last.Exit != 1 {
		t.Errorf("%+v", last)
	}
}
