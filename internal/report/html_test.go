package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
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

// Everything that the page is made of. No text of a stream may add to it.
var (
	elements = strings.Fields(`html head meta title style body a header div p h1 ul li b span nav main section h2 h3 i code kbd label input button
		table caption thead tbody tr th td time figure figcaption svg desc line rect details summary dl dt dd footer script`)
	attributes = strings.Fields(`lang charset http-equiv content name id class href rel tabindex aria-label aria-labelledby aria-describedby aria-pressed aria-live
		aria-hidden role hidden for type autocomplete spellcheck data-k scope datetime viewBox preserveAspectRatio focusable x y x1 x2 y1 y2 width height`)
)

// An item is an element of a page with its text, without what is in it.
type item struct {
	name, class, id, href, text string
	under                       []string
}

// items reads a page as XML, which it also is: a reader that is stricter than
// any browser. It checks that nothing is in the page that is not our own.
func items(t testing.TB, page string) []item {
	t.Helper()
	for own, end := range map[string]string{"<style>" + pageCSS: "</style>", "<script>" + pageJS: "</script>"} {
		if strings.Count(page, own+end) != 1 {
			t.Fatalf("the page has not exactly one %s of ours", end)
		}
		page = strings.Replace(page, own+end, "", 1)
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = map[string]string{}
	var all []item
	var open []int
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			it := item{name: token.Name.Local}
			for _, i := range open {
				it.under = append(it.under, all[i].name)
			}
			if !slices.Contains(elements, it.name) || it.name == "script" || it.name == "style" {
				t.Fatalf("element %s", it.name)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Fatalf("attribute %s of %s", a.Name.Local, it.name)
				}
				switch a.Name.Local {
				case "class":
					it.class = a.Value
				case "id":
					it.id = a.Value
				case "href":
					it.href = a.Value
				}
			}
			open = append(open, len(all))
			all = append(all, it)
		case xml.EndElement:
			open = open[:len(open)-1]
			for _, i := range open {
				all[i].text += " "
			}
		case xml.CharData:
			for _, i := range open {
				all[i].text += string(token)
			}
		case xml.Comment, xml.ProcInst:
			t.Fatalf("%T in the page", token)
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// lawsOfHTML: well formed and ours; addresses lead into the page or to a pull
// request on GitHub; every row of the JSON form is one row of the table.
func lawsOfHTML(t testing.TB, page string, doc []byte) []item {
	t.Helper()
	lawsOfChars(t, page)
	all := items(t, page)
	ids := map[string]int{}
	var rows []item
	for _, it := range all {
		if it.id != "" {
			ids[it.id]++
		}
		if it.name == "tr" && strings.HasPrefix(it.class, "k-") {
			rows = append(rows, it)
		}
	}
	for _, it := range all {
		switch {
		case it.href == "" || strings.HasPrefix(it.href, "#") && ids[it.href[1:]] == 1:
		case it.name == "a" && strings.HasPrefix(it.href, "https://github.com/") && !strings.ContainsAny(it.href[8:], "@:?#%&\\"):
		default:
			t.Errorf("an address %q", it.href)
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements with the id %s", n, id)
		}
	}
	var d document
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range d.Sections {
		for _, r := range s.Rows {
			if n < len(rows) && (rows[n].class != "k-"+s.ID || !strings.Contains(rows[n].text, clip(shortID(r.Subject), idWidth))) {
				t.Errorf("row %d is %.80q of %s, and session %q of section %s stands there in the JSON", n+1, rows[n].text, rows[n].class, r.Subject, s.ID)
			}
			n++
		}
	}
	if n != len(rows) {
		t.Errorf("%d rows, and %d in the JSON", len(rows), n)
	}
	return all
}

// lawsOfChars: nothing that a terminal obeys or that turns text around.
func lawsOfChars(t testing.TB, page string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Error("not text")
	}
	for _, r := range page {
		if r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			t.Errorf("character %U in the page", r)
		}
	}
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
		if len(s) < 1000 && strings.ContainsAny(s, "<>&\x1b\u202e\u2066\x00\xff\u2028") {
			texts = append(texts, s)
		}
	}
	for _, s := range append(texts, strings.Repeat("W", maxBytes+9)) {
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
	if hash("") != "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" {
		t.Error("a hash is not that of the text")
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
	if title != "5 for you · fleet acme" {
		t.Errorf("title %q", title)
	}
	cards := textOf(all, func(it item) bool { return strings.HasPrefix(it.class, "card") && it.name == "li" })
	if len(cards) != 6 {
		t.Fatalf("%d cards", len(cards))
	}
	for i, want := range [][]string{
		{"Session orders api waits: permission prompt", "unknown", "a2 of batch 210, open, not re-checked", "fleet-asks ack 210 --scope acme --ask a2"},
		{"Which back-off should failed card charges use?", "waiting at a prompt", "payment retries 6513270e", "tmux attach -t work:@3.%7", "fleet-asks ack 213 --scope acme --ask a1"},
		{"acme/lamp: no pull_request rule on main", "about no one session", "fleet-asks ack 213 --scope acme --ask a2"},
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

// The chart: a bar for each class of each tick, a mark for each without counts,
// the bars of a tick as high as its sessions are many.
func TestChart(t *testing.T) {
	s := newStream(t)
	n, zero, one := 9, 0, 1
	s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
	s.session("5", nil)
	for _, p := range []record.Past{
		{Tick: 4, FireAt: ago(5 * time.Hour), Exit: &zero, Counts: map[string]int{"5": 3, "3": 1, "7": 1, "new": 1}},
		{Tick: 5, FireAt: ago(4 * time.Hour), Exit: &one},
		{Tick: 7, FireAt: ago(2 * time.Hour)},
		{Tick: 8, FireAt: ago(time.Hour), Exit: &zero, Counts: map[string]int{"5": 12, "2": -1}},
		{Tick: 9, FireAt: ago(0)},
	} {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", p.Tick), p)
	}
	set := setOf(s.bytes())
	c := newSheet(Build(set, look)).Chart()
	var got []string
	for _, b := range c.Bars {
		got = append(got, fmt.Sprintf("%d:%s x%d y%s h%s", b.Tick, b.Section, b.X, b.Y, b.Height))
	}
	want := []string{"4:needs_me x1 y50.00 h16.67", "4:unknown x1 y66.67 h8.33", "4:5 x1 y75.00 h25.00", "8:5 x41 y0.00 h100.00", "9:5 x51 y91.67 h8.33"}
	if !slices.Equal(got, want) || c.Most != 12 || c.Width != 60 {
		t.Errorf("bars %q\nwant %q; most %d, width %d", got, want, c.Most, c.Width)
	}
	if marks := fmt.Sprint(c.Marks); marks != "[{10 failed} {20 missing} {30 endless}]" {
		t.Errorf("marks %s", marks)
	}
	if c.Rows[0].Counts != "1 running" || c.Rows[5].Counts != "2 need you, 1 unknown, 3 running" || c.Rows[4].State != "failed, status 1" || c.Rows[3].State != "missing" {
		t.Errorf("rows %+v", c.Rows)
	}
}

// Nothing is remembered outside a tick, and an unread ledger is no quiet one.
func TestChart_none(t *testing.T) {
	has(t, htmlOf(t, written(t, "three")), "this is no tick, and nothing of it is remembered", "Not looked at: GitHub", "Not looked at: Paseo")
	has(t, htmlOf(t, written(t, "asks")), "the ledger was not read")
	s := newStream(t)
	for name, by := range map[string]string{"gh/acme/lamp": gh, "paseo/schedules": paseo, "schedule/systemd": schedule} {
		s.add(record.KindSurface, by, name, record.Surface{OK: true})
	}
	has(t, htmlOf(t, s.bytes()), "<p>No repository.</p>", "<p>No scheduled work.</p>")
}

// Nothing of a hostile tick number may be waited for.
func TestChart_numbers(t *testing.T) {
	s := newStream(t)
	zero := 0
	for _, n := range []int{-1 << 63, -5, 3, 1<<63 - 1} {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", n), record.Past{Tick: n, Exit: &zero, Counts: map[string]int{"5": 1<<63 - 1, "6": 7}})
	}
	items(t, htmlOf(t, s.bytes()))
}
