package reconcile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// phrases are how a difference in a field is told of which the values say nothing to a
// person, are long, or are no one's business.
var phrases = map[string]string{
	"action.argv": "another command would start it now",
	"action.text": "another text would be typed now",
	"alert.text":  "a person would be told something else",
	"detail":      "its detail is another",
	"not":         "what is not done, or why, is another",
	"order":       "its place among the decisions is another",
}

// valueWidth is how much of a value is told.
const valueWidth = 80

// Differs says in what one decision about an agent differs from another, a field at a
// time: which value it has now, and which it had. It is "" when they are the same. A detail,
// and what follows from others, is told only when nothing else differs.
func Differs(was, is record.Decision) string {
	var says, minor []string
	switch {
	case was.Action != nil && is.Action == nil:
		says = append(says, "nothing would be done to it now")
	case was.Action == nil && is.Action != nil:
		says = append(says, "something would be done to it now: "+short(is.Action.Verb))
	}
	if len(says) > 0 {
		was.Action, is.Action = nil, nil
	}
	a, b := fields(was), fields(is)
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		phrase, known := phrases[name]
		switch {
		case a[name] == b[name]:
		case known && !strings.Contains(name, "."):
			minor = append(minor, phrase)
		case known:
			says = append(says, phrase)
		case name == "seen.workspace":
			says = append(says, "the list names another workspace now: "+short(b[name])+", and not "+short(a[name]))
		default:
			says = append(says, "its "+name+" is "+short(b[name])+", and not "+short(a[name]))
		}
	}
	if len(says) == 0 {
		says = minor
	}
	return strings.Join(says, "; ")
}

// short is a value as a person may read it.
func short(v string) string {
	if v == "" || v == "null" {
		return "none"
	}
	return guard.Text(strings.Trim(v, `"`), valueWidth)
}

// fields are those of a decision, and those of its parts, each as JSON.
func fields(d record.Decision) map[string]string {
	all := map[string]string{}
	for name, v := range object(d) {
		if part := object(v); part != nil {
			for sub, v := range part {
				all[name+"."+sub] = string(v)
			}
			continue
		}
		if s := string(v); s != "null" {
			all[name] = s
		}
	}
	return all
}

// object is a value as an object, nil when it is none.
func object(v any) (parts map[string]json.RawMessage) {
	b, err := json.Marshal(v)
	if err != nil || json.Unmarshal(b, &parts) != nil {
		return nil
	}
	return parts
}
