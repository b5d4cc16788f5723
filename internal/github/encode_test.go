package github

import (
	"strings"
	"testing"
)

// What is recorded is what is read, and nothing beside it.
func TestEncode(t *testing.T) {
	const head = "HTTP/2.0 200\n"
	tests := []struct {
		name, path string
		answer     []byte
		want       string
	}{
		{"repository", "repos/acme/lamp", http("200 OK", `{"id":9007199254740993,"full_name":"acme/lamp","default_branch":"ma\u0007in","archived":false,"permissions":{"admin":true,"push":true},"secret":"x"}`, "X-RateLimit-Limit: 5000", "X-Other: x", "Set-Cookie: x"),
			head + "x-ratelimit-limit: 5000\r\n\r\n" + `{"archived":false,"default_branch":"main","full_name":"acme/lamp","id":9007199254740993,"permissions":{"admin":true}}`},
		{"without a login", "repos/acme/lamp", http("200 OK", `{"id":1}`), head + "\r\n" + `{"archived":false,"default_branch":"","full_name":"","id":1,"permissions":null}`},
		{"rules", "repos/acme/lamp/rules/branches/main?per_page=100", http("200 OK", `[{"type":"deletion","ruleset_id":1},null,{"type":"pull_request","parameters":{"required_approving_review_count":1,"x":"y"}}]`, `Link: <https://api.github.com/x>; rel="next"`),
			head + "link: <>; rel=\"next\"\r\n\r\n" + `[{"ruleset_source_type":"","type":"deletion"},null,{"parameters":{"required_approving_review_count":1,"required_status_checks":null},"ruleset_source_type":"","type":"pull_request"}]`},
		{"protection", "repos/acme/lamp/branches/main/protection", http("200 OK", `{"url":"u","enforce_admins":{"enabled":true,"url":"x"}}`),
			head + "\r\n" + `{"allow_force_pushes":{"enabled":false},"enforce_admins":{"enabled":true},"required_pull_request_reviews":null,"required_status_checks":null,"url":"u"}`},
		{"limits", "rate_limit", http("200 OK", `{"resources":{"core":{"remaining":0,"reset":1795968000,"used":1}},"rate":{}}`), head + "\r\n" + `{"resources":{"core":{"remaining":0,"reset":1795968000}}}`},
		{"a problem", "repos/acme/lamp", http("404 Not Found", `{"message":"Not\nFound","documentation_url":"x"}`, "Retry-After: 60"), "HTTP/2.0 404\nretry-after: 60\r\n\r\n" + `{"message":"Not Found"}`},
		{"no JSON", "repos/acme/lamp", http("200 OK", `<html>`), head + "\r\n"},
	}
	for _, tt := range tests {
		a, err := ParseAnswer(tt.answer)
		if err != nil {
			t.Fatal(err)
		}
		got := string(a.Encode(tt.path))
		if got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
		again, err := ParseAnswer([]byte(got))
		if err != nil || again.Status != a.Status || again.More() != a.More() || string(again.Encode(tt.path)) != got {
			t.Errorf("%s: reads as %+v, %v", tt.name, again, err)
		}
	}
}

func TestEncodePulls(t *testing.T) {
	in := `[{"number":1,"title":"a\u0007b","headRefName":"h","isCrossRepository":true,"body":"secret","statusCheckRollup":[{"__typename":"CheckRun","name":"n","detailsUrl":"x","status":"QUEUED"}]},null]`
	out := string(EncodePulls([]byte(in)))
	for _, want := range []string{`"headRefName":"h"`, `"isCrossRepository":true`, `"name":"n"`, `"title":"ab"`, `,null]`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s lacks %s", out, want)
		}
	}
	if strings.Contains(out, "secret") || strings.Contains(out, "detailsUrl") {
		t.Errorf("%s holds what is not read", out)
	}
	if bare := string(EncodePulls([]byte(`[{"number":1}]`))); strings.Contains(bare, "statusCheckRollup") {
		t.Errorf("%s has checks that were not asked for", bare)
	}
	if junk := EncodePulls([]byte("junk")); junk != nil {
		t.Errorf("%q", junk)
	}
}
