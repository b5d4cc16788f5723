package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// Rule is one row of the table. The first that matches decides.
type Rule struct {
	ID     string // the reason of its decision, unless that says another
	Match  func(*Facts) bool
	Decide func(*Facts) record.Decision
}

// Rules is the table. Its order is its meaning: what may not be touched comes
// before what is well, what is well before what is tried, and what holds an
// attempt back before the attempt.
var Rules = []Rule{
	{"blind", func(f *Facts) bool { return f.Blind != "" }, func(f *Facts) record.Decision {
		return skip(blindly+"%s", f.Blind).Decision
	}},
	{"paused", func(f *Facts) bool { return f.Heal.Paused }, func(f *Facts) record.Decision {
		return skip("%s", pausedBy(f.PausedAs)).Decision
	}},
	{"maintenance", (*Facts).maintained, func(f *Facts) record.Decision {
		return skip("an upgrade has it, so nobody else touches it").Decision
	}},
	{"secret", func(f *Facts) bool { return f.Secret }, func(*Facts) record.Decision {
		return skip("%s", withheld).told("secret", "it should run, and is not started: %s", withheld)
	}},
	{"no-workspace", func(f *Facts) bool { return f.Workspace == nil }, func(f *Facts) record.Decision {
		return skip("%s", f.lost()).told("no-workspace", "it should run, and its workspace is not known: %s; mend that, or the list", f.lost())
	}},
	{"mislabelled", (*Facts).mislabelled, func(f *Facts) record.Decision {
		return skip("%s", f.label()).told("mislabelled", "%s; mend the list, or the configuration there", f.label())
	}},
	{"ambiguous", func(f *Facts) bool { return f.Twin != "" }, func(f *Facts) record.Decision {
		return skip("%s says that it is this agent's, as %s does, and no list says which counts", f.Twin, f.Want.Workspace).
			told("ambiguous", "two workspaces say that they are its: %s and %s; name one in the list of agents", f.Want.Workspace, f.Twin)
	}},
	{"reachable", (*Facts).reachable, func(f *Facts) record.Decision {
		return record.Decision{Decision: "OK", Detail: "it answers" + version(f.Health.Version)}
	}},
	{"elsewhere", func(f *Facts) bool { return f.Process == nil && f.Elsewhere != nil }, func(f *Facts) record.Decision {
		return heal(f, "process %d in %s says that it is this agent, so none is launched", f.Elsewhere.PID, f.Elsewhere.Cwd).
			told("elsewhere", "it runs outside its workspace, in %s; end it there, or name that workspace in the list", f.Elsewhere.Cwd)
	}},
	{"starting", (*Facts).starting, func(f *Facts) record.Decision {
		return skip("it was started a moment ago").Decision
	}},
	{"left", func(f *Facts) bool { return f.Process == nil && f.leftClean() }, func(*Facts) record.Decision {
		return skip("its session was ended with status 0: somebody left it on purpose").Decision
	}},
	{"no-launcher", func(f *Facts) bool { return f.Process == nil && f.unstartable() != "" }, func(f *Facts) record.Decision {
		return skip("it is not started: %s", f.unstartable()).
			told("no-launcher", "it should run, and cannot be started: %s; mend that, or give it a command in the list of agents", f.unstartable())
	}},
	{"gone", func(f *Facts) bool { return f.Process == nil }, launch},
	{"throttled", (*Facts).throttled, throttle},
	{"fleet-throttled", func(f *Facts) bool { return f.Fleet >= fleetThrottled }, func(f *Facts) record.Decision {
		return skip("%d agents are at a usage limit and do not answer, so no other is healed", f.Fleet).Decision
	}},
	{"unjudged", func(f *Facts) bool { return slices.Contains([]string{"", "unknown", "1"}, f.class()) }, func(f *Facts) record.Decision {
		return heal(f, "it does not answer, and %s", f.unknown()).late(f, "unjudged", "it does not answer, and %s", f.unknown())
	}},
	{"busy", func(f *Facts) bool { return f.class() == "5" }, func(f *Facts) record.Decision {
		return heal(f, "it does not answer, and its session works").late(f, "busy", "it does not answer, and its session works: look at its channel")
	}},
	{"hung", func(f *Facts) bool { return f.class() == "6" }, func(f *Facts) record.Decision {
		return heal(f, "it does not answer, and its session says that it works, and nothing has come from it for long").
			late(f, "hung", "it does not answer, and its session says that it works, although nothing has come from it for over two hours")
	}},
	{"prompt", func(f *Facts) bool { return f.class() == "3" || f.class() == "7" }, func(f *Facts) record.Decision {
		return heal(f, "it does not answer, and its session waits for the owner").late(f, "prompt", "it does not answer, and its session waits for you")
	}},
	{"open-call", func(f *Facts) bool { return len(f.OpenCalls) > 0 }, func(f *Facts) record.Decision {
		return heal(f, "it does not answer, and %s began and has not ended", strings.Join(f.OpenCalls, ", ")).
			late(f, "open-call", "it does not answer, and what it began may still run: %s", strings.Join(f.OpenCalls, ", "))
	}},
	{"deaf", func(*Facts) bool { return true }, ladder},
}

