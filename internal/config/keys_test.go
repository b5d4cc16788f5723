package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	const one = "fleet.json:1: scopes.lamp."
	whole0, whole1 := "want a whole number from 0", "want a whole number from 1"
	aPathSays, text := "want a path that begins with / or ~/", "want a text that is not empty"
	tests := []struct {
		key     string
		missing string // what get prints when the key is not there
		good    string // a value
		prints  string // what get prints for it
		bad     string // another
		says    string
	}{
		{"dispatch_enabled", "0", `1`, "1", `true`, "want 0 or 1"},
		{"dispatch_enabled", "0", `0`, "0", `"1"`, "want 0 or 1"},
		{"dispatch_enabled", "0", `1`, "1", `1.0`, "want 0 or 1"},
		{"dispatch_enabled", "0", `1`, "1", `null`, "want 0 or 1"},
		{"dry_run", "1", `0`, "0", `false`, "want 0 or 1"},
		{"dry_run", "1", `1`, "1", `2`, "want 0 or 1"},
		{"dry_run", "1", `1`, "1", `"0"`, "want 0 or 1"},
		{"mode", "report", `"act"`, "act", `"Act"`, "want one of report, act"},
		{"mode", "report", `"report"`, "report", `7`, "want one of report, act"},
		{"state_dir", "/home/ana/.local/state/fleet-reconcile/lamp", `"~/state//x/"`, "/home/ana/state/x", `"state"`, aPathSays},
		{"state_dir", "/home/ana/.local/state/fleet-reconcile/lamp", `"/var/x"`, "/var/x", `null`, aPathSays},
		{"state_dir", "/home/ana/.local/state/fleet-reconcile/lamp", `"/"`, "/", `"/a\u0000b"`, aPathSays},
		{"caps", `{"fleet_sessions":8,"active_sessions":12,"active_window_min":30,"research_spawns_per_day":4,"mail_interval_h":6}`,
			`{"fleet_sessions": 0}`, `{"fleet_sessions":0,"active_sessions":12,"active_window_min":30,"research_spawns_per_day":4,"mail_interval_h":6}`, `8`, "want an object of whole numbers"},
		{"adopted", "[]", `"*"`, `[{"session_id":"*"}]`, `"all"`, `want a list of adoptions, or "*"`},
		{"adopted", "[]", `[{"session_id":"s1","paseo_agent_id":null,"adopted":"2026-10-01","note":"n"},{"paseo_agent_id":"g1"}]`,
			`[{"session_id":"s1","adopted":"2026-10-01","note":"n"},{"session_id":"","paseo_agent_id":"g1"}]`, `{}`, `want a list of adoptions, or "*"`},
		{"mail_interval_h", "6", `0`, "0", `-1`, whole0 + " to 87840"},
		{"listing_cap", "200", `500`, "500", `0`, whole1},
		{"pr_list_cap", "200", `100`, "100", `"100"`, whole1},
		{"actions_app_id", "15368", `7`, "7", `1e3`, whole1},
		{"tick_timeout_min", "15", `30`, "30", `1.5`, whole1 + " to 1440"},
		{"tick_timeout_min", "15", `1440`, "1440", `1441`, whole1 + " to 1440"},
		{"ask_renotify_h", "6", `12`, "12", `[]`, whole0 + " to 87840"},
		{"ask_raise_after_min", "50", `0`, "0", `9999999999`, whole0 + " to 5270400"},
		{"b_step_timeout_min", "10", `1`, "1", `01`, ""},
		{"actions_app_id", "15368", `999999999`, "999999999", `1000000000`, whole1},
		{"gh_token_file", "", `"~/token"`, "/home/ana/token", `"token"`, aPathSays + ", or null"},
		{"gh_token_file", "", `null`, "", `7`, aPathSays + ", or null"},
		{"launchd_prefix", "", `"com.acme."`, "com.acme.", `""`, text + ", or null"},
		{"launchd_prefix", "", `null`, "", `[]`, text + ", or null"},
		{"launchd_prefix", "", `"�"`, "�", `7`, text + ", or null"},
		{"launchd_prefix", "", `"a b"`, "a b", `"a\nb"`, text + ", or null"},
		{"launchd_logs", "{}", `{"com.acme.sweep": "~/l"}`, `{"com.acme.sweep":"/home/ana/l"}`, `[]`, "want an object of paths"},
		{"bookkeeping_run_log", "", `"/l"`, "/l", `"l"`, aPathSays + ", or null"},
		{"dream_run_log", "", `"/l"`, "/l", `{}`, aPathSays + ", or null"},
		{"surfaces", `["claude","paseo","gh","board"]`, `["claude","schedule"]`, `["claude","schedule"]`, `"claude"`, "want a list of surfaces"},
		{"ask_when", "[]", `[{"key":"old","when":".age > 3","question":"Old?"}]`, `[{"key":"old","when":".age \u003e 3","question":"Old?"}]`, `{}`, "want a list of questions"},
		{"ask_when", "[]", `[{"key":"a","when":".","question":"A?"},{"key":"b","when":".","question":"B?"}]`,
			`[{"key":"a","when":".","question":"A?"},{"key":"b","when":".","question":"B?"}]`, `"x"`, "want a list of questions"},
		{"owner_channel", `{"kind":"dialog"}`, `{"kind":"none"}`, `{"kind":"none"}`, `"dialog"`, "want an object"},
		{"owner_channel", `{"kind":"dialog"}`, `{"kind":"command","argv":["say",""]}`, `{"kind":"command","argv":["say",""]}`, `[]`, "want an object"},
		{"notify_command", "[]", `["p9","notify"]`, `["p9","notify"]`, `[]`, "want a command: a list of texts, the first not empty, or null"},
		{"notify_command", "[]", `null`, `[]`, `["",1]`, "want a command: a list of texts, the first not empty, or null"},
		{"notify_command", "[]", `["p9"]`, `["p9"]`, `[""]`, "want a command: a list of texts, the first not empty, or null"},
		{"notify_command", "[]", `["p9"]`, `["p9"]`, `["p9",1]`, "want a command: a list of texts, the first not empty, or null"},
		{"notify_command", "[]", `["p9"]`, `["p9"]`, `["p9","\u0000"]`, "want a command: a list of texts, the first not empty, or null"},
		{"run_logs", "[]", `[{"source":"dream","path":"~/d","stale_after_h":168},{"source":"b","path":"/b"}]`,
			`[{"source":"dream","path":"/home/ana/d","stale_after_h":168},{"source":"b","path":"/b","stale_after_h":48}]`, `"x"`, "want a list of logs"},
		{"heal", "", `{"interval_min": 5, "stalls": [{"id": "limit", "match": "hit your .* limit", "max_fires": 4}]}`, `{"interval_min":5,"allow_restart":false,"escalate_after":1,` +
			`"backoff_min":20,"backoff_max_min":180,"max_attempts":3,"stagger_s":15,"window_s":7200,"window_max":3,"fleet_gap_s":60,"green_probes":2,` +
			`"stalls":[{"id":"limit","match":"hit your .* limit","action":"nudge","max_fires":4}]}`, `1`, "want an object or null"},
		{"heal", "", `{"allow_restart": 1, "interval_min": 60}`, `{"interval_min":60,"allow_restart":true,"escalate_after":1,"backoff_min":120,"backoff_max_min":180,"max_attempts":3,` +
			`"stagger_s":15,"window_s":7200,"window_max":3,"fleet_gap_s":60,"green_probes":2,"stalls":[]}`, `[]`, "want an object or null"},
		{"heal", "", `null`, "", `"on"`, "want an object or null"},
		{"desired_agents", "", `"~/desired-agents.yaml"`, "/home/ana/desired-agents.yaml", `"desired.yaml"`, aPathSays + ", or null"},
		{"workspace_roots", "[]", `["~/repos", "/srv/agents"]`, `["/home/ana/repos","/srv/agents"]`, `"~/repos"`, "want a list of paths"},
		{"hosts", "[]", `["ana@laptop",{"name":"attic","ssh_config":"~/c","command":["~/bin/f","-x y"],"timeout_s":9}]`,
			`[{"name":"laptop","ssh":"ana@laptop","command":["fleet-observe-claude"],"timeout_s":60},` +
				`{"name":"attic","ssh":"attic","ssh_config":"/home/ana/c","command":["~/bin/f","-x y"],"timeout_s":9}]`, `"laptop"`, "want a list of hosts"},
	}
	for _, tt := range tests {
		for _, c := range []struct{ value, prints string }{{"", tt.missing}, {tt.good, tt.prints}} {
			text := file("")
			if c.value != "" {
				text = file(fmt.Sprintf("%q: %s", tt.key, c.value))
			}
			f, err := load(text, "")
			if err != nil {
				t.Errorf("%s %s: %v", tt.key, c.value, err)
				continue
			}
			s, _ := f.Scope("lamp")
			if got, sound, err := f.Get(s, tt.key); got != c.prints || !sound || err != nil {
				t.Errorf("get %s of %q: %s %t %v, want %s", tt.key, c.value, got, sound, err, c.prints)
			}
		}
		if tt.says == "" {
			continue // a row of its own below
		}
		f, err := load(file(fmt.Sprintf("%q: %s", tt.key, tt.bad)), "")
		if want := one + tt.key + ": " + tt.says; says(err) != want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.key, tt.bad, says(err), want)
		}
		if f == nil {
			continue
		}
		s, _ := f.Scope("lamp")
		if got, sound, _ := f.Get(s, tt.key); sound || IsSwitch(tt.key) && got != Safe(tt.key) {
			t.Errorf("get %s of the bad %s: %s %t", tt.key, tt.bad, got, sound)
		}
	}
	for _, set := range settings() {
		if set.name != "repos" && !slices.ContainsFunc(tests, func(tt struct{ key, missing, good, prints, bad, says string }) bool { return tt.key == set.name }) {
			t.Errorf("no test of %s", set.name)
		}
	}
}

