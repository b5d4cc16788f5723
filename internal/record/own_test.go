package record

import (
	"strings"
	"testing"
)

// Streams with a line that is nearly a record: inputs of our own. The error
// names the line.
func TestOwn(t *testing.T) {
	ok := line("session", at, "h", "o", "s", `{"session_id":"s"}`)
	tests := []struct{ id, stream, err string }{
		{"own-malformed-bom", ok + "\ufeff" + ok, "line 2: not a JSON object"},
		{"own-malformed-two-records", ok + strings.TrimSuffix(ok, "\n") + ok, "line 2: not JSON at byte"},
		{"own-type-at-number", ok + strings.Replace(ok, `"`+at+`"`, "1795962107582", 1), "line 2: "},
		{"own-type-data-list", ok + line("session", at, "h", "o", "s", `[]`), "line 2: session record: data is not an object"},
		{"own-cut-last-line", ok + strings.TrimSuffix(ok, "}\n"), "line 2: not JSON at byte"},
		{"own-clock-year-10000", ok + strings.Replace(ok, "2026", "10000", 1), "line 2: "},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			n, got := 0, ""
			for l, err := range All(strings.NewReader(tt.stream)) {
				if err != nil {
					got = err.Error()
					break
				}
				n = l.N
			}
			if n != 1 || !strings.HasPrefix(got, tt.err) {
				t.Errorf("%d lines, then %q, want %q", n, got, tt.err)
			}
		})
	}
}
