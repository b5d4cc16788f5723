package fold

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// filed is that a person was told of a severity, or that it is over.
func filed(id, severity string, over bool) []record.Entry {
	begin := begun(id, record.VerbAlert)
	begin.Target = Marshal(record.ActTarget{Severity: severity, Text: "of " + severity, Over: over})
	return []record.Entry{begin, became(id, record.EntryDone, record.VerbAlert, "")}
}

// untold is an alert that the owner's command did not take.
func untold(id, severity string) []record.Entry {
	return []record.Entry{filed(id, severity, false)[0], became(id, record.EntryFailed, record.VerbAlert, record.Untold)}
}

func upgradeTo(id, to, kind string) []record.Entry {
	begin := begun(id, "upgrade")
	begin.Target = Marshal(record.ActTarget{Action: record.Action{Verb: "upgrade", To: to}})
	return []record.Entry{begin, became(id, kind, "upgrade", "deaf")}
}

// runs is a sweep that found the agent well, in a version.
func runs(version string) record.Entry {
	e := aSweep("OK", 0, 0)
	e.Agents[0].Version = version
	return e
}

func unlisted() record.Entry {
	e := aSweep("SKIP", 0, 0)
	e.Agents[0].Reason = record.Unlisted
	return e
}

func joined(parts ...any) (es []record.Entry) {
	for _, p := range parts {
		if e, ok := p.(record.Entry); ok {
			es = append(es, e)
		} else {
			es = append(es, p.([]record.Entry)...)
		}
	}
	return es
}

