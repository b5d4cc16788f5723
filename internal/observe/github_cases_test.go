package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/gitrepo"
)

// pullRows is a list of n pull requests, with further fields in each.
func pullRows(n int, more string) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"number":%d,"headRefName":"b%d","isCrossRepository":false%s}`, n-i, n-i, more)
	}
	return "[" + strings.Join(rows, ",") + "]\n"
}

// checksOf observes one pull request with the given checks.
func checksOf(t *testing.T, rows ...string) string {
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.fine("acme/lamp")
	r.pulls("acme/lamp", 0, pullRows(1, `,"statusCheckRollup":[`+strings.Join(rows, ",")+`]`), "")
	return r.observe("lamp").repo("lamp").PRs[0].Checks
}

func checkRun(name, conclusion string) string {
	return fmt.Sprintf(`{"__typename":"CheckRun","name":%q,"workflowName":"ci","status":"COMPLETED","conclusion":%q,"startedAt":"2026-11-29T14:00:00Z"}`, name, conclusion)
}

// What people reported of other tools, one case each.
func TestGitHubCases(t *testing.T) {
	t.Run("gh-31-101-201", func(t *testing.T) {
		for _, n := range []int{31, 101, 201} {
			r := newRecording(t)
			r.repo("lamp", "https://github.com/acme/lamp")
			r.fine("acme/lamp")
			r.pulls("acme/lamp", 0, pullRows(min(n, 200), ""), "") // gh cuts where it was told to
			got := r.observe("lamp")
			repo, s := got.repo("lamp"), got.surface("acme/lamp")
			if n < 200 && (!repo.OK || len(repo.PRs) != n || repo.Truncated || s.Rows != n) {
				t.Errorf("%d: %+v %+v", n, repo, s)
			}
			if n > 200 && (repo.OK || repo.PRs != nil || !repo.Truncated || s.OK || !strings.HasPrefix(s.Error, "200: as many")) {
				t.Errorf("%d: %+v %+v", n, repo, s)
			}
		}
	})
	t.Run("gh-graphql-empty", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.pulls("acme/lamp", 1, "", "GraphQL: API rate limit exceeded for user ID 9.")
		reset := hubTime.Add(time.Hour)
		r.api("rate_limit", 200, fmt.Sprintf(`{"resources":{"core":{"remaining":4999,"reset":1},"graphql":{"remaining":0,"reset":%d}}}`, reset.Unix()))
		got := r.observe("lamp")
		repo, s := got.repo("lamp"), got.surface("acme/lamp")
		if repo.OK || repo.PRs != nil || repo.ResetAt == nil || !repo.ResetAt.Equal(reset) || s.OK || s.ResetAt == nil || !strings.HasPrefix(repo.Error, "rate limited: ") {
			t.Errorf("%+v %+v", repo, s)
		}
	})
	t.Run("gh-403-is-limit", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		reset := hubTime.Add(time.Hour)
		r.api("repos/acme/lamp", 403, `{"message":"API rate limit exceeded for user ID 9."}`, "X-RateLimit-Remaining: 0", fmt.Sprint("X-RateLimit-Reset: ", reset.Unix()))
		if repo := r.observe("lamp").repo("lamp"); repo.OK || repo.ResetAt == nil || !repo.ResetAt.Equal(reset) || !strings.HasPrefix(repo.Error, "rate limited: HTTP 403") {
			t.Errorf("%+v", repo)
		}
	})
	t.Run("gh-batch-one-null", func(t *testing.T) {
		r := newRecording(t)
		var names []string
		for i := range 25 {
			name := fmt.Sprintf("lamp%02d", i)
			names = append(names, name)
			r.repo(name, "https://github.com/acme/"+name)
			r.fine("acme/" + name)
		}
		r.pulls("acme/lamp07", 0, "[null]\n", "")
		got := r.observe(names...)
		for _, n := range names {
			if repo := got.repo(n); repo.OK != (n != "lamp07") || (repo.PRs == nil) != (n == "lamp07") {
				t.Errorf("%+v", repo)
			}
		}
		if len(got.unread) != 1 || !strings.HasPrefix(got.unread[0], "gh/acme/lamp07: not read: ") {
			t.Errorf("%q", got.unread)
		}
	})
	t.Run("gh-ruleset-404", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.meta("acme/lamp", "", `"admin":true`)
		r.api("repos/acme/lamp/branches/main/protection", 404, `{"message":"Branch not protected"}`)
		r.rules("acme/lamp", 200, `[{"type":"pull_request","ruleset_source_type":"Repository"},
			{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"gate","integration_id":15368}]}}]`)
		rules := r.observe("lamp").repo("lamp").Rules
		if !rules.PullRequest || len(rules.Checks) != 1 || rules.Checks[0].Context != "gate" || !rules.DriverAllowed || rules.Classic != github.ClassicNo {
			t.Errorf("%+v", rules)
		}
	})
	t.Run("gh-404-no-admin", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.rules("acme/lamp", 404, `{"message":"Not Found"}`)
		repo := r.observe("lamp").repo("lamp")
		if !repo.OK || repo.Rules.CannotTell == "" || len(repo.Rules.Flags) > 0 || repo.Rules.Classic != github.ClassicUnseen || repo.Rules.DriverAllowed {
			t.Errorf("%+v %+v", repo, repo.Rules)
		}
	})
	t.Run("gh-ruleset-no-review", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.rules("acme/lamp", 200, `[{"type":"deletion","ruleset_source_type":"Repository"}]`)
		rules := r.observe("lamp").repo("lamp").Rules
		if !slices.Equal(rules.Types, []string{"deletion"}) || !slices.Equal(rules.Flags, []string{github.FlagNoPullRequest, github.FlagNoChecks, github.FlagForcePush}) {
			t.Errorf("%+v", rules)
		}
	})
	t.Run("gh-skipped", func(t *testing.T) {
		rows := []string{checkRun("s", "SKIPPED"), checkRun("n", "NEUTRAL")}
		for i := range 20 {
			rows = append(rows, checkRun(fmt.Sprint("c", i), "SUCCESS"))
		}
		if got := checksOf(t, rows...); got != github.ChecksPassing {
			t.Error(got)
		}
	})
	t.Run("gh-status-context", func(t *testing.T) {
		if got := checksOf(t, `{"context":"ci/x","state":"EXPECTED"}`); got != github.ChecksPending {
			t.Error(got)
		}
	})
	t.Run("gh-cancelled", func(t *testing.T) {
		if got := checksOf(t, checkRun("a", "SUCCESS"), checkRun("b", "CANCELLED")); got != github.ChecksFailing {
			t.Error(got)
		}
	})
	t.Run("gh-mergeable-unknown", func(t *testing.T) {
		for _, word := range []string{"MERGEABLE", "UNKNOWN", "MERGEABLE"} {
			r := newRecording(t)
			r.repo("lamp", "https://github.com/acme/lamp")
			r.fine("acme/lamp")
			r.pulls("acme/lamp", 0, pullRows(1, fmt.Sprintf(`,"mergeable":%q,"mergeStateStatus":"UNKNOWN"`, word)), "")
			got := r.observe("lamp")
			if repo, s := got.repo("lamp"), got.surface("acme/lamp"); !repo.OK || repo.PRs[0].Mergeable != word || len(s.Drift) > 0 {
				t.Errorf("%s: %+v %+v", word, repo, s)
			}
		}
	})
	t.Run("gh-fork-same-branch", func(t *testing.T) {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.pulls("acme/lamp", 0, `[{"number":3,"headRefName":"fix/a","isCrossRepository":true,"headRepository":null,"author":null},
			{"number":2,"headRefName":"fix/a","isCrossRepository":true},{"number":1,"headRefName":"fix/a","isCrossRepository":false}]`, "")
		ours := 0
		for _, pr := range r.observe("lamp").repo("lamp").PRs {
			if pr.HeadID == gitrepo.BranchID("fix/a") && !pr.Cross {
				ours++
			}
		}
		if ours != 1 {
			t.Errorf("%d of 3 match the local branch", ours)
		}
	})
	t.Run("gh-slug-not", func(t *testing.T) {
		r := newRecording(t)
		for i, url := range []string{"git@gitlab.com:repo.git", "git@host:/foo/bar.git", "/srv/git/x.git", "file:///x"} {
			name := fmt.Sprint("x", i)
			r.repo(name, url)
			repo := r.observe(name).repo(name)
			if repo.OK || repo.Slug != "" || !strings.HasPrefix(repo.Error, "no GitHub remote") || repo.PRs != nil {
				t.Errorf("%s: %+v", url, repo)
			}
		}
	})
	t.Run("gh-renamed", func(t *testing.T) {
		r := newRecording(t)
		r.repo("before", "https://github.com/old/name")
		r.repo("after", "https://github.com/new/name")
		r.meta("old/name", "new/name", pushOnly)
		r.fine("new/name")
		r.pulls("new/name", 0, pullRows(2, ""), "")
		got := r.observe("before", "after")
		before, after := got.repo("before"), got.repo("after")
		if before.Slug != "old/name" || before.FullName != "new/name" || before.ID != after.ID || len(before.PRs) != 2 || len(after.PRs) != 2 || after.FullName != "" {
			t.Errorf("%+v %+v", before, after)
		}
		if s := got.surface("old/name"); !slices.Equal(s.Notes, []string{"GitHub calls it new/name"}) || !s.OK {
			t.Errorf("%+v", s)
		}
	})
}
