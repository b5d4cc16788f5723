package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// standInID stands for the session's id in a past.
const standInID = "00000000-0000-4000-8000-000000000000"

// A past writes what a session did before its captured transcript begins: turns
// of prompts, tool calls and their results, in the forms of 2.1.280. Most lines
// are short; a tenth of the results are files of tens of kilobytes.
type past struct {
	out bytes.Buffer
	rnd *rand.Rand
	at  time.Time
}

// newPast returns at least size bytes of lines, the last of them a few seconds
// before end.
func newPast(seed uint64, end time.Time, size int) []byte {
	// What a turn takes is known only when it is written, so it is written twice.
	p := past{rnd: rand.New(rand.NewPCG(seed, 1)), at: end}
	p.fill(size)
	took := p.at.Sub(end) + 20*time.Second
	p = past{rnd: rand.New(rand.NewPCG(seed, 1)), at: end.Add(-took)}
	p.fill(size)
	return p.out.Bytes()
}

func (p *past) fill(size int) {
	for p.out.Len() < size {
		p.turn()
	}
}

// turn writes a prompt, from 3 to 22 calls, and the answer.
func (p *past) turn() {
	p.after(40, 400)
	p.line("user", map[string]any{"message": map[string]any{"role": "user", "content": p.words(12)}, "promptSource": "typed", "turnOrigin": "human"})
	for _, kind := range []string{"environment", "model", "total_tokens_reminder"} {
		p.line("attachment", map[string]any{"attachment": map[string]any{"type": kind, "text": p.words(20)}, "rendered": p.words(20)})
	}
	for range 3 + p.rnd.IntN(20) {
		p.call()
	}
	p.after(4, 20)
	p.assistant(p.hex(24), "end_turn", map[string]any{"type": "text", "text": p.text(1 + p.rnd.IntN(20))})
	p.line("system", map[string]any{"subtype": "turn_duration", "durationMs": 1000 * p.rnd.IntN(900), "isMeta": false})
	for _, kind := range []string{"last-prompt", "custom-title", "agent-name", "mode", "permission-mode", "atis-latch"} {
		fmt.Fprintf(&p.out, `{"type":%q,"value":%q,"sessionId":%q}`+"\n", kind, p.words(4), standInID)
	}
}

// call writes a tool call, with a word before every other one, and its result.
func (p *past) call() {
	message, id := p.hex(24), "toolu_"+p.hex(24)
	p.after(2, 12)
	if p.rnd.IntN(2) == 0 {
		p.assistant(message, "tool_use", map[string]any{"type": "text", "text": p.words(30)})
	}
	p.assistant(message, "tool_use", map[string]any{"type": "tool_use", "id": id, "name": "Bash",
		"input": map[string]any{"command": p.text(1 + p.rnd.IntN(4)), "description": p.words(5)}})
	p.after(1, 9)
	size := 1 + p.rnd.IntN(20)
	switch p.rnd.IntN(10) {
	case 0:
		size = 100 + p.rnd.IntN(400)
	case 1, 2, 3:
		size = 20 + p.rnd.IntN(100)
	}
	result := p.text(size)
	p.line("user", map[string]any{
		"message":       map[string]any{"role": "user", "content": []any{map[string]any{"tool_use_id": id, "type": "tool_result", "content": result, "is_error": false}}},
		"toolUseResult": map[string]any{"stdout": result, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false},
	})
}

func (p *past) assistant(id, stop string, block map[string]any) {
	p.line("assistant", map[string]any{"requestId": "req_" + p.hex(20), "message": map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": []any{block}, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": p.rnd.IntN(2000), "cache_creation_input_tokens": p.rnd.IntN(9000), "cache_read_input_tokens": p.rnd.IntN(90000),
			"output_tokens": p.rnd.IntN(900), "server_tool_use": map[string]int{"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard", "speed": "standard"}}})
}

// line writes a line with what every line of a turn has, in the order of
// 2.1.280: the time stands behind the message.
func (p *past) line(kind string, own map[string]any) {
	p.at = p.at.Add(time.Duration(10+p.rnd.IntN(400)) * time.Millisecond)
	fmt.Fprintf(&p.out, `{"parentUuid":"%s","isSidechain":false,`, p.uuid())
	fields := mustJSON(own)
	p.out.Write(fields[1 : len(fields)-1])
	fmt.Fprintf(&p.out, `,"type":%q,"uuid":"%s","timestamp":%q,"session_id":%q,"userType":"external","entrypoint":"cli","cwd":"/home/dev/src/billing","sessionId":%q,"version":"2.1.280","gitBranch":"main"}`+"\n",
		kind, p.uuid(), p.at.Format(record.Layout), standInID, standInID)
}

// after lets between least and most seconds pass.
func (p *past) after(least, most int) {
	p.at = p.at.Add(time.Duration(least*1000+p.rnd.IntN((most-least)*1000)) * time.Millisecond)
}

var vocabulary = strings.Fields(`the order total is wrong when a coupon was used twice func (c *Cart) Total() int { return c.sum - c.off } // TODO
	if err != nil { return fmt.Errorf("reading %s: %w", name, err) } assert.Equal(t, "12.50", got) ok src/cart/total.go:41: <div class="row">naïve — café
	const limit = 30_000; await fetch("/api/orders") => 200 PASS FAIL --- git diff HEAD~1 +++ b/README.md [x] done "quoted" C:\temp\x.log \u00e9`)

func (p *past) words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[p.rnd.IntN(len(vocabulary))])
	}
	return b.String()
}

// text is lines of text or code.
func (p *past) text(lines int) string {
	var b strings.Builder
	for range lines {
		b.WriteString(strings.Repeat("\t", p.rnd.IntN(4)) + p.words(3+p.rnd.IntN(14)) + "\n")
	}
	return b.String()
}

func (p *past) hex(n int) string {
	return fmt.Sprintf("%016x%016x", p.rnd.Uint64(), p.rnd.Uint64())[:n]
}

func (p *past) uuid() string {
	h := p.hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:]
}

// startOf is the time of the first line of a captured transcript that has one.
func startOf(transcript []byte) time.Time {
	for line := range bytes.Lines(transcript) {
		var head struct{ Timestamp time.Time }
		if json.Unmarshal(line, &head) == nil && !head.Timestamp.IsZero() {
			return head.Timestamp
		}
	}
	return time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)
}
