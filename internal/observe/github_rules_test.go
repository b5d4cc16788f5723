package observe

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/github"
)

// Rules come in pages, and no page is left out.
func TestGitHubRulePages(t *testing.T) {
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.meta("acme/lamp", "", pushOnly)
	r.pulls("acme/lamp", 0, "[]\n", "")
	const next = `Link: <https://api.github.com/x?page=2>; rel="next", <https://api.github.com/x?page=3>; rel="last"`
	r.api("repos/acme/lamp/rules/branches/main?per_page=100", 200, `[{"type":"deletion"}]`, next)
	r.api("repos/acme/lamp/rules/branches/main?per_page=100&page=2", 200, `[{"type":"creation"}]`, next)
	r.api("repos/acme/lamp/rules/branches/main?per_page=100&page=3", 200, `[{"type":"pull_request"}]`)
	if repo := r.observe("lamp").repo("lamp"); !repo.OK || !slices.Equal(repo.Rules.Types, []string{"creation", "deletion", "pull_request"}) {
		t.Errorf("%+v", repo)
	}
	r.api("repos/acme/lamp/rules/branches/main?per_page=100&page=3", 502, "")
	if repo := r.observe("lamp").repo("lamp"); repo.OK || repo.Rules != nil {
		t.Errorf("a page is missing: %+v", repo)
	}
	for page := 2; page <= rulePages; page++ {
		r.api(fmt.Sprint("repos/acme/lamp/rules/branches/main?per_page=100&page=", page), 200, `[{"type":"creation"}]`, next)
	}
	if repo := r.observe("lamp").repo("lamp"); repo.OK || repo.Error != "more than 1000 rules" {
		t.Errorf("a list without an end: %+v", repo)
	}
}

// A private repository of a plan without rulesets shows no rules; its pull
// requests are read all the same.
func TestGitHubRulesOfPlan(t *testing.T) {
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.fine("acme/lamp")
	r.meta("acme/lamp", "", `"admin":true`)
	r.rules("acme/lamp", 403, `{"message":"Upgrade to GitHub Pro or make this repository public to enable this feature."}`)
	if repo := r.observe("lamp").repo("lamp"); !repo.OK || repo.Rules.CannotTell == "" || repo.PRs == nil {
		t.Errorf("%+v", repo)
	}
	r.rules("acme/lamp", 404, `{"message":"Not Found"}`)
	if repo := r.observe("lamp").repo("lamp"); repo.OK {
		t.Errorf("an admin is not shown the rules: %+v", repo)
	}
}

// Classic protection that cannot be seen is not none.
func TestGitHubClassic(t *testing.T) {
	const yes = `{"url":"x","enforce_admins":{"enabled":true},"required_pull_request_reviews":{}}`
	for _, tt := range []struct {
		permissions string
		status      int
		body, want  string
	}{
		{pushOnly, 200, yes, github.ClassicUnseen}, // not even asked
		{`"admin":true`, 200, yes, github.ClassicYes},
		{`"admin":true`, 404, `{"message":"Branch not protected"}`, github.ClassicNo},
		{`"admin":true`, 404, `{"message":"Not Found"}`, github.ClassicUnseen},
		{`"admin":true`, 403, `{"message":"API rate limit exceeded"}`, github.ClassicUnseen},
		{`"admin":true`, 200, `junk`, github.ClassicUnseen},
	} {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.meta("acme/lamp", "", tt.permissions)
		r.api("repos/acme/lamp/branches/main/protection", tt.status, tt.body)
		if repo := r.observe("lamp").repo("lamp"); !repo.OK || repo.Rules.Classic != tt.want || repo.Rules.PullRequest != (tt.want == github.ClassicYes) {
			t.Errorf("%+v: %+v", tt, repo.Rules)
		}
	}
}