// Get tells a value that stands for a bad one from one that was said.
func TestGet_sound(t *testing.T) {
	for _, tt := range []struct {
		text, key string
		sound     bool
	}{
		{`{"v": 1, "scopes": {"lamp": 1}}`, "dispatch_enabled", false},
		{file(`"repos_": 1`), "repos", true},
		{`{"v": 1, "scopes": {"lamp": {"repos": ["x"]}}}`, "repos", false},
		{file(`"caps": {"x": 1}`), "caps", false},
		{file(`"caps": {"x": 1}`), "mode", true},
		{file(`"caps": {"x": 1}`), "dispatch_enabled", false},
		{file(`"dispatch_enable": 1`), "dispatch_enabled", false},
		{file(`"dispatch_enabled": 0, "caps": {"x": 1}`), "dispatch_enabled", true},
		{file(`"dispatch_enabled": 1, "dry_rum": 0`), "dry_run", false},
	} {
		f, err := load(tt.text, "")
		if err == nil {
			t.Errorf("%s is right", tt.text)
		}
		s, _ := f.Scope("lamp")
		if _, sound, err := f.Get(s, tt.key); sound != tt.sound || err != nil {
			t.Errorf("%s of %s: %t %v", tt.key, tt.text, sound, err)
		}
	}
	if !IsSwitch("dry_run") || !IsSwitch("dispatch_enabled") || IsSwitch("mode") || Safe("dry_run") != "1" || Safe("dispatch_enabled") != "0" {
		t.Error("the switches")
	}
}

