package fold

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestVerify(t *testing.T) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seed := string(b)
	lines := strings.SplitAfter(strings.TrimSuffix(seed, "\n"), "\n")
	last := lines[len(lines)-1] + "\n"
	tests := []struct {
		name, text string
		entries    int
		want       string
	}{
		{"sound", seed, 11, ""},
		{"a newer kind is no damage", seed + `{"v":1,"kind":"later"}` + "\n", 12, ""},
		{"torn", seed + "{\n", 11, "12: torn: ends at byte 1"},
		{"a copied line", seed + last, 12, "12: its id is that of line 11"},
		{"an old fire", seed + strings.ReplaceAll(strings.ReplaceAll(fire12, "12-1", "12-9"), "13-1", "") + "\n", 12, "12: tick 12 begins after tick 13"},
		{"a batch that is gone", strings.Join(append(lines[:1:1], lines[2:]...), ""), 10, "2: of an intent that is not there, 4: of an intent that is not there"},
	}
	for _, tt := range tests {
		var got []string
		n, err := Verify(Lines(strings.NewReader(tt.text)), func(n int, says string) { got = append(got, fmt.Sprintf("%d: %s", n, says)) })
		if err != nil || n != tt.entries || strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %d entries, %q %v; want %d, %q", tt.name, n, got, err, tt.entries, tt.want)
		}
	}
	r := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(seed)))
	if _, err := Verify(Lines(r), func(int, string) {}); err == nil || err.Error() != "line 1: timeout" {
		t.Errorf("a failing reader: %v", err)
	}
}
