package github

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// textWidth is how much of a message of GitHub's or gh's is kept.
const textWidth = 200

// Answer is an HTTP answer as gh api --include prints it.
type Answer struct {
	Status int               // of the last hop: gh follows a move
	Header map[string]string // by lower-case name
	Body   []byte
}

// ParseAnswer reads the output of gh api --include. Exit status 0 doesn't mean
// that it is one.
func ParseAnswer(out []byte) (Answer, error) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	f := strings.Fields(string(head))
	if len(f) < 2 || !strings.HasPrefix(f[0], "HTTP/") {
		return Answer{}, errors.New("no HTTP answer")
	}
	status, err := strconv.Atoi(f[1])
	if err != nil {
		return Answer{}, errors.New("no HTTP status")
	}
	a := Answer{Status: status, Header: map[string]string{}}
	for {
		line, more, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			return Answer{}, errors.New("the HTTP head has no end")
		}
		rest = more
		text := strings.TrimRight(string(line), "\r")
		if text == "" {
			a.Body = rest
			return a, nil
		}
		name, value, _ := strings.Cut(text, ":")
		a.Header[strings.ToLower(name)] = strings.TrimSpace(value)
	}
}

// More tells whether GitHub says that there is a further page.
func (a Answer) More() bool { return strings.Contains(a.Header["link"], `rel="next"`) }

// Failure is a call to gh that gave no answer to use.
type Failure struct {
	Says        string    // one line, cleaned
	Status      int       // HTTP status; 0 when there was none
	Absent      bool      // gh is not installed, or has no login for github.com
	RateLimited bool      //
	ResetAt     time.Time // end of the rate limit; zero when the answer doesn't tell
}

func (f *Failure) Error() string { return f.Says }

// Fail says why a run of gh failed that ended with exit, which is not 0. at is
// the time of the run. The answer on stdout, when there is one, says more than
// stderr, of which only the first line counts.
func Fail(exit int, stdout []byte, stderr string, at time.Time) *Failure {
	if exit == 4 {
		return &Failure{Says: "gh has no login for github.com", Absent: true}
	}
	f := &Failure{Says: guard.Text(stderr, textWidth)}
	if f.Says == "" {
		f.Says = fmt.Sprintf("gh: exit status %d", exit)
	}
	message := stderr
	if m := statusShape().FindStringSubmatch(stderr); m != nil {
		f.Status, _ = strconv.Atoi(m[1])
	}
	a, err := ParseAnswer(stdout)
	if err == nil {
		f.Status = a.Status
		if m := a.message(); m != "" {
			message = m
			f.Says = guard.Text(fmt.Sprintf("HTTP %d: %s", a.Status, m), textWidth)
		}
	}
	f.RateLimited = saysLimit(message) || limited(a)
	if f.RateLimited {
		f.ResetAt = a.resetAt(at)
		f.Says = "rate limited: " + f.Says
	}
	return f
}

// statusShape is how gh tells a status on stderr: "gh: Not Found (HTTP 404)",
// "HTTP 502: 502 Bad Gateway (https://…)".
var statusShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bHTTP ([1-5][0-9]{2})\b`) })

// TooHeavy tells a query that GitHub gave up on: asked for less, it may answer.
func (f *Failure) TooHeavy() bool {
	return f.Status == 502 || f.Status == 504 || strings.Contains(f.Says, "result of a timeout")
}

// Hidden tells that the rules of a branch are not shown to a login without
// admin rights, or on this plan: nothing is then known of them.
func (f *Failure) Hidden(admin bool) bool {
	return f.Status == 404 && !admin || f.Status == 403 && strings.Contains(f.Says, "Upgrade to GitHub")
}

// Unprotected tells an admin's answer that a branch has no classic protection.
func (f *Failure) Unprotected() bool {
	return f.Status == 404 && strings.Contains(f.Says, "Branch not protected")
}

// saysLimit finds a rate limit in the words of REST, GraphQL and gh: also
// without its own HTTP status, a 403 with such words is no lack of access.
func saysLimit(text string) bool {
	t := strings.ToLower(text)
	return strings.Contains(t, "rate limit") || strings.Contains(t, "abuse detection")
}

// limited finds a rate limit in the head of an answer.
func limited(a Answer) bool {
	return a.Status == 429 || a.Status == 403 && (a.Header["x-ratelimit-remaining"] == "0" || a.Header["retry-after"] != "")
}

// message is the message of an error body; "" when it has none.
func (a Answer) message() string {
	var body struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(a.Body, &body) != nil {
		return ""
	}
	return body.Message
}

// resetAt is when a rate limit ends: a secondary one after Retry-After, counted
// from the answer's own date, another at X-RateLimit-Reset.
func (a Answer) resetAt(at time.Time) time.Time {
	if s, err := strconv.ParseInt(a.Header["retry-after"], 10, 32); err == nil && s >= 0 {
		if d, err := time.Parse(time.RFC1123, a.Header["date"]); err == nil {
			at = d
		}
		return epoch(at.Unix() + s)
	}
	if a.Header["x-ratelimit-remaining"] != "0" {
		return time.Time{}
	}
	s, err := strconv.ParseInt(a.Header["x-ratelimit-reset"], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return epoch(s)
}

// epoch is a Unix time of this millennium; anything else is no time.
func epoch(s int64) time.Time {
	if s < 1_000_000_000 || s > 10_000_000_000 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// rateLimits is the answer to rate_limit.
type rateLimits struct {
	Resources map[string]struct {
		Remaining *int  `json:"remaining"`
		Reset     int64 `json:"reset"`
	} `json:"resources"`
}

// ParseRateLimit reads the body of gh api rate_limit: when the exhausted limit
// of a resource (core, graphql) ends. It is zero when that is not exhausted, as
// under a secondary limit.
func ParseRateLimit(body []byte, resource string) time.Time {
	var answer rateLimits
	if json.Unmarshal(body, &answer) != nil {
		return time.Time{}
	}
	r := answer.Resources[resource]
	if r.Remaining == nil || *r.Remaining > 0 {
		return time.Time{}
	}
	return epoch(r.Reset)
}
