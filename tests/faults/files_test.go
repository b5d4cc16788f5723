package faults

import (
	"testing"
)

// withEverything is a box with a little of every product, and a scope that names
// it all.
func withEverything(t testing.TB) *box {
	b := withScope(t)
	b.configure(`"run_logs": [{"source": "nightly", "path": "~/nightly.log", "stale_after_h": 48}]`)
	b.write("src/.git/config", "[remote \"origin\"]\n\turl = https://github.com/acme/tools\n")
	b.write("nightly.log", `{"at": "2026-11-29T10:00:00Z", "status": "ok"}`+"\n")
	b.write(".claude/history.jsonl", `{"display":"go on","sessionId":"`+session("a")+`"}`+"\n")
	for _, name := range []string{"a", "b"} {
		transcript := `{"type":"user","timestamp":"2026-11-29T10:00:00.000Z","message":{"role":"user","content":"go on"}}` + "\n" +
			`{"type":"assistant","timestamp":"2026-11-29T10:00:10.000Z","message":{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Done with it."}]}}` + "\n"
		b.write(".claude/projects/-src/"+session(name)+".jsonl", transcript)
		b.write(".claude/projects/-src/"+session(name)+"/subagents/agent-1.jsonl", transcript)
	}
	b.write(".claude/jobs/aaaaaaaa/state.json", `{"state":"working","sessionId":"`+session("c")+`","cwd":"`+b.path("src")+`","createdAt":"2026-11-29T09:00:00.000Z","intent":"x"}`)
	b.write(".paseo/agents/-src/11111111-1111-4111-8111-111111111111.json", `{"id":"11111111-1111-4111-8111-111111111111","provider":"claude","cwd":"`+b.path("src")+`","createdAt":"2026-11-29T09:00:00.000Z","updatedAt":"2026-11-29T09:10:00.000Z","lastStatus":"idle","title":"one"}`)
	b.write(".paseo/schedules/22222222.json", `{"id":"22222222","name":"nightly","prompt":"x","cadence":{"type":"every","everyMs":3600000},"target":{"type":"new-agent"},"status":"active","createdAt":"2026-11-29T09:00:00.000Z","updatedAt":"2026-11-29T09:00:00.000Z","nextRunAt":"2026-11-29T12:00:00.000Z","runs":[]}`)
	b.write(".local/state/ctx/lamp/events.jsonl", `{"v":1,"ts":"2026-11-29T09:00:00.000Z","kind":"session.started","session_id":"`+session("a")+`"}`+"\n")
	b.stub("gh", "exit 1")
	return b
}
