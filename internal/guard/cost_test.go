package guard

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
)

// A long text costs one scan of it, whatever it is made of.
func TestLongTextCostsOneScan(t *testing.T) {
	const size = 5 << 20
	fastest := func(f func()) time.Duration {
		best := time.Duration(math.MaxInt64)
		for range 2 {
			start := time.Now()
			f()
			best = min(best, time.Since(start))
		}
		return best
	}
	for _, unit := range []string{
		"A line of a log. ", "line\n", " ", "\x1b[31m", "\x1b]0;", "\x1b", "\u200b", "\u0301", "\xff", "界", "👩\u200d", "क्",
		"token=", "token:x ", "--token ", "://", "://a:b@", "crm/", "crm ", "-----BEGIN PRIVATE KEY-----", "-----END ", "[withheld: ", "[withheld: jwt]",
		"eyJ", "sk-", "aaaaaaaaaaaa", "cookie: a=b;", "key", "\"", "\\", "]11;rgb:1/2/3", "]11;rgb:",
	} {
		text := strings.Repeat(unit, size/len(unit))
		runes := 0
		scan := fastest(func() {
			for _, r := range text {
				runes += int(unicode.ToLower(r))
			}
		})
		got := fastest(func() { Text(text, 200) })
		if got > 25*scan { // the slowest, marks without a letter, takes 5 times as long
			t.Errorf("%d bytes of %q: one scan takes %v, Text %v", size, unit, scan, got)
		}
	}
}

func BenchmarkText(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"words", "Fixed the flaky login test by waiting for the redirect; all 214 tests of internal/auth pass, and the linter is quiet."},
		{"path", "Write(/home/dev/proj-b/internal/server/handlers/session_handler_test.go) +42 −7 and ran go vet over the package"},
		{"keyword", "The task: the api key of the linear client is read from the token file, jira asks for basic auth"},
		{"wide", "界界界界界界界界界界 👩‍👩‍👧 한국어 " + strings.Repeat("日本語のテキスト", 10)},
		{"hit", "deploying with API_TOKEN=" + "FAKE1234FAKE" + " to prod"},
		{"5MB", strings.Repeat("A long line of a log, with words. ", 5<<20/34)},
		{"5MB-spaces", "x" + strings.Repeat(" \n\t ", 5<<20/4)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				Text(bb.text, 200)
			}
		})
	}
}

// What a process pays before its first text, and for the first text without a keyword: no pattern compiles.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if s := newRules(own, products, gitleaks); len(s.hit("Fixed it by waiting for the redirect; all 214 tests pass")) != 0 {
			b.Fatal("a keyword in a text that should have none")
		}
	}
}

// What compiling every pattern would cost instead.
func BenchmarkCompileAll(b *testing.B) {
	for b.Loop() {
		s := newRules(own, products, gitleaks)
		for i := range s.re {
			s.compile(i)
		}
	}
}
