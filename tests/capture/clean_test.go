package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// An edit changes the values it means and no other byte.
func TestEdit(t *testing.T) {
	replace := func(path []string, _ json.RawMessage) json.RawMessage {
		switch strings.Join(path, ".") {
		case "a.b", "list.[].x":
			return json.RawMessage("0")
		case "whole":
			return json.RawMessage(`"gone"`)
		}
		return nil
	}
	tests := []struct {
		doc, want string
	}{
		{`{"a":{"b":1,"c":1.50}}`, `{"a":{"b":0,"c":1.50}}`},
		{"{\n  \"a\" : { \"b\" : [1, 2] }\n}\n", "{\n  \"a\" : { \"b\" : 0 }\n}\n"},
		{`{"list":[{"x":1},{"x":"é\u00e9"},{"y":1}]}`, `{"list":[{"x":0},{"x":0},{"y":1}]}`},
		{`{"whole":{"a":{"b":1}},"z":1e3}`, `{"whole":"gone","z":1e3}`},
		{` [ ] `, ` [ ] `},
		{`{}`, `{}`},
		{`"a"`, `"a"`},
		{`{"a":`, ``}, // not JSON
	}
	for _, tt := range tests {
		got, err := edit(json.RawMessage(tt.doc), replace)
		if string(got) != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("edit(%s) = %s, %v; want %s", tt.doc, got, err, tt.want)
		}
	}
}

func TestEditors(t *testing.T) {
	tests := []struct {
		name      string
		e         editor
		doc, want string
	}{
		{"prompt texts go, types and numbers stay", vendorText,
			`{"attachment":{"type":"skill_listing","content":"- dataviz: …","names":["a"],"skillCount":12},"type":"attachment","rendered":[{"content":"<x>"}],"cwd":"/home/dev"}`,
			`{"attachment":{"type":"skill_listing","content":"<elided>","names":"<elided>","skillCount":12},"type":"attachment","rendered":"<elided>","cwd":"/home/dev"}`},
		{"instructions to the model go", vendorText,
			`{"message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"Async agent launched successfully. (never quote)\nagentId: a1"}]}]}}`,
			`{"message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"Async agent launched successfully. <elided>"}]}]}}`},
		{"error lines stay", vendorText,
			`{"message":{"content":[{"type":"text","text":"You've hit your weekly limit · resets Dec 3, 1:49am (UTC)"}]},"isApiErrorMessage":true}`,
			`{"message":{"content":[{"type":"text","text":"You've hit your weekly limit · resets Dec 3, 1:49am (UTC)"}]},"isApiErrorMessage":true}`},
		{"the machine goes", machine,
			`{"pid":7,"pidDomain":"linux:0:pid:[4]","messagingSocketPath":"/tmp/cc-socks/7.sock","status":"idle"}`,
			`{"pid":7,"pidDomain":"<elided>","messagingSocketPath":"<elided>","status":"idle"}`},
		{"every clock moves together", earlier(90 * time.Minute),
			`{"timestamp":"2026-11-29T00:30:00.123Z","startedAt":1795962443543,"quotaLimits":{"resetsAt":1796262567},"procStart":"77983455","durationMs":11172,"pid":21058,"text":"at 2026-11-29T00:30:00.123Z"}`,
			`{"timestamp":"2026-11-28T23:00:00.123Z","startedAt":1795957043543,"quotaLimits":{"resetsAt":1796257167},"procStart":"77443455","durationMs":11172,"pid":21058,"text":"at 2026-11-29T00:30:00.123Z"}`},
	}
	for _, tt := range tests {
		got, err := edit(json.RawMessage(tt.doc), tt.e)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", tt.name, got, err, tt.want)
		}
	}
}

