package stubapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

var table = []stubapi.Scenario{
	{Name: "hello", Steps: []stubapi.Step{stubapi.Run("Look.", "echo hi", "Say hi"), stubapi.Say("Said hi.")}},
	{Name: "short", Prompt: "Fix the test", Steps: []stubapi.Step{stubapi.Say("short")}},
	{Name: "long", Prompt: "Fix the test of the parser", Label: "parser test", Title: "Parser", Verdict: stubapi.Working("going on"), Steps: []stubapi.Step{stubapi.Say("long")}},
	{Name: "limit", Steps: []stubapi.Step{stubapi.Limit("five_hour", time.Hour, map[string]string{"overage-status": "rejected"})}},
	{Name: "overloaded", Steps: []stubapi.Step{stubapi.Fail(529, "overloaded_error", "Overloaded")}},
	{Name: "twice", Steps: []stubapi.Step{{Text: "Recovered.", Failure: &stubapi.Failure{Status: 500, Type: "api_error", Times: 2}}}},
	{Name: "broken", Steps: []stubapi.Step{{StreamError: "overloaded_error"}}},
	{Name: "slow", Steps: []stubapi.Step{stubapi.Ramble("word")}},
}

func start(t *testing.T) *stubapi.Server {
	t.Helper()
	s, err := stubapi.Start("127.0.0.1:0", table...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ask posts a conversation of alternating user and assistant texts. A turn of it offers tools; a
// side call does not.
func ask(t *testing.T, s *stubapi.Server, side, stream bool, texts ...string) (*http.Response, string) {
	t.Helper()
	req := map[string]any{"model": "m", "stream": stream}
	if !side {
		req["tools"] = []any{map[string]string{"name": "Bash"}}
	}
	var messages []map[string]any
	for i, text := range texts {
		role := []string{"user", "assistant"}[i%2]
		messages = append(messages, map[string]any{"role": role, "content": []any{map[string]string{"type": "text", "text": text}}})
	}
	req["messages"] = messages
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.URL()+"/v1/messages?beta=true", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(data)
}

func TestAnswers(t *testing.T) {
	s := start(t)
	tests := []struct {
		name   string
		side   bool
		texts  []string
		status int
		want   string // pattern of the body
	}{
		{"first step", false, []string{"Say hi [case:hello]"}, 200, `"text":"Look\.".*"name":"Bash","input":\{"command":"echo hi","description":"Say hi"\}.*"stop_reason":"tool_use"`},
		{"second step", false, []string{"Say hi [case:hello]", "Look.", "hi"}, 200, `"text":"Said hi\.".*"stop_reason":"end_turn"`},
		{"after the last step", false, []string{"Say hi [case:hello]", "Look.", "hi", "Said hi.", "and?"}, 200, `"text":"Done\."`},
		{"a later prompt wins", false, []string{"Say hi [case:hello]", "Look.", "Fix the test"}, 200, `"text":"short"`},
		{"the longest prompt wins", false, []string{"Fix the test of the parser"}, 200, `"text":"long"`},
		{"a marker wins over a prompt", false, []string{"Fix the test [case:hello]"}, 200, `"text":"Look\."`},
		{"nothing named", false, []string{"What is new?"}, 200, `"text":"Done\."`},
		{"title", true, []string{"Fix the test of the parser"}, 200, `\\"title\\":\\"Parser\\"`},
		{"label", true, []string{"a 2-4 word lowercase label for: Fix the test of the parser"}, 200, `"text":"parser test"`},
		{"verdict", true, []string{"Fix the test of the parser. Assistant message tail: long"}, 200, `\\"state\\":\\"working\\",\\"detail\\":\\"going on\\"`},
		{"error", false, []string{"[case:overloaded]"}, 529, `"type":"overloaded_error"`},
		{"limit", false, []string{"[case:limit]"}, 429, `"type":"rate_limit_error"`},
		{"fails once", false, []string{"[case:twice]"}, 500, `"type":"api_error"`},
		{"fails again", false, []string{"[case:twice]"}, 500, `"type":"api_error"`},
		{"then answers", false, []string{"[case:twice]"}, 200, `"text":"Recovered\."`},
	}
	for _, tt := range tests {
		resp, body := ask(t, s, tt.side, false, tt.texts...)
		if resp.StatusCode != tt.status || !regexp.MustCompile(tt.want).MatchString(body) {
			t.Errorf("%s: status %d, body %s; want %d, %s", tt.name, resp.StatusCode, body, tt.status, tt.want)
		}
	}
}

func TestLimitHeaders(t *testing.T) {
	resp, _ := ask(t, start(t), false, false, "[case:limit]")
	const prefix = "Anthropic-Ratelimit-Unified-"
	for name, want := range map[string]string{"Status": "rejected", "Representative-Claim": "five_hour", "Overage-Status": "rejected"} {
		if got := resp.Header.Get(prefix + name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	reset, err := strconv.ParseInt(resp.Header.Get(prefix+"Reset"), 10, 64)
	if d := time.Until(time.Unix(reset, 0)); err != nil || d < 59*time.Minute || d > time.Hour {
		t.Errorf("the quota resets in %v (%v), want an hour", d, err)
	}
}

func TestStream(t *testing.T) {
	s := start(t)
	tests := []struct {
		prompt string
		events string
		text   string
	}{
		{"Say hi [case:hello]", "message_start content_block_start content_block_delta content_block_stop " +
			"content_block_start content_block_delta content_block_stop message_delta message_stop", `{\"command\":\"echo hi\"`},
		{"[case:broken]", "message_start error", "overloaded_error"},
	}
	for _, tt := range tests {
		resp, body := ask(t, s, false, true, tt.prompt)
		var events []string
		for _, m := range regexp.MustCompile(`(?m)^event: (\w+)$`).FindAllStringSubmatch(body, -1) {
			events = append(events, m[1])
		}
		if got := strings.Join(events, " "); got != tt.events {
			t.Errorf("%s: events %s, want %s", tt.prompt, got, tt.events)
		}
		if !strings.Contains(body, tt.text) || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: %s %s", tt.prompt, resp.Header.Get("Content-Type"), body)
		}
	}
}

// A stream that would last for an hour ends with the server.
func TestCloseEndsStreams(t *testing.T) {
	s := start(t)
	body := `{"stream":true,"tools":[{}],"messages":[{"role":"user","content":"[case:slow]"}]}`
	resp, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	time.AfterFunc(50*time.Millisecond, func() { s.Close() })
	if data, err := io.ReadAll(resp.Body); err == nil && strings.Contains(string(data), "message_stop") {
		t.Errorf("the answer came to its end: %s", data)
	}
}

func TestOtherPaths(t *testing.T) {
	s := start(t)
	resp, err := http.Post(s.URL()+"/v1/messages/count_tokens", "application/json", strings.NewReader(strings.Repeat("x", 400)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var count struct {
		InputTokens int `json:"input_tokens"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&count); err != nil || count.InputTokens != 100 {
		t.Errorf("count_tokens: %+v, %v", count, err)
	}
	for method, want := range map[string]int{"HEAD": 200, "GET": 404} {
		req, err := http.NewRequest(method, s.URL()+"/api/hello", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", method, resp.StatusCode, want)
		}
	}
}

// Every scenario of the library has a name of its own, and every step an answer.
func TestLibrary(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range stubapi.Library() {
		if seen[s.Name] || len(s.Steps) == 0 {
			t.Errorf("scenario %q is there twice, or empty", s.Name)
		}
		seen[s.Name] = true
		for i, step := range s.Steps {
			if fmt.Sprint(step) == fmt.Sprint(stubapi.Step{}) {
				t.Errorf("scenario %q: step %d is empty", s.Name, i)
			}
		}
	}
}