// Every key is explained, and none twice.
func TestKeys_explained(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		if k.Want == "" || k.Says == "" || seen[k.Says] || strings.HasSuffix(k.Says, ".") {
			t.Errorf("%s: %q, %q", k.Name, k.Want, k.Says)
		}
		seen[k.Says] = true
	}
	if len(seen) != len(settings()) {
		t.Errorf("%d of %d keys are explained", len(seen), len(settings()))
	}
}

// Every key of heal is explained, with its default; what is taken is what is told.
func TestKeys_heal(t *testing.T) {
	f, err := load(file(`"heal": {}`), "")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("lamp")
	b, err := json.Marshal(s.Heal)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := json.Unmarshal(b, &values); err != nil {
		t.Fatal(err)
	}
	values["allow_restart"], values["stalls"] = 0, "none"
	i := slices.IndexFunc(Keys(), func(k Key) bool { return k.Name == "heal" })
	lines := strings.Split(Keys()[i].Says, "\n")
	if len(lines) != 1+2*len(values) {
		t.Errorf("%d lines of %d keys:\n%s", len(lines), len(values), Keys()[i].Says)
	}
	for name, value := range values {
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "      "+name+": ") })
		if at < 0 || !strings.HasSuffix(lines[at], fmt.Sprint("; default ", value)) && !strings.Contains(lines[at], fmt.Sprint("; default ", value, " ")) || at+1 == len(lines) || strings.TrimSpace(lines[at+1]) == "" {
			t.Errorf("%s, by default %v, is explained by %q", name, value, lines[max(at, 0)])
		}
	}
	for _, k := range healKeys(s.Heal) {
		if _, err := load(file(fmt.Sprintf(`"heal": {%q: {}}`, k.name)), ""); says(err) != "fleet.json:1: scopes.lamp.heal."+k.name+": want "+k.rule.want {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// A rule for keeping agents alive that holds nothing back is refused.
func TestHeal(t *testing.T) {
	const one, whole1 = "fleet.json:1: scopes.lamp.", "want a whole number from 1"
	for _, tt := range []struct{ heal, says string }{
		{`{"backoff_min": 19}`, "heal.backoff_min: want twice interval_min or more: a shorter wait holds nothing back"},
		{`{"interval_min": 0}`, "heal.interval_min: " + whole1 + " to 1440"},
		{`{"stalls": [{"id": "a"}]}`, "heal.stalls[0].match: is missing; want a regular expression of Go that matches no empty text"},
		{`{"stalls": [{"id": "a", "match": "("}]}`, "heal.stalls[0].match: want a regular expression of Go that matches no empty text"},
		{`{"stalls": [{"id": "a", "match": "x*"}]}`, "heal.stalls[0].match: want a regular expression of Go that matches no empty text"},
		{`{"stalls": [{"id": "a", "match": "x", "action": "kill"}]}`, "heal.stalls[0].action: want one of nudge, report"},
		{`{"stalls": [{"id": "a", "match": "x"}, {"id": "a", "match": "y"}]}`, "heal.stalls[1].id: want an id that no other has"},
	} {
		_, err := load(file(`"heal": `+tt.heal), "")
		if says(err) != one+tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.heal, says(err), one+tt.says)
		}
	}
}
