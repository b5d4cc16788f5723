package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// aSession judges a scene of one session.
func aSession(t *testing.T, class string, changes ...change) record.Decision {
	t.Helper()
	return newScene().session("s", class, changes...).judge(t).of(t, "session:s")
}

// Public reports that the judge answers.
var publicCases = map[string]func(t *testing.T){
	// The sweep after a resume that was refused: no second try; a person is asked.
	"cc-resume-refused": func(t *testing.T) {
		d := aSession(t, "4", ended, cause("network"), acted(ago(time.Hour), "resume"))
		if got := brief(d); got != "RESUME exhausted !exhausted" {
			t.Error(got)
		}
	},
	"heal-id-in-use": func(t *testing.T) {
		d := aSession(t, "4", ended, cause("network"), acted(ago(3*time.Minute), "resume"))
		if got := brief(d); got != "RESUME stuck !stuck" {
			t.Error(got)
		}
	},
	// The reset is past and the last try was rejected again: it stays at its limit,
	// and the next try comes later each time.
	"lim-reset-late": func(t *testing.T) {
		for n, want := range []string{"RESUME after-limit resume", "RESUME backoff", "RESUME backoff", "RESUME stuck !stuck"} {
			verbs := []string{"resume", "resume", "resume"}[:n]
			d := aSession(t, "2", ended, resetAt(ago(46*time.Minute)), acted(ago(3*time.Minute), verbs...))
			if got := brief(d); got != want || d.Seen.Class != "2" {
				t.Errorf("after %d: %s", n, got)
			}
			if n == 1 && !d.NextAt.Equal(noon.Add(17*time.Minute)) || n == 2 && !d.NextAt.Equal(noon.Add(37*time.Minute)) {
				t.Errorf("after %d: next at %v", n, d.NextAt)
			}
		}
	},
	// It is taken up where it was started, wherever it went since.
	"path-cwd-moved": func(t *testing.T) {
		d := aSession(t, "4", ended, cause("network"), func(p *record.Session, _ *record.Verdict, _ *record.Heal) {
			p.Cwd, p.Cwds = "/r", []string{"/r/services/api"}
		})
		if d.Action == nil || d.Seen.Workspace != "/r" {
			t.Errorf("%s in %s", brief(d), d.Seen.Workspace)
		}
	},
	"path-worktree-gone": func(t *testing.T) {
		for _, how := range []string{record.PlacedGone, record.PlacedByWorktree, record.PlacedAbove, record.PlacedByBoard} {
			d := aSession(t, "4", ended, cause("network"), placed(how))
			if got := brief(d); got != "SKIP cwd-gone !cwd-gone" {
				t.Errorf("%s: %s", how, got)
			}
		}
	},
	"heal-busy": func(t *testing.T) {
		for _, s := range []*scene{solo(deafFor(5), class("5")), solo(deafFor(5), calls)} {
			if d := s.judge(t).of(t, "a"); d.Action != nil || d.Alert == nil {
				t.Error(brief(d))
			}
		}
	},
	// What is started is the launcher or what the list says, whatever ran before.
	"heal-flags-kept": func(t *testing.T) {
		d := solo(deafFor(1)).judge(t).of(t, "a")
		if got := fmt.Sprint(d.Action.Argv); got != "[/w/a/claude.sh]" {
			t.Error(got)
		}
		d = solo(deafFor(1)).with(list(desired.Agent{Agent: "a", Workspace: "/w/a", Command: []string{"/bin/run", "--permission-mode", "plan"}})).judge(t).of(t, "a")
		if got := fmt.Sprint(d.Action.Argv); got != "[/bin/run --permission-mode plan]" {
			t.Error(got)
		}
	},
	"heal-open-call": func(t *testing.T) {
		d := aSession(t, "4", ended, cause("network"), open("Bash"))
		if got := brief(d); got != "SKIP open-call !open-call" {
			t.Error(got)
		}
	},
	"heal-user-stopped": func(t *testing.T) {
		if got := brief(aSession(t, "9", ended, job("stopped"))); got != "SKIP finished" {
			t.Error(got)
		}
		if got := brief(solo(gone, exited(0, ago(time.Minute))).judge(t).of(t, "a")); got != "SKIP left" {
			t.Error(got)
		}
	},
	// The fourth restart in 300 s, and the second in the fleet in 60 s.
	"heal-rate": func(t *testing.T) {
		soon := rule(func(r *record.HealRules) { r.BackoffMin, r.MaxAttempts = 0, 9 })
		three := func(a *agent) {
			for _, at := range []time.Duration{250 * time.Second, 190 * time.Second, 130 * time.Second} {
				tried(3, "restart", ago(at))(a)
			}
		}
		if got := brief(solo(deafFor(4), three).with(soon).judge(t).of(t, "a")); got != "HEAL rate !rate" {
			t.Error(got)
		}
		if got := brief(solo(deafFor(4), three, told("rate")).with(soon).judge(t).of(t, "a")); got != "HEAL rate" {
			t.Errorf("escalated twice: %s", got)
		}
		j := solo(deafFor(1)).agent("b", deafFor(1)).judge(t)
		if a, b := brief(j.of(t, "a")), brief(j.of(t, "b")); a != "HEAL deaf restart !restarted" || b != "HEAL fleet-gap" {
			t.Errorf("%s; %s", a, b)
		}
	},
	"heal-spawning": func(t *testing.T) {
		for _, end := range []string{"", "done"} {
			if got := brief(solo(gone, launched(20*time.Second, end)).judge(t).of(t, "a")); got != "SKIP starting" {
				t.Errorf("%q: %s", end, got)
			}
		}
	},
	"heal-done-not-zombie": func(t *testing.T) {
		for _, class := range []string{"4", "9"} {
			if got := brief(aSession(t, class, ended, job("done"), cause("network"))); got != "SKIP finished" {
				t.Error(got)
			}
		}
		if n := len(newScene().session("s", "8", ended, job("done")).judge(t).Decisions); n != 0 {
			t.Errorf("%d decisions about a closed session", n)
		}
	},
}