// What a person was told is told until its episode ends, and when no tick has made a
// question of it by then, until one has.
func TestAlerts(t *testing.T) {
	ok, asks := aSweep("OK", 0, 0), batchOf(1, "heal:a:restarted")
	restarted := func(id string) []record.Entry { return filed(id, "restarted", false) }
	stall, stopped := filed("s", "stall-limit", false), joined(upgradeTo("u", "2.0.0", record.EntryFailed), filed("v", record.UpgradeStopped, false))
	wrong := joined(begun("u", "upgrade"), became("u", record.EntryFailed, "upgrade", "wrong-version"), filed("v", record.UpgradeStopped, false))
	for _, tt := range []struct {
		name    string
		entries []record.Entry
		want    string // alerts; those that no tick has asked about
	}{
		{"told", restarted("1"), "restarted; "},
		{"asked", joined(restarted("1"), asks), "restarted; "},
		{"over before a tick asked", joined(restarted("1"), ok), "; restarted"},
		{"and long over", joined(restarted("1"), ok, ok, ok), "; restarted"},
		{"then asked", joined(restarted("1"), ok, asks), "; "},
		{"of another agent asked", joined(restarted("1"), ok, batchOf(1, "heal:b:restarted", "heal:a:stuck")), "; restarted"},
		{"asked, then over", joined(restarted("1"), asks, ok), "; "},
		{"over, and told again", joined(restarted("1"), ok, restarted("2")), "restarted; "},
		{"over, told again and over", joined(restarted("1"), ok, restarted("2"), ok), "; restarted"},
		{"over, told again, asked and over", joined(restarted("1"), ok, restarted("2"), asks, ok), "; "},
		{"the same is asked still", joined(restarted("1"), asks, ok, restarted("2"), ok), "; "},
		{"the same was asked, and is over", joined(restarted("1"), asks, ok, resolved(2, "heal:a:restarted"), restarted("2"), ok), "; restarted"},
		{"answered, and told again", joined(restarted("1"), asks, ackOf(1, `"all"`), ok, restarted("2"), ok), "; restarted"},
		{"answered while it is told", joined(restarted("1"), asks, ackOf(1, `"all"`), ok), "; "},
		{"nobody could be told", untold("1", "restarted"), "restarted; "},
		{"nobody could be told, and it is over", joined(untold("1", "restarted"), ok), "; restarted"},
		{"nobody could be told, and a tick asked", joined(untold("1", "restarted"), asks), "restarted; "},
		{"then once more, and it is over", joined(untold("1", "restarted"), asks, untold("2", "restarted"), ok), "; "},
		{"nobody could be told, and no list names it", joined(untold("1", "restarted"), unlisted()), "; "},
		{"nobody could be told of a stall, and it is over", joined(untold("1", "stall-limit"), ok, filed("2", "stall-limit", true)), "; "},
		{"nobody could be told of an upgrade, and it is made good", joined(upgradeTo("u", "2.0.0", record.EntryFailed), untold("v", record.UpgradeStopped), runs("2.0.0")), "; "},
		{"nobody could be told, then somebody was", joined(untold("1", "restarted"), restarted("2")), "restarted; "},
		{"somebody was told, then nobody could be", joined(restarted("1"), untold("2", "restarted")), "restarted; "},
		{"that a stall is over was not told", joined(stall, []record.Entry{filed("2", "stall-limit", true)[0], became("2", record.EntryFailed, record.VerbAlert, record.Untold)}), "stall-limit; "},
		{"a pause", joined(restarted("1"), pausing), "; "},
		{"a pause after it is over", joined(restarted("1"), ok, pausing), "; "},
		{"no list names it", joined(restarted("1"), unlisted()), "; "},
		{"over, then no list names it", joined(restarted("1"), ok, unlisted()), "; "},
		{"two", joined(restarted("1"), filed("2", "held", false), ok), "; held restarted"},
		{"a stall stays", joined(stall, ok), "stall-limit; "},
		{"until it is over", joined(stall, ok, filed("2", "stall-limit", true)), "; "},
		{"and was asked", joined(stall, batchOf(1, "heal:a:stall-limit"), filed("2", "stall-limit", true)), "; "},
		{"another is over", joined(stall, filed("2", "stall-gone", true)), "stall-limit; "},
		{"or a pause", joined(stall, pausing), "; "},
		{"an upgrade that stopped stays", joined(stopped, ok), "upgrade-stopped; "},
		{"in the version of before too", joined(stopped, runs("1.9.0")), "upgrade-stopped; "},
		{"until it runs the version", joined(stopped, runs("v2.0.0")), "; "},
		{"or a newer one", joined(stopped, batchOf(1, "heal:a:upgrade-stopped"), runs("2.1.0")), "; "},
		{"not a newer one that came in its place", joined(wrong, runs("2.1.0")), "upgrade-stopped; "},
		{"but the one", joined(wrong, runs("2.0.0")), "; "},
		{"or another upgrade is begun", joined(stopped, begun("w", "upgrade")), "; "},
		{"no list names it, after an upgrade", joined(stopped, unlisted()), "; "},
	} {
		s := state(t, tt.entries...)
		h := s.Heal("a")
		if got := strings.Join(h.Alerts, " ") + "; " + strings.Join(h.Unasked, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, severity := range append(h.Alerts, h.Unasked...) {
			if _, ok := h.Filed[severity]; h.Texts[severity] != "of "+severity || !ok {
				t.Errorf("%s: of %s is said %q", tt.name, severity, h.Texts[severity])
			}
		}
		if len(h.Texts) != len(h.Alerts)+len(h.Unasked) {
			t.Errorf("%s: %v is said", tt.name, h.Texts)
		}
	}
}

// What is over and was not asked is kept for a week.
func TestAlerts_old(t *testing.T) {
	for age, want := range map[time.Duration]int{wordFor: 1, wordFor + time.Minute: 0, -time.Hour: 1} {
		last := aSweep("SKIP", 0, 0)
		last.TS = record.NewTime(at(0).Add(max(age, time.Hour)))
		h := state(t, joined(filed("1", "restarted", false), aSweep("OK", 0, 0), last)...).Heals(at(0).Add(age))[0]
		if len(h.Unasked) != want {
			t.Errorf("after %v: %q", age, h.Unasked)
		}
	}
}

// An end is fleet's own doing while what starts it has no outcome, and a while after one
// that is not done, of each act of the episode and the last before.
func TestEnds(t *testing.T) {
	act := func(id, verb, kind, reason string) []record.Entry {
		return []record.Entry{begun(id, verb), became(id, kind, verb, reason)}
	}
	ok := aSweep("OK", 0, 0)
	for _, tt := range []struct {
		name    string
		entries []record.Entry
		want    string // from and until, in seconds
	}{
		{"a launch", joined(begun("1", "launch")), "0-"},
		{"that failed", act("1", "launch", record.EntryFailed, "gone"), "0-90"},
		{"of which nobody knows", act("1", "launch", record.EntryUnknown, "unseen"), "0-90"},
		{"that was done", act("1", "launch", record.EntryDone, ""), ""},
		{"that began nothing", act("1", "launch", record.EntryFailed, "changed"), ""},
		{"a resume that failed", act("1", "resume", record.EntryFailed, "gone"), "0-90"},
		{"a resume that was done", act("1", "resume", record.EntryDone, ""), ""},
		{"a restart that was done", act("1", "restart", record.EntryDone, ""), "0-60"},
		{"an upgrade that was done", act("1", "upgrade", record.EntryDone, ""), "0-60"},
		{"a message", act("1", "inject", record.EntryFailed, "unread"), ""},
		{"a restart, then launches", joined(act("1", "restart", record.EntryFailed, "gone"), act("2", "launch", record.EntryFailed, "gone"), act("3", "launch", record.EntryDone, "")), "0-90 120-210"},
		{"an outcome that comes twice", joined(act("1", "restart", record.EntryFailed, "gone"), became("1", record.EntryDone, "restart", ""), became("9", record.EntryDone, "restart", "")), "0-90"},
		{"well", joined(act("1", "restart", record.EntryFailed, "gone"), act("2", "launch", record.EntryFailed, "gone"), ok, ok), "120-210"},
		{"well, then another", joined(act("1", "restart", record.EntryFailed, "gone"), ok, act("2", "launch", record.EntryFailed, "gone")), "0-90 180-270"},
		{"a pause", joined(act("1", "restart", record.EntryFailed, "gone"), act("2", "launch", record.EntryFailed, "gone"), pausing), "0-90 120-210"},
	} {
		var got []string
		for _, in := range state(t, tt.entries...).Heal("a").Ends {
			says := fmt.Sprintf("%.0f-", in.From.Sub(at(0).Time).Seconds())
			if in.Until != nil {
				says += fmt.Sprintf("%.0f", in.Until.Sub(at(0).Time).Seconds())
			}
			got = append(got, says)
		}
		if all := strings.Join(got, " "); all != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, all, tt.want)
		}
	}
	var many []record.Entry
	for i := range maxActs + 5 {
		many = append(many, act(fmt.Sprint("x", i), "launch", record.EntryFailed, "gone")...)
	}
	if n := len(state(t, many...).Heal("a").Ends); n != maxActs {
		t.Errorf("%d of %d", n, maxActs)
	}
}

