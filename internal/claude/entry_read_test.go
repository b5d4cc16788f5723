package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/kr/pretty"
)

// The types below read a line with encoding/json alone, by the tags of entry.
type plainEntry struct {
	Type             string       `json:"type"`
	Subtype          string       `json:"subtype"`
	Timestamp        *string      `json:"timestamp"`
	IsSidechain      bool         `json:"isSidechain"`
	IsMeta           bool         `json:"isMeta"`
	IsCompactSummary bool         `json:"isCompactSummary"`
	IsAPIError       bool         `json:"isApiErrorMessage"`
	APIErrorStatus   int          `json:"apiErrorStatus"`
	Error            any          `json:"error"`
	QuotaLimits      *quotaLimits `json:"quotaLimits"`
	Message          *struct {
		ID         string          `json:"id"`
		StopReason *string         `json:"stop_reason"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

func (p plainEntry) entry() entry {
	e := entry{Type: p.Type, Subtype: p.Subtype, Timestamp: p.Timestamp, IsSidechain: p.IsSidechain, IsMeta: p.IsMeta, IsCompactSummary: p.IsCompactSummary,
		IsAPIError: p.IsAPIError, APIErrorStatus: p.APIErrorStatus, QuotaLimits: p.QuotaLimits}
	if s, ok := p.Error.(string); ok {
		e.Error = onlyString(s)
	}
	if p.Message == nil {
		return e
	}
	e.Message = &message{ID: p.Message.ID, StopReason: p.Message.StopReason}
	c := &e.Message.Content
	var items []json.RawMessage
	if json.Unmarshal(p.Message.Content, &c.Text) != nil && json.Unmarshal(p.Message.Content, &items) == nil {
		c.Blocks = []block{}
		for _, item := range items {
			c.Blocks = append(c.Blocks, plainBlock(item))
		}
	}
	return e
}

func plainBlock(item []byte) (k block) {
	var v map[string]json.RawMessage
	_ = json.Unmarshal(item, &v)
	word := func(name string) (s string) {
		_ = json.Unmarshal(v[name], &s)
		return s
	}
	k = block{Type: word("type"), ID: word("id"), Name: word("name"), ToolUseID: word("tool_use_id")}
	switch k.Type {
	case "text":
		k.Text = word("text")
	case "tool_use":
		k.input = v["input"]
	}
	return k
}

// plain tells whether a line has every name once and in no other case than
// that of an entry: encoding/json takes "TYPE" for "type", and merges what
// stands under a name that comes twice.
func plain(line []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowInvalidUTF8(true))
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return err.Error() == "EOF"
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind != '{' || n%2 != 1 || t.Kind() != '"' {
			continue
		}
		for _, name := range strings.Fields("type subtype timestamp isSidechain isMeta isCompactSummary isApiErrorMessage apiErrorStatus error quotaLimits" +
			" message id stop_reason content status resetsAt rateLimitType name tool_use_id text input questions question options label plan command file_path url") {
			if strings.EqualFold(t.String(), name) && t.String() != name {
				return false
			}
		}
	}
}

// Law: a line reads as encoding/json reads it.
func FuzzEntry(f *testing.F) {
	files, err := filepath.Glob("../../fixtures/cc-2.1.280/root/home/dev/.claude/projects/*/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no captured transcripts", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			f.Add(bytes.TrimSpace(line))
		}
	}
	for _, line := range []string{
		call(-4, "a", "t1", "AskUserQuestion", ask), result(-3, "t1", "ok"), apiError(-4, "rate_limit", 429, "x", `,"quotaLimits":{"status":"rejected","resetsAt":1796262567,"rateLimitType":"seven_day"}`),
		`{"type":7,"timestamp":null,"isMeta":"yes","apiErrorStatus":5.5,"error":{"x":[]},"quotaLimits":"none","message":[]}`,
		`{"quotaLimits":{"status":null,"resetsAt":"1","rateLimitType":[1]},"message":{"id":5,"stop_reason":null,"content":[null,"x",{"type":"text","text":7},{"type":"tool_use","input":[]}]}}`,
		`{"message":{"content":"\ud800 \u00e9 ` + "\xff" + `\n"},"typ\u0065":"user"}`, `{} {}`, `{"type":"user"`, `{"apiErrorStatus":1e2}`, `{"apiErrorStatus":99999999999999999999}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !isObject(line) || !plain(line) && json.Valid(line) {
			return
		}
		var p plainEntry
		err := json.Unmarshal(line, &p)
		_, odd := err.(*json.UnmarshalTypeError)
		var r reader
		got, gotErr := r.entry(line)
		if (gotErr != nil) != (err != nil && !odd) {
			t.Fatalf("%s: %v, encoding/json %v", line, gotErr, err)
		}
		if gotErr != nil {
			return
		}
		if want := p.entry(); !reflect.DeepEqual(readAll(got), readAll(want)) || odd != (len(r.odd) > 0) {
			t.Errorf("%s:\n%s\n%v, encoding/json: %v", line, strings.Join(pretty.Diff(readAll(got), readAll(want)), "\n"), r.odd, err)
		}
	})
}

// readAll reads the inputs of an entry's calls. A reset at 0 is none.
func readAll(e entry) entry {
	if q := e.QuotaLimits; q != nil && q.ResetsAt != nil && *q.ResetsAt == 0 {
		e.QuotaLimits = &quotaLimits{Status: q.Status, RateLimitType: q.RateLimitType}
	}
	if e.Message == nil {
		return e
	}
	m := *e.Message
	m.Content.Blocks = nil
	for _, b := range e.Message.Content.Blocks {
		m.Content.Blocks = append(m.Content.Blocks, b.read())
	}
	e.Message = &m
	return e
}
