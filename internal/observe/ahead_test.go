package observe

import (
	"strings"
	"testing"
)

// What a session or its subagent did later than the clock says is told, whatever
// else the session did.
func TestObserve_ahead(t *testing.T) {
	const id, sessions, project = "aaaaaaaa-1111-4000-8000-000000000000", "root/home/dev/.claude/sessions/", "root/home/dev/.claude/projects/-w/"
	tomorrow := strings.NewReplacer("2026-11-29", "2026-11-30").Replace(endedTurn)
	if tomorrow == endedTurn {
		t.Fatal("the turn has another day")
	}
	for _, tt := range []struct {
		name                  string
		own, subagent         string
		ahead, subagentsAhead bool
	}{
		{"neither", endedTurn, endedTurn, false, false},
		{"its own", endedTurn + tomorrow, endedTurn, true, false},
		{"a subagent's", endedTurn, endedTurn + tomorrow, true, true},
	} {
		dir, _ := written(t, map[string]string{
			sessions + "11.json":    `{"pid":11,"sessionId":"` + id + `","kind":"interactive","cwd":"/w"}`,
			project + id + ".jsonl": tt.own, project + id + "/subagents/agent-1.jsonl": tt.subagent,
		})
		tr := watch(t, dir).sessions[id].Transcript
		if tr == nil || tr.Subagents == nil || tr.Ahead != tt.ahead || tr.Subagents.Ahead != tt.subagentsAhead || tr.ActivityAt == nil {
			t.Errorf("%s: %+v", tt.name, tr)
		}
	}
}
