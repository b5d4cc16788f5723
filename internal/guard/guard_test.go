package guard

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

func TestText(t *testing.T) {
	const e = "\x1b"
	tests := []struct {
		id    string
		in    string
		width int
		want  string
	}{
		{"plain", "fixed the flaky login test", 80, "fixed the flaky login test"},
		{"empty", "", 80, ""},
		{"no-room", "x", 0, ""},
		{"no-room/negative", "x", -1, ""},
		{"one-column", "xy", 1, "…"},
		{"one-column/fits", "x", 1, "x"},

		{"ren-ansi-name", e + "[31mRed" + e + "[0m", 20, "Red"},
		{"ren-ansi-name/long-colour", e + "[38;2;153;153;153;48:5:1mRed" + e + "[m and more", 20, "Red and more"},
		{"ren-ansi-name/eight-bit", "\u009b31mRed\u009b0m", 20, "Red"},
		{"ren-ansi-name/cut-off", "Red" + e + "[31", 20, "Red"},
		{"ren-ansi-name/escape-at-end", "Red" + e, 20, "Red"},
		{"ren-ansi-name/no-sequence", "a" + e + "[한", 20, "a한"},
		{"ren-ansi-name/charset", "a" + e + "(Bb" + e + "7c" + e + " Fd" + e + " e", 20, "abcd e"},
		{"ren-ansi-name/link", e + "]8;;https://example.org" + e + "\\here" + e + "]8;;\a.", 20, "here."},
		{"ren-ansi-name/title", e + "]0;pwned\aname", 20, "name"},
		{"ren-ansi-name/title-st", "\u009d0;pwned\u009cname", 20, "name"},
		{"ren-ansi-name/open-title", e + "]0;pwned\nname", 20, "name"},
		{"ren-ansi-name/device-control", e + "Pq#0;2;0;0;0" + e + "\\sixel " + e + "_apc" + e + "\\" + e + "^pm" + e + "\\" + e + "Xsos" + e + "\\end", 20, "sixel end"},

		{"ren-osc-residue", "name ]11;rgb:1a1a/2b2b/3c3c", 40, "name"},
		{"ren-osc-residue/with-end", "^[]10;rgb:ffff/ffff/ffff\\name", 40, "name"},
		{"ren-osc-residue/alpha", "]4;12;rgba:1/2/3/4 name", 40, "name"},
		{"ren-osc-residue/note", "[Note]", 40, "[Note]"},
		{"ren-osc-residue/array", "array[0]", 40, "array[0]"},
		{"ren-osc-residue/css", "a[rgb];rgb:1/2", 40, "a[rgb];rgb:1/2"},
		{"ren-osc-residue/ago", "failed [2m ago]", 40, "failed [2m ago]"},

		{"ren-clear-screen", "error: " + e + "[2J" + e + "[H" + e + "[?25lall gone", 40, "error: all gone"},
		{"ren-clear-screen/label", e + "c" + e + "[3Jlabel", 40, "label"},
		{"ren-clear-screen/backspace", "safe\b\b\b\bevil\x7f", 40, "safeevil"},

		{"ren-newline-pipe", "first\nsecond | third", 40, "first second | third"},
		{"ren-newline-pipe/all-breaks", "a\r\nb\vc\fd\u0085e\u2028f\u2029g\th", 40, "a b c d e f g h"},
		{"ren-newline-pipe/ends", "\n\n a  b\u00a0\u3000c \n", 40, "a b c"},

		{"ren-wide", "界界界", 20, "界界界"},
		{"ren-wide/fits", "界界界", 6, "界界界"},
		{"ren-wide/cut", "界界界", 5, "界界…"},
		{"ren-wide/cut-odd", "界界界", 4, "界…"},
		{"ren-wide/family", "👩‍👩‍👧 👩‍👩‍👧", 5, "👩‍👩‍👧 👩‍👩‍👧"},
		{"ren-wide/family-cut", "👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"},
		{"ren-wide/family-uncut", "👩‍👩‍👧", 1, "…"},
		{"ren-wide/heart", "❤️‍🔥 👩🏽‍❤️‍💋‍👨🏿 🙂‍↔️", 20, "❤️‍🔥 👩🏽‍❤️‍💋‍👨🏿 🙂‍↔️"},
		{"ren-wide/flag", "🇩🇪🇫🇷", 3, "🇩🇪…"},
		{"ren-wide/marks", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"ren-wide/twenty", "界界界界界界界界界界界", 20, "界界界界界界界界界…"},
		{"ren-wide/hangul", "한국어", 4, "한…"},
		{"ren-wide/conjunct", "क्षत्रिय", 2, "क्ष…"},

		{"tx-tail-midrune", "한국"[1:], 20, "국"},
		{"tx-tail-midrune/end", "한국"[:5], 20, "한"},
		{"tx-tail-midrune/c1-in-it", "\x9d\x90국", 20, "국"}, // continuation bytes are no controls
		{"tx-tail-midrune/replaced-before", "a\ufffdb", 20, "ab"},
		{"tx-tail-midrune/surrogate", "a\xed\xa0\x80b", 20, "ab"},

		{"invisible", "a\u200bb\u200cc\u2060d\ufeffe\u00adf\u034fg\u3164h\u180ei", 40, "abcdefghi"},
		{"invisible/bidi", "user\u202etxt.exe\u2066x\u2069\u200f\u061c", 40, "usertxt.exex"},
		{"invisible/tags", "🏴\U000E0067\U000E0062\U000E007F hi\U000E0041", 40, "🏴 hi"},
		{"invisible/joiner-in-word", "a\u200db 👩\u200d 👩", 40, "ab 👩 👩"},
		{"invisible/selector-in-word", "gh\ufe0fp_\U000E0101x", 40, "ghp_x"},
		{"invisible/selector-twice", "❤\ufe0f\ufe0f葛\U000E0100", 40, "❤\ufe0f葛\U000E0100"},
		{"invisible/lone-mark", "\u0301a \u0301b", 40, "a b"},
		{"invisible/zalgo", "z" + strings.Repeat("\u0301", 5000) + "!", 40, "z" + strings.Repeat("\u0301", maxMarks) + "!"},
		{"invisible/endless-family", strings.Repeat("👩\u200d", 12) + "👩", 40, strings.Repeat("👩\u200d", maxJoins) + "👩" + strings.Repeat("👩\u200d", 3) + "👩"},
		{"invisible/endless-conjunct", "a" + strings.Repeat("क्", 40) + "b", 40, "ab"},

		{"clip/tail-space", "abc def", 5, "abc…"},
		{"clip/own-ellipsis", "abc… def", 5, "abc…"},
		{"clip/trailing-space-is-nothing", "abc   ", 3, "abc"},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			got := Text(tt.in, tt.width)
			if got != tt.want {
				t.Errorf("Text(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
			}
			if err := unsafeText(got, tt.width); err != "" {
				t.Errorf("Text(%q, %d) = %q: %s", tt.in, tt.width, got, err)
			}
		})
	}
}

