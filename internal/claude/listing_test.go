package claude

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"
)

func TestVersion(t *testing.T) {
	tests := []struct{ out, version, drift, err string }{
		{"2.1.280 (Claude Code)\n", "2.1.280", "", ""},
		{"2.1.301 (Claude Code)\n", "2.1.301", "version 2.1.301", ""},
		{"", "", "", "claude --version: not a version of Claude Code"},
		{"command not found", "", "", "claude --version: not a version of Claude Code"},
	}
	for _, tt := range tests {
		v, drift, err := Version([]byte(tt.out))
		var want []string
		if tt.drift != "" {
			want = []string{tt.drift}
		}
		if v != tt.version || !slices.Equal(drift, want) || errText(err) != tt.err {
			t.Errorf("Version(%q) = %q, %q, %v", tt.out, v, drift, err)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestListing(t *testing.T) {
	started := time.UnixMilli(1795962443543).UTC()
	tests := []struct {
		name, out string
		rows      []Row
		unparsed  int
		drift     []string
		err       string
	}{
		{name: "empty fleet", out: "[]\n", rows: []Row{}},
		{name: "cc-interactive-no-state", out: `[{"pid":3131,"kind":"interactive","status":"idle","sessionId":"S2","cwd":"/w/r","startedAt":1795962443543}]`,
			rows: []Row{{PID: 3131, Kind: "interactive", Status: "idle", SessionID: "S2", Cwd: "/w/r", StartedAt: started}}},
		{name: "cc-status-null", out: `[{"id":"x","state":"done","status":null,"sessionId":"s","kind":"background","startedAt":null}]`,
			rows: []Row{{ID: "x", State: "done", SessionID: "s", Kind: "background"}}},
		{name: "cwd not known", out: `[{"pid":1,"cwd":"?","kind":"interactive"}]`, rows: []Row{{PID: 1, Kind: "interactive"}}},
		{name: "waiting", out: `[{"pid":1,"sessionId":"s","kind":"interactive","status":"waiting","waitingFor":"input needed"}]`,
			rows: []Row{{PID: 1, SessionID: "s", Kind: "interactive", Status: "waiting", WaitingFor: "input needed"}}},
		{name: "drift, each word once", out: `[{"pid":1,"sessionId":"s","kind":"robot","status":"dreaming","x":1},{"pid":2,"sessionId":"u","kind":"robot","waitingFor":"rain","state":"sleeping"}]`,
			rows:  []Row{{PID: 1, SessionID: "s", Kind: "robot", Status: "dreaming"}, {PID: 2, SessionID: "u", Kind: "robot", WaitingFor: "rain", State: "sleeping"}},
			drift: []string{"listing field x", "listing kind robot", "listing state sleeping", "listing status dreaming", "listing waitingFor rain"}},
		{name: "rows of other shapes", out: `[1,null,{"kind":"interactive"},{"pid":"7","sessionId":"s"},{"pid":8,"sessionId":"t","kind":"interactive"}]`,
			rows: []Row{{PID: 8, SessionID: "t", Kind: "interactive"}}, unparsed: 4},
		{name: "cc-old-cli-text", out: "18 active agents\n  lamp  busy\n", err: "the listing is not a JSON array"},
		{name: "cc-cli-empty-unavailable", out: "", err: "the listing is empty, not even []"},
		{name: "an object", out: `{"sessions":[]}`, err: "the listing is not a JSON array"},
		{name: "null", out: `null`, err: "the listing is not a JSON array"},
	}
	for _, tt := range tests {
		rows, unparsed, drift, err := Listing([]byte(tt.out))
		if unparsed != tt.unparsed || !slices.Equal(drift, tt.drift) || errText(err) != tt.err {
			t.Errorf("%s: unparsed %d, drift %q, error %v", tt.name, unparsed, drift, err)
		}
		for _, d := range pretty.Diff(rows, tt.rows) {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestComplete(t *testing.T) {
	rows := []Row{{ID: "a"}, {ID: "b"}}
	for _, tt := range []struct {
		jobs []string
		cap  int
		ok   bool
	}{
		{[]string{"a", "b"}, 2, true},
		{[]string{"a", "b", "c"}, 2, false},
		{[]string{"c"}, 3, true}, // below the cap nothing was cut
		{nil, 2, true},
	} {
		if err := Complete(rows, tt.jobs, tt.cap); (err == nil) != tt.ok {
			t.Errorf("Complete(%v, cap %d) = %v", tt.jobs, tt.cap, err)
		}
	}
}

// However many unknown fields a file has, a bounded number is named, the same
// ones each time.
func TestDrift_bounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"sessionId":"s"`)
	for i := range 5000 {
		fmt.Fprintf(&b, `,"k%04d":1`, i)
	}
	b.WriteString(`}]`)
	for range 3 {
		_, _, drift, err := Listing([]byte(b.String()))
		if err != nil || len(drift) != maxDrift+1 || drift[0] != "listing field k0000" || drift[maxDrift] != MoreDrift {
			t.Fatalf("%d words, %q, error %v", len(drift), drift, err)
		}
	}
}

// A pid that no process can have is none.
func TestListing_noPID(t *testing.T) {
	rows, _, _, err := Listing([]byte(`[{"pid":-1,"sessionId":"s"},{"pid":0,"sessionId":"t"}]`))
	if err != nil || len(rows) != 2 || rows[0].PID != 0 || rows[1].PID != 0 {
		t.Errorf("got %+v, %v", rows, err)
	}
}
