package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

// Upgrade decides about the agents of a rolling upgrade to a version: one is
// upgraded at a time, those of one registry after each other, and after the first
// that did not come back green none any more, until that one runs the version and
// answers. An agent that works waits for a later sweep; one that does not answer is
// no matter of an upgrade.
func Upgrade(set *record.Set, o Options, to string) Judgement {
	w := gather(set, o)
	j := Judgement{At: w.at, Host: w.host}
	if w.at.IsZero() {
		j.undecided(theAgents, "the stream is empty")
		return j
	}
	list := w.desired(o.Desired)
	facts := make([]*Facts, 0, len(list))
	for _, want := range list {
		facts = append(facts, w.facts(want))
	}
	slices.SortStableFunc(facts, func(a, b *Facts) int { return cmp.Compare(a.group(), b.group()) })
	u := upgrade{to: to, passed: o.Left, busy: o.Stopped, failed: o.Stopped != ""}
	for _, f := range facts {
		u.begun(f)
	}
	for _, f := range facts {
		d := u.decide(f)
		if u.failed && f.Want.Agent == u.busy {
			d.Alert = &record.Alert{Severity: record.UpgradeStopped, Text: fmt.Sprintf("the upgrade to %s stopped here: %s", to, f.stopped())}
		}
		if d.Decision != "OK" { // an upgrade leaves alone what sweeps count
			d.Deaf, d.Throttled = f.Heal.Deaf, f.Heal.Throttled
		}
		j.add(f.Want.Agent, f.finish(d))
	}
	if u.failed || len(u.left) > 0 {
		j.RC = max(j.RC, 1)
	}
	if u.failed {
		j.Notes = append(j.Notes, fmt.Sprintf("the upgrade to %s stopped at %s; left: %s", to, u.busy, cmp.Or(strings.Join(u.left, ", "), "none")))
	}
	if len(j.Decisions) == 0 && w.blindAll != "" {
		j.undecided(theAgents, w.blindAll)
	}
	return j
}

// stopped is why an upgrade stopped at an agent.
func (f *Facts) stopped() string {
	if f.Heal.Upgrade == nil { // it was paused since, which ends its episode
		return "it did not come back green"
	}
	return cmp.Or(f.Heal.Upgrade.Reason, "it did not come back green")
}

// group is where an agent announces itself.
func (f *Facts) group() string {
	if f.Workspace == nil || f.Workspace.Registry == nil {
		return ""
	}
	return f.Workspace.Project + "\x00" + f.Workspace.Registry.Kind + ":" + f.Workspace.Registry.ID
}

// upgrade is a rolling upgrade in one sweep.
type upgrade struct {
	to     string
	busy   string   // agent that is being upgraded, or that failed; "" none
	failed bool     // it failed
	blind  string   // what of the list was not read; "" nothing
	left   []string // agents that are behind
	passed map[string]string
}

// begun takes what an agent says of upgrades that began before: one without an
// end, to whatever version, or one to this version that failed and has not been
// made good since.
func (u *upgrade) begun(f *Facts) {
	u.blind = cmp.Or(u.blind, f.Blind)
	switch r := f.Heal.Upgrade; {
	case r == nil || u.failed:
	case r.State == "open":
		u.busy = cmp.Or(u.busy, f.Want.Agent)
	case r.State == "failed" && versions.Same(r.To, u.to) && !f.madeGood(u.to):
		u.busy, u.failed = f.Want.Agent, true
	}
}

// madeGood tells that an agent whose upgrade to a version failed is well again, in a
// version that makes it good.
func (f *Facts) madeGood(to string) bool {
	return f.Blind == "" && f.Workspace != nil && f.reachable() && versions.MadeGood(to, f.Heal.Upgrade.Reason, f.Health.Version)
}

// behind tells that what answers is older than a version, or does not say.
func (f *Facts) behind(to string) bool {
	return f.Health.Version == "" || versions.Older(f.Health.Version, to)
}

func (u *upgrade) decide(f *Facts) record.Decision {
	because := func(reason, format string, args ...any) record.Decision {
		d := skip(format, args...)
		d.Reason = reason
		return d.Decision
	}
	switch {
	case f.Blind != "":
		return because("blind", blindly+"%s", f.Blind)
	case f.Heal.Paused:
		return because("paused", "%s", pausedBy(f.PausedAs))
	case f.Secret:
		return because("secret", "%s", withheld)
	case f.Workspace == nil:
		return because("no-workspace", "%s", f.lost())
	case f.mislabelled():
		return because("mislabelled", "%s", f.label())
	case f.Twin != "":
		return because("ambiguous", "%s says that it is this agent's, as %s does", f.Twin, f.Want.Workspace)
	case !f.reachable() || f.Health.Version == "":
		return because("offline", "it does not answer, or not with a version, so what it runs is not known")
	case !f.behind(u.to):
		return record.Decision{Decision: "OK", Reason: "at-target", Detail: "it runs " + f.Health.Version}
	case f.Process == nil:
		return because("no-process", "it answers, and no process of it runs in %s", f.Want.Workspace)
	}
	u.left = append(u.left, f.Want.Agent)
	return u.behind(f)
}

// behind decides about an agent that is to be upgraded.
func (u *upgrade) behind(f *Facts) record.Decision {
	d := skip("it runs %s, behind %s", f.Health.Version, u.to)
	switch {
	case f.maintained():
		return d.not("maintenance", "upgrade", "it is being upgraded").Decision
	case u.passed[f.Want.Agent] != "" && !(u.failed && f.Want.Agent == u.busy):
		return d.not("refused", "upgrade", "%s", u.passed[f.Want.Agent]).Decision
	case u.failed:
		return d.not("stopped", "upgrade", "%s did not come back green: mend that one first", u.busy).Decision
	case u.busy != "":
		return d.not("one-at-a-time", "upgrade", "%s comes first", u.busy).Decision
	case u.blind != "":
		return d.not("unread", "upgrade", "whether another is being upgraded is not known: %s", u.blind).Decision
	case f.unstartable() != "":
		return d.not("no-launcher", "upgrade", "it could not be started again: %s", f.unstartable()).Decision
	case f.Health.Busy == nil || *f.Health.Busy || !slices.Contains([]string{"9", "9a", "8", "10"}, f.class()):
		return d.not("busy", "upgrade", "it works, or that cannot be told: it waits for a later sweep").Decision
	}
	u.busy = f.Want.Agent
	d.Decision.Decision, d.Reason, d.Attempt = "UPGRADE", "behind", 1
	d.Action = &record.Action{Verb: "upgrade", Driver: "tmux", To: u.to, Argv: Told(f.Want.Start())}
	return d.Decision
}
