package stubapi

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// request is the part of a Messages request that decides the answer.
type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []message         `json:"messages"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a string or an array of blocks
}

// block is a content block, in a request or in a reply.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitempty"`
	Thinking  string         `json:"thinking,omitempty"`
	Signature string         `json:"signature,omitempty"`
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Input     map[string]any `json:"input,omitempty"`
}

// texts returns the message's text, block by block.
func (m message) texts() []string {
	var whole string
	if json.Unmarshal(m.Content, &whole) == nil {
		return []string{whole}
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &blocks) != nil {
		return nil
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// The side calls: requests without tools that Claude Code makes about a session.
const (
	sideLabel   = "label"   // a short name for a background job
	sideVerdict = "verdict" // the state of a background job at the end of its turn
	sideTitle   = "title"   // a title for the session, and whatever else asks
)

// side names the side call that the request is; empty for a turn of the conversation.
func (r request) side() string {
	if len(r.Tools) > 0 || len(r.Messages) == 0 {
		return ""
	}
	last := strings.Join(r.Messages[len(r.Messages)-1].texts(), "\n")
	switch {
	case strings.Contains(last, "2-4 word lowercase label"):
		return sideLabel
	case strings.Contains(last, "Assistant message tail"):
		return sideVerdict
	}
	return sideTitle
}

// sideAnswer returns the text that answers a side call about a session of the scenario.
func sideAnswer(side string, scenario *Scenario) string {
	s := Scenario{Name: "unnamed-session"}
	if scenario != nil {
		s = *scenario
	}
	switch side {
	case sideLabel:
		return or(s.Label, strings.ReplaceAll(s.Name, "-", " "))
	case sideVerdict:
		if s.Verdict == nil {
			s.Verdict = Done("answered")
		}
		return mustJSON(s.Verdict)
	}
	return mustJSON(map[string]string{"title": or(s.Title, s.Name), "name": s.Name, "branch": s.Name})
}

// reply is a complete Messages response.
type reply struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`
}

type usage struct {
	InputTokens         int    `json:"input_tokens"`
	CacheCreationTokens int    `json:"cache_creation_input_tokens"`
	CacheReadTokens     int    `json:"cache_read_input_tokens"`
	OutputTokens        int    `json:"output_tokens"`
	ServiceTier         string `json:"service_tier"`
}

func newReply(model string, step Step) reply {
	blocks := []block{}
	if step.Think != "" {
		blocks = append(blocks, block{Type: "thinking", Thinking: step.Think, Signature: "c3R1Yg=="})
	}
	if step.Text != "" {
		blocks = append(blocks, block{Type: "text", Text: step.Text})
	}
	for _, c := range step.Calls {
		blocks = append(blocks, block{Type: "tool_use", ID: newID("toolu_"), Name: c.Tool, Input: c.Input})
	}
	stop := step.Stop
	switch {
	case stop != "":
	case len(step.Calls) > 0:
		stop = "tool_use"
	default:
		stop = "end_turn"
	}
	return reply{
		ID: newID("msg_"), Type: "message", Role: "assistant", Model: or(model, "stub"), Content: blocks, StopReason: &stop,
		Usage: usage{InputTokens: 1200, OutputTokens: 42, ServiceTier: "standard"},
	}
}

func apiError(kind, text string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": text}, "request_id": requestID}
}

const requestID = "req_stub"

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", requestID)
	w.WriteHeader(status)
	fmt.Fprint(w, mustJSON(body))
}

var inMarker = regexp.MustCompile(`\{\{in:(-?\d+)\}\}`)

// inSeconds returns the header value that stands for the Unix time d from the moment of the answer.
func inSeconds(d time.Duration) string { return fmt.Sprintf("{{in:%d}}", int(d.Seconds())) }

func writeHeaders(w http.ResponseWriter, headers map[string]string) {
	for k, v := range headers {
		v = inMarker.ReplaceAllStringFunc(v, func(m string) string {
			n, _ := strconv.Atoi(inMarker.FindStringSubmatch(m)[1])
			return strconv.FormatInt(time.Now().Unix()+int64(n), 10)
		})
		w.Header().Set(k, v)
	}
}

// mustJSON encodes values of this package's own types, which always encode.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func newID(prefix string) string {
	var b [12]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:])
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
