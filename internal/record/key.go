package record

import "strings"

// SessionOf is the session that the key of a question is about, as the key has it: the
// subject of its record, <host>/<subject> on another machine than the ledger's. It is ""
// of a key about something else.
func SessionOf(key string) string {
	for _, about := range []string{"prompt:", "blocked:", HealKey("session", "")} {
		if rest, ok := strings.CutPrefix(key, about); ok {
			return rest[:max(strings.LastIndexByte(rest, ':'), 0)]
		}
	}
	return ""
}

// HealKey is the key of the question about an agent, or about a session:<subject>, of
// which an alert of that severity was filed.
func HealKey(agent, severity string) string { return "heal:" + agent + ":" + severity }