func TestPublicCases(t *testing.T) {
	for id, test := range publicCases {
		t.Run(id, test)
	}
}

// What the reference does wrong in judging; docs/reconcile.md has the other ones.
var defects = map[string]func(t *testing.T){
	// Somebody was told of a restart: of one that helped nothing they are told too.
	"D1": func(t *testing.T) {
		for at, want := range map[time.Duration]string{time.Minute: "HEAL stuck !stuck", 9 * time.Hour: "HEAL exhausted !exhausted"} {
			d := solo(deafFor(5), tried(3, "restart", ago(at)), told("restarted", "held", "busy")).judge(t).of(t, "a")
			if got := brief(d); got != want {
				t.Error(got)
			}
			d = solo(deafFor(5), tried(3, "restart", ago(at)), told("restarted", "stuck", "exhausted")).judge(t).of(t, "a")
			if d.Alert != nil {
				t.Errorf("told again: %s", brief(d))
			}
		}
	},
	// A launch is held back, limited and told of as a restart is.
	"D5": func(t *testing.T) {
		for _, tt := range []struct {
			n    int
			at   time.Duration
			want string
		}{{1, 5 * time.Minute, "LAUNCH backoff"}, {1, 25 * time.Minute, "LAUNCH gone launch"}, {2, 25 * time.Minute, "LAUNCH backoff"}, {3, 25 * time.Minute, "LAUNCH stuck !stuck"}, {3, 9 * time.Hour, "LAUNCH exhausted !exhausted"}} {
			if got := brief(solo(gone, tried(tt.n, "launch", ago(tt.at))).judge(t).of(t, "a")); got != tt.want {
				t.Errorf("%d, %v ago: %s, want %s", tt.n, tt.at, got, tt.want)
			}
		}
	},
	// An exit of an earlier life does not keep an agent down after a reboot.
	"D6": func(t *testing.T) {
		if got := brief(solo(gone, exited(0, ago(time.Hour))).judge(t).of(t, "a")); got != "LAUNCH gone launch" {
			t.Error(got)
		}
	},
	// What runs is not launched, whatever a registry says: here it is deaf, elsewhere told of.
	"D7": func(t *testing.T) {
		if got := brief(solo(unlisted).judge(t).of(t, "a")); got != "HEAL deaf inject" {
			t.Error(got)
		}
		if got := brief(solo(gone).with(elsewhere).judge(t).of(t, "a")); got != "HEAL elsewhere !elsewhere" {
			t.Error(got)
		}
	},
	// An entry that a session which was left did not take with it heals nothing.
	"D8": func(t *testing.T) {
		d := solo(deafFor(3), func(a *agent) { a.proc = nil }, exited(0, ago(time.Minute))).judge(t).of(t, "a")
		if got := brief(d); got != "SKIP left" {
			t.Error(got)
		}
	},
	"D10": func(t *testing.T) {
		for _, s := range []*scene{solo(gone, locked(time.Minute)), solo(deafFor(3), locked(time.Minute))} {
			if got := brief(s.judge(t).of(t, "a")); got != "SKIP maintenance" {
				t.Error(got)
			}
		}
		if got := brief(solo(deafFor(3), resets(nil)).judge(t).of(t, "a")); got != "SKIP throttled" {
			t.Error(got)
		}
	},
	"D12": func(t *testing.T) {
		for _, text := range []string{"- agent: a\n  workspace: /a\n- agent: a\n  workspace: /a\n", "- agent: a\n", "- agent: a\n  workspace: a\n", "a\n"} {
			if list, err := desired.Parse("f", []byte(text)); err == nil || list != nil {
				t.Errorf("%q is taken: %v", text, list)
			}
		}
	},
	// The first wait is longer than two sweeps are apart.
	"D14": func(t *testing.T) {
		r := record.DefaultHealRules()
		if r.BackoffMin < 2*r.IntervalMin || r.BackoffMaxMin < r.BackoffMin {
			t.Errorf("%+v", r)
		}
		next := solo(deafFor(2), tried(1, "restart", ago(time.Duration(r.IntervalMin)*time.Minute))).judge(t).of(t, "a")
		if got := brief(next); got != "HEAL backoff" {
			t.Errorf("the sweep after a restart: %s", got)
		}
	},
	// A clock that was wrong, and was set right, holds nothing back for ever.
	"D16": func(t *testing.T) {
		for at, want := range map[time.Duration]string{-365 * 24 * time.Hour: "HEAL deaf restart !restarted", -time.Hour: "HEAL backoff"} {
			if got := brief(solo(deafFor(2), tried(1, "restart", ago(at))).judge(t).of(t, "a")); got != want {
				t.Errorf("%v ahead: %s", -at, got)
			}
		}
	},
	// The workspace of the list is the one that is started, when it is that agent's.
	"D19": func(t *testing.T) {
		s := solo(gone).agent("a", gone, second)
		for _, at := range []string{"/w/a", "/x/a"} {
			d := s.with(list(desired.Agent{Agent: "a", Workspace: at})).judge(t).of(t, "a")
			if brief(d) != "LAUNCH gone launch" || d.Seen.Workspace != at || d.Action.Argv[0] != at+"/claude.sh" {
				t.Errorf("%s: %s, %+v", at, brief(d), d.Action)
			}
		}
		s = solo(gone).agent("b", gone).with(list(desired.Agent{Agent: "a", Workspace: "/w/b"}))
		if got := brief(s.judge(t).of(t, "a")); got != "SKIP mislabelled !mislabelled" {
			t.Error(got)
		}
	},
	// A plan has no restart of what works, and says what is looked at again.
	"D20": func(t *testing.T) {
		if d := solo(deafFor(5), class("5")).judge(t).of(t, "a"); d.Action != nil {
			t.Error(brief(d))
		}
		d := solo(deafFor(1)).judge(t).of(t, "a")
		if len(d.Not) == 0 || d.Not[len(d.Not)-1].Verb != "wait" {
			t.Errorf("%+v", d.Not)
		}
	},
}

func TestDefect(t *testing.T) {
	for id, test := range defects {
		t.Run(id, test)
	}
}
