package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/fleet-tools/fleet/internal/record"
)

// Upgrade decides about the agents of a rolling upgrade to a version: one is
// upgraded at a time, those of one registry after each other, and after the first
// that did not come back green none any more. An agent that works waits for a
// later sweep; one that does not answer is no matter of an upgrade.
func Upgrade(set *record.Set, o Options, to string) Judgement {
	w := gather(set, o)
	j := Judgement{At: w.at, Host: w.host}
	list := w.desired(o.Desired)
	facts := make([]*Facts, 0, len(list))
	for _, want := range list {
		facts = append(facts, w.facts(want))
	}
	slices.SortStableFunc(facts, func(a, b *Facts) int { return cmp.Compare(a.group(), b.group()) })
	u := upgrade{to: to}
	for _, f := range facts {
		if r := f.Heal.Upgrade; r != nil && r.To == to && r.State != "green" {
			u.busy = cmp.Or(u.busy, f.Want.Agent)
			u.failed = u.failed || r.State == "failed"
		}
	}
	for _, f := range facts {
		d := u.decide(f)
		d.Agent, d.Seen = f.Want.Agent, f.seen()
		if d.Decision == "SKIP" {
			d.Deaf = f.Heal.Deaf
		}
		j.add(f.Want.Agent, d)
	}
	if u.failed {
		j.Notes = append(j.Notes, fmt.Sprintf("the upgrade to %s stopped at %s; left: %s", to, u.busy, cmp.Or(strings.Join(u.left, ", "), "none")))
	}
	return j
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
	failed bool     //
	left   []string // agents that are behind
	chosen string   // the agent of this sweep
}

func (u *upgrade) decide(f *Facts) record.Decision {
	switch {
	case f.Blind != "":
		d := skip("nothing is decided: %s", f.Blind)
		d.Reason = "blind"
		return d.Decision
	case f.Heal.Paused:
		d := skip("the owner paused it")
		d.Reason = "paused"
		return d.Decision
	case f.Workspace == nil || f.Health == nil || !f.Health.Online:
		d := skip("it does not answer, so what it runs is not known")
		d.Reason = "offline"
		return d.Decision
	case !Older(f.Health.Version, u.to):
		return record.Decision{Decision: "OK", Reason: "at-target", Detail: "it runs " + cmp.Or(f.Health.Version, "a version that it does not say")}
	}
	u.left = append(u.left, f.Want.Agent)
	d := skip("it runs %s, behind %s", f.Health.Version, u.to)
	switch {
	case f.maintained():
		d.Reason = "maintenance"
		return d.not("maintenance", "upgrade", "it is being upgraded").Decision
	case u.failed:
		return d.not("stopped", "upgrade", "%s did not come back green", u.busy).told("upgrade-stopped", "the upgrade to %s stopped at %s", u.to, u.busy)
	case u.busy != "":
		return d.not("one-at-a-time", "upgrade", "%s comes first", u.busy).Decision
	case f.Health.Busy == nil || *f.Health.Busy || f.class() != "" && !slices.Contains([]string{"9", "9a", "8", "10"}, f.class()):
		return d.not("busy", "upgrade", "it works, or does not say").Decision
	}
	u.busy = f.Want.Agent
	d.Decision.Decision, d.Reason, d.Attempt = "UPGRADE", "behind", 1
	d.Action = &record.Action{Verb: "upgrade", Driver: "tmux", To: u.to, Argv: f.command()}
	return d.Decision
}

// Older tells that a version is before another. A version that is not of the
// form 1.2.3, a v before it or not, is before every one that is.
func Older(version, than string) bool {
	return semver.Compare(canonical(version), canonical(than)) < 0
}

// IsVersion tells whether a text is of the form 1.2.3, a v before it or not.
func IsVersion(s string) bool { return canonical(s) != "" }

// canonical is the text that semver compares; "" when it is no whole version.
func canonical(s string) string {
	v := "v" + strings.TrimPrefix(strings.TrimSpace(s), "v")
	if semver.Canonical(v) != strings.TrimSuffix(v, semver.Build(v)) {
		return ""
	}
	return v
}
