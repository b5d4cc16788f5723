package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/paseo"
)

// shape says what of a JSON value is recorded: of a string what clean makes of
// it, of an object the members that of names, each in its shape, of an array
// nothing, or its elements, each in this shape; numbers, truth values and null
// as they are. So a field of another type than the parser wants stays of
// another type.
type shape struct {
	clean func(string) string                    // nil: ""
	of    map[string]shape                       // nil: no members
	pick  func(map[string]any) map[string]string // takes the members in place of of; nil: of does
	list  bool                                   // the parser wants an array
}

// The shapes of Paseo's files: the fields that internal/paseo decodes, and no
// others (Paseo 0.1.65). The widths are those to which it cuts.
var (
	pidShape   = shape{of: map[string]shape{"pid": {}, "startedAt": {clean: timeText}}}
	agentShape = shape{of: map[string]shape{
		"id":                {clean: idText},
		"provider":          {clean: words(40)},
		"cwd":               {clean: pathText},
		"createdAt":         {clean: timeText},
		"updatedAt":         {clean: timeText},
		"title":             {clean: words(120)},
		"labels":            {pick: labels},
		"lastStatus":        {clean: words(40)},
		"internal":          {},
		"archivedAt":        {clean: timeText},
		"requiresAttention": {},
		"attentionReason":   {clean: words(40)},
		"runtimeInfo":       {of: map[string]shape{"sessionId": {clean: idText}}},
		"persistence":       {of: map[string]shape{"sessionId": {clean: idText}, "nativeHandle": {clean: idText}}},
	}}
	scheduleShape = shape{of: map[string]shape{
		"id":        {clean: idText},
		"name":      {clean: words(120)},
		"status":    {clean: words(40)},
		"createdAt": {clean: timeText},
		"nextRunAt": {clean: timeText},
		"lastRunAt": {clean: timeText},
		"expiresAt": {clean: timeText},
		"maxRuns":   {},
		"cadence": {of: map[string]shape{"type": {clean: words(40)}, "expression": {clean: paseo.CronText}, "timezone": {clean: words(40)},
			"everyMs": {}}},
		"target": {of: map[string]shape{"type": {clean: words(40)}, "agentId": {clean: idText},
			"config": {of: map[string]shape{"cwd": {clean: pathText}}}}},
		"runs": {list: true, of: map[string]shape{"startedAt": {clean: timeText}, "endedAt": {clean: timeText}, "status": {clean: words(40)},
			"output": {clean: outputText}, "error": {clean: words(200)}}},
	}}
)

// project returns what is recorded of a file. Of one that is not JSON it is
// text that is not JSON at the same byte.
func (s shape) project(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(b, new(json.RawMessage))
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return append(bytes.Repeat([]byte(" "), int(max(e.Offset, 1))-1), '?'), nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber() // a number stays as it is written
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err = enc.Encode(s.value(v))
	return out.Bytes(), err
}

// value is what is recorded of a value.
func (s shape) value(v any) any {
	switch v := v.(type) {
	case string:
		if s.clean == nil {
			return ""
		}
		return s.clean(v)
	case []any:
		if !s.list {
			return []any{}
		}
		for i := range v {
			v[i] = s.value(v[i])
		}
	case map[string]any:
		if s.pick != nil {
			return s.pick(v)
		}
		maps.DeleteFunc(v, func(name string, _ any) bool { _, ok := s.member(name); return !ok })
		for name, m := range v {
			of, _ := s.member(name)
			v[name] = of.value(m)
		}
	}
	return v
}

// member is the shape of a member, whose name counts in any case, as it does
// for encoding/json.
func (s shape) member(name string) (shape, bool) {
	of, ok := s.of[name]
	for known := range s.of {
		if !ok && strings.EqualFold(known, name) {
			return s.of[known], true
		}
	}
	return of, ok
}

// changed stands before what cleaning has changed. It is invisible and cleaned
// away in its turn, and keeps a text from becoming a word that it was not, or
// none at all.
const changed = "\u200b"

// words cleans a text as the parser does, which shows width columns.
func words(width int) func(string) string {
	return func(s string) string { return marked(s, guard.Text(s, width)) }
}

func pathText(s string) string {
	if shown := guard.Path(s); shown != "" {
		return shown
	}
	return marked(s, "")
}

func marked(s, shown string) string {
	if s != shown {
		return changed + shown
	}
	return shown
}

// timeText is a time, or that it is none.
func timeText(s string) string {
	if _, err := time.Parse(time.RFC3339, s); err != nil && s != "" {
		return "not a time"
	}
	return s
}

// idText is an id as the parser shows it. What is none stays none: Paseo keeps
// a path there for some providers.
func idText(s string) string {
	switch {
	case s == "":
		return ""
	case len(s) > 128 || strings.Trim(s, idLetters) != "":
		return "not an id"
	}
	return guard.ID(s)
}

const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:"

// outputText is whether a run's output begins as an API error does.
func outputText(s string) string {
	const apiError = "API Error: "
	if strings.HasPrefix(s, apiError) {
		return apiError
	}
	return ""
}

// labels keeps the labels that the parser shows: two of Paseo's own and the
// first 16 others.
func labels(all map[string]any) map[string]string {
	out := map[string]string{}
	var others []string
	for name, v := range all {
		switch s, _ := v.(string); {
		case name == "paseo.parent-agent-id" || name == "paseo.schedule-id":
			out[name] = idText(s)
		case !strings.HasPrefix(name, "paseo."):
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others[:min(len(others), 16)] {
		s, _ := all[name].(string)
		out[words(40)(name)] = words(120)(s)
	}
	return out
}
