package github

import (
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 29, 15, 10, 0, 0, time.UTC)

// http is an answer as gh api --include prints it.
func http(status string, body string, headers ...string) []byte {
	out := "HTTP/2.0 " + status + "\n"
	for _, h := range headers {
		out += h + "\r\n"
	}
	return []byte(out + "\r\n" + body)
}

func TestParseAnswer(t *testing.T) {
	a, err := ParseAnswer(http("200 OK", "{\n\n}", "Link: <https://api.github.com/x?page=2>; rel=\"next\"", "X-A: b"))
	if err != nil || a.Status != 200 || string(a.Body) != "{\n\n}" || a.Header["x-a"] != "b" || !a.More() {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []string{"", "{}", "HTTP/2.0", "HTTP/2.0 OK\n\r\n", "HTTP/2.0 200 OK\nA: b\r\n", "[]\n\n", "\n\nHTTP/2.0 200 OK\n\r\n"} {
		if a, err := ParseAnswer([]byte(bad)); err == nil {
			t.Errorf("ParseAnswer(%q) = %+v", bad, a)
		}
	}
}

// The lines are what gh 2.23 and 2.46 write.
func TestFail(t *testing.T) {
	limit := `{"message":"API rate limit exceeded for user ID 9.","status":"403"}`
	tests := []struct {
		name   string
		exit   int
		stdout string
		stderr string
		want   Failure
	}{
		{"no login", 4, "", "To get started with GitHub CLI, please run:  gh auth login",
			Failure{Says: "gh has no login for github.com", Absent: true}},
		{"missing", 1, string(http("404 Not Found", `{"message":"Not Found"}`)), "gh: Not Found (HTTP 404)",
			Failure{Says: "HTTP 404: Not Found", Status: 404}},
		{"bad credentials", 1, string(http("401 Unauthorized", `{"message":"Bad credentials"}`)), "gh: Bad credentials (HTTP 401)",
			Failure{Says: "HTTP 401: Bad credentials", Status: 401}},
		{"forbidden", 1, string(http("403 Forbidden", `{"message":"Resource not accessible by personal access token"}`, "X-RateLimit-Remaining: 4999", "X-RateLimit-Reset: 1795968000")), "gh: Resource not …",
			Failure{Says: "HTTP 403: Resource not accessible by personal access token", Status: 403}},
		{"html", 1, string(http("502 Bad Gateway", "<html></html>")), "gh: HTTP 502",
			Failure{Says: "gh: HTTP 502", Status: 502}},
		{"core limit", 1, string(http("403 Forbidden", limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1795968000")), "gh: API rate limit exceeded for user ID 9. (HTTP 403)",
			Failure{Says: "rate limited: HTTP 403: API rate limit exceeded for user ID 9.", Status: 403, RateLimited: true, ResetAt: time.Unix(1795968000, 0).UTC()}},
		{"limit without words", 1, string(http("403 Forbidden", `{"message":"Forbidden"}`, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1795968000")), "gh: Forbidden (HTTP 403)",
			Failure{Says: "rate limited: HTTP 403: Forbidden", Status: 403, RateLimited: true, ResetAt: time.Unix(1795968000, 0).UTC()}},
		{"reset of no time", 1, string(http("403 Forbidden", limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 99999999999999")), "",
			Failure{Says: "rate limited: HTTP 403: API rate limit exceeded for user ID 9.", Status: 403, RateLimited: true}},
		{"secondary", 1, string(http("429 Too Many Requests", `{"message":"You have exceeded a secondary rate limit."}`, "Retry-After: 60", "Date: Sun, 29 Nov 2026 15:10:30 GMT")), "",
			Failure{Says: "rate limited: HTTP 429: You have exceeded a secondary rate limit.", Status: 429, RateLimited: true, ResetAt: now.Add(90 * time.Second)}},
		{"secondary without a date", 1, string(http("403 Forbidden", `{"message":"slow down"}`, "Retry-After: 60")), "",
			Failure{Says: "rate limited: HTTP 403: slow down", Status: 403, RateLimited: true, ResetAt: now.Add(time.Minute)}},
		{"pr list limit", 1, "", "GraphQL: API rate limit exceeded for user ID 9.",
			Failure{Says: "rate limited: GraphQL: API rate limit exceeded for user ID 9.", RateLimited: true}},
		{"pr list 502", 1, "", "HTTP 502: 502 Bad Gateway (https://api.github.com/graphql)",
			Failure{Says: "HTTP 502: 502 Bad Gateway (https://api.github.com/graphql)", Status: 502}},
		{"silent", 3, "", "", Failure{Says: "gh: exit status 3"}},
	}
	for _, tt := range tests {
		if got := Fail(tt.exit, []byte(tt.stdout), tt.stderr, now); *got != tt.want {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, *got, tt.want)
		}
	}
}

func TestFailureKinds(t *testing.T) {
	tests := []struct {
		f                                 Failure
		heavy, hidden, ofAdmin, unguarded bool
	}{
		{Failure{Status: 502}, true, false, false, false},
		{Failure{Status: 504}, true, false, false, false},
		{Failure{Status: 500}, false, false, false, false},
		{Failure{Says: "GraphQL: This may be the result of a timeout"}, true, false, false, false},
		{Failure{Status: 404, Says: "HTTP 404: Not Found"}, false, true, false, false},
		{Failure{Status: 404, Says: "HTTP 404: Branch not protected"}, false, true, false, true},
		{Failure{Status: 403, Says: "HTTP 403: Upgrade to GitHub Pro"}, false, true, true, false},
		{Failure{Status: 403, Says: "HTTP 403: Forbidden"}, false, false, false, false},
		{Failure{Status: 500, Says: "Branch not protected, Upgrade to GitHub Pro"}, false, false, false, false},
	}
	for _, tt := range tests {
		if f := tt.f; f.TooHeavy() != tt.heavy || f.Hidden(false) != tt.hidden || f.Hidden(true) != tt.ofAdmin || f.Unprotected() != tt.unguarded {
			t.Errorf("%+v: %v %v %v %v", f, f.TooHeavy(), f.Hidden(false), f.Hidden(true), f.Unprotected())
		}
	}
}

func TestParseRateLimit(t *testing.T) {
	body := []byte(`{"resources":{"core":{"limit":5000,"remaining":4999,"reset":1795968001},"graphql":{"limit":5000,"remaining":0,"reset":1795968002}}}`)
	if got := ParseRateLimit(body, "graphql"); got.Unix() != 1795968002 {
		t.Errorf("graphql: %v", got)
	}
	for _, tt := range []struct{ body, resource string }{{string(body), "core"}, {string(body), "search"}, {"{}", "core"}, {"junk", "core"}, {`{"resources":{"core":{}}}`, "core"}} {
		if got := ParseRateLimit([]byte(tt.body), tt.resource); !got.IsZero() {
			t.Errorf("ParseRateLimit(%s, %s) = %v", tt.body, tt.resource, got)
		}
	}
}

func TestParseRepository(t *testing.T) {
	read := func(body string, headers ...string) (Repository, error) {
		a, err := ParseAnswer(http("200 OK", body, headers...))
		if err != nil {
			t.Fatal(err)
		}
		return ParseRepository(a)
	}
	whole := `{"id":7,"full_name":"acme/lamp","default_branch":"main","archived":true,"permissions":{"admin":true}}`
	if got, err := read(whole); err != nil || got != (Repository{7, "acme/lamp", "main", true, true, true}) {
		t.Errorf("%+v, %v", got, err)
	}
	// Without permissions the call bore no login, unless its rate limit says otherwise.
	anonymous := strings.Replace(whole, `,"permissions":{"admin":true}`, "", 1)
	for limit, want := range map[string]bool{"60": false, "5000": true, "": false} {
		if got, err := read(anonymous, "X-RateLimit-Limit: "+limit); err != nil || got.LoggedIn != want || got.Admin {
			t.Errorf("limit %q: %+v, %v", limit, got, err)
		}
	}
	for _, bad := range []string{"", "[]", "null", "{}", `"x"`, whole[:40], strings.Replace(whole, `"main"`, `""`, 1), strings.Replace(whole, "7", `"7"`, 1), strings.Replace(whole, "acme/lamp", "acme", 1)} {
		if got, err := read(bad); err == nil {
			t.Errorf("ParseRepository(%s) = %+v", bad, got)
		}
	}
}

// Whatever gh prints, what fails says why in one line and a reset can be
// written.
func FuzzFail(f *testing.F) {
	f.Add(1, http("403 Forbidden", `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1795968000"), "gh: x (HTTP 403)")
	f.Add(4, []byte(""), "")
	f.Add(1, http("429 X", "", "Retry-After: 2147483647", "Date: Fri, 31 Dec 9999 23:59:59 GMT"), "a\nb")
	f.Fuzz(func(t *testing.T, exit int, stdout []byte, stderr string) {
		got := Fail(exit, stdout, stderr, now)
		if got.Says == "" || strings.ContainsAny(got.Says, "\n\r\x1b") {
			t.Errorf("says %q", got.Says)
		}
		if y := got.ResetAt.Year(); !got.ResetAt.IsZero() && (y < 2000 || y > 9999) {
			t.Errorf("reset %v", got.ResetAt)
		}
	})
}
