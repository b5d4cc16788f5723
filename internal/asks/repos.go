package asks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// mine tells whether a repository is in the scope. gh also looks at those of
// other sessions of the machine.
func (s *stream) mine(p *record.Repo) bool {
	return slices.Contains(s.tick.Repos, p.CommonDir) && !slices.Contains(s.tick.Others, p.CommonDir)
}

// seen returns the records of the repositories of the scope.
func (s *stream) seen() []*record.Repo {
	var ps []*record.Repo
	for _, r := range s.set.Of(record.KindRepo) {
		if p, ok := record.Payload[record.Repo](r); ok && r.Host == s.host && s.mine(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

func repoName(p *record.Repo) string { return cmp.Or(p.Slug, p.CommonDir) }

// repos that were not observed, or whose rules lack something. Where GitHub is
// not used and not expected, there is nothing to observe.
func (s *stream) repos() []condition {
	var cs []condition
	for _, p := range s.seen() {
		name := repoName(p)
		here := s.surface(s.host, "gh/"+name)
		switch {
		case p.NotGitHub:
		case !p.OK && (s.expects("gh") || here == nil || !here.Absent):
			cs = append(cs, condition{key: "repo:" + name, question: name + " was not observed on GitHub"})
		case rulesShown(p) && len(p.Rules.Flags) > 0:
			cs = append(cs, condition{key: "rules:" + name + ":" + strings.Join(p.Rules.Flags, ";"),
				question: fmt.Sprintf("%s: %s", name, strings.Join(p.Rules.Flags, "; "))})
		}
	}
	if !s.expects("gh") || !s.closed(s.host, "gh", "") {
		return cs
	}
	for _, dir := range s.unseen() {
		question := dir + " was not observed on GitHub"
		if clash := s.tick.Clash(dir); clash != "" {
			question = dir + ": " + clash
		}
		cs = append(cs, condition{key: "repo:" + dir, question: question})
	}
	return cs
}

// unseen returns the repositories of the scope that nobody looked at: gh has no
// record of them, they were not found, or another scope names them too.
func (s *stream) unseen() []string {
	var dirs []string
	seen := s.seen()
	for _, dir := range s.tick.Repos {
		if !slices.Contains(s.tick.Others, dir) && !slices.ContainsFunc(seen, func(p *record.Repo) bool { return p.CommonDir == dir }) {
			dirs = append(dirs, dir)
		}
	}
	for _, says := range s.tick.Unfound {
		dir, _, _ := strings.Cut(says, ": ")
		dirs = append(dirs, dir)
	}
	return append(dirs, slices.Sorted(maps.Keys(s.tick.Shared))...)
}

// rulesShown tells whether the rules of a repository are known.
func rulesShown(p *record.Repo) bool { return p.OK && p.Rules != nil && p.Rules.CannotTell == "" }

// repoRead: that repository was observed, or it left the scope.
func repoRead(s *stream, name string) bool {
	return s.observed(name, func(p *record.Repo) bool { return p.OK })
}

// rulesRead: likewise, and its rules were shown.
func rulesRead(s *stream, rest string) bool {
	name, _, _ := strings.Cut(rest, ":")
	return s.observed(name, rulesShown)
}

// observed tells whether each repository of the scope that bears a name is as
// ok says. One that none bears left the scope, unless it could be one whose
// slug is not known; an origin that is no GitHub has none.
func (s *stream) observed(name string, ok func(*record.Repo) bool) bool {
	if !s.closed(s.host, "gh", "") {
		return !s.expects("gh") && len(s.wrote(observer+"gh")) == 0 // nobody looks any more
	}
	here, slugs := false, true
	for _, p := range s.seen() {
		slugs = slugs && (p.Slug != "" || p.NotGitHub)
		if repoName(p) != name {
			continue
		}
		if !p.NotGitHub && !ok(p) {
			return false
		}
		here = true
	}
	return here || slugs && len(s.unseen()) == 0
}
