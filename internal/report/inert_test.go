package report

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	htmlrender "github.com/yuin/goldmark/renderer/html"

	"github.com/fleet-tools/fleet/internal/record"
)

// reader renders Markdown as GitHub does, and shows raw HTML where GitHub
// would still filter some of it.
var reader = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
	goldmark.WithRendererOptions(htmlrender.WithUnsafe()))

func toHTML(t testing.TB, md string) string {
	t.Helper()
	var b bytes.Buffer
	if err := reader.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tag = regexp.MustCompile(`<[^>]*>`)

// nasty is text that somebody chose to do harm, or that does some by chance.
var nasty = []string{
	"\x1b[31mRed\x1b[0m", "]11;rgb:1a1a/2b2b/3c3c", "\x1b]0;title\a", "\x1b[2J\x1b[H", "\u009b2J", "[Note]", "array[0]",
	"first\nsecond | third", "a\tb\r\nc", "界界", "👩‍👩‍👧", "e\u0301", "\u202eexe.gnp", "a\u2066b\u2069", "\u200b", "\ufeffx", "a\u2028b",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- x", "<https://evil.test>", "</li></ul>", "a < b > c",
	"![x](http://evil.test/x.png)", "[x](http://evil.test)", "[x][y]", "[x]: http://evil.test", "[^1]", "[[page]]", "[ ] todo",
	"https://evil.test/a?b=c", "http://evil.test", "www.evil.test", "WWW.evil.test", "ftp://evil.test", "&lt;b&gt;", "&copy;", "&#60;", "AT&T",
	"# heading", "## heading", "- item", "+ item", "* item", "1. one", "1) one", "> quote", "---", "===", "***", "___", "```", "~~~", ": def", "    code",
	"`tick`", "``two``", "**bold**", "__bold__", "_it_", "*it*", "~~s~~", "~s~ ~t~", "~!~", "~/a (~/b)", "~/a ~/b~", "snake_case_name", "__init__", "a*b*c", "\\", "a\\", "\\|", "a\\|b", "|", "| a | b |", "|-|",
	"\x00", "\xff\xfe", strings.Repeat("W", maxBytes+9), strings.Repeat("界", maxBytes/3+9), "x" + strings.Repeat("\u0301", maxBytes/2+9), strings.Repeat("\u200d", maxBytes/3+9), strings.Repeat("`", 500), strings.Repeat("[", 500), strings.Repeat("\x1b[", 500),
	"", " ", "`", "$(rm -rf ~)", "'; rm -rf ~; '", "-x",
}

// What a reader of the rendered text sees is the cleaned text: no more and no
// less, and no element comes out of it.
func checkInert(t testing.TB, s string) {
	t.Helper()
	want := clip(s, 300)
	for _, place := range []string{"- **%**", "- said: %", "%", "  - %"} {
		md := strings.Replace(place, "%", inert(want), 1) + "\n"
		out := toHTML(t, "x\n\n"+md)
		benign := toHTML(t, "x\n\n"+strings.Replace(place, "%", "y", 1)+"\n")
		shown := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(out, ""))), " ")
		prefix := ""
		if strings.Contains(place, "said: ") {
			prefix = "said: "
		}
		if expect := strings.TrimSpace("x " + prefix + strings.Join(strings.Fields(want), " ")); want != "" && shown != expect {
			t.Errorf("%q in %q: a reader sees %q", want, place, shown)
		}
		if got, all := tag.FindAllString(out, -1), tag.FindAllString(benign, -1); want != "" && strings.Join(got, "") != strings.Join(all, "") {
			t.Errorf("%q in %q makes the elements %q", want, place, got)
		}
	}
}

func TestInert(t *testing.T) {
	for _, s := range nasty {
		checkInert(t, s)
		checkInert(t, "a "+s+" b")
		checkInert(t, s+s)
	}
}

func FuzzInert(f *testing.F) {
	for _, s := range nasty {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, "@") { // an address of a person is a link of mail readers, and does no harm
			checkInert(t, s)
		}
	})
}

// everywhere puts s in each text field of a stream's verdicts, surfaces,
// findings and asks.
func everywhere(t testing.TB, stream []byte, s string) []byte {
	t.Helper()
	fields := map[string]bool{"name": true, "cwd": true, "repo": true, "branch": true, "says": true, "source": true, "question": true, "why": true,
		"state": true, "would_do": true, "cause": true, "progress": true, "tmux": true, "job_id": true, "error": true, "account": true, "kind": true, "id": true, "key": true,
		"slug": true, "common_dir": true, "default_branch": true, "login": true, "title": true, "head": true, "author": true, "url": true, "checks": true,
		"cannot_tell": true, "classic": true, "cadence": true, "status": true, "last_result": true, "detail": true, "zone": true}
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if _, isText := x.(string); isText && fields[k] {
					v[k] = s
				} else {
					v[k] = fill(x)
				}
			}
		case []any:
			for i, x := range v {
				if _, isText := x.(string); isText {
					v[i] = s
				} else {
					v[i] = fill(x)
				}
			}
		}
		return v
	}
	var out bytes.Buffer
	for line := range bytes.Lines(stream) {
		var rec map[string]any
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		rec["data"] = fill(rec["data"])
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	return out.Bytes()
}

