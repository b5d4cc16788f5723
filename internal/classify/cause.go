package classify

import (
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/limit"
	"github.com/fleet-tools/fleet/internal/record"
)

// cause is a kind of API error in one or two words, and whether trying again
// may be enough.
type cause struct {
	cause     string
	transient bool
}

// needs are the first words of a job's needs after an API error. Facts: Claude
// Code 2.1.280.
var needs = []struct {
	prefix string
	cause
}{
	{"login required", cause{"login", false}},
	{"org disabled OAuth", cause{"login", false}},
	{"account on hold", cause{"account on hold", false}},
	{"cloud credentials unavailable", cause{"cloud credentials", false}},
	{"organization verification required", cause{"verification", false}},
	{"usage limit reached — check plan", cause{"usage limit", false}},
	{"rate limited — wait and retry", cause{"rate limited", true}},
	{"API overloaded — wait and retry", cause{"overloaded", true}},
	{"API unavailable — retry", cause{"server", true}},
	{"request too large — /compact or trim", cause{"context full", false}},
	{"invalid API request — see detail", cause{"invalid request", false}},
	{"API error — see detail", cause{"API error", false}},
}

// needsCause is the API error that a job's needs name, null when they name
// none.
func needsCause(text string) *cause {
	for _, n := range needs {
		if rest, ok := strings.CutPrefix(text, n.prefix); ok && (rest == "" || rest[0] == ' ') {
			c := n.cause
			if word, transient := textCause(text); c.cause == "server" && word != "API error" {
				c = cause{word, transient}
			} else if c.cause == "invalid request" && word == "refusal" {
				c.cause = word
			}
			return &c
		}
	}
	return nil
}

// kinds are the error words of a transcript. Facts: Claude Code 2.1.280.
var kinds = map[string]cause{
	"authentication_failed":  {"login", false},
	"oauth_org_not_allowed":  {"login", false},
	"account_on_hold":        {"account on hold", false},
	"verification_required":  {"verification", false},
	"billing_error":          {"billing", false},
	"rate_limit":             {"rate limited", true},
	"overloaded":             {"overloaded", true},
	"model_not_found":        {"model not found", false},
	"cloud_credential_error": {"cloud credentials", false},
}

// errorCause names the API error that ended a turn.
func errorCause(e *record.TurnError) (string, bool) {
	if c, ok := kinds[e.Kind]; ok {
		return c.cause, c.transient
	}
	word, transient := textCause(e.Text)
	switch {
	case e.Kind == "invalid_request" && word != "context full":
		if e.Status == 0 {
			return "refusal", false
		}
		return "invalid request", false
	case word != "API error":
		return word, transient
	case e.Status == 529:
		return "overloaded", true
	case e.Status >= 500:
		return "server", true
	case e.Status == 429:
		return "rate limited", true
	case e.Status == 401 || e.Status == 403:
		return "login", false
	case e.Status >= 400:
		return "invalid request", false
	case e.Kind == "server_error":
		return "network", true
	}
	return word, transient
}

// texts are words of an API error's own text. Facts: Claude Code 2.1.280.
var texts = []struct {
	word string
	cause
}{
	{"Prompt is too long", cause{"context full", false}},
	{"safeguards flagged", cause{"refusal", false}},
	{"Not logged in", cause{"login", false}},
	{"Invalid API key", cause{"login", false}},
	{"Overloaded", cause{"overloaded", true}},
	{"API Error: 529", cause{"overloaded", true}},
	{"API Error: 5", cause{"server", true}},
	{"(429)", cause{"rate limited", true}},
	{"temporarily limiting requests", cause{"rate limited", true}},
	{"API Error: 4", cause{"invalid request", false}},
	{"ECONN", cause{"network", true}},
	{"ENOTFOUND", cause{"network", true}},
	{"ETIMEDOUT", cause{"network", true}},
	{"EAI_AGAIN", cause{"network", true}},
	{"onnection ", cause{"network", true}},
	{"nable to connect", cause{"network", true}},
	{"timed out", cause{"network", true}},
}

// textCause names an API error by its text, "API error" when nothing is known.
func textCause(text string) (string, bool) {
	for _, t := range texts {
		if strings.Contains(text, t.word) {
			return t.cause.cause, t.transient
		}
	}
	return "API error", false
}

// boardCause names a death by the board's class.
func boardCause(class string) (string, bool) {
	switch class {
	case "rate_limit":
		return "usage limit", false
	case "server_error", "api_error":
		return "server", true
	case "network_error":
		return "network", true
	}
	if c, ok := kinds[class]; ok {
		return c.cause, c.transient
	}
	return strings.ReplaceAll(class, "_", " "), false
}

// limitCauses are the kinds of a usage-limit line.
var limitCauses = map[string]string{
	limit.Session: "session limit", limit.Weekly: "weekly limit", limit.Opus: "Opus limit", limit.Sonnet: "Sonnet limit",
	limit.Fable: "Fable limit", limit.Spend: "spend limit", limit.Usage: "usage limit", limit.Credits: "usage credits",
	limit.APIKey: "API key limit", limit.Unknown: "usage limit",
}

// quotaCauses are the words of quotaLimits.rateLimitType. Facts: Claude Code
// 2.1.280.
var quotaCauses = map[string]string{
	"five_hour": "session limit", "seven_day": "weekly limit", "seven_day_opus": "Opus limit", "seven_day_sonnet": "Sonnet limit",
	"seven_day_overage_included": "Fable limit", "overage": "usage credits",
}

// limitText is a text and what of a limit it says.
type limitText struct {
	text, kind string
	is         bool
}

// limit tells whether a text is a usage-limit line, and of which kind. A text is
// read once: a session's own comes from several sources and is asked for often.
func (f *Facts) limit(text string) (kind string, is bool) {
	for _, l := range f.limits {
		if l.text == text {
			return l.kind, l.is
		}
	}
	l, is := limit.Parse(text, time.Time{}, "")
	f.limits = append(f.limits, limitText{text, l.Kind, is})
	return l.Kind, is
}

// isLimit is limit without the kind.
func (f *Facts) isLimit(text string) bool {
	_, is := f.limit(text)
	return is
}

// limitCause names a usage limit by its text, which knows more kinds than the
// machine field, else by that.
func (f *Facts) limitCause(text, quota string) string {
	kind, ok := f.limit(text)
	named := ok && kind != limit.Unknown && kind != limit.Usage
	if word := quotaCauses[quota]; word != "" && !named {
		return word
	}
	if ok {
		return limitCauses[kind]
	}
	return "usage limit"
}