// fleetThrottled is from how many agents at a limit on no agent is healed.
const fleetThrottled = 2

// manySweeps is how many sweeps are counted on which an agent did not answer.
const manySweeps = 1 << 20

// throttledLong is after how many sweeps at a limit a person is told.
const throttledLong = 3

func (f *Facts) maintained() bool {
	if f.Workspace != nil && Locked(f.Workspace.Maintenance, f.Now) {
		return true
	}
	return slices.ContainsFunc(f.Heal.Open, func(o record.OpenAct) bool { return o.Verb == "upgrade" })
}

// lockFor is how long a maintenance lock holds after it was last renewed.
const lockFor = 15 * time.Minute

// Locked tells that a maintenance lock, if there is one, holds everyone off its agent.
func Locked(m *record.Maintenance, now time.Time) bool {
	return m != nil && within(now, m.HeartbeatAt.Time, lockFor)
}

func (f *Facts) mislabelled() bool {
	w := f.Workspace
	return w != nil && (w.Agent != f.Want.Agent || f.Want.Project != "" && desired.Name(f.Want.Project) != desired.Name(w.Project))
}

// label says whose the workspace is, and whose the list has it.
func (f *Facts) label() string {
	if f.Workspace.Agent != f.Want.Agent {
		return fmt.Sprintf("the workspace %s is of the agent %s, and the list has it for %s", f.Want.Workspace, f.Workspace.Agent, f.Want.Agent)
	}
	return fmt.Sprintf("the workspace %s is of the project %s, and the list has it for the project %s", f.Want.Workspace, f.Workspace.Project, f.Want.Project)
}

// throttle waits for the end of a limit. A session that works on in spite of it
// is no matter of this rule: its class is another.
func throttle(f *Facts) record.Decision {
	d := skip("its session is at a usage limit: neither a word nor a restart helps")
	if f.Verdict.ResetAt != nil {
		d.NextAt = record.TimeOf(f.Verdict.ResetAt.Add(resetGrace))
	}
	if d.Throttled = f.Heal.Throttled + 1; d.Throttled >= throttledLong {
		return d.told("throttled", "it has been at a usage limit for %d sweeps", d.Throttled)
	}
	return d.Decision
}

func version(v string) string {
	if v == "" {
		return ""
	}
	return ", version " + v
}

// pausedBy says what the owner paused; who is its name when that is another's.
func pausedBy(who string) string {
	if who == "" {
		return "the owner paused it: it is left as it is until fleet-ledger unpause"
	}
	return fmt.Sprintf("the owner paused %s, which has it: it is left as it is until fleet-ledger unpause %s", who, who)
}

// draft is a decision in the making.
type draft struct{ record.Decision }

func skip(format string, args ...any) draft {
	return draft{record.Decision{Decision: "SKIP", Detail: fmt.Sprintf(format, args...)}}
}

// heal is a decision about an agent that does not answer: one sweep more.
func heal(f *Facts, format string, args ...any) draft {
	return draft{record.Decision{Decision: "HEAL", Detail: fmt.Sprintf(format, args...), Deaf: min(max(f.Heal.Deaf, 0), manySweeps) + 1}}
}

// not says what is not done, and that this is the reason of the decision.
func (d draft) not(reason, verb, format string, args ...any) draft {
	d.Reason, d.Not = reason, append(d.Not, record.NotDone{Verb: verb, Why: fmt.Sprintf(format, args...)})
	d.Detail += "; " + verb + ": " + d.Not[len(d.Not)-1].Why
	return d
}

// told adds what a person should know.
func (d draft) told(severity, format string, args ...any) record.Decision {
	d.Alert = &record.Alert{Severity: severity, Text: fmt.Sprintf(format, args...)}
	return d.Decision
}

// late is told, from the second sweep on.
func (d draft) late(f *Facts, severity, format string, args ...any) record.Decision {
	if d.Deaf <= f.Rules.EscalateAfter {
		return d.Decision
	}
	return d.told(severity, format, args...)
}

// Decide returns what the first rule that matches says. A person who was told the
// same in this episode is not told again.
func Decide(f *Facts) record.Decision {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Match(f) })
	d := Rules[i].Decide(f)
	if d.Reason == "" {
		d.Reason = Rules[i].ID
	}
	return f.finish(d)
}

// finish adds to a decision what each has.
func (f *Facts) finish(d record.Decision) record.Decision {
	d.Agent, d.Seen = f.Want.Agent, f.seen()
	if d.Decision == "SKIP" { // a sweep that leaves it alone neither counts nor forgets
		d.Deaf = f.Heal.Deaf
	}
	if f.Blind != "" {
		d.Throttled = f.Heal.Throttled
	}
	if d.Alert != nil && f.Heal.Told(d.Alert.Severity) {
		d.Not = append(d.Not, record.NotDone{Verb: "alert", Why: "somebody was told in this episode"})
		d.Alert = nil
	}
	return d
}
