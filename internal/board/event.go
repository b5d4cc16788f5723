package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// The event types of version 1 that this release folds.
const (
	typeStart = "session.start"
	typeStop  = "session.stop" // the end of a turn, not of the session
	typeDied  = "session.died"
)

// event is one line of the log.
type event struct {
	V         int            `json:"v"`
	Type      string         `json:"type"`
	TS        record.Time    `json:"ts"`
	SessionID string         `json:"session_id"`
	Cwd       string         `json:"cwd"`
	Repo      string         `json:"repo"`
	Branch    *string        `json:"branch"`
	AgentID   string         `json:"paseo_agent_id"`
	Payload   map[string]any `json:"payload"`
}

var (
	sessionShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })
	bareWord     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`) })
)

// parse reads one line. unknown is the version or type of an event that a later
// release may write; the rest of such an event is not looked at.
func parse(line []byte) (e event, unknown string, err error) {
	var head struct {
		V    *int    `json:"v"`
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.V == nil || head.Type == nil {
		return e, "", errors.New("no event")
	}
	if *head.V != 1 {
		return e, fmt.Sprintf("version %d", *head.V), nil
	}
	switch *head.Type {
	case typeStart, typeStop, typeDied:
	default:
		return e, "type " + guard.Text(*head.Type, wordWidth), nil
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, "", errors.New("no event")
	}
	if e.TS.IsZero() || !sessionShape().MatchString(e.SessionID) {
		return e, "", errors.New("no time or no session id")
	}
	return e, "", nil
}

// text is a payload field that is a string; "" otherwise.
func (e event) text(field string) string {
	s, _ := e.Payload[field].(string)
	return s
}

// death reads the class of a death: error_type, or an error that is one bare
// word, as older hooks write it.
func (e event) death() *record.BoardDeath {
	class, text := e.text("error_type"), e.text("error")
	if class == "" && bareWord().MatchString(text) {
		class, text = text, ""
	}
	return &record.BoardDeath{At: e.TS, Class: guard.Text(class, wordWidth), Text: guard.Text(text, lineWidth)}
}

// arc is the session's own last word about its work; nil when the event has
// none.
func (e event) arc() *record.ArcStatus {
	status := e.text("arc_status")
	if status == "" {
		return nil
	}
	at := e.TS
	return &record.ArcStatus{At: &at, Status: guard.Text(status, wordWidth), Line: guard.Text(e.text("arc_line"), lineWidth)}
}
