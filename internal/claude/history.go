package claude

import (
	"bytes"
	"encoding/json"
	"strings"
)

// dialogs are slash commands of 2.1.280 that Claude Code answers itself: they
// are in history.jsonl like prompts, and leave no transcript.
var dialogs = words("/model /config /help /status /cost /usage /permissions /login /logout /resume /mcp /hooks /memory /theme /agents /doctor /clear /exit /quit")

// PromptedBy reads a line of history.jsonl and returns the id of the session
// that it shows to have been prompted; "" when it shows none. ok is false for a
// line that is not understood, which may name any. What was typed is looked at
// and not kept.
func PromptedBy(line []byte) (id string, ok bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, bom))
	if len(line) == 0 {
		return "", true
	}
	var e struct {
		SessionID string `json:"sessionId"`
		Display   string `json:"display"`
	}
	if json.Unmarshal(line, &e) != nil {
		return "", false
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(e.Display), " "); dialogs[first] {
		return "", true
	}
	return e.SessionID, true
}