// The listing is printed again byte for byte when no clock moves.
func TestListingKeepsItsBytes(t *testing.T) {
	const listing = "[\n  {\n    \"pid\": 7,\n    \"sessionId\": \"a\",\n    \"startedAt\": 1\n  },\n  {\n    \"sessionId\": \"b\",\n    \"startedAt\": 2\n  }\n]\n"
	got, changed, err := (&publisher{}).listing([]byte(listing))
	if string(got) != listing || changed != "nothing" || err != nil {
		t.Errorf("listing = %q, %s, %v", got, changed, err)
	}
	moved := &publisher{facts: []fact{{Session: "b", Key: "k", Shift: 5 * time.Millisecond}}}
	again := strings.ReplaceAll(listing, `"startedAt": 2`, `"startedAt": 1795962443543`)
	again = strings.ReplaceAll(again, `"startedAt": 1`+"\n", `"startedAt": 1795962443541`+"\n")
	got, _, err = moved.listing([]byte(again))
	if at := strings.Index(string(got), `"b"`); err != nil || at < 0 || at > strings.Index(string(got), `"a"`) {
		t.Errorf("the moved row is not first: %s, %v", got, err)
	}
}

func TestLayout(t *testing.T) {
	for argv, want := range map[string]string{
		"claude --version":           "claude-7392d61c",
		"claude agents --json --all": "claude-ac611fd5",
		"/opt/bin/gh api":            "gh-", // the base name
	} {
		if got := commandDir(strings.Fields(argv)); !strings.HasPrefix(got, want) {
			t.Errorf("commandDir(%s) = %s, want %s", argv, got, want)
		}
	}
	for name, want := range map[string]bool{
		".claude/jobs/87e639e1/state.json":                     true,
		".claude/jobs/87e639e1/timeline.jsonl":                 false,
		".claude/jobs/pins.json":                               true,
		".claude/sessions/93.json":                             true,
		".claude/sessions/93.0a1b.key":                         false,
		".claude/projects/-home-dev/a.jsonl":                   true,
		".claude/projects/-home-dev/a/subagents/agent-1.jsonl": true,
		".claude/projects/-home-dev/memory/MEMORY.md":          false,
		".claude/history.jsonl":                                true,
		".claude/daemon/roster.json":                           false,
		".claude.json":                                         false,
		"src/shop/.git/HEAD":                                   true,
		"src/shop/.git/refs/heads/feat/x":                      true,
		"src/shop/.git/objects/aa/bb":                          false,
		"src/shop/.git/worktrees/wt/gitdir":                    true,
		"src/shop/scripts/test.sh":                             false,
		"src/wt/.git":                                          true,
	} {
		if got := kept(name); got != want {
			t.Errorf("kept(%s) = %v, want %v", name, got, want)
		}
	}
	if got, want := stored("/home/dev/src/shop/.git/HEAD"), "home/dev/src/shop/dot-git/HEAD"; got != want {
		t.Errorf("stored = %s, want %s", got, want)
	}
}

// Of a command line only the program and its subcommand are kept.
func TestSubcommand(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"claude", "daemon", "run", "--origin", "transient"}, "claude daemon"},
		{[]string{"claude", "bg-spare", "--bg-spare", "/tmp/x"}, "claude bg-spare"},
		{[]string{"claude", "Fix the test", "--name", "x"}, "claude"},
		{[]string{"claude", "--name", "x"}, "claude"},
		{[]string{"claude"}, "claude"},
	}
	for _, tt := range tests {
		if got := subcommand(tt.args); got != tt.want {
			t.Errorf("subcommand(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

// Every member that is prompted has its own words, so that the stub cannot mistake one for another.
func TestMembers(t *testing.T) {
	keys, prompts := make(map[string]bool), make(map[string]bool)
	for _, m := range members() {
		if keys[m.key] || m.ready == nil || m.situation == "" || m.class == "" {
			t.Errorf("member %q is there twice or incomplete", m.key)
		}
		keys[m.key] = true
		if m.prompt == "" || m.kind == shellJob {
			continue
		}
		for p := range prompts {
			if strings.Contains(p, m.prompt) || strings.Contains(m.prompt, p) {
				t.Errorf("prompts %q and %q are alike", p, m.prompt)
			}
		}
		prompts[m.prompt] = true
	}
}
