package claude

import (
	"encoding/json"
	"strings"
	"time"
)

// Said is a user record of a transcript.
type Said struct {
	ID        string    // uuid
	At        time.Time //
	Cwd       string    // where the session was then
	SessionID string    //
	Text      string    // what was typed, without the blanks around it
}

// ReadSaid reads a transcript line; ok is false when it is no record of what a
// user typed, such as a tool result, or has no time. Source: a transcript of
// Claude Code 2.1.280.
func ReadSaid(line []byte) (s Said, ok bool) {
	var v struct {
		Type      string `json:"type"`
		UUID      string `json:"uuid"`
		Timestamp string `json:"timestamp"`
		Cwd       string `json:"cwd"`
		SessionID string `json:"sessionId"`
		IsMeta    bool   `json:"isMeta"`
		Message   struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &v) != nil || v.Type != "user" || v.IsMeta || v.UUID == "" {
		return s, false
	}
	at, err := time.Parse(time.RFC3339, v.Timestamp)
	if err != nil {
		return s, false
	}
	var text string
	if json.Unmarshal(v.Message.Content, &text) != nil {
		var blocks []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(v.Message.Content, &blocks) != nil {
			return s, false
		}
		for _, b := range blocks {
			if b.Type == "text" {
				text += b.Text
			}
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return s, false
	}
	return Said{ID: v.UUID, At: at, Cwd: v.Cwd, SessionID: v.SessionID, Text: text}, true
}
