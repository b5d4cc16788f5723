package claude

import (
	"encoding/json"
	"slices"
	"strings"
)

// entry is what is read of one transcript line, and how it is written. Strings
// of tool results and of other blocks are never decoded.
type entry struct {
	Type             string       `json:"type"`
	Subtype          string       `json:"subtype,omitempty"`
	Timestamp        *string      `json:"timestamp,omitempty"`
	IsSidechain      bool         `json:"isSidechain,omitempty"`
	IsMeta           bool         `json:"isMeta,omitempty"`
	IsCompactSummary bool         `json:"isCompactSummary,omitempty"`
	IsAPIError       bool         `json:"isApiErrorMessage,omitempty"`
	APIErrorStatus   int          `json:"apiErrorStatus,omitempty"`
	Error            onlyString   `json:"error,omitempty"`
	QuotaLimits      *quotaLimits `json:"quotaLimits,omitempty"`
	Message          *message     `json:"message,omitempty"`
}

type quotaLimits struct {
	Status        string   `json:"status"`
	ResetsAt      *float64 `json:"resetsAt,omitempty"` // unix s
	RateLimitType string   `json:"rateLimitType,omitempty"`
}

type message struct {
	ID         string  `json:"id,omitempty"`
	StopReason *string `json:"stop_reason,omitempty"`
	Content    content `json:"content"`
}

// content is a message's content: a string, or blocks.
type content struct {
	Text   string
	Blocks []block
}

type block struct {
	Type      string
	Text      string // of a text block
	ID        string // of a tool_use
	Name      string
	ToolUseID string // of a tool_result
	Asked     []Asked
	Plan      string
	Summary   string // what the call would do: a command or a path
	input     []byte // of a tool_use, as it is written, until it is read
}

// read is the block with what its input says: the question, the plan, or what
// is to be done. Input of another shape says nothing.
func (k block) read() block {
	input := k.input
	if k.input = nil; input == nil {
		return k
	}
	switch k.Name {
	case "AskUserQuestion":
		var v struct {
			Questions []Asked `json:"questions"`
		}
		if json.Unmarshal(input, &v) == nil {
			k.Asked = v.Questions
		}
	case "ExitPlanMode":
		var v struct {
			Plan string `json:"plan"`
		}
		if json.Unmarshal(input, &v) == nil {
			k.Plan = v.Plan
		}
	default:
		var v struct {
			Command  string `json:"command"`
			FilePath string `json:"file_path"`
			URL      string `json:"url"`
		}
		if json.Unmarshal(input, &v) == nil {
			k.Summary = firstOf(v.Command, v.FilePath, v.URL)
		}
	}
	return k
}

// onlyString is a string; another value reads as "". error is a word on
// assistant lines and an object on system ones.
type onlyString string

// answers tells whether a line has a tool result.
func (e entry) answers() bool {
	return e.Message != nil && slices.ContainsFunc(e.Message.Content.Blocks, func(b block) bool { return b.Type == "tool_result" })
}

// results returns the ids of the tool results of a user line.
func (e entry) results() []string {
	if e.Message == nil {
		return nil
	}
	var ids []string
	for _, b := range e.Message.Content.Blocks {
		if b.Type == "tool_result" {
			ids = append(ids, b.ToolUseID)
		}
	}
	return ids
}

// text is the text of a message, its text blocks joined.
func (e entry) text() string {
	if e.Message == nil {
		return ""
	}
	parts := []string{e.Message.Content.Text}
	for _, b := range e.Message.Content.Blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// calls are the tool calls of an assistant line.
func (e entry) calls() []block {
	if e.Message == nil {
		return nil
	}
	var cs []block
	for _, b := range e.Message.Content.Blocks {
		if b.Type == "tool_use" {
			cs = append(cs, b)
		}
	}
	return cs
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// lineTypes is every type of transcript line of 2.1.280.
var lineTypes = words("user assistant system attachment progress queue-operation ai-title custom-title agent-name last-prompt mode" +
	" permission-mode atis-latch file-history-snapshot cost-state worktree-state summary tag relocated continued-in ended-by-model" +
	" agent-color agent-setting pr-link frame-link bridge-session history-suppression file-history-delta attribution-snapshot" +
	" isolation-latch memory-mode content-replacement fork-context-ref observer-ref")
