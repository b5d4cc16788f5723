package reconcile

import (
	"math"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestBackoff(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	for _, tt := range []struct {
		n                 int
		base, limit, want time.Duration
	}{
		{-1, time.Minute, time.Hour, 0},
		{0, time.Minute, time.Hour, 0},
		{1, time.Minute, time.Hour, time.Minute},
		{2, time.Minute, time.Hour, 2 * time.Minute},
		{3, time.Minute, time.Hour, 4 * time.Minute},
		{6, time.Minute, time.Hour, 32 * time.Minute},
		{7, time.Minute, time.Hour, time.Hour},
		{8, time.Minute, time.Hour, time.Hour},
		{math.MaxInt, time.Minute, time.Hour, time.Hour},
		{5, time.Second, 3 * time.Second, 3 * time.Second},
		{1, time.Hour, time.Minute, time.Minute},
		{3, 0, time.Hour, 0},
		{3, -time.Second, time.Hour, 0},
		{1, time.Minute, 0, 0},
		{63, 1, forever, 1 << 62},
		{64, 1, forever, forever},
		{65, 1, forever, forever},
		{1000, 1, forever, forever},
		{2, forever, forever, forever},
	} {
		if got := Backoff(tt.n, tt.base, tt.limit); got != tt.want {
			t.Errorf("Backoff(%d, %v, %v) = %v, want %v", tt.n, tt.base, tt.limit, got, tt.want)
		}
	}
}

func TestHeld(t *testing.T) {
	rules := record.DefaultHealRules() // 20 minutes, twice as long each time, 180 at most
	for _, tt := range []struct {
		name     string
		attempts int
		last     *record.Time
		want     *record.Time // nil: not held
	}{
		{"never tried", 0, nil, nil},
		{"attempts without a time", 2, nil, nil},
		{"a message is no attempt", 0, ago(time.Minute), nil},
		{"a message, by a clock that was ahead", 0, ago(-time.Minute), nil},
		{"just now", 1, ago(0), ago(-20 * time.Minute)},
		{"before its end", 1, ago(20*time.Minute - time.Second), ago(-time.Second)},
		{"at its end", 1, ago(20 * time.Minute), nil},
		{"the second", 2, ago(39 * time.Minute), ago(-time.Minute)},
		{"the second, over", 2, ago(40 * time.Minute), nil},
		{"the hundredth", 100, ago(179 * time.Minute), ago(-time.Minute)},
		{"the hundredth, over", 100, ago(180 * time.Minute), nil},
		{"long ago", 1, ago(1e5 * time.Hour), nil},
		{"by a clock that was a little ahead", 1, ago(-time.Minute), ago(-21 * time.Minute)},
		{"by a clock that was as far ahead as the longest wait", 1, ago(-180 * time.Minute), ago(-200 * time.Minute)},
		{"by a clock that was wrong", 1, ago(-180*time.Minute - time.Second), nil},
		{"by a clock that was a year ahead", 3, ago(-365 * 24 * time.Hour), nil},
	} {
		got := Held(record.Heal{Attempts: tt.attempts, LastAct: tt.last}, rules, noon)
		if want := timeOf(tt.want); !got.Equal(want) {
			t.Errorf("%s: held until %v, want %v", tt.name, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		age, d time.Duration
		want   bool
	}{
		{0, time.Minute, true}, {59 * time.Second, time.Minute, true}, {time.Minute, time.Minute, false},
		{-time.Second, time.Minute, true}, {-119 * time.Second, time.Minute, true}, {-2 * time.Minute, time.Minute, false}, {-time.Hour, time.Minute, false},
		{0, 0, false}, {-time.Second, 0, false},
	} {
		if got := within(noon, noon.Add(-tt.age), tt.d); got != tt.want {
			t.Errorf("%v ago within %v: %v", tt.age, tt.d, got)
		}
	}
}

// An exit with status 0 is the owner's word, until the agent was seen well again.
func TestLeftClean(t *testing.T) {
	exit := func(code int, at *record.Time) *record.AgentExit { return &record.AgentExit{Code: code, At: at} }
	for _, tt := range []struct {
		name          string
		ledger, noted *record.AgentExit // by the ledger; by macf's own launcher
		alive         *record.Time
		want          bool
	}{
		{"no exit", nil, nil, ago(time.Hour), false},
		{"0 after it was well", exit(0, ago(time.Minute)), nil, ago(time.Hour), true},
		{"0 before it was well", exit(0, ago(time.Hour)), nil, ago(time.Minute), false},
		{"0 when it was well", exit(0, ago(time.Hour)), nil, ago(time.Hour), false},
		{"0, never well", exit(0, ago(time.Hour)), nil, nil, true},
		{"0 at no time", exit(0, nil), nil, ago(time.Hour), true},
		{"143", exit(143, ago(time.Minute)), nil, ago(time.Hour), false},
		{"macf's 0", nil, exit(0, ago(time.Minute)), ago(time.Hour), true},
		{"macf's 0, old", nil, exit(0, ago(time.Hour)), ago(time.Minute), false},
		{"macf's 0 at no time", nil, exit(0, nil), ago(time.Hour), false},
		{"0, then macf's 137", exit(0, ago(time.Hour)), exit(137, ago(time.Minute)), nil, false},
		{"137, then macf's 0", exit(137, ago(time.Hour)), exit(0, ago(time.Minute)), nil, true},
		{"macf's 0, then 137", exit(137, ago(time.Minute)), exit(0, ago(time.Hour)), nil, false},
		{"macf's 137, then 0", exit(0, ago(time.Minute)), exit(137, ago(time.Hour)), nil, true},
		{"0 at no time, then macf's 137", exit(0, nil), exit(137, ago(time.Hour)), nil, false},
		{"macf's 0 of a time that has not come", nil, exit(0, ago(-time.Hour)), nil, false},
		{"macf's 0, two minutes ahead", nil, exit(0, ago(-2*time.Minute)), nil, false},
		{"macf's 0, by a clock that is a little ahead", nil, exit(0, ago(time.Second-2*time.Minute)), nil, true},
		{"137, then macf's 0 of a time that has not come", exit(137, ago(time.Minute)), exit(0, ago(-time.Hour)), nil, false},
		{"0, well by a clock that was ahead", exit(0, ago(time.Minute)), nil, ago(-time.Hour), true},
		{"macf's 0, well by a clock that was ahead", nil, exit(0, ago(time.Minute)), ago(-time.Hour), false},
		{"0, well by a clock that was a little ahead", exit(0, ago(0)), nil, ago(-time.Minute), false},
	} {
		f := &Facts{Now: noon, Heal: record.Heal{LastExit: tt.ledger, AliveAt: tt.alive}, Workspace: &record.Workspace{LastExit: tt.noted}}
		if got := f.leftClean(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	f := &Facts{Heal: record.Heal{LastExit: exit(0, ago(0))}}
	if !f.leftClean() {
		t.Error("without a workspace")
	}
}

func TestStarting(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start *record.Time
		heal  record.Heal
		want  bool
	}{
		{"nothing", nil, record.Heal{}, false},
		{"a process of a minute", ago(time.Minute), record.Heal{}, true},
		{"a process of two minutes", ago(2 * time.Minute), record.Heal{}, false},
		{"a process of the far future", ago(-time.Hour), record.Heal{}, false},
		{"launched at no time", nil, record.Heal{LastVerb: "launch"}, false},
		{"launched, no outcome", nil, record.Heal{LastAct: ago(time.Minute), LastVerb: "launch"}, true},
		{"launched", nil, record.Heal{LastAct: ago(time.Minute), LastVerb: "launch", LastEnd: "done"}, true},
		{"restarted", nil, record.Heal{LastAct: ago(time.Minute), LastVerb: "restart", LastEnd: "done"}, true},
		{"launched long ago", nil, record.Heal{LastAct: ago(2 * time.Minute), LastVerb: "launch", LastEnd: "done"}, false},
		{"launched in vain", nil, record.Heal{LastAct: ago(time.Minute), LastVerb: "launch", LastEnd: "gone"}, false},
		{"told", nil, record.Heal{LastAct: ago(time.Minute), LastVerb: "inject", LastEnd: "done"}, false},
	} {
		f := &Facts{Now: noon, Heal: tt.heal, Process: &record.AgentProc{Start: tt.start}}
		if got := f.starting(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A limit without an end holds for as long as its verdict; sweeps in it are counted.
func TestThrottle(t *testing.T) {
	for _, tt := range []struct {
		name      string
		reset     *record.Time
		throttled int
		want      string
		next      *record.Time
	}{
		{"first", ago(-time.Hour), 0, "SKIP throttled", ago(-time.Hour - resetGrace)},
		{"second", nil, 1, "SKIP throttled", nil},
		{"third", nil, 2, "SKIP throttled !throttled", nil},
		{"tenth", nil, 9, "SKIP throttled !throttled", nil},
		{"within the grace", ago(time.Minute), 0, "SKIP throttled", ago(-time.Minute)},
		{"over", ago(resetGrace), 0, "HEAL deaf inject", nil},
	} {
		f := deafFacts()
		f.Verdict, f.Heal = &record.Verdict{Class: "2", ResetAt: tt.reset}, record.Heal{Throttled: tt.throttled, Deaf: 0}
		d := Decide(f)
		throttled := tt.throttled + 1
		if d.Reason != "throttled" {
			throttled = 0
		}
		if got := brief(d); got != tt.want || d.Throttled != throttled || !timeOf(d.NextAt).Equal(timeOf(tt.next)) {
			t.Errorf("%s: %s, %d, next %v", tt.name, got, d.Throttled, d.NextAt)
		}
	}
}

// Sweeps that leave an agent alone neither count nor forget that it is deaf; one
// that saw nothing does not forget the limit either.
func TestCounts(t *testing.T) {
	heal := record.Heal{Deaf: 4, Throttled: 2}
	for row, want := range map[string][2]int{"blind": {4, 2}, "paused": {4, 0}, "starting": {4, 0}, "fleet-throttled": {4, 0}, "throttled": {4, 3}, "reachable": {0, 0}, "busy": {5, 0}, "gone": {4, 0}} {
		f := deafFacts()
		f.Heal = heal
		imposed[row](f)
		if d := Decide(f); d.Reason != row || d.Deaf != want[0] || d.Throttled != want[1] {
			t.Errorf("%s: %s, deaf %d, throttled %d", row, d.Reason, d.Deaf, d.Throttled)
		}
	}
}

// The gap between two restarts begins with the newest that a clock can have noted,
// and says when it ends.
func TestGap(t *testing.T) {
	both := func(a *agent) {
		tried(1, "restart", ago(10*time.Second))(a)
		tried(1, "restart", ago(-time.Hour))(a)
	}
	d := solo(deafFor(1)).agent("b", both).judge(t).of(t, "a")
	if got := brief(d); got != "HEAL fleet-gap" || !timeOf(d.NextAt).Equal(noon.Add(50*time.Second)) {
		t.Errorf("%s, next at %v", got, d.NextAt)
	}
	d = newScene().agent("b", both).session("s", "4", ended, cause("network")).judge(t).of(t, "session:s")
	if got := brief(d); got != "RESUME fleet-gap" || !timeOf(d.NextAt).Equal(noon.Add(50*time.Second)) {
		t.Errorf("%s, next at %v", got, d.NextAt)
	}
}

// A message that did not reach a session is not told as one that did not help.
func TestWrite_unreached(t *testing.T) {
	for end, want := range map[string]string{"done": "it is still hung after a message", "draft": "it is still hung, and a message did not reach it: draft",
		"": "it is still hung, and a message did not reach it: what became of it is not known"} {
		f := sessionScene{class: "6", changes: []change{acted(ago(time.Hour), "mail"), func(_ *record.Session, v *record.Verdict, h *record.Heal) {
			v.ClassName, h.LastEnd = "hung", end
		}}}.one(t)
		if d := decideSession(f); d.Alert == nil || d.Alert.Text != want {
			t.Errorf("%q: %+v", end, d.Alert)
		}
	}
}

// What was done after a message does not tell whether that reached it.
func TestWrite_between(t *testing.T) {
	f := sessionScene{class: "6", changes: []change{acted(ago(2*time.Hour), "mail"), acted(ago(time.Hour), "resume"), func(_ *record.Session, v *record.Verdict, h *record.Heal) {
		v.ClassName, h.LastEnd = "hung", "gone"
	}}}.one(t)
	if d := decideSession(f); d.Alert == nil || d.Alert.Text != "it is still hung after a message" {
		t.Errorf("%+v", d.Alert)
	}
}
