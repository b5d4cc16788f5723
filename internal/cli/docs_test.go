package cli

import (
	"reflect"
	"testing"
)

func TestCommandsOf(t *testing.T) {
	for _, tt := range []struct {
		about string
		want  []command
	}{
		{"Fleet-x reads: everything. It has one note: this.", []command{}},
		{"Fleet-x works. COMMAND is one of\nget A B: print it; see below. A note: none.\ncat-all: print. verify --all, verify X: check.", []command{
			{"get", "get A B", "print it; see below. A note: none."},
			{"cat-all", "cat-all", "print."},
			{"verify", "verify --all, verify X", "check."},
		}},
	} {
		if got := commandsOf(tt.about); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q\n got %q\nwant %q", tt.about, got, tt.want)
		}
	}
}

// What a formatter or a shell would take for its own is escaped.
func TestEscapes(t *testing.T) {
	for _, tt := range []struct {
		f        func(string) string
		in, want string
	}{
		{roff, ".SH x\n.TP\n'y 'z` a\\b -c ~/d ^e … .", "\\&.SH x\n\\&.TP\n\\(aqy \\(aqz\\(ga a\\eb \\-c \\(ti/d \\(hae \\[u2026] ."},
		{zshText, `a: [b] \c`, `a\: \[b\] \\c`},
		{fishText, `it's \ x`, `'it\'s \\ x'`},
		{brief, "One two. Three.", "One two"},
		{brief, "One.", "One"},
	} {
		if got := tt.f(tt.in); got != tt.want {
			t.Errorf("%q\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}