// unsafeText returns what is wrong with a guarded text: "" when nothing is.
func unsafeText(s string, width int) string {
	for _, r := range s {
		switch {
		case r < ' ', 0x7f <= r && r <= 0x9f:
			return "a control character"
		case r == utf8.RuneError:
			return "a replacement character"
		case r != zwj && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point):
			return "an invisible character"
		}
	}
	switch {
	case !utf8.ValidString(s):
		return "invalid UTF-8"
	case displaywidth.String(s) > max(width, 0):
		return "too wide"
	case Text(s, width) != s:
		return "guarded again it is " + Text(s, width)
	}
	return ""
}

func TestPath(t *testing.T) {
	long := "/home/dev/" + strings.Repeat("deep/", 200) + "file.go"
	tests := []struct{ id, in, want string }{
		{"plain", "/home/dev/proj-a/internal/guard", "/home/dev/proj-a/internal/guard"},
		{"spaces", "/home/dev/my.dir_with  space é ", "/home/dev/my.dir_with  space é "},
		{"long", long, long},
		{"newline", "/tmp/a\nb\x1b[2Jc", "/tmp/a bc"},
		{"too-long", "/" + strings.Repeat("x", 5000), "/" + strings.Repeat("x", 4094) + "…"},
		{"userinfo", "https://dev:hunter2FAKE@example.org/x.git", "https://[withheld: url-userinfo]@example.org/x.git"},
		{"crm", "/home/dev/crm/Big Client Ltd/notes.md", "[withheld: crm path]"},
		{"crm/end", "/home/dev/crm", "[withheld: crm path]"},
		{"crm/start", "crm/x", "[withheld: crm path]"},
		{"crm/case", "/home/dev/CRM/x", "[withheld: crm path]"},
		{"crm/part-of-name", "/home/dev/crm-import/crm.go", "/home/dev/crm-import/crm.go"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			got := Path(tt.in)
			if got != tt.want {
				t.Errorf("Path(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if again := Path(got); again != got {
				t.Errorf("again: %q", again)
			}
		})
	}
}

