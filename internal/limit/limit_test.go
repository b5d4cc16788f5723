package limit

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every form of Claude Code 2.1.280 that is a usage limit, and of older versions; the marked ones were captured.
func TestForms(t *testing.T) {
	const seen = "2026-11-29T14:29:27Z"
	tests := []struct {
		text, kind string
		reset      string // empty: none
		session    string
	}{
		{"You've hit your session limit · resets 4:58pm (UTC)", Session, "2026-11-29T16:58:00Z", ""},                                                                                             // captured
		{"You've hit your weekly limit · resets Dec 3, 1:48am (UTC)", Weekly, "2026-12-03T01:48:00Z", ""},                                                                                        // captured
		{"You've hit your Opus limit · resets Dec 3, 2:21am (UTC)", Opus, "2026-12-03T02:21:00Z", ""},                                                                                            // captured
		{"You've hit your Sonnet limit · resets Dec 3, 2:19am (UTC)", Sonnet, "2026-12-03T02:19:00Z", ""},                                                                                        // captured
		{"You've hit your org's monthly spend limit · ask your admin to raise it at claude.ai/admin-settings/usage · your session limit resets 4:58pm (UTC)", Spend, "", "2026-11-29T16:58:00Z"}, // captured
		{"Credit balance is too low", APIKey, "", ""},                                                                                                                                            // captured
		{"API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", APIKey, "2026-12-01T00:00:00Z", ""},                              // captured
		{"Usage limit reached · continuing automatically at 4:59pm · esc to cancel", Session, "2026-11-29T15:59:00Z", ""},                                                                        // captured; host zone
		{"rate limited — wait and retry · You've hit your session limit · resets 4:59pm (UTC)", Session, "2026-11-29T16:59:00Z", ""},                                                             // captured
		{"usage limit reached — check plan · Credit balance is too low", APIKey, "", ""},
		{"usage limit reached — check plan", Usage, "", ""},

		{"You've hit your session limit", Session, "", ""},
		{"You've hit your session limit · progress saved", Session, "", ""},
		{"You've hit your session limit · resets 5pm (Europe/Berlin) · progress saved", Session, "2026-11-29T16:00:00Z", ""},
		{"You've hit your weekly limit · resets Jan 2, 2027, 1am (America/New_York)", Weekly, "2027-01-02T06:00:00Z", ""},
		{"You've hit your Fable limit · resets Dec 3, 12pm (UTC)", Fable, "2026-12-03T12:00:00Z", ""},
		{"You've hit your usage limit · resets 12am (UTC)", Usage, "2026-11-30T00:00:00Z", ""},
		{"You've hit your limit · resets 12pm (UTC)", Unknown, "2026-11-30T12:00:00Z", ""},
		{"You've hit your Novel limit · resets 5pm (UTC)", Unknown, "2026-11-29T17:00:00Z", ""}, // a later model
		{"You've hit your monthly spend limit · raise it at claude.ai/settings/usage", Spend, "", ""},
		{"You've hit your individual spend limit · contact your admin to increase it", Spend, "", ""},
		{"You've hit your individual usage limit · contact your admin to increase it", Spend, "", ""},
		{"You've hit your org's monthly usage limit · run /usage-credits to request more", Spend, "", ""},
		{"You've hit your channel's monthly spend limit · contact your admin to increase it", Spend, "", ""},
		{"You've hit your channel's monthly usage limit", Spend, "", ""},
		{"You've hit your team's shared budget · contact your admin to increase it", Spend, "", ""},
		{"You're out of usage credits", Credits, "", ""},
		{"You're out of usage credits · resets Dec 1, 1am (UTC)", Credits, "2026-12-01T01:00:00Z", ""},
		{"Your org is out of usage · add funds to continue", Credits, "", ""},
		{"Your org is out of usage · contact your admin", Credits, "", ""},
		{"Your seat type doesn't include usage", Credits, "", ""},
		{"Your seat type doesn't include usage credits", Credits, "", ""},
		{"This service is disabled for your org", Usage, "", ""},
		{"Your usage allocation has been disabled by your admin", Usage, "", ""},
		{"Your group's usage limit is set to $0 · contact your admin to increase it", Usage, "", ""},
		{"You've reached your Fable limit. Switch models to go on.", Fable, "", ""},
		{"Opus 5.5 (1M context) requires usage credits. Run /usage-credits to get some.", Credits, "", ""},

		{"Claude AI usage limit reached|1796262567", Usage, "2026-12-03T01:49:27Z", ""},
		{"Claude AI usage limit reached|1796262567000", Usage, "2026-12-03T01:49:27Z", ""},
		{"Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).", Usage, "2026-11-29T18:00:00Z", ""},
		{"5-hour limit reached ∙ resets 3pm (UTC)\n     /upgrade to increase your usage limit.", Session, "2026-11-29T15:00:00Z", ""},
		{"5-hour limit reached ∙ resets 3pm (UTC) /upgrade to increase your usage limit.", Session, "2026-11-29T15:00:00Z", ""},
		{"Weekly limit reached ∙ resets Dec 2 at 1pm (UTC)", Weekly, "2026-12-02T13:00:00Z", ""},
		{"Opus weekly limit reached ∙ resets Dec 2, 1pm (UTC)", Opus, "2026-12-02T13:00:00Z", ""},
		{`API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."},"request_id":"req_1"}`, APIKey, "2026-12-01T00:00:00Z", ""},
		{"Credit balance too low · Add funds", APIKey, "", ""},
		{"You’ve hit your session limit · resets 4:58\u202fpm (UTC)", Session, "2026-11-29T16:58:00Z", ""},
		{"You've hit your weekly limit · resets De…", Weekly, "", ""}, // clipped
	}
	for _, tt := range tests {
		got, ok := Parse(tt.text, at(t, seen), "Europe/Berlin")
		if !ok {
			t.Errorf("%q: no limit", tt.text)
			continue
		}
		if got.Kind != tt.kind || stamp(got.Reset) != tt.reset || stamp(got.Session) != tt.session {
			t.Errorf("%q: %s, reset %s %s, session %s %s", tt.text, got.Kind, stamp(got.Reset), got.Reset.Why, stamp(got.Session), got.Session.Why)
		}
	}
	kinds := make(map[string]bool)
	for _, tt := range tests {
		kinds[tt.kind] = true
	}
	for _, k := range []string{Session, Weekly, Opus, Sonnet, Fable, Spend, Usage, Credits, APIKey, Unknown} {
		if !kinds[k] {
			t.Errorf("no form is of kind %s", k)
		}
	}
}

