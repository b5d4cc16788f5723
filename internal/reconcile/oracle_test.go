package reconcile

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// A check looks at what is judged of a scene.
type check = func(t *testing.T, j Judgement)

// is requires a decision about a, in brief; rc is that of the closing record.
func is(a, want string) check {
	return func(t *testing.T, j Judgement) {
		t.Helper()
		if got := brief(j.of(t, a)); got != want {
			t.Errorf("%s: %s, want %s", a, got, want)
		}
	}
}

func rc(want int) check {
	return func(t *testing.T, j Judgement) {
		t.Helper()
		if j.RC != want {
			t.Errorf("rc %d, want %d", j.RC, want)
		}
	}
}

// says requires words of the detail of a decision.
func says(a, words string) check {
	return func(t *testing.T, j Judgement) {
		t.Helper()
		if d := j.of(t, a); !strings.Contains(d.Detail, words) {
			t.Errorf("%s: %s, want %q", a, d.Detail, words)
		}
	}
}

// delays requires the seconds that each launch is held back.
func delays(want ...int) check {
	return func(t *testing.T, j Judgement) {
		t.Helper()
		var got []int
		for _, d := range j.Decisions {
			if d.Decision.Action != nil {
				got = append(got, d.Decision.Action.DelayS)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("delays %v, want %v", got, want)
		}
	}
}

func count(what func(record.Decision) int, a string, want int) check {
	return func(t *testing.T, j Judgement) {
		t.Helper()
		if got := what(j.of(t, a)); got != want {
			t.Errorf("%s: %d, want %d", a, got, want)
		}
	}
}

func tier(d record.Decision) int      { return d.Tier }
func throttled(d record.Decision) int { return d.Throttled }

// The worlds of the cases: all well; one deaf, one that answers what does not fit,
// one well, one gone.
func healthy() *scene {
	return newScene().agent("devops").agent("code").agent("science").agent("auditor")
}

func degraded(changes ...func(*agent)) *scene {
	refuses := func(a *agent) { deaf(a); a.health.Failure = "status" }
	return newScene().agent("devops", append([]func(*agent){deaf}, changes...)...).agent("science", refuses).agent("auditor").agent("code", gone)
}

// atLimits are n agents at a limit and one that is deaf, since more sweeps than
// the first rung has.
func atLimits(n int, changes ...func(*agent)) *scene {
	s := newScene().agent("devops", append([]func(*agent){deafFor(3), resets(nil)}, changes...)...)
	for i := range n - 1 {
		s.agent(fmt.Sprint("more-", i), deaf, resets(nil))
	}
	return s.agent("science", deaf)
}

func forSweeps(n int) func(*agent) { return func(a *agent) { a.heal.Throttled = n } }

// held is the rule that lets nothing be restarted.
var forbidden = rule(func(r *record.HealRules) { r.AllowRestart = false })

// oracle are the acceptance cases of the reference's own test that the judge meets,
// by number. docs/reconcile.md has all, and says how the rest is met.
var oracle = map[string]struct {
	scene  *scene
	checks []check
}{
	"1": {healthy(), []check{is("devops", "OK reachable")}},
	"2": {healthy(), []check{is("code", "OK reachable")}},
	"3": {healthy(), []check{rc(0)}},
	"4": {newScene().agent("devops", paused), []check{is("devops", "SKIP paused"), rc(0)}},
	"5": {degraded(), []check{is("devops", "HEAL deaf inject")}},
	"6": {degraded(), []check{is("science", "HEAL deaf inject"), says("science", "status")}},
	"7": {degraded(), []check{is("code", "LAUNCH gone launch")}},
	"8": {degraded(), []check{is("auditor", "OK reachable"), rc(1)}},
	"9": {healthy().with(func(s *scene) {
		s.surfaces["macf/roster:p"] = record.Surface{Error: "schema 2"}
	}), []check{rc(2), is("devops", "SKIP blind")}},
	"10": {solo(gone), []check{is("a", "LAUNCH gone launch")}},
	"11": {solo(gone, exited(0, ago(time.Minute))), []check{is("a", "SKIP left"), rc(0)}},
	"12": {solo(gone, exited(143, ago(time.Minute))), []check{is("a", "LAUNCH gone launch")}},
	"15": {degraded(), []check{count(tier, "devops", 1), is("devops", "HEAL deaf inject")}},
	"16": {degraded(deafFor(0)), []check{count(tier, "devops", 1), says("devops", "sweep 1")}},
	"17": {degraded(deafFor(1)), []check{count(tier, "devops", 2), is("devops", "HEAL deaf restart !restarted")}},
	"18": {degraded(deafFor(1)).with(forbidden), []check{is("devops", "HEAL held !held"), says("devops", "restart: heal.allow_restart is 0")}},
	"19": {degraded(deafFor(1)), []check{is("devops", "HEAL deaf restart !restarted")}},
	"27": {newScene().agent("devops", class("4")), []check{is("devops", "OK reachable")}},
	"28": {newScene().agent("code", class("unknown"), func(a *agent) { a.place.Pin = "9.9.9" }), []check{is("code", "OK reachable"), rc(0)}},
	"29": {newScene().agent("devops", func(a *agent) { a.health.Listed = "i0" }), []check{is("devops", "HEAL deaf inject"), rc(1)}},
	"30": {newScene().agent("devops", func(a *agent) { a.health.Listed = "i0" }).agent("code"), []check{is("code", "OK reachable")}},
	"31": {newScene().agent("devops", func(a *agent) { a.health.Listed = "i0" }), []check{says("devops", "its registry lists another instance")}},
	"32": {newScene().agent("devops").with(func(s *scene) {
		s.surfaces["macf/roster:p"] = record.Surface{Error: "an entry that is none"}
	}), []check{rc(2), says("devops", "an entry that is none")}},
	"33": {newScene().agent("devops", func(a *agent) { a.health.Listed = "" }), []check{is("devops", "OK reachable")}},
	"34": {degraded().with(func(s *scene) { s.surfaces["macf/health"] = record.Surface{OK: true, Unparsed: 1} }), []check{is("devops", "HEAL deaf inject"), rc(1)}},
	"35": {degraded().with(func(s *scene) { s.silent[healths] = true }), []check{is("devops", "SKIP blind"), rc(2)}},
	"38": {atLimits(1), []check{is("devops", "SKIP throttled")}},
	"39": {atLimits(1), []check{is("science", "HEAL deaf inject")}},
	"40": {atLimits(1, deafFor(9)), []check{is("devops", "SKIP throttled")}},
	"41": {atLimits(1), []check{func(t *testing.T, j Judgement) {
		if d := j.of(t, "devops"); d.Action != nil || d.Deaf != 3 {
			t.Errorf("%+v", d)
		}
	}}},
	"42": {atLimits(2), []check{is("science", "SKIP fleet-throttled")}},
	"43": {atLimits(2), []check{says("science", "2 agents are at a usage limit"), is("devops", "SKIP throttled")}},
	"44": {atLimits(1), []check{is("science", "HEAL deaf inject")}},
	"46": {atLimits(1, forSweeps(2)), []check{count(throttled, "devops", 3)}},
	"47": {atLimits(1, forSweeps(2)), []check{is("devops", "SKIP throttled !throttled")}},
	"48": {solo(deaf, class("5"), forSweeps(2)), []check{is("a", "HEAL busy"), count(throttled, "a", 0)}},
	"49": {atLimits(1, forSweeps(1)), []check{is("devops", "SKIP throttled"), count(throttled, "devops", 2)}},
	"50": {atLimits(2).agent("b", deaf, forSweeps(2)), []check{is("b", "SKIP fleet-throttled"), count(throttled, "b", 0)}},
	"51": {newScene().agent("a", gone).agent("b", gone).agent("c", gone), []check{delays(0, 15, 15)}},
	"52": {newScene().agent("a", gone).agent("b", gone).with(rule(func(r *record.HealRules) { r.StaggerS = 0 })), []check{delays(0, 0)}},
}

func TestOracle(t *testing.T) {
	for n, o := range oracle {
		t.Run(n, func(t *testing.T) {
			j := o.scene.judge(t)
			for _, check := range o.checks {
				check(t, j)
			}
		})
	}
	// 45: a limit is what the transcript says, and no text of a pane; there is no
	// other way to be throttled.
	t.Run("45", func(t *testing.T) {
		for _, r := range Rules {
			f := deafFacts()
			f.Verdict = &record.Verdict{Class: "4", Cause: "rate limited", Question: "You've hit your session limit"}
			if strings.Contains(r.ID, "throttled") && r.Match(f) {
				t.Errorf("%s by a text", r.ID)
			}
		}
	})
	// 13: what is launched has the session of its name.
	t.Run("13", func(t *testing.T) {
		d := solo(gone).judge(t).of(t, "a")
		if d.Action.Driver != "tmux" || d.Seen.Tmux != "p@a" || fmt.Sprint(d.Action.Argv) != "[/w/a/claude.sh]" {
			t.Errorf("%+v %+v", d.Action, d.Seen)
		}
	})
}

const docs = "../../docs/reconcile.md"

// The page names each of the 52 cases once, and each of the 20 defects, with tests
// that are there; what the judge meets is a subtest here, and each subtest is named.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| ") || len(cells) < 4 {
			continue
		}
		id := strings.TrimSpace(cells[0])
		if rows[id] != "" {
			t.Errorf("%s comes twice", id)
		}
		rows[id] = line
	}
	named := 0
	for i := range 72 {
		id := fmt.Sprint(i + 1)
		if i >= 52 {
			id = fmt.Sprint("D", i-51)
		}
		line := rows[id]
		tests := backquoted(line, "_test.go:")
		left := strings.Contains(line, "| left:")
		if line == "" || len(tests) == 0 && !left {
			t.Errorf("%s: no row, or no test and no reason to leave it: %q", id, line)
		}
		for _, test := range tests {
			if err := exists(test); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			if test == "internal/reconcile/oracle_test.go:TestOracle/"+id {
				named++
			}
		}
		_, mine := oracle[id]
		if mine = mine || id == "13" || id == "45"; mine != strings.Contains(line, "TestOracle/"+id+"`") {
			t.Errorf("%s: the page and the subtests differ", id)
		}
	}
	if named != len(oracle)+2 {
		t.Errorf("%d subtests are named, of %d", named, len(oracle)+2)
	}
}

