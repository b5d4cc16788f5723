package board

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Encode returns the log that Add makes the same rows of: the events that are
// understood, each with what is read of it, cleaned.
func Encode(log []byte) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	var errs error
	for line := range bytes.Lines(bytes.TrimPrefix(log, []byte("\ufeff"))) {
		e, unknown, err := parse(bytes.TrimSpace(bytes.Trim(line, "\x00")))
		if err == nil && unknown == "" {
			errs = errors.Join(errs, enc.Encode(e.clean()))
		}
	}
	return out.Bytes(), errs
}

// clean is the event without what is not read.
func (e event) clean() event {
	e.SessionID, e.Cwd, e.Repo = guard.ID(e.SessionID), guard.Path(e.Cwd), guard.Path(e.Repo)
	if e.AgentID != "" {
		e.AgentID = guard.ID(e.AgentID)
	}
	if e.Branch != nil {
		shown := guard.Text(*e.Branch, branchWidth)
		e.Branch = &shown
	}
	payload := map[string]any{}
	for _, field := range []string{"arc_status", "arc_line", "error", "error_type"} {
		if s := e.text(field); s != "" {
			payload[field] = guard.Text(s, lineWidth)
		}
	}
	e.Payload = payload
	return e
}