func stamp(w When) string {
	if w.At.IsZero() {
		return ""
	}
	return w.At.Format(time.RFC3339)
}

func TestIsNot(t *testing.T) {
	tests := []struct{ id, text string }{
		// lim-quoted-in-talk
		{"lim-quoted-in-talk", "When a plan runs out, Claude Code prints \"You've hit your session limit · resets 5pm (UTC)\" and stops."},
		{"lim-quoted-in-talk/quoted", "\"You've hit your session limit · resets 5pm (UTC)\""},
		{"lim-quoted-in-talk/goes-on", "You've hit your session limit · resets 5pm (UTC). I'll explain what that means."},
		{"lim-quoted-in-talk/dash", "You've hit your session limit · resets 5pm (UTC) — that is the banner to match"},
		{"lim-quoted-in-talk/then", "You've hit your session limit · resets 5pm and then you can go on"},
		{"lim-quoted-in-talk/second-line", "You've hit your session limit · resets 5pm (UTC)\nis what the log says"},
		{"lim-quoted-in-talk/command-line", "You've hit your weekly limit\nrun the tests again after the reset"},
		{"lim-quoted-in-talk/list", "- You've hit your weekly limit · resets 5pm (UTC)"},
		{"lim-quoted-in-talk/advice-is-talk", "You've hit your weekly limit · run the tests. Then tell me what failed."},
		{"lim-negated", "No - you have not reached any limit today; yours resets at midnight."},
		{"lim-negated/yet", "You haven't hit your session limit · resets 5pm (UTC)"},
		{"lim-negated/almost", "You've almost hit your weekly limit · resets 5pm (UTC)"},
		{"lim-structured", "API Error: Request rejected (429) · Number of request tokens has exceeded your daily rate limit"},
		{"lim-structured/needs", "rate limited — wait and retry · API Error: Request rejected (429) · Number of request tokens has exceeded your per-minute rate limit"},
		{"lim-structured/server", "API Error: Server is temporarily limiting requests (not your usage limit) · Number of request tokens has exceeded your per-minute rate limit"},
		{"err-prompt-too-long", "Prompt is too long"},
		{"err-prompt-too-long/numbers", "Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2383 tokens"},
		{"err-prompt-too-long/output", "Output token limit hit. Resume directly."},
		{"warning", "You've used 93% of your session limit · resets 5pm (UTC)"},
		{"warning/approaching", "Approaching weekly limit · resets Dec 3, 1am (UTC)"},
		{"warning/close", "You're close to your usage credit limit"},
		{"warning/credits", "You're now using usage credits · Your session limit resets 5pm (UTC)"},
		{"overloaded", "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment."},
		{"needs-alone", "rate limited — wait and retry"},
		{"twice", "You've hit your session limit · resets 5pm (UTC) · resets 6pm (UTC)"},
		{"bare-time", "resets 5pm (UTC)"},
		{"empty", ""},
		{"spaces", " \n\t "},
		{"separator", " · "},
		{"hurt", "You've hit your head"},
		{"huge", "You've hit your session limit" + strings.Repeat(" · progress saved", 100)},
	}
	for _, tt := range tests {
		if Is(tt.text) {
			t.Errorf("%s: %q is taken for a limit", tt.id, tt.text)
		}
		if got, ok := Parse(tt.text, at(t, "2026-11-29T14:00:00Z"), "UTC"); ok || got != (Limit{}) {
			t.Errorf("%s: parsed to %+v, %v", tt.id, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"You've hit your session limit · resets 4:58pm (UTC)",
		"You've hit your weekly limit · resets Feb 29, 1:48am (Europe/Berlin)",
		"You've hit your weekly limit · resets Dec 31, 2027, 1am (Etc/GMT+5)",
		"You've hit your org's monthly spend limit · raise it at x.y/z · your session limit resets 2:30am (Australia/Lord_Howe)",
		"Claude AI usage limit reached|1760000400",
		"Claude usage limit reached. Your limit will reset at 12am.",
		"API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
		"usage limit reached — check plan · Credit balance is too low",
		"5-hour limit reached ∙ resets 23:30\n /upgrade to increase your usage limit.",
		"You've hit your session limit · resets 5pm (Local)",
	} {
		f.Add(s, int64(1796262567), "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text string, sec int64, host string) {
		seen := time.Unix(sec%(1<<33), 0)
		got, ok := Parse(text, seen, host)
		if ok != Is(text) {
			t.Fatalf("Parse says %v, Is %v", ok, Is(text))
		}
		if again, _ := Parse("\n \u00a0"+strings.TrimSpace(text)+"\t ", seen, host); again != got {
			t.Fatalf("with spaces around: %+v, without %+v", again, got)
		}
		if !ok {
			return
		}
		for _, w := range []When{got.Reset, got.Session} {
			law(t, text, w, seen, host)
		}
	})
}

var year = regexp.MustCompile(`\d{4}`) // or an epoch

// law holds of every time read from a line without a year.
func law(t *testing.T, text string, w When, seen time.Time, host string) {
	if w.At.IsZero() != (w.Zone == "") || w.At.IsZero() != (w.From == "") || w.Certain != (w.Why == "") {
		t.Fatalf("half a time: %+v", w)
	}
	if w.From == FromHost && (w.Zone != host || w.Certain) {
		t.Fatalf("the host's zone is not %s, or certain: %+v", host, w)
	}
	l, _ := read(text)
	s := l.reset + l.session
	if w.At.IsZero() || year.MatchString(s) || l.session != "" && l.reset != "" {
		return
	}
	from, to := seen.Add(-time.Minute), seen.Add(24*time.Hour)
	if strings.ContainsAny(strings.ToLower(s)[:1], "jfmasond") {
		from, to = seen.Add(-184*24*time.Hour), seen.Add(184*24*time.Hour)
	}
	if w.At.Before(from) || w.At.After(to) {
		t.Fatalf("%q seen at %s resets at %s", text, seen.UTC(), w.At)
	}
}
