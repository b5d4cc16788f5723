package guard

import (
	"strings"
	"testing"
)

// A token is found behind what text glues to it: a character that was taken away, what
// other programs leave of a line end, a quotation mark or a colour, an underscore.
func TestGlued(t *testing.T) {
	lot := strings.Repeat("9f3a7c1e5b8d2064", 4)
	hex := lot[:40]
	tokens := []string{"pul-" + hex, "rubygems_" + lot[:48], "dop_v1_" + lot, "sk-or-v1-" + hex, "squ_" + hex}
	for _, front := range []string{"a\u200b", "a\xe9", "a\x1b[31m", "a\u202e\u200b", `a\n`, `a\t`, `\u0022`, "%20", "x_", "[31m", "[m", "^[[1;31m"} {
		for _, token := range tokens {
			text := "a " + front + token + "[0m b"
			for _, got := range []string{Text(text, 4000), Path(text), Line(text), Withhold(Line(text))} {
				if strings.Contains(got, token[len(token)-20:]) || !strings.HasSuffix(got, " b") {
					t.Errorf("%q: %q", text, got)
				}
			}
		}
	}
	for _, text := range []string{"[31mpassword: MarbleOrchid1957![0m", "x_pul-" + hex + "_y", "[31mtoken=Orchid1957MarbleQ[0m"} {
		if got := Text(text, 4000); strings.Contains(got, "Orchid1957") || strings.Contains(got, hex) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"rate(http_requests_total[5m]) of x[m]", "walk [30m] down", "🏳️‍🌈 is one emoji", "zero[1;", `C:\new\table\u12`, "100% of 5%", `a\`, "[", "%2"} {
		if got := Text(text, 4000); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Where something is gone between two parts of a text, what is found there is told in the
// places of the text itself.
func TestDivide(t *testing.T) {
	for _, gaps := range [][]int{nil, {0}, {1}, {1, 3}, {0, 1, 2, 3, 4}} {
		divided := divide("abcd", gaps)
		if strings.ReplaceAll(divided, "\x00", "") != "abcd" || len(divided) != 4+len(gaps) {
			t.Errorf("%v: %q", gaps, divided)
		}
		for i := range 4 {
			at := strings.IndexByte(divided, "abcd"[i])
			if got := undivided(at, gaps); got != i {
				t.Errorf("%v: %d is %d", gaps, i, got)
			}
		}
	}
	if got := undivided(6, []int{1, 4}); got != 4 {
		t.Error(got)
	}
}
