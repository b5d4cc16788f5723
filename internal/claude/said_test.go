package claude

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// What a user typed is read from the records that Claude Code writes of it, and
// from no other. The lines are written, in the shape of captured ones.
func TestReadSaid(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 0, 0, 5e8, time.UTC)
	whole := Said{ID: "u-1", At: at, Cwd: "/w", SessionID: "s", Text: "hello there"}
	const rest = `"uuid":"u-1","timestamp":"2026-11-29T14:00:00.500Z","cwd":"/w","sessionId":"s"`
	for name, tt := range map[string]struct {
		line string
		want *Said
	}{
		"text":                 {`{"type":"user",` + rest + `,"message":{"role":"user","content":"hello there"}}`, &whole},
		"blanks around it":     {`{"type":"user",` + rest + `,"message":{"content":"\n hello there \n"}}` + "\n", &whole},
		"blocks":               {`{"type":"user",` + rest + `,"message":{"content":[{"type":"text","text":"hello"},{"type":"image","source":{}},{"type":"text","text":" there"}]}}`, &whole},
		"another zone":         {`{"type":"user",` + strings.Replace(rest, "14:00:00.500Z", "15:00:00.500+01:00", 1) + `,"message":{"content":"hello there"}}`, &whole},
		"fields nobody knows":  {`{"zz":[1],"type":"user",` + rest + `,"isMeta":false,"message":{"zz":{},"content":"hello there"}}`, &whole},
		"a tool's result":      {`{"type":"user",` + rest + `,"message":{"content":[{"type":"tool_result","content":"hello there","text":"hello there"}]}}`, nil},
		"of Claude Code's own": {`{"type":"user",` + rest + `,"isMeta":true,"message":{"content":"hello there"}}`, nil},
		"the assistant's":      {`{"type":"assistant",` + rest + `,"message":{"content":"hello there"}}`, nil},
		"in a queue":           {`{"type":"queue-operation",` + rest + `,"content":"hello there"}`, nil},
		"without an id":        {`{"type":"user","timestamp":"2026-11-29T14:00:00Z","message":{"content":"hello there"}}`, nil},
		"without a time":       {`{"type":"user","uuid":"u-1","message":{"content":"hello there"}}`, nil},
		"with an odd time":     {`{"type":"user","uuid":"u-1","timestamp":"today","message":{"content":"hello there"}}`, nil},
		"nothing":              {`{"type":"user",` + rest + `,"message":{"content":" "}}`, nil},
		"no message":           {`{"type":"user",` + rest + `}`, nil},
		"odd content":          {`{"type":"user",` + rest + `,"message":{"content":7}}`, nil},
		"cut":                  {`{"type":"user",` + rest + `,"message":{"content":"hello th`, nil},
		"an empty line":        {"\n", nil},
	} {
		got, ok := ReadSaid([]byte(tt.line))
		if ok != (tt.want != nil) || !ok && got != (Said{}) {
			t.Errorf("%s: %+v %t", name, got, ok)
		}
		if got.At = got.At.UTC(); tt.want != nil && got != *tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Laws: what was said has an id, a time and a text without blanks around it;
// it reads the same from a record that says nothing else; a field that nobody
// knows changes nothing, a line that was cut says nothing, and neither does the
// same record as another's or as Claude Code's own.
func FuzzReadSaid(f *testing.F) {
	f.Add([]byte(`{"type":"user","uuid":"u","timestamp":"2026-11-29T14:00:00.500Z","cwd":"/w","sessionId":"s","message":{"role":"user","content":"hello"}}`))
	f.Add([]byte(`{"type":"user","uuid":"u","timestamp":"2026-11-29T14:00:00+01:00","message":{"content":[{"type":"text","text":" a "},{"type":"tool_result","content":"x"}]}}`))
	f.Add([]byte(`{"type":"assistant","uuid":"u","timestamp":"2026-11-29T14:00:00Z","message":{"content":"x"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, ok := ReadSaid(line)
		if !ok {
			if s != (Said{}) {
				t.Errorf("%+v of nothing", s)
			}
			return
		}
		if s.ID == "" || s.Text == "" || s.Text != strings.TrimSpace(s.Text) {
			t.Errorf("%+v", s)
		}
		rec := map[string]any{"type": "user", "uuid": s.ID, "timestamp": s.At.Format(time.RFC3339Nano), "cwd": s.Cwd, "sessionId": s.SessionID,
			"zz": 1, "message": map[string]any{"content": s.Text}}
		written := func() []byte {
			b, err := json.Marshal(rec)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		again, ok := ReadSaid(written())
		if !ok || !again.At.Equal(s.At) || again.ID != s.ID || again.Cwd != s.Cwd || again.SessionID != s.SessionID || again.Text != s.Text {
			t.Errorf("written %s, read %+v, from %+v", written(), again, s)
		}
		whole := strings.TrimSpace(string(line))
		for _, n := range []int{len(whole) / 2, len(whole) - 1} {
			if got, ok := ReadSaid([]byte(whole[:n])); ok {
				t.Errorf("of the first %d bytes: %+v", n, got)
			}
		}
		rec["isMeta"] = true
		if got, ok := ReadSaid(written()); ok {
			t.Errorf("of Claude Code's own: %+v", got)
		}
		delete(rec, "isMeta")
		rec["type"] = "assistant"
		if got, ok := ReadSaid(written()); ok {
			t.Errorf("of another: %+v", got)
		}
	})
}