// backquoted are the words in back quotes that have a mark.
func backquoted(line, mark string) (words []string) {
	for i, w := range strings.Split(line, "`") {
		if i%2 == 1 && strings.Contains(w, mark) {
			words = append(words, w)
		}
	}
	return words
}

// exists says why a test, file:Test or file:Test/subtest, is not there.
func exists(test string) error {
	file, name, _ := strings.Cut(test, ":")
	name, sub, _ := strings.Cut(name, "/")
	src, err := os.ReadFile("../../" + file)
	switch {
	case err != nil:
		return err
	case !strings.Contains(string(src), "func "+name+"("):
		return fmt.Errorf("%s: no test %s", file, name)
	case sub != "" && !strings.Contains(string(src), `"`+sub+`"`):
		return fmt.Errorf("%s: no subtest %s of %s", file, sub, name)
	}
	return nil
}

// Every reason that a decision can have stands in the page, and every severity.
func TestDocs_words(t *testing.T) {
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	note := func(d record.Decision) {
		if words[d.Reason] = true; d.Alert != nil {
			words[d.Alert.Severity] = true
		}
	}
	for _, r := range ruleTable {
		for _, d := range r.scene.judge(t).Decisions {
			note(d.Decision)
		}
	}
	for _, s := range sessionTable {
		if f := s.one(t); f != nil {
			note(decideSession(f))
		}
	}
	for _, s := range upgradeTable {
		for _, d := range Upgrade(setOf(t, s.scene.records(t)), Options{Desired: s.scene.desired}, "2.0.0").Decisions {
			note(d.Decision)
		}
	}
	for w := range words {
		if !strings.Contains(string(b), "| `"+w+"` ") {
			t.Errorf("%s is not in %s", w, docs)
		}
	}
	if len(words) < 30 {
		t.Errorf("%d words", len(words))
	}
}