func TestID(t *testing.T) {
	for _, s := range []string{
		"7c8f6cc3-27d9-4a45-9b19-d9a0defaaa85", "pid:4242", "gh/fleet-tools/fleet", "7c8f6cc3@work", "a.b_c+d",
		"0102de27acbd6a8a3b5f4e0ef1a3a3a6c7b8d9e0", "h-e3b0c44298fc",
	} {
		if got := ID(s); got != s {
			t.Errorf("ID(%q) = %q", s, got)
		}
	}
	seen := make(map[string]string)
	for _, s := range []string{
		"", " ", "a b", "a\n", "名前", "a\x1b[0m", strings.Repeat("a", 201), "crm/x", "/home/dev/crm",
		"ghp_" + strings.Repeat("FAKE", 9), "sk-ant-" + strings.Repeat("FAKE", 9),
	} {
		got := ID(s)
		if len(got) != 14 || !strings.HasPrefix(got, "h-") || ID(got) != got || ID(s) != got {
			t.Errorf("ID(%q) = %q", s, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q are both %s", s, other, got)
		}
		seen[got] = s
	}
	if got := ID(""); got != "h-e3b0c44298fc" { // it must not change between releases
		t.Errorf(`ID("") = %q`, got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"\x1b[31mRed\x1b[0m", "]11;rgb:1/2/3", "]11;]11;rgb:1/2/3rgb:1/2/3", "👩‍👩‍👧 한국어 क्षत्रिय",
		"TOKEN=FAKEfake1234567890 [withheld: assignment] crm/x", "[withheld: [withheld: assignment]]",
		"ghp_" + strings.Repeat("FAKE", 20), "https://u:FAKEpw1@h/ -----BEGIN PRIVATE KEY-----FAKE", "a\u0301\u0301 \u200d\ufe0f❤\ufe0f",
		"password: \"FAKE pass", "Cookie: a=FAKE; b=FAKE", "login x password FAKE", "Authorization: Bearer FAKEFAKEFAKEFAKE1",
		"[withheld: crm path]/crm/[withheld: jwt]=", "--token FAKE1234 --password \"FAKE\"",
	} {
		f.Add(s, 20)
		f.Add(s, 200)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width %= 500
		if err := unsafeText(Text(s, width), width); err != "" {
			t.Fatalf("Text(%q, %d) = %q: %s", s, width, Text(s, width), err)
		}
		if p := Path(s); Path(p) != p {
			t.Fatalf("Path(%q) = %q, again %q", s, p, Path(p))
		}
		if id := ID(s); id == "" || ID(id) != id || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatalf("ID(%q) = %q", s, id)
		}
	})
}

// A line is flat and without credentials, and else whole.
func TestLine(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for s, want := range map[string]string{
		"":                                       "",
		"  a\tb  ":                               "  a b  ",
		"a\x1b[31mb\x1b]0;x\ac\u200bd\u202e":     "abcd",
		"/x/" + token[:9] + "\u200b" + token[9:]: "/x/[withheld: github-token]",
		"/x/" + token[:9] + "\x1b[0m" + token[9:]: "/x/[withheld: github-token]",
		"/x/" + token[:9] + "\xe9" + token[9:]:    "/x/[withheld: github-token]",
		strings.Repeat("wide ", 10_000):           strings.Repeat("wide ", 10_000),
		strings.Repeat("é", 10_000):               strings.Repeat("é", 10_000),
	} {
		if got := Line(s); got != want || Line(got) != got {
			t.Errorf("%.80q: %.80q, want %.80q", s, got, want)
		}
	}
}

// In quotes a text is guarded before it is quoted, which would leave nothing of a
// credential to know it by.
func TestQuote(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	withheld := `"/x/[withheld: github-token]"`
	for s, want := range map[string]string{
		"":                                       `""`,
		"/bin/sh\r":                              `"/bin/sh\r"`,
		"a\u200b\xe9é":                           `"a\u200b\xe9é"`,
		"/x/" + token:                            withheld,
		"/x/" + token[:9] + "\u200b" + token[9:]: withheld,
		"/x/" + token[:9] + "\xe9" + token[9:]:   withheld,
		"/x/" + token + "\r":                     `"/x/[withheld: github-token] "`,
	} {
		if got := Quote(s); got != want || Line(got) != got {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}
