package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err", "Blind", "blindAll", "blind", "Unfit", "unjudged", "Elsewhere", "busy", "failed", "left", "limited", "running", "starts", "restarted", "n", "RC", "Notes", "Alert", "Not", "Reason", "Detail", "NextAt", "Deaf", "Throttled", "PID", "Start", "SessionID", "Instance", "Tmux", "Verdict", "OpenCalls", "pause", "until", "Cap"},
	Slips: map[string]string{
		`decideSession: d.Not, d.Alert = append(d.Not, record.NotDone{Verb: "alert", Why: "somebody was told in this episode"}), nil (2)`: `d.Not = append(d.Not, record.NotDone{Verb: "alert", Why: "somebody was told in this episode"})`,
	},
	Equivalent: map[string]string{
		"world.verdict: return nil":      "an empty verdict is of no class: no limit",
		"sessionFacts.calls: return nil": "no list and an empty one read alike",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }

// imposed are the rows but the last, which matches whatever there is, each with
// what makes it match.
var imposed = map[string]func(*Facts){
	"blind":        func(f *Facts) { f.Blind = "not read" },
	"paused":       func(f *Facts) { f.Heal.Paused = true },
	"maintenance":  func(f *Facts) { f.Heal.Open = []record.OpenAct{{ID: "act-1", Verb: "upgrade"}} },
	"secret":       func(f *Facts) { f.Secret = true },
	"no-workspace": func(f *Facts) { f.Workspace = nil },
	"mislabelled": func(f *Facts) {
		if f.Workspace == nil {
			f.Workspace = new(record.Workspace)
		}
		f.Workspace.Agent = "b"
	},
	"ambiguous": func(f *Facts) { f.Twin = "/x/a" },
	"reachable": func(f *Facts) { f.Health = &record.Health{Online: true} },
	"elsewhere": func(f *Facts) { f.Process, f.Elsewhere = nil, &record.AgentProc{PID: 9} },
	"starting": func(f *Facts) {
		f.Heal.LastAct, f.Heal.LastVerb, f.Heal.LastEnd = ago(time.Minute), "launch", record.EntryDone
	},
	"left": func(f *Facts) { f.Process, f.Heal.LastExit = nil, &record.AgentExit{At: ago(time.Minute)} },
	"no-launcher": func(f *Facts) {
		if f.Process = nil; f.Workspace != nil {
			f.Workspace.Unstartable = "claude.sh is not there"
		}
	},
	"gone":            func(f *Facts) { f.Process = nil },
	"throttled":       func(f *Facts) { f.Verdict = &record.Verdict{Class: "2"} },
	"fleet-throttled": func(f *Facts) { f.Fleet = 2 },
	"unjudged":        func(f *Facts) { f.Verdict = nil },
	"busy":            func(f *Facts) { f.Verdict = &record.Verdict{Class: "5"} },
	"hung":            func(f *Facts) { f.Verdict = &record.Verdict{Class: "6"} },
	"prompt":          func(f *Facts) { f.Verdict = &record.Verdict{Class: "7"} },
	"open-call":       func(f *Facts) { f.OpenCalls = []string{"Bash"} },
}

// exclusive are the pairs of rows that never match at once: a workspace is not
// there and another's, a session has two classes.
var exclusive = strings.Fields("no-workspace:mislabelled no-workspace:no-launcher throttled:unjudged throttled:busy throttled:hung throttled:prompt unjudged:busy unjudged:hung unjudged:prompt busy:hung busy:prompt hung:prompt")

// deafFacts are those about an agent that does not answer, and of which the last
// row alone matches.
func deafFacts() *Facts {
	return &Facts{Now: noon, Rules: record.DefaultHealRules(), Want: desired.Agent{Agent: "a", Workspace: "/w/a"}, Workspace: &record.Workspace{Agent: "a"},
		Health: &record.Health{}, Process: &record.AgentProc{PID: 1, Start: ago(time.Hour)}, Verdict: &record.Verdict{Class: "9"}, Cap: 9}
}

// first is the row of a table that decides.
func first(rules []Rule, f *Facts) string {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Match(f) })
	if i < 0 {
		return "none"
	}
	return rules[i].ID
}

// Any two rows match at once, or are named as a pair that cannot: the earlier one
// decides, and with the two swapped, or the earlier deleted, another does.
func TestMutate(t *testing.T) {
	if got := first(Rules, deafFacts()); got != "deaf" {
		t.Fatalf("%s decides about an agent that is deaf and nothing else", got)
	}
	killed, apart := 0, 0
	for i, a := range Rules[:len(Rules)-1] {
		alone := deafFacts()
		imposed[a.ID](alone)
		without := slices.Delete(slices.Clone(Rules), i, i+1)
		if first(Rules, alone) == first(without, alone) {
			t.Errorf("survived: %s deleted", a.ID)
		}
		killed++
		for k := i + 1; k < len(Rules); k++ {
			b, f := Rules[k], deafFacts()
			if slices.Contains(exclusive, a.ID+":"+b.ID) {
				apart++
				continue
			}
			if k < len(Rules)-1 {
				imposed[b.ID](f)
			}
			imposed[a.ID](f)
			swapped := slices.Clone(Rules)
			swapped[i], swapped[k] = b, a
			if !a.Match(f) || !b.Match(f) || first(Rules[i:], f) != a.ID || first(swapped[i:], f) == a.ID {
				t.Errorf("survived: %s and %s swapped", a.ID, b.ID)
			}
			killed++
		}
	}
	if apart != len(exclusive) || len(imposed) != len(Rules)-1 {
		t.Errorf("%d of %d pairs are exclusive, %d of %d rows imposed", apart, len(exclusive), len(imposed), len(Rules)-1)
	}
	t.Logf("mutants: %d killed", killed)
}

// A row deleted, or its answer turned round, is told by a scene of the table.
func TestMutate_scenes(t *testing.T) {
	for i, r := range Rules {
		for name, change := range map[string]func(rules []Rule) []Rule{
			"deleted": func(rules []Rule) []Rule { return slices.Delete(rules, i, i+1) },
			"negated": func(rules []Rule) []Rule {
				rules[i].Match = func(f *Facts) bool { return !r.Match(f) }
				return rules
			},
		} {
			mutant := change(slices.Clone(Rules))
			if !slices.ContainsFunc(ruleTable, func(s ruled) bool {
				row, got := s.decide(t, mutant)
				return got != s.want || row != s.row
			}) {
				t.Errorf("survived: %s %s", r.ID, name)
			}
		}
	}
}

// Of random facts no pair matches that is named as exclusive, and one row at least
// always does.
func TestExclusive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	ids := make([]string, 0, len(imposed))
	for _, r := range Rules[:len(Rules)-1] {
		ids = append(ids, r.ID)
	}
	for range 10000 {
		f := deafFacts()
		for range rnd.IntN(6) {
			imposed[ids[rnd.IntN(len(ids))]](f)
		}
		var matched []string
		for _, r := range Rules {
			if r.Match(f) {
				for _, earlier := range matched {
					if pair := fmt.Sprint(earlier, ":", r.ID); slices.Contains(exclusive, pair) {
						t.Fatalf("%s: both match %+v", pair, f)
					}
				}
				matched = append(matched, r.ID)
			}
		}
		if d := Decide(f); d.Reason == "" || d.Decision == "" || d.Agent != "a" || d.Seen == nil {
			t.Fatalf("a decision without its words: %+v", d)
		}
	}
}
