package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/record"
)

// htmlOf is the page of a stream.
func htmlOf(t testing.TB, stream []byte) string {
	t.Helper()
	set := setOf(stream)
	var b bytes.Buffer
	if err := HTML(&b, Build(set, set.Now(time.Time{}))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			stream := written(t, name)
			_, doc := render(t, stream, time.Time{})
			page := htmlOf(t, stream)
			lawsOfHTML(t, page, doc)
			if again := htmlOf(t, stream); again != page {
				t.Error("twice rendered, it differs")
			}
		})
	}
}

// The page of the captured fleet, and of a written one that has everything.
func TestHTML_golden(t *testing.T) {
	var captured []byte
	for _, name := range []string{"observe", "classify", "asks"} {
		b, err := os.ReadFile("../../tests/testdata/" + name + ".ndjson")
		if err != nil {
			t.Fatal(err)
		}
		captured = append(captured, b...)
	}
	for name, stream := range map[string][]byte{"captured.html": captured, "full.html": written(t, "full")} {
		_, doc := render(t, stream, time.Time{})
		page := htmlOf(t, stream)
		lawsOfHTML(t, page, doc)
		if n := strings.Count(page, "<tr class=\"k-"); n != map[string]int{"captured.html": 49, "full.html": 31}[name] {
			t.Errorf("%s: %d sessions", name, n)
		}
		page = strings.Replace(strings.Replace(page, pageCSS, "/* page.css */", 1), pageJS, "/* page.js */", 1)
		policy := newSheet(Report{}).Policy()
		page = strings.Replace(page, strings.ReplaceAll(html.EscapeString(policy), "+", "&#43;"), "(policy)", 1)
		golden(t, name, []byte(page))
	}
}

// markup is text that would be an element, or a part of one, of ours.
var markup = []string{`<b class="zz" id="zz">x</b>`, `" class="zz" id="zz`, `"><b class="zz"/>`, `' class='zz`, `"><img src=x onerror=alert(1)>`,
	`</title><script>alert(1)</script>`, `</table>`, `<!--`, `]]>`, `<?x`, `{{.}}`, `&lt;b&gt;`, `javascript:alert(1)`, `<svg/onload=alert(1)>`}

