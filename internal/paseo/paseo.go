// Package paseo reads what Paseo leaves on disk: its agent records, its
// schedules and the lock of its daemon. It takes bytes and returns payloads,
// cleaned; it judges nothing, and knows neither files nor the clock.
//
// The facts are those of Paseo 0.1.65 as its daemon wrote them, and of the
// sources up to 0.8. None of the files bears a version.
//
// Fields in which secrets lie are not in the types that are decoded, so they
// never get into memory as values: config, features, persistence.metadata,
// runtimeInfo.extra, lastError and queuedPrompts of an agent; prompt,
// target.config apart from its cwd, and a run's output of a schedule.
package paseo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Widths to which other programs' words are cut.
const (
	nameWidth   = 120
	wordWidth   = 40
	errorWidth  = 200
	labelsShown = 16
)

// Drift is the words that this release does not know. The zero Drift is empty.
type Drift struct{ seen map[string]bool }

// Add notes a word of a field, such as "lastStatus zombie".
func (d *Drift) Add(field, word string) {
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[strings.TrimSpace(field+" "+guard.Text(word, wordWidth))] = true
}

// known notes word unless it is one of words, and returns it cleaned.
func (d *Drift) known(field, word string, words ...string) string {
	if slices.Contains(words, word) {
		return word
	}
	d.Add(field, word)
	return guard.Text(word, wordWidth)
}

// Words returns each word once, sorted; nil when there is none.
func (d *Drift) Words() []string {
	var ws []string
	for w := range d.seen {
		ws = append(ws, w)
	}
	slices.Sort(ws)
	return ws
}

// time reads a time as Paseo writes it (Date.toISOString). It is zero for "",
// and, with a note, for what is no time.
func (d *Drift) time(field string, s *string) time.Time {
	if s == nil || *s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, *s)
	if err != nil || t.Year() < 1 || t.Year() > 9998 {
		d.Add(field, "is not a time")
		return time.Time{}
	}
	return t.UTC()
}

// text is a JSON string; any other value reads as "".
type text string

// UnmarshalJSON takes any value.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil {
		*t = text(s)
	}
	return nil
}

// value is what p points to, or its zero value.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// decode reads one JSON value. Its error names place and cause and never
// quotes the input, which may hold a secret.
func decode(b []byte, v any) error {
	if len(b) == 0 {
		return errors.New("empty file")
	}
	err := json.Unmarshal(b, v)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return errors.New("not an object")
		}
		return fmt.Errorf("%s is of another type", e.Field)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON at byte %d", e.Offset)
	}
	return err
}

// isID tells whether s can be the id of an agent, a session or a schedule.
// Some providers keep a path where Claude Code keeps a session id.
func isID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:") == ""
}
