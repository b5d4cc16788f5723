package stubapi

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Scenario is what the stub answers to a conversation whose latest telling prompt names it.
type Scenario struct {
	Name    string   // named by "[case:NAME]" in a prompt
	Prompt  string   // when not empty, a prompt that contains this text names the scenario too
	Title   string   // answer to the call that titles a session; empty: Name
	Label   string   // answer to the call that labels a background job; empty: Name
	Verdict *Verdict // answer to the call that judges a background job's turn; nil: done
	Steps   []Step   // the n-th answers the request that has n assistant messages after the prompt
}

// A Step is one answer of the model. A zero Step says "Done.".
type Step struct {
	Think       string            // a thinking block before the rest
	Text        string            // a text block
	Calls       []Call            // tool calls after the text
	Stop        string            // stop reason; empty: tool_use or end_turn, as the calls say
	Delay       time.Duration     // silence before the first byte
	Spread      time.Duration     // the time that the text takes to arrive, word by word
	Headers     map[string]string // response headers; "{{in:N}}" becomes the Unix time N seconds from now
	Failure     *Failure          // an HTTP error instead of the answer
	StreamError string            // an error event of this type inside a stream that began well
}

// A Call is a tool call.
type Call struct {
	Tool  string
	Input map[string]any
}

// A Failure is an error answer of the API.
type Failure struct {
	Status  int
	Type    string // such as "rate_limit_error"
	Message string
	Times   int // how many requests fail before the step answers; 0: all
}

// A Verdict is the state classifier's answer about a background job's turn.
type Verdict struct {
	State  string            `json:"state"`
	Detail string            `json:"detail"`
	Tempo  string            `json:"tempo"`
	Needs  *string           `json:"needs"`
	Output map[string]string `json:"output"`
}

// Done returns the verdict of a job that ended well.
func Done(result string) *Verdict {
	return &Verdict{State: "done", Detail: result, Tempo: "idle", Output: map[string]string{"result": result}}
}

// Working returns the verdict of a job whose turn ended while something still runs.
func Working(detail string) *Verdict {
	return &Verdict{State: "working", Detail: detail, Tempo: "idle"}
}

// Say returns a step that ends the turn with text.
func Say(text string) Step { return Step{Text: text} }

// Use returns a step that says text, which may be empty, and calls one tool.
func Use(text, tool string, input map[string]any) Step {
	return Step{Text: text, Calls: []Call{{Tool: tool, Input: input}}}
}

// Run returns a step that asks for a shell command.
func Run(text, command, description string) Step {
	return Use(text, "Bash", map[string]any{"command": command, "description": description})
}

// Fail returns a step that is an HTTP error.
func Fail(status int, kind, message string) Step {
	return Step{Failure: &Failure{Status: status, Type: kind, Message: message}}
}

// Limit returns a step that is the quota rejection of a subscription: claim names the quota
// ("five_hour", "seven_day", ...), reset is when it fills again, and headers adds to the
// response headers, without their common prefix "anthropic-ratelimit-unified-".
func Limit(claim string, reset time.Duration, headers map[string]string) Step {
	const prefix = "anthropic-ratelimit-unified-"
	s := Fail(429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")
	s.Headers = map[string]string{
		prefix + "status":               "rejected",
		prefix + "reset":                inSeconds(reset),
		prefix + "representative-claim": claim,
		"x-should-retry":                "false",
	}
	for k, v := range headers {
		s.Headers[prefix+k] = v
	}
	return s
}

var caseMarker = regexp.MustCompile(`\[case:([\w-]+)\]`)

// find returns the scenario that the conversation's latest telling user text names, and how many
// assistant messages follow it; nil when no text names one.
func find(table []Scenario, messages []message) (*Scenario, int) {
	answers := 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "assistant" {
			answers++
			continue
		}
		for _, text := range messages[i].texts() {
			if s := named(table, text); s != nil {
				return s, answers
			}
		}
	}
	return nil, 0
}

// named returns the scenario that text names: by its marker, else by the longest prompt.
func named(table []Scenario, text string) *Scenario {
	if m := caseMarker.FindAllStringSubmatch(text, -1); m != nil {
		name := m[len(m)-1][1]
		if i := slices.IndexFunc(table, func(s Scenario) bool { return s.Name == name }); i >= 0 {
			return &table[i]
		}
	}
	var found []*Scenario
	for i := range table {
		if table[i].Prompt != "" && strings.Contains(text, table[i].Prompt) {
			found = append(found, &table[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MaxFunc(found, func(a, b *Scenario) int { return cmp.Compare(len(a.Prompt), len(b.Prompt)) })
}