// What was noted while the clock was ahead neither stays for ever nor hides what is now.
func TestAhead(t *testing.T) {
	later := func(e record.Entry, by time.Duration) record.Entry { e.TS = record.NewTime(at(0).Add(by)); return e }
	seen := func(by time.Duration) record.Entry {
		e := aSweep("OK", 0, 0)
		e.SeenAt = record.TimeOf(at(0).Add(by))
		return later(e, by+time.Minute)
	}
	for name, tt := range map[string]struct {
		entries []record.Entry
		kept    bool
	}{
		"an exit of next month":                 {joined(later(exit(0), 720*time.Hour), seen(time.Minute)), false},
		"an exit between the look and the note": {joined(later(exit(0), 90*time.Second), seen(time.Minute)), true},
		"an exit when it was noted":             {joined(later(exit(0), 2*time.Minute), seen(time.Minute)), true},
		"an exit that came after":               {joined(seen(time.Minute), later(exit(0), 720*time.Hour)), true},
		"after a look of next month":            {joined(seen(720*time.Hour), later(exit(0), time.Minute)), true},
	} {
		if h := state(t, tt.entries...).Heal("a"); (h.LastExit != nil) != tt.kept {
			t.Errorf("%s: %+v", name, h.LastExit)
		}
	}
	about := func(key string, e record.Entry) record.Entry { e.Key = key; return e }
	s := state(t, begun("1", "inject"), became("1", record.EntryDone, "inject", ""), about("session:s", begun("2", "inject")), about("session:s", became("2", record.EntryDone, "inject", "")),
		later(about("b", begun("3", "restart")), 8760*time.Hour))
	for now, want := range map[time.Time]string{at(9).Time: "a 1, b 1, session:s 1", {}: "a 0, b 1", at(0).Add(25 * time.Hour): "a 0, b 1, session:s 0"} {
		var got []string
		for _, h := range s.Heals(now) {
			got = append(got, fmt.Sprint(h.Agent, " ", len(h.Acts)))
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("at %v: %s, want %s", now, all, want)
		}
	}
	if n := s.Acts(at(0).Add(-time.Minute), at(9).Time, "restart"); n != 0 {
		t.Errorf("%d restarts by now", n)
	}
}

// An alert that nobody could be told of is one of its episode: what is said of it stands,
// since when it is so stays while it is tried again, and compaction keeps the first time
// and the last.
func TestUntold(t *testing.T) {
	entries := joined(untold("1", "held"), untold("2", "held"), untold("3", "held"), untold("4", "held"))
	h := state(t, entries...).Heal("a")
	if h.Told("held") || strings.Join(h.Untold, " ") != "held" || !h.Filed["held"].Equal(at(0).Time) || len(h.Alerts) != 1 {
		t.Errorf("%+v", h)
	}
	c, err := Compact(linesOf(t, entries...))
	if err != nil || c.Dropped != 4 {
		t.Errorf("%d dropped, %v", c.Dropped, err)
	}
	h = state(t, joined(entries, filed("5", "held", false))...).Heal("a")
	if !h.Told("held") || h.Untold != nil || !h.Filed["held"].Equal(at(0).Time) {
		t.Errorf("%+v", h)
	}
	if h = state(t, joined(entries, aSweep("OK", 0, 0), untold("6", "held"))...).Heal("a"); h.Told("held") || !h.Filed["held"].Equal(at(9).Time) {
		t.Errorf("another episode: %+v", h)
	}
	if h = state(t, joined(untold("1", "held"), batchOf(1, "heal:a:held"), ackOf(1, `"all"`))...).Heal("a"); !h.Told("held") {
		t.Errorf("who answered it need not be told: %+v", h)
	}
	if h.Told("other") {
		t.Error("of another nobody was told")
	}
}
