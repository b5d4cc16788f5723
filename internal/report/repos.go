package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// What is known of a repository on GitHub, and whether a driver, which works
// without a person, may work in it. In the order of the report.
const (
	RepoUnread     = "not observed"
	RepoIneligible = "not eligible"
	RepoUntold     = "cannot tell" // its rules were not shown
	RepoEligible   = "eligible"
	RepoAbsent     = "not looked at" // no gh, or no login
	RepoElsewhere  = "not on GitHub"
)

var repoStates = []string{RepoUnread, RepoIneligible, RepoUntold, RepoEligible, RepoAbsent, RepoElsewhere}

// Repo is a repository of the scope.
type Repo struct {
	Host    string               `json:"host"`
	Name    string               `json:"name"`     // slug, else the git directory
	State   string               `json:"state"`    // a Repo… word
	Says    string               `json:"says"`     // the rules in words, or why they are not known; "" when nothing is missing
	PRsRead bool                 `json:"prs_read"` // prs is every open pull request
	PRs     []record.PullRequest `json:"prs"`      // in place of the record's null when they were not read
	record.Repo
}

// repos is the repositories of the scope: without a configuration those of
// every session. gh looks also at those of other scopes of the machine.
func repos(set *record.Set) []Repo {
	_, tick, hasTick := set.Tick()
	all := []Repo{}
	for _, rec := range set.Of(record.KindRepo) {
		p, ok := record.Payload[record.Repo](rec)
		if !ok || hasTick && tick.Scope != LocalScope && (!slices.Contains(tick.Repos, p.CommonDir) || slices.Contains(tick.Others, p.CommonDir)) {
			continue
		}
		all = append(all, newRepo(set, rec.Host, *p))
	}
	slices.SortFunc(all, func(a, b Repo) int {
		return cmp.Or(
			cmp.Compare(slices.Index(repoStates, a.State), slices.Index(repoStates, b.State)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Host, b.Host), cmp.Compare(a.CommonDir, b.CommonDir),
		)
	})
	return all
}

func newRepo(set *record.Set, host string, p record.Repo) Repo {
	r := Repo{Host: host, Name: cmp.Or(p.Slug, p.CommonDir), PRs: nonNil(p.PRs), PRsRead: p.OK && p.PRs != nil, Repo: p}
	r.PRs = slices.Clone(r.PRs)
	for i := range r.PRs {
		r.PRs[i].Labels = nonNil(r.PRs[i].Labels)
	}
	if p.Rules != nil {
		rules := *p.Rules
		rules.Checks, rules.Types, rules.Flags = nonNil(rules.Checks), nonNil(rules.Types), nonNil(rules.Flags)
		r.Rules = &rules
	}
	surface, _ := set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: "gh/" + p.Slug})
	s, _ := record.Payload[record.Surface](surface)
	switch {
	case p.NotGitHub:
		r.State = RepoElsewhere
	case !p.OK && s != nil && s.OK && s.Absent:
		r.State, r.Says = RepoAbsent, cmp.Or(p.Error, "gh is not installed or has no login")
	case !p.OK:
		r.State, r.Says = RepoUnread, cmp.Or(p.Error, "no reason given")
	case p.Rules == nil:
		r.State, r.Says = RepoUntold, "its rules were not read"
	case p.Rules.CannotTell != "":
		r.State, r.Says = RepoUntold, "its rules were not shown: "+p.Rules.CannotTell
	case p.Rules.DriverAllowed:
		r.State, r.Says = RepoEligible, rulesSay(p.Rules)
	default:
		r.State, r.Says = RepoIneligible, rulesSay(p.Rules)
	}
	return r
}

// rulesSay is what the rules lack, and what of classic protection is to be
// known: rulesets alone do not show it.
func rulesSay(r *record.Rules) string {
	says := slices.Clone(r.Flags)
	switch {
	case len(r.Flags) == 0:
	case r.Classic == "cannot tell":
		says = append(says, "classic protection cannot be told")
	case r.Classic == "admins exempt":
		says = append(says, "classic protection exempts admins")
	}
	return strings.Join(says, "; ")
}

