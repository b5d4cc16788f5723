package ghstub

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Reset is the end of the rate limits in Library.
var Reset = day("2026-11-29T16:00:00Z")

const (
	source      = `"ruleset_source_type":"Repository","ruleset_source":"acme/lamp","ruleset_id":11`
	pullRule    = `{"type":"pull_request",` + source + `,"parameters":{"required_approving_review_count":1,"allowed_merge_methods":["squash"]}}`
	forceRule   = `{"type":"non_fast_forward",` + source + `}`
	goneRule    = `{"type":"deletion",` + source + `}`
	pinnedCheck = `{"context":"gate","integration_id":15368}`
)

func checkRule(list string) string {
	return `{"type":"required_status_checks",` + source + `,"parameters":{"strict_required_status_checks_policy":false,"required_status_checks":[` + list + `]}}`
}

func rules(list ...string) []json.RawMessage {
	rs := make([]json.RawMessage, len(list))
	for i, r := range list {
		rs[i] = json.RawMessage(r)
	}
	return rs
}

// Library is a stub with one repository a situation, each named acme/<situation>.
func Library() *Stub {
	s := &Stub{RateLimit: fmt.Sprintf(`{"resources":{"core":{"limit":5000,"remaining":4999,"reset":1},"graphql":{"limit":5000,"remaining":0,"reset":%d}}}`, Reset.Unix())}
	add := func(name string) *Repo {
		r := &Repo{ID: 1000 + len(s.Repos), Name: "acme/" + name, Branch: "main"}
		s.Repos = append(s.Repos, r)
		return r
	}
	pinned := add("pinned")
	pinned.Rules = rules(pullRule, checkRule(pinnedCheck), forceRule, goneRule)
	pinned.Pulls = pinnedPulls()
	unpinned := add("unpinned")
	unpinned.Branch = "trunk"
	unpinned.Rules = rules(pullRule, forceRule, checkRule(`{"context":"a"},{"context":"b","integration_id":null},{"context":"c","integration_id":57789},{"context":"d","integration_id":15368}`))
	add("norules")
	slash := add("slash")
	slash.Branch, slash.Rules = "release/1.x", rules(goneRule)
	pages := add("pages")
	for range 130 {
		pages.Rules = append(pages.Rules, json.RawMessage(goneRule))
	}
	pages.Rules = append(pages.Rules, json.RawMessage(pullRule))
	for _, n := range []int{31, 101, 199, 201} {
		add(fmt.Sprint("pulls", n)).Pulls = manyPulls(n)
	}
	classic := add("classic")
	classic.Admin = true
	classic.Protection = json.RawMessage(`{"url":"https://api.github.com/x","enforce_admins":{"enabled":true},"allow_force_pushes":{"enabled":false},"required_pull_request_reviews":{"required_approving_review_count":1},"required_status_checks":{"contexts":["gate"],"checks":[{"context":"gate","app_id":15368}]}}`)
	add("unprotected").Admin = true
	add("hidden").Faults = map[Endpoint]Fault{Rules: {Status: 404, Body: `{"message":"Not Found"}`}}
	heavy := add("heavy")
	heavy.Pulls = manyPulls(2)
	heavy.Faults = map[Endpoint]Fault{GraphQL: {Heavy: true, Status: 502, Body: "<html></html>", Headers: map[string]string{"Content-Type": "text/html"}}}
	add("moved").Faults = map[Endpoint]Fault{Metadata: {Status: http.StatusMovedPermanently, Body: `{"message":"Moved Permanently"}`,
		Headers: map[string]string{"Location": fmt.Sprint("https://api.github.com/repositories/", pinned.ID)}}}
	faults := Faults()
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		f := faults[name]
		everywhere := map[Endpoint]Fault{Metadata: f, Rules: f, GraphQL: f}
		add(name).Faults = everywhere
		add(name + "-later").Faults = map[Endpoint]Fault{Rules: f, GraphQL: f}
		add(name + "-last").Faults = map[Endpoint]Fault{GraphQL: f}
	}
	add("gqlrate").Faults = map[Endpoint]Fault{GraphQL: {Body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 9."}]}`}}
	add("gqlpartial").Faults = map[Endpoint]Fault{GraphQL: {Body: `{"data":{"repository":{"pullRequests":{"totalCount":1,"nodes":[null],"pageInfo":{"hasNextPage":false,"endCursor":""}}}},"errors":[{"type":"FORBIDDEN","path":["repository","pullRequests","nodes",0],"message":"Resource not accessible by personal access token"}]}`}}
	return s
}

// Faults are what can go wrong at any endpoint. Library has three repositories
// of each: acme/<fault>, where everything fails, acme/<fault>-later, where the
// repository itself is answered, and acme/<fault>-last, where its rules are too.
func Faults() map[string]Fault {
	return map[string]Fault{
		"forbidden": {Status: 403, Body: `{"message":"Resource not accessible by personal access token"}`},
		"ratelimit": {Status: 403, Body: `{"message":"API rate limit exceeded for user ID 9."}`, Headers: map[string]string{
			"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(Reset.Unix()), "X-RateLimit-Resource": "core"}},
		"secondary": {Status: 429, Body: `{"message":"You have exceeded a secondary rate limit."}`, Headers: map[string]string{"Retry-After": "60"}},
		"sso": {Status: 403, Body: `{"message":"Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization."}`,
			Headers: map[string]string{"X-GitHub-SSO": "required; url=https://github.com/orgs/acme/sso?authorization_request=x"}},
		"html502": {Status: 502, Body: "<html><body>Bad gateway</body></html>", Headers: map[string]string{"Content-Type": "text/html"}},
		"drop":    {Drop: true},
		"notjson": {Body: `[{"type":"deletion"`},
		"empty":   {Status: 200},
		"hang":    {Hang: true},
	}
}

func pinnedPulls() []Pull {
	started := day("2026-09-30T08:50:00Z")
	return []Pull{
		{Number: 41, Title: "Add the lamp", Head: "feat/lamp", Base: "main", Author: "ana", Labels: []string{"hold"}, Updated: day("2026-09-30T09:00:00Z"),
			State: "CLEAN", Mergeable: "MERGEABLE", Checks: []Check{
				{Name: "gate", Workflow: "ci", Status: "COMPLETED", Conclusion: "FAILURE", Started: started},
				{Name: "gate", Workflow: "ci", Status: "COMPLETED", Conclusion: "SUCCESS", Started: started.Add(time.Hour)},
				{Name: "docs", Workflow: "ci", Status: "COMPLETED", Conclusion: "SKIPPED", Started: started},
				{Name: "slow", Workflow: "ci", Status: "IN_PROGRESS", Started: started},
				{Context: "legacy/status", State: "SUCCESS", Started: started}}},
		{Number: 40, Title: "Bump deps", Head: "dependabot/x", Base: "main", Author: "dependabot", Bot: true, Draft: true, Updated: day("2026-09-28T09:00:00Z"), State: "BLOCKED", Mergeable: "UNKNOWN"},
		{Number: 39, Title: "Fork \x1b[31mred\u202e", Head: "feat/lamp", Base: "main", Author: "mallory", Cross: true, Updated: day("2026-09-27T09:00:00Z"), State: "UNKNOWN", Mergeable: "CONFLICTING",
			Checks: []Check{{Name: "gate", Workflow: "ci", Status: "COMPLETED", Conclusion: "CANCELLED", Started: started}}},
	}
}

// manyPulls are n pull requests, newest first.
func manyPulls(n int) []Pull {
	ps := make([]Pull, n)
	for i := range ps {
		ps[i] = Pull{Number: n - i, Title: fmt.Sprint("Change ", n-i), Head: fmt.Sprint("b", n-i), Base: "main", Author: "ana", Updated: day("2026-09-30T09:00:00Z"), State: "CLEAN", Mergeable: "MERGEABLE"}
	}
	return ps
}
