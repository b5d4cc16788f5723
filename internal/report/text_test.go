package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain text", "plain text"},
		{"  many \t\r\n  spaces ", "many spaces"},
		{"\x1b[1;31mbold\x1b[0m red", "bold red"},
		{"\x1b[?25lhidden\x1b[2J\x1b[H", "hidden"},
		{"\u009b31mone byte", "one byte"},
		{"\x1b]0;title\atext", "text"},
		{"\x1b]8;;http://evil.test\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\x1bPq#0;2;0;0;0\x1b\\sixel", "sixel"},
		{"\x1b]0;never ended, and still to be read", "0;never ended, and still to be read"},
		{"\x1b(Bcharset\x1b%Gutf", "charsetutf"},
		{"\x1bcreset\x1b", "creset"}, // ESC c is no sequence of the kinds above: only the ESC goes
		{"\x1b[", ""},
		{"]11;rgb:1a1a/2b2b/3c3c", "]11;rgb:1a1a/2b2b/3c3c"},
		{"a\u202eb\u2066c\u200fd\ufeffe\u00adf\u200bg", "abcdefg"},
		{"\U000e0041tag\U000f0000private", "tagprivate"},
		{"👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{"bad \xff\xfe bytes", "bad \ufffd bytes"},
		{"\u0301mark first", "mark first"},
		{"a\x00b", "a b"},
	}
	for _, tt := range tests {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestClip(t *testing.T) {
	tests := []struct {
		in    string
		n     int
		clip  string
		left  string
		path  string
		width int
	}{
		{"short", 10, "short", "short", "short", 5},
		{"exactly ten", 11, "exactly ten", "exactly ten", "exactly ten", 11},
		{"/home/ana/code/lamp", 12, "/home/ana/c…", "…a/code/lamp", "…/code/lamp", 12},
		{"界界界界", 5, "界界…", "…界界", "…界界", 5},
		{"界界界界", 4, "界…", "…界", "…界", 3}, // half a character is none
		{"👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 3, "👩\u200d👩\u200d👧…", "…👩\u200d👩\u200d👧", "…👩\u200d👩\u200d👧", 3},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301", "…e\u0301", 2},
	}
	for _, tt := range tests {
		if got := clip(tt.in, tt.n); got != tt.clip || width(got) != tt.width {
			t.Errorf("clip(%q, %d) = %q of %d columns", tt.in, tt.n, got, width(got))
		}
		if got := clipLeft(tt.in, tt.n); got != tt.left {
			t.Errorf("clipLeft(%q, %d) = %q", tt.in, tt.n, got)
		}
		if got := clipPath(tt.in, tt.n); got != tt.path {
			t.Errorf("clipPath(%q, %d) = %q", tt.in, tt.n, got)
		}
	}
	for _, huge := range []string{strings.Repeat("W", 1<<22), strings.Repeat("\u0301", 1<<22), "x" + strings.Repeat("\u200d", 1<<22)} {
		if got := clip(huge, 20); width(got) > 20 || len(got) > 20*maxCluster || got != "" && !strings.HasSuffix(got, "…") {
			t.Errorf("a text of %d bytes becomes %q", len(huge), got)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "`a`", "a`b": "``a`b``", "`a``b": "``` `a``b ```"} {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	tests := []struct{ cwd, repo, branch, want string }{
		{"/home/ana/code/lamp", "/home/ana/code/lamp/.git", "main", "~/code/lamp (main)"},
		{"/home/ana/code/lamp/sub", "/home/ana/code/lamp/.git", "main", "~/code/lamp/sub (main)"},
		{"/home/ana/wt/fix", "/home/ana/code/lamp/.git", "fix", "lamp ~/wt/fix (fix)"},
		{"/home/ana/code/lamp.git", "/home/ana/code/lamp.git", "", "lamp ~/code/lamp.git"},
		{"/home/ana", "", "", "~/"},
		{"/home/anabel/x", "", "", "/home/anabel/x"},
		{"/srv/x", "", "", "/srv/x"},
		{"", "", "", "no directory"},
	}
	for _, tt := range tests {
		n := names{homes: map[string]string{"": "/home/ana"}}
		row := &Row{}
		row.Session.Cwd, row.Session.Repo, row.Session.Branch = tt.cwd, tt.repo, tt.branch
		if got := n.where(row, 60); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt, got, tt.want)
		}
	}
}

func TestHomeOf(t *testing.T) {
	for dir, want := range map[string]string{"/home/ana/src": "/home/ana", "/Users/ana": "/Users/ana", "/root": "/root", "/root/lamp": "/root", "/rootless/x": "", "/home": "", "/home//x": "", "/srv/x": "", "": ""} {
		if got := homeOf(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

// Ids are short as long as they tell sessions apart; ~ is one directory.
func TestNames(t *testing.T) {
	s := newStream(t)
	for _, id := range []string{"5f0c0000-0000-4000-8000-00000000000a", "5f0c0000-0000-4000-8000-00000000000b", "aaaa0000-0000-4000-8000-00000000000a@two", "pid:77"} {
		v := record.Verdict{Class: "5"}
		v.Session.Cwd, v.Session.Process = "/home/"+id[:1]+"/x", true
		s.add(record.KindVerdict, "fleet-classify", id, v)
	}
	md := s.markdown()
	has(t, md, "`5f0c0000-0000-4000-8000-00000000000a`", "`5f0c0000-0000-4000-8000-00000000000b`", "`aaaa0000@two`", "`pid:77`", "/home/a/x", "/home/5/x")
	hasNot(t, md, "~")
}

// JSON hides nothing and loses nothing: what it escapes decodes to itself.
func TestJSONKeepsText(t *testing.T) {
	for _, text := range append(nasty, "\U000e0041\U000f0000", "\u202e", "<&>\u2028") {
		if !utf8.ValidString(text) {
			continue // no stream can hold it
		}
		s := newStream(t)
		s.session("5", func(v *record.Verdict) { v.Session.Name = text })
		_, doc := render(t, s.bytes(), time.Time{})
		var d struct {
			Sections []struct {
				Rows []struct{ Session struct{ Name string } }
			}
		}
		if err := json.Unmarshal(doc, &d); err != nil {
			t.Fatal(err)
		}
		if got := d.Sections[5].Rows[0].Session.Name; got != text {
			t.Errorf("%.60q comes back as %.60q", text, got)
		}
		if bytes.ContainsAny(doc, "\x1b\u202e\u2028\u009b") || bytes.Contains(doc, []byte(`\u003c`)) {
			t.Errorf("%.60q is written raw, or < is escaped", text)
		}
	}
}

func TestTableTimes(t *testing.T) {
	s := newStream(t)
	s.session("5", func(v *record.Verdict) { v.Session.Since = nil })
	s.session("5", func(v *record.Verdict) { v.Session.Since = ago(-time.Hour) })
	for _, since := range []*record.Time{nil, ago(time.Hour), nil, ago(2 * time.Hour)} {
		s.session("10", func(v *record.Verdict) {
			v.Session.Since, v.Session.Process, v.Session.Kind = since, false, "background"
		})
	}
	md := s.markdown()
	has(t, md, "| unknown ", "| in the future ", "session 4 `00000004`, session 6 `00000006`, session 3 `00000003`, session 5 `00000005`.")
}

// A text that fits is only cut where a character is piled up, also around a
// letter.
func TestClip_piled(t *testing.T) {
	for _, s := range []string{"a" + strings.Repeat("\u0301", 30), strings.Repeat("\u0d4e", 10) + "a" + strings.Repeat("\u0301", 10), "é·ü — ok", strings.Repeat("漢", 30), "👩‍👩‍👧‍👦 x"} {
		if got, want := clip(s, 400), join(clusters(clean(s))); got != want {
			t.Errorf("%q is clipped to %q, want %q", s, got, want)
		}
	}
}