// pulls says how many pull requests are open, and which of them need a look.
func (r Repo) pulls() string {
	switch {
	case r.Truncated:
		return "more PRs than are listed"
	case !r.PRsRead:
		return "PRs not read"
	case len(r.PRs) == 0:
		return "no open PR"
	}
	var parts []string
	for _, k := range []struct {
		word string
		is   func(record.PullRequest) bool
	}{
		{"failing", func(p record.PullRequest) bool { return p.Checks == "failing" }},
		{"on hold", func(p record.PullRequest) bool { return p.Hold }},
		{"draft", func(p record.PullRequest) bool { return p.Draft }},
	} {
		n := 0
		for _, pr := range r.PRs {
			if k.is(pr) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.word))
		}
	}
	says := count(len(r.PRs), "open PR", "open PRs")
	if len(parts) > 0 {
		says += " (" + strings.Join(parts, ", ") + ")"
	}
	return says
}

// logins is the logins that gh used, sorted.
func (r *Report) logins() []string {
	var ls []string
	for _, repo := range r.Repos.Rows {
		if repo.Login != "" && repo.Login != "none" {
			ls = append(ls, repo.Login)
		}
	}
	slices.Sort(ls)
	return slices.Compact(ls)
}

// addUnlooked marks the closed sessions whose repository's pull requests nobody
// looked at: such a verdict rests on the session's own word.
func (r *Report) addUnlooked(set *record.Set) {
	looked := map[string]bool{}
	for _, rec := range set.Of(record.KindRepo) {
		if p, ok := record.Payload[record.Repo](rec); ok && (p.NotGitHub || p.OK && p.PRs != nil) {
			looked[p.CommonDir] = true
		}
	}
	for i := range r.verdicts {
		row := &r.verdicts[i]
		row.PRsUnread = row.Class == "8" && !looked[row.Session.Repo]
	}
}

// repos writes the repositories: in full where something is missing, in short
// where all is well.
func (p *page) repos() {
	if len(p.Repos.Rows) == 0 {
		return
	}
	p.heading("Repositories", len(p.Repos.Rows))
	for _, g := range p.repoGroups() {
		p.printf("- %s", p.repoNames(g))
		switch first := g[0]; first.State {
		case RepoEligible:
			p.printf(": a driver may work here")
		case RepoIneligible:
			p.printf(": no driver may work here")
		case RepoUntold:
			p.printf(": whether a driver may work here cannot be told")
		default:
			p.printf(": %s", first.State)
		}
		if says := text(g[0].Says, saysWidth); says != "" {
			p.printf(": %s", says)
		}
		if at := g[0].ResetAt; at != nil {
			p.printf(" (%s)", p.reset(at.Time))
		}
		p.printf("\n")
	}
	if ls := p.logins(); len(ls) > 0 {
		p.printf("\nThe login that gh used: %s.\n", text(strings.Join(ls, ", "), saysWidth))
	}
}

// repoGroups puts repositories of which the same is to be said together.
func (p *page) repoGroups() [][]Repo {
	var gs [][]Repo
	index := map[string]int{}
	for _, r := range p.Repos.Rows {
		k := r.State + "\x00" + r.Says
		if r.ResetAt != nil {
			k += r.ResetAt.String()
		}
		i, ok := index[k]
		if !ok {
			i = len(gs)
			index[k] = i
			gs = append(gs, nil)
		}
		gs[i] = append(gs[i], r)
	}
	return gs
}

// repoNames names repositories with their default branch and pull requests.
func (p *page) repoNames(rs []Repo) string {
	const most = 12
	var parts []string
	for _, r := range rs[:min(len(rs), most)] {
		name := "**" + cmp.Or(text(r.Name, nameWidth), "(no name)") + "**"
		if p.many {
			name = text(r.Host, 20) + ": " + name
		}
		switch r.State {
		case RepoEligible, RepoIneligible, RepoUntold:
			name += inert(fmt.Sprintf(" (%s, %s)", cmp.Or(clip(r.DefaultBranch, 28), "no default branch"), r.pulls()))
		}
		parts = append(parts, name)
	}
	if n := len(rs) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}
