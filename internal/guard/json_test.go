package guard

import (
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	secret := "ghp_" + strings.Repeat("FAKE", 9)
	const w = "[withheld: github-token]"
	tests := []struct{ in, want string }{
		{`{"b":1, "a":"a  line\nand 界"}`, `{"b":1, "a":"a  line\nand 界"}`}, // as it is
		{`{"b":1.50,"a":["x",{"c":"say ` + secret + ` now"}]}`, `{"a":["x",{"c":"say ` + w + ` now"}],"b":1.50}`},
		{`{"` + secret + `":"<&>"}`, `{"` + w + `":"<&>"}`},
		{`{"a":"` + secret, `{"a":"` + secret}, // no JSON: Text is for that
		{`{"a":"` + secret + `"} x`, `{"a":"` + secret + `"} x`},
		{`{"a":"` + secret + "\xff\"}", `{"a":"` + secret + "\xff\"}"},
		{`"` + secret + `"`, `"` + w + `"`},
		{`12345678901234567890123`, `12345678901234567890123`},
	}
	for _, tt := range tests {
		got := string(JSON([]byte(tt.in)))
		if got != tt.want || string(JSON([]byte(got))) != got {
			t.Errorf("JSON(%s) = %s, want %s", tt.in, got, tt.want)
		}
	}
}
