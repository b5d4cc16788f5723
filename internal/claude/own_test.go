package claude

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Inputs of our own, siblings of the public ones: a transcript's last lines and
// what they say.
func TestOwn_tail(t *testing.T) {
	ok := says(-4, "a", "end_turn", "Ok.")
	tests := []struct {
		id    string
		lines []string
		want  string
	}{
		{"own-malformed-two-on-a-line", []string{ok, says(-3, "b", "end_turn", "Two.") + says(-2, "c", "end_turn", "Three.")}, "ended act=4 bad=1"},
		{"own-malformed-latin1", []string{ok, strings.Replace(says(-2, "b", "end_turn", "Caf."), "Caf.", "Caf\xe9.", 1)}, "ended act=2"},
		{"own-malformed-nan", []string{ok, strings.Replace(says(-2, "b", "end_turn", "x"), `"message"`, `"cost":NaN,"message"`, 1)}, "ended act=4 bad=1"},
		{"own-type-timestamp-number", []string{ok, `{"type":"assistant","timestamp":1795962107582,"message":{"id":"b","stop_reason":"end_turn","content":[]}}`}, "ended act=4"},
		{"own-type-content-number", []string{ok, `{"type":"user","timestamp":"` + stamp(-3) + `","message":{"role":"user","content":7}}`}, "open act=4"},
		{"own-type-line-is-a-list", []string{ok, `[` + says(-2, "b", "end_turn", "x") + `]`}, "ended act=4 (its last line is not understood) bad=1"},
		{"own-cut-inside-escape", []string{ok, strings.TrimSuffix(says(-2, "b", "end_turn", `\u`), `"}]}}`)}, "ended act=4 bad=1"},
		{"own-cut-crlf", []string{ok + "\r", prompt(-3, "go") + "\r"}, "open act=4"},
		{"own-cut-at-a-brace", []string{ok, strings.TrimSuffix(says(-2, "b", "end_turn", "x"), "}")}, "ended act=4 bad=1"},
		{"own-dup-line", []string{prompt(-5, "go"), call(-4, "a", "t1", "Bash", `{"command":"make"}`), call(-4, "a", "t1", "Bash", `{"command":"make"}`), result(-3, "t1", "ok")}, "open act=3"},
		{"own-dup-answer", []string{call(-4, "a", "t1", "AskUserQuestion", ask), result(-3, "t1", "SQLite"), result(-2, "t1", "SQLite")}, "open act=2"},
		{"own-clock-day-ahead", []string{says(-9, "a", "end_turn", "Ok."), says(24*60, "b", "end_turn", "Tomorrow")}, "ended act=9 ahead"},
		{"own-clock-1969", []string{ok, strings.Replace(says(-2, "b", "end_turn", "x"), stamp(-2), "1969-12-31T23:59:59.000Z", 1)}, "ended act=4"},
		{"own-clock-offset", []string{strings.Replace(ok, stamp(-4), look.Add(-4*time.Minute).In(time.FixedZone("", 9*3600+1800)).Format(time.RFC3339), 1)}, "ended act=4"},
		{"own-api-error-then-answer", []string{apiError(-5, "server_error", 500, "API Error: 500", ""), says(-4, "a", "end_turn", "Ok.")}, "ended act=4"},
		{"own-api-error-word-unknown", []string{prompt(-5, "go"), apiError(-4, "gremlins", 418, "API Error: 418", "")}, "error act=4 err=gremlins/418"},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			tail := NewTail(look)
			for _, l := range slices.Backward(tt.lines) {
				tail.Add([]byte(l))
			}
			if got := summary(tail); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Of one session in several places, and of processes that are no sessions.
func TestOwn_join(t *testing.T) {
	tests := []struct {
		id   string
		r    Reading
		want []string
	}{
		{"own-dup-row", Reading{ListingRead: true, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive", Status: "busy"}, {PID: 7, SessionID: idA, Kind: "interactive", Status: "busy"}}},
			[]string{idA + " interactive listing"}},
		{"own-pid-recycled", Reading{ListingRead: true, TableRead: true, Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", Status: "busy", ProcStart: "Tue Sep 08 03:12:45 2026"}},
			Table: []Process{{PID: 7, Start: "Tue Sep  8 03:12:46 2026"}}}, []string{idA + " interactive unlisted process(busy dead other)"}},
		{"own-pid-hidden", Reading{TableRead: true, Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", Status: "busy", ProcStart: "5"}}, Table: []Process{{PID: 7}}},
			[]string{idA + " interactive process(busy ? cannot tell)"}},
		{"own-name-is-an-id", Reading{ListingRead: true, Rows: []Row{{PID: 7, SessionID: idA, Name: idB, Kind: "interactive"}, {PID: 8, SessionID: idB, Name: idA, Kind: "interactive"}}},
			[]string{idA + " interactive listing", idB + " interactive listing"}},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			var got []string
			for _, d := range Join(tt.r) {
				got = append(got, draftSummary(d))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
	t.Run("own-pid-lookalike", func(t *testing.T) {
		for exe, is := range map[string]bool{"/usr/bin/claude": true, "/home/x/.local/share/claude/versions/2.1.280": true, "/usr/bin/claude-squad": false,
			"/home/claude/bin/vim": false, "/opt/versions/2.1.280": false, "claude": true, "": false} {
			if IsProgram(exe) != is {
				t.Errorf("IsProgram(%q) = %t", exe, !is)
			}
		}
	})
}

// Files of a job and the listing.
func TestOwn_files(t *testing.T) {
	t.Run("own-dup-json-key", func(t *testing.T) { // as JSON.parse: the last counts
		j, _, err := ReadJobFile([]byte(`{"state":"working","sessionId":"s","cwd":"/w","state":"done"}`), "x")
		if err != nil || j.State != "done" {
			t.Errorf("%+v, %v", j, err)
		}
	})
	t.Run("own-type-nested", func(t *testing.T) {
		_, _, err := ReadJobFile([]byte(`{"state":"working","sessionId":"s","cwd":{"path":"/w"}}`), "x")
		if errText(err) != "field cwd is not a string" {
			t.Errorf("%v", err)
		}
	})
	t.Run("own-malformed-utf16", func(t *testing.T) {
		if _, _, err := ReadJobFile([]byte("\xff\xfe{\x00}\x00"), "x"); err == nil {
			t.Error("read")
		}
	})
	t.Run("own-list-of-lists", func(t *testing.T) {
		rows, unparsed, _, err := Listing([]byte(`[[{"sessionId":"s"}],{"sessionId":"t"},"u",7,null,{}]`))
		if err != nil || len(rows) != 1 || unparsed != 5 {
			t.Errorf("%+v, %d unparsed, %v", rows, unparsed, err)
		}
	})
	t.Run("own-cut-listing", func(t *testing.T) {
		rows, _, _, err := Listing([]byte(`[{"sessionId":"s"},{"sessionId":"t"`))
		if err == nil || rows != nil {
			t.Errorf("%+v, %v", rows, err)
		}
	})
	t.Run("own-clock-start-zero", func(t *testing.T) {
		rows, _, _, err := Listing([]byte(`[{"sessionId":"s","startedAt":0},{"sessionId":"t","startedAt":1e300},{"sessionId":"u","startedAt":-5}]`))
		if err != nil || len(rows) != 3 || !rows[0].StartedAt.IsZero() || !rows[1].StartedAt.IsZero() || !rows[2].StartedAt.IsZero() {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

// What an observer lets through of a name and a path.
func TestOwn_clean(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	tests := []struct{ id, name, want string }{
		{"own-name-right-to-left", "invoice\u202efdp.exe", "invoicefdp.exe"},
		{"own-name-of-controls-only", "\x1b[2J\x1b[H\x07", ""},
		{"own-name-tags", "lamp\U000e0041\U000e0042", "lamp"}, // invisible letters
		{"own-secret-between-words", "rotate " + token + " today", "rotate [withheld: github-token] today"},
		{"own-secret-over-two-lines", "PASS" + "WORD=\nFAKEhunter22", ""},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			s := &record.Session{Name: tt.name, Cwd: "/w/" + tt.name}
			Clean(s)
			if tt.want != "" && s.Name != tt.want || tt.want == "" && strings.Contains(s.Name+s.Cwd, "hunter22") || strings.ContainsAny(s.Name+s.Cwd, "\x1b\x07\n\u202e") || strings.Contains(s.Cwd, token) {
				t.Errorf("%q is %q in %q, want %q", tt.name, s.Name, s.Cwd, tt.want)
			}
		})
	}
}