// Hostile text in every field makes no element that harmless text does not.
func TestHostileTextEverywhere(t *testing.T) {
	allowed := regexp.MustCompile(`^</?(h1|h2|h3|p|ul|ol|li|strong|code|table|thead|tbody|tr|th|td)>$`)
	streams := [][]byte{written(t, "hosts"), everyKind(t)}
	for i, s := range nasty {
		some := streams
		if os.Getenv("FLEET_LONG") == "" {
			some = streams[i%2 : i%2+1]
		}
		for _, stream := range some {
			bad := everywhere(t, stream, s)
			md, doc := render(t, bad, time.Time{})
			laws(t, bad, md, doc)
			for _, e := range tag.FindAllString(toHTML(t, md), -1) {
				if !allowed.MatchString(e) {
					t.Fatalf("with %.60q everywhere: element %s in\n%s", s, e, md)
				}
			}
			if len(md) > 1<<16 {
				t.Errorf("with %.60q everywhere: %d bytes", s, len(md))
			}
		}
	}
}

// everyKind is a stream with one of each: class, ask, finding, surface that
// was not read.
func everyKind(t testing.TB) []byte {
	s := newStream(t)
	text := []record.Evidence{{Source: "x", Says: "x"}}
	for _, class := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "9a", "10", "unknown"} {
		for _, process := range []bool{true, false} {
			s.session(class, func(v *record.Verdict) {
				v.Session.Process, v.Session.Kind, v.Session.Tmux = process, "background", "x"
				v.Evidence, v.Notes = text, text
			})
		}
		s.add(record.KindAsk, "fleet-asks", "k"+class, record.Ask{Key: "x", ID: "x", Batch: 3, State: record.AskOpen, Question: "x", Session: s.subject})
	}
	s.add(record.KindAsk, "fleet-asks", "free", record.Ask{Key: "x", State: "x", Question: "x"})
	s.add(record.KindAsk, "fleet-asks", "over", record.Ask{Key: "x", State: record.AskResolved, Question: "x"})
	s.add(record.KindFinding, "fleet-classify", "overlap", record.Finding{Name: "x", Says: "x", Sessions: []string{s.subject, "gone"}, Until: &look})
	s.add(record.KindFinding, "fleet-classify", "gap", record.Finding{Name: gap, Says: "x"})
	pr := []record.PullRequest{{Number: 7, Title: "x", Head: "x", Author: "x", Labels: []string{"x"}, URL: "x", Checks: "x"}}
	for dir, p := range map[string]record.Repo{
		"a": {OK: true, Rules: &record.Rules{DriverAllowed: true, Flags: []string{"x"}, Classic: "x"}, PRs: pr}, "b": {OK: true, Rules: &record.Rules{Flags: []string{"x"}}},
		"c": {Error: "x", ResetAt: &look}, "d": {NotGitHub: true}, "e": {OK: true, Rules: &record.Rules{CannotTell: "x"}},
	} {
		p.CommonDir, p.Slug, p.DefaultBranch, p.Login = "x", "x", "x", "x"
		s.add(record.KindRepo, "fleet-observe-gh", dir, p)
	}
	for id, stale := range map[string]bool{"s": true, "f": false} {
		s.add(record.KindSchedule, "fleet-observe-schedule", id, record.Schedule{Source: "x", Name: "x", Cadence: "x", Status: "x", LastResult: "x", LastRun: &look, Stale: stale, Detail: "x"})
	}
	s.add(record.KindPast, "fleet-ledger", "tick:1", record.Past{Tick: 1, FireAt: &look, Counts: map[string]int{"x": 1}, Read: []string{"x"}})
	s.surface("claude/jobs", record.Surface{Error: "x", Unparsed: 1, Drift: []string{"x"}, Notes: []string{"x"}, ResetAt: &look})
	return s.bytes()
}

func FuzzReport(f *testing.F) {
	for _, name := range streams(f) {
		f.Add(written(f, name), "x")
	}
	for _, s := range nasty {
		if len(s) < 1000 {
			f.Add(written(f, "asks"), s)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, s string) {
		if len(stream) > 1<<17 {
			return
		}
		stream = bytes.ReplaceAll(stream, []byte(`"name": "`), []byte(`"name": "`+strings.Trim(string(mustJSON(t, s)), `"`)))
		md, doc := render(t, stream, time.Time{})
		laws(t, stream, md, doc)
	})
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