// Hostile text in every field makes no element, and is shown.
func TestHTML_hostile(t *testing.T) {
	every := everyKind(t)
	texts := slices.Clone(markup)
	for _, s := range nasty {
		if len(s) < 1000 && (strings.ContainsAny(s, "<>&\x1b\u202e\u2066\x00\u2028") || !utf8.ValidString(s)) {
			texts = append(texts, s)
		}
	}
	for i, s := range append(texts, strings.Repeat("W", maxBytes+9)) {
		if os.Getenv("FLEET_LONG") == "" && i%3 != 0 && i != len(texts) {
			continue
		}
		bad := everywhere(t, every, s)
		_, doc := render(t, bad, time.Time{})
		page := htmlOf(t, bad)
		for _, it := range lawsOfHTML(t, page, doc) {
			if strings.Contains(it.class+it.id, "zz") {
				t.Fatalf("%q is an element %+v", s, it)
			}
		}
		if want := clean(s); len(want) < 40 && !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("%q is not shown", want)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range markup {
		f.Add(s)
	}
	every := everyKind(f)
	f.Fuzz(func(t *testing.T, s string) {
		bad := everywhere(t, every, s)
		_, doc := render(t, bad, time.Time{})
		for _, it := range lawsOfHTML(t, htmlOf(t, bad), doc) {
			if s != "" && strings.Contains(s, "=") && (it.class == s || it.id == s) {
				t.Errorf("%q is part of an element %+v", s, it)
			}
		}
	})
}

// The policy names the hashes of what is in the page, and the page's own style
// and script are between their tags byte for byte.
func TestPolicy(t *testing.T) {
	page := htmlOf(t, written(t, "three"))
	_, rest, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy" content="`)
	policy, _, _ := strings.Cut(rest, `"`)
	policy = html.UnescapeString(policy)
	between := func(from, to string) string {
		_, rest, _ := strings.Cut(page, from)
		text, _, _ := strings.Cut(rest, to)
		return text
	}
	want := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hash(between("<style>", "</style>")), hash(between("<script>", "</script>")))
	if policy != want {
		t.Errorf("policy %q\nwant %q", policy, want)
	}
	if css, js := hash(pageCSS), hash(pageJS); css != hashCSS || js != hashJS {
		t.Errorf("the hashes of page.css and page.js are %s and %s", css, js)
	}
	for _, bad := range []string{"url(", "@import", "http:", "https:"} {
		if strings.Contains(pageCSS, bad) || strings.Contains(pageJS, bad) {
			t.Errorf("the page's own text has %q", bad)
		}
	}
	if strings.Contains(page, " style=") || strings.Contains(page, " on") && strings.Contains(page, " onclick=") {
		t.Error("a style or a handler that the policy forbids")
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func TestPullLink(t *testing.T) {
	for name, want := range map[string]string{
		"acme/lamp": "https://github.com/acme/lamp/pull/7", "a-b/c.d_e": "https://github.com/a-b/c.d_e/pull/7",
		"": "", "lamp": "", "acme/..": "", "acme/lamp/x": "", "acme/la mp": "", "-a/b": "", "a/b?c": "", "a/b#c": "", "a@b/c": "", "javascript:alert(1)/x": "", "a/b\n": "",
	} {
		if got := pullLink(name, 7); got != want {
			t.Errorf("pullLink(%q) = %q, want %q", name, got, want)
		}
	}
	if got := pullLink("acme/lamp", 0); got != "" {
		t.Errorf("pull request 0 has the address %q", got)
	}
}

// textOf is the text of the first element that is in a section.
func textOf(all []item, is func(item) bool) []string {
	var texts []string
	for _, it := range all {
		if is(it) {
			texts = append(texts, squeeze(it.text))
		}
	}
	return texts
}

// What the page says of a written fleet, read by another reader than ours.
func TestHTML_says(t *testing.T) {
	stream := written(t, "full")
	_, doc := render(t, stream, time.Time{})
	all := lawsOfHTML(t, htmlOf(t, stream), doc)
	title := textOf(all, func(it item) bool { return it.name == "title" })[0]
	if title != "6 for you (1 answered) · fleet acme" {
		t.Errorf("title %q", title)
	}
	cards := textOf(all, func(it item) bool { return strings.HasPrefix(it.class, "card") && it.name == "li" })
	if len(cards) != 6 {
		t.Fatalf("%d cards", len(cards))
	}
	for i, want := range [][]string{
		{"Session orders api waits: permission prompt", "unknown", "a2 of batch 210, open, not re-checked", "fleet-asks ack 210 --scope acme --ask a2"},
		{"Which back-off should failed card charges use?", "waiting at a prompt", "payment retries 6513270e", "tmux attach -t work:@3.%7", "fleet-asks ack 213 --scope acme --ask a1"},
		{"acme/lamp: no pull_request rule on main", "not about one session", "fleet-asks ack 213 --scope acme --ask a2"},
		{"make migrate"}, {"Approve the plan?"}, {"BLOCKED: staging needs", "answered, and still true"},
	} {
		for _, text := range want {
			if !strings.Contains(cards[i], text) {
				t.Errorf("card %d lacks %q: %s", i+1, text, cards[i])
			}
		}
	}
	if strings.Contains(cards[5], "fleet-asks ack") {
		t.Errorf("an answered question shows how to answer: %s", cards[5])
	}
	page := squeeze(strings.Join(textOf(all, func(it item) bool { return it.name == "main" }), " "))
	for _, text := range []string{
		"Of the last 44 ticks 2 failed and 1 never ended; the last good one was tick 213, 14:50 CET (13:50 UTC).",
		"acme/gateway not observed gh api: HTTP 403: API rate limit exceeded (resets 16:20 CET (15:20 UTC), in 29 min)",
		"no driver may work here no pull_request rule; force-push to the default branch not blocked; classic protection cannot be told",
		"3 open PRs (1 failing, 1 on hold, 1 draft)", "The login that gh used: token file.",
		"nightly backup systemd stale active every day at 03:00 28 Nov 03:50, exit 3", "schedule/launchd",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("no %q in the page", text)
		}
	}
}

// A command is shown whole or not at all: without its ask's id it would answer
// the others of the batch too.
func TestAck(t *testing.T) {
	n := 14
	for _, tt := range []struct {
		ask   Ask
		scope string
		tick  *int
		want  string
	}{
		{Ask{Ask: record.Ask{ID: "a1", Batch: 12}}, "lamp", &n, "fleet-asks ack 12 --scope lamp --ask a1"},
		{Ask{Ask: record.Ask{ID: "a1", Batch: 12, State: record.AskAcked}}, "lamp", &n, ""},
		{Ask{Ask: record.Ask{ID: "a1", Batch: 12}}, "lamp", nil, ""},
		{Ask{Ask: record.Ask{ID: "a1"}}, "lamp", &n, ""},
		{Ask{Ask: record.Ask{ID: "", Batch: 12}}, "lamp", &n, ""},
		{Ask{Ask: record.Ask{ID: "$(id)", Batch: 12}}, "lamp", &n, ""},
		{Ask{Ask: record.Ask{ID: "--all", Batch: 12}}, "lamp", &n, ""},
		{Ask{Ask: record.Ask{ID: "a1", Batch: 12}}, "lamp; id", &n, ""},
	} {
		s := newSheet(Report{Scope: tt.scope, Tick: tt.tick})
		if got := s.ack(&tt.ask); got != tt.want {
			t.Errorf("%+v in %s: %q, want %q", tt.ask.Ask, tt.scope, got, tt.want)
		}
	}
}
