package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

const homeDir = "/home/ana"

// file is a configuration of the scope lamp with these keys.
func file(keys string) string {
	if keys != "" {
		keys = ", " + keys
	}
	return `{"v": 1, "scopes": {"lamp": {"repos": ["/src/lamp"]` + keys + "}}}"
}

// load reads a configuration whole: lists is what scopes.yaml says, as JSON, "" when
// there is none, and a jq expression is what has no "bad" in it.
func load(text, lists string) (*File, error) {
	fsys := fstest.MapFS{"home/ana/.config/ctx/fleet.json": {Data: []byte(text)}}
	f, err := Load(fsys, homeDir+"/"+DefaultPath, homeDir)
	if f == nil {
		return nil, err
	}
	var root *Node
	err = nil
	if lists != "" {
		root, err = parseJSON([]byte(lists))
	}
	f.AddLists(homeDir+"/.config/ctx/scopes.yaml", root, err)
	f.CheckExpressions(func(expr string) error {
		if strings.Contains(expr, "bad") {
			return errors.New("it has a bad")
		}
		return nil
	})
	return f, f.Err()
}

// says is what is wrong, without the path of the file.
func says(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), homeDir+"/.config/ctx/", "")
}

func TestProblems(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an unknown key", file(`"dry_runs": 1`), "fleet.json:1: scopes.lamp.dry_runs: no such key"},
		{"an unknown key that begins like a known one", file(`"trackers": 1`), "fleet.json:1: scopes.lamp.trackers: no such key"},
		{"a question of a number", file(`"ask_when": [{"key": 7, "when": ".", "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[0].key: want a key of a-z, 0-9, . _ - and :"},
		{"two questions without a key", file(`"ask_when": [{"when": ".", "question": "?"}, {"when": ".", "question": "?"}]`),
			"fleet.json:1: scopes.lamp.ask_when[0].key: is missing; want a key of a-z, 0-9, . _ - and :\nfleet.json:1: scopes.lamp.ask_when[1].key: is missing; want a key of a-z, 0-9, . _ - and :"},
		{"cut in a text", `{"v": "1`, "fleet.json:1: the JSON ends too early"},
		{"case matters", file(`"Dry_Run": 0`), "fleet.json:1: scopes.lamp.Dry_Run: no such key"},
		{"twice", file(`"dry_run": 0, "dry_run": 1`), "fleet.json:1: scopes.lamp.dry_run: comes twice"},
		{"an unknown key on its line", "{\"v\": 1,\n\"scopes\": {\n\"lamp\": {\"repos\": [\"/x\"],\n\n\"more\": {}}}}", "fleet.json:5: scopes.lamp.more: no such key"},
		{"an unknown key at the top", `{"v": 1, "scopes": {}, "scope": {}}`, "fleet.json:1: scope: no such key"},
		{"a key of odd signs", file(`"a\nb": 1`), `fleet.json:1: scopes.lamp."a\nb": no such key`},
		{"no version", `{"scopes": {}}`, "fleet.json:1: v: is missing; want 1"},
		{"another version", `{"v": 2, "scopes": {}}`, "fleet.json:1: v: want 1"},
		{"the version is a text", `{"v": "1", "scopes": {}}`, "fleet.json:1: v: want 1"},
		{"no scopes", `{"v": 1}`, "fleet.json:1: scopes: is missing; want an object of scopes"},
		{"scopes are no object", `{"v": 1, "scopes": []}`, "fleet.json:1: scopes: want an object of scopes"},
		{"a scope is no object", `{"v": 1, "scopes": {"lamp": 1}}`, "fleet.json:1: scopes.lamp: want an object"},
		{"a bad id", `{"v": 1, "scopes": {"Lamp": {}}}`, "fleet.json:1: scopes.Lamp: want an id of a-z, 0-9, _ and -, 64 characters at most, the first no sign"},
		{"a scope twice", `{"v": 1, "scopes": {"lamp": {}, "lamp": {"repos": ["/x"]}}}`, "fleet.json:1: scopes.lamp: comes twice"},
		{"no repositories", `{"v": 1, "scopes": {"lamp": {}}}`, "fleet.json:1: scopes.lamp.repos: want a list of at least one path, here or in scopes.yaml"},
		{"an empty list", `{"v": 1, "scopes": {"lamp": {"repos": []}}}`, "fleet.json:1: scopes.lamp.repos: want a list of at least one path, here or in scopes.yaml"},
		{"repos is no list", `{"v": 1, "scopes": {"lamp": {"repos": "/x"}}}`, "fleet.json:1: scopes.lamp.repos: want a list of paths"},
		{"a repo is no path", `{"v": 1, "scopes": {"lamp": {"repos": ["x"]}}}`, "fleet.json:1: scopes.lamp.repos[0]: want a path that begins with / or ~/"},
		{"one directory for two", `{"v": 1, "scopes": {"a": {"repos": ["/a"], "state_dir": "/s"}, "b": {"repos": ["/b"], "state_dir": "/s/"}}}`,
			"fleet.json:1: scopes.b.state_dir: want a directory of its own; scope a has the same"},
		{"a directory in another's", "{\"v\": 1, \"scopes\": {\"a\": {\"repos\": [\"/a\"], \"state_dir\": \"/s\"}, \"b\": {\"repos\": [\"/b\"],\n\"state_dir\": \"/s/x/..//b\"}}}",
			"fleet.json:2: scopes.b.state_dir: want a directory of its own; it is in that of scope a"},
		{"a directory around another's", `{"v": 1, "scopes": {"a": {"repos": ["/a"], "state_dir": "/s/a"}, "b": {"repos": ["/b"], "state_dir": "/s"}}}`,
			"fleet.json:1: scopes.b.state_dir: want a directory of its own; that of scope a is in it"},
		{"a directory around the usual one", `{"v": 1, "scopes": {"a": {"repos": ["/a"], "state_dir": "~/.local/state/fleet-reconcile"}, "b": {"repos": ["/b"]}}}`,
			"fleet.json:1: scopes.b.state_dir: want a directory of its own; it is in that of scope a"},
		{"a directory beside another's", `{"v": 1, "scopes": {"a": {"repos": ["/a"], "state_dir": "/s"}, "b": {"repos": ["/b"], "state_dir": "/s2"}}}`, ""},
		{"the home as a directory", file("\n" + `"state_dir": "~/x/.."`), "fleet.json:2: scopes.lamp.state_dir: want a directory of its own, not the home itself"},
		{"two run logs of one source", file(`"run_logs": [{"path": "/x", "source": "x"}, {"path": "/y", "source": "y"},` + "\n" + `{"path": "/z", "source": "x"}]`),
			"fleet.json:2: scopes.lamp.run_logs[2].source: want a source that no other log has"},
		{"a run log that has a key of its own", file(`"dream_run_log": "/d", "bookkeeping_run_log": null, "run_logs": [{"path": "/x", "source": "bookkeeping"},` + "\n" + `{"path": "/z", "source": "dream"}]`),
			"fleet.json:2: scopes.lamp.run_logs[1].source: want a source that no other log has: dream_run_log is called so"},
		{"caps", file(`"caps": {"fleet_sessions": "8", "x": 1}`), "fleet.json:1: scopes.lamp.caps.fleet_sessions: want a whole number from 0\nfleet.json:1: scopes.lamp.caps.x: no such key"},
		{"surfaces", file(`"surfaces": ["claude", "github"]`), "fleet.json:1: scopes.lamp.surfaces[1]: want one of claude, paseo, gh, board, schedule"},
		{"an adoption of nothing", file(`"adopted": [{"note": "x"}]`), "fleet.json:1: scopes.lamp.adopted[0]: want session_id or paseo_agent_id"},
		{"an adoption that is no object", file(`"adopted": ["*"]`), "fleet.json:1: scopes.lamp.adopted[0]: want an object"},
		{"an adoption with more", file(`"adopted": [{"session_id": "s", "agent": "g"}]`), "fleet.json:1: scopes.lamp.adopted[0].agent: no such key"},
		{"a log path", file(`"launchd_logs": {"com.acme.x": "x"}`), "fleet.json:1: scopes.lamp.launchd_logs.com.acme.x: want a path that begins with / or ~/"},
		{"a channel", file(`"owner_channel": {"kind": "mail"}`), "fleet.json:1: scopes.lamp.owner_channel.kind: want one of dialog, command, none"},
		{"a channel of no kind", file(`"owner_channel": {}`), "fleet.json:1: scopes.lamp.owner_channel.kind: is missing; want one of dialog, command, none"},
		{"a command channel without a command", file(`"owner_channel": {"kind": "command"}`), "fleet.json:1: scopes.lamp.owner_channel.argv: want a command with the kind command, and with no other"},
		{"a dialog with a command", file(`"owner_channel": {"kind": "dialog", "argv": ["x"]}`), "fleet.json:1: scopes.lamp.owner_channel.argv: want a command with the kind command, and with no other"},
		{"a run log", file(`"run_logs": [{"path": "/x", "stale_after_h": 0}]`), "fleet.json:1: scopes.lamp.run_logs[0].stale_after_h: want a whole number from 1 to 87840\nfleet.json:1: scopes.lamp.run_logs[0].source: is missing; want a text that is not empty"},
		{"a question without a key", file(`"ask_when": [{"when": ".", "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[0].key: is missing; want a key of a-z, 0-9, . _ - and :"},
		{"a question with a bad key", file(`"ask_when": [{"key": "a b", "when": ".", "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[0].key: want a key of a-z, 0-9, . _ - and :"},
		{"a question that is no jq", file(`"ask_when": [{"key": "a", "when": "bad", "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[0].when: want a jq expression"},
		{"a question that is no jq, in its place", "{\"v\": 1, \"scopes\": {\"lamp\": {\"repos\": [\"/src/lamp\"], \"mode\": 1, \"ask_when\": [\n{\"key\": \"a\", \"when\": \"bad\", \"question\": 1},\n{\"key\": \"b\", \"when\": \"bad\"}], \"dry_run\": 7}, \"wick\": {}}}",
			"fleet.json:1: scopes.lamp.mode: want one of report, act\nfleet.json:2: scopes.lamp.ask_when[0].when: want a jq expression\nfleet.json:2: scopes.lamp.ask_when[0].question: want a text that is not empty\n" +
				"fleet.json:3: scopes.lamp.ask_when[1].when: want a jq expression\nfleet.json:3: scopes.lamp.ask_when[1].question: is missing; want a text that is not empty\nfleet.json:3: scopes.lamp.dry_run: want 0 or 1\n" +
				"fleet.json:3: scopes.wick.repos: want a list of at least one path, here or in scopes.yaml"},
		{"a question that is no text", file(`"ask_when": [{"key": "a", "when": 1, "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[0].when: want a jq expression"},
		{"two questions of one key", file(`"ask_when": [{"key": "a", "when": ".", "question": "?"}, {"key": "a", "when": ".", "question": "?"}]`), "fleet.json:1: scopes.lamp.ask_when[1].key: want a key that no other question has"},
		{"no JSON", "{\"v\": 1,\n\"scopes\": {,}}", "fleet.json:2: not JSON at this place"},
		{"a comment", "{\n// c\n\"v\": 1}", "fleet.json:2: not JSON at this place"},
		{"a text over two lines", "{\"v\": \"a\nb\"}", "fleet.json:1: not JSON at this place"},
		{"cut", "{\"v\": 1,\n", "fleet.json:2: the JSON ends too early"},
		{"a leading zero", file(`"b_step_timeout_min": 01`), "fleet.json:1: not JSON at this place"},
		{"empty", "", "fleet.json:1: the JSON ends too early"},
		{"two values", `{"v": 1, "scopes": {}} {}`, "fleet.json:1: more than one JSON value"},
		{"a list", "[]", "fleet.json:1: want an object"},
		{"not UTF-8", "{\"v\": 1,\n\"\xff\": 2}", "fleet.json:2: not UTF-8"},
		{"nested too deep", strings.Repeat("[", 40) + strings.Repeat("]", 40), "fleet.json:1: nested deeper than 32"},
	}
	for _, tt := range tests {
		if _, err := load(tt.text, ""); says(err) != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, says(err), tt.want)
		}
	}
}

func TestUnused(t *testing.T) {
	f, err := load(file(`"tracker": 1, "coordinator_model": {}, "maestro_x": null, "compare_hour": 4, "timing": {}, "driver": [], "ask_repo": "x", "paseo_project": 1, "paseo_tools": 2`), "")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("")
	notes := strings.Join(f.Notes(s, Placement{}), "\n")
	for _, want := range []string{"scopes.lamp.tracker: accepted, not used by this release", "scopes.lamp.coordinator_model: ", "scopes.lamp.compare_hour: accepted, not used: the comparison with the core belongs to another product"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%s\nlacks %s", notes, want)
		}
	}
	if len(s.Unused) != 9 {
		t.Errorf("%q", s.Unused)
	}
	if v, sound, err := f.Get(s, "tracker"); v != "" || !sound || err != nil {
		t.Errorf("%q %t %v", v, sound, err)
	}
	if _, _, err := f.Get(s, "nope"); err == nil || err.Error() != `no such key: "nope"` {
		t.Errorf("%v", err)
	}
	if _, err := load(file(`"coordinators": 1`), ""); says(err) != "fleet.json:1: scopes.lamp.coordinators: no such key" {
		t.Errorf("%v", err)
	}
}

func TestScope(t *testing.T) {
	f, err := load(`{"v": 1, "scopes": {"b": {"repos": ["/b"]}, "a": {"repos": ["/a"]}}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Scope("b"); err != nil || s.ID != "b" || s.Repos[0] != "/b" {
		t.Errorf("%+v %v", s, err)
	}
	for id, want := range map[string]string{"": "fleet.json: which scope? there are: a, b", "c": `fleet.json: no scope "c"; there are: a, b`} {
		if s, err := f.Scope(id); s != nil || says(err) != want {
			t.Errorf("%q: %v %v", id, s, err)
		}
	}
	f, _ = load(`{"v": 1, "scopes": {}}`, "")
	if _, err := f.Scope(""); says(err) != "fleet.json: which scope? there are: none" {
		t.Errorf("%v", err)
	}
	f, _ = load(file(""), "")
	if s, err := f.Scope("mantle"); s != nil || says(err) != `fleet.json: no scope "mantle"; there are: lamp` {
		t.Errorf("%v %v", s, err)
	}
	if s, err := Default("lamp", homeDir); err != nil || s.Enabled || !s.DryRun || s.StateDir != homeDir+"/.local/state/fleet-reconcile/lamp" {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := Default("../lamp", homeDir); err == nil {
		t.Error("../lamp is a scope")
	}
}

func TestLoad_unreadable(t *testing.T) {
	fsys := fstest.MapFS{"big": {Data: []byte(strings.Repeat(" ", sizeLimit+1))}, "dir/x": {}}
	if _, err := Load(fsys, "/none", homeDir); !errors.Is(err, fs.ErrNotExist) || err.Error() != "reading /none: file does not exist" {
		t.Errorf("%v", err)
	}
	if _, err := Load(fsys, "/big", homeDir); err == nil || err.Error() != "/big: longer than 4194304 bytes" {
		t.Errorf("%v", err)
	}
	if f, err := Load(fsys, "/dir", homeDir); f != nil || err == nil {
		t.Errorf("%v %v", f, err)
	}
	if _, err := Load(fsys, "/../x", homeDir); err == nil {
		t.Error("a path that is none")
	}
}

// What is wrong is never quoted.
func TestProblems_quoteNothing(t *testing.T) {
	secret := "ghp_" + strings.Repeat("FAKE", 9)
	for _, set := range settings() {
		for _, value := range []string{`"` + secret + `"`, `["` + secret + `"]`, `{"kind":"` + secret + `"}`, `[{"key":"` + secret + `","when":"` + secret + `"}]`, secret} {
			_, err := load(file(fmt.Sprintf("%q: %s", set.name, value)), "")
			if err != nil && strings.Contains(err.Error(), secret[4:12]) {
				t.Errorf("%s: %v", set.name, err)
			}
		}
	}
}

// Settings take neither lists nor the meaning of an expression.
func TestLoad_settings(t *testing.T) {
	fsys := fstest.MapFS{"c": {Data: []byte(`{"v": 1, "scopes": {"lamp": {"mode": "act", "ask_when": [{"key": "a", "when": "bad", "question": "?"}]}}}`)}}
	f, err := Load(fsys, "/c", homeDir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scope("lamp")
	if err != nil || s.Mode != "act" || s.AskWhen[0].When != "bad" || len(s.Repos) > 0 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestExample(t *testing.T) {
	f, err := load(string(Example), "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scope("")
	if err != nil || s.Enabled || !s.DryRun || s.Mode != "report" || len(f.Notes(s, Placement{})) > 0 {
		t.Errorf("%+v %v", s, err)
	}
	for _, set := range settings() {
		if set.name != "state_dir" && !strings.Contains(string(Example), `"`+set.name+`"`) {
			t.Errorf("the example lacks %s", set.name)
		}
	}
}

// Whatever the file is: what is wrong has a line of it and is said in one line;
// dispatch is on only when the file says exactly 1, a run is live only on 0.
func FuzzParse(f *testing.F) {
	f.Add(string(Example))
	f.Add(file(`"dispatch_enabled": 1, "dry_run": 0`))
	f.Add(file(`"adopted": [{"session_id": "s"}], "caps": {"fleet_sessions": 1}`))
	f.Add("{\"v\": 1,\n\"scopes\": {\"a\": [")
	f.Fuzz(func(t *testing.T, text string) {
		c := Parse("f", []byte(text), homeDir)
		for _, p := range c.Problems {
			if p.Line < 1 || p.Line > 1+strings.Count(text, "\n") || p.Says == "" || strings.ContainsAny(p.String(), "\n\r\x00") {
				t.Fatalf("%+v", p)
			}
		}
		for _, id := range c.Scopes() {
			s, err := c.Scope(id)
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				Scopes map[string]json.RawMessage `json:"scopes"`
			}
			var said map[string]any
			if (s.Enabled || !s.DryRun) && (json.Unmarshal([]byte(text), &file) != nil || json.Unmarshal(file.Scopes[id], &said) != nil) {
				t.Fatal("on or live by what is no JSON")
			}
			if v, _ := said["dispatch_enabled"].(float64); s.Enabled && v != 1 {
				t.Fatal("on without a 1")
			}
			if v, is := said["dry_run"].(float64); !s.DryRun && (v != 0 || !is) {
				t.Fatal("live without a 0")
			}
			for _, set := range settings() {
				if v, sound, err := c.Get(s, set.name); err != nil || sound && strings.Contains(v, "\x00") {
					t.Fatalf("%s: %q %v", set.name, v, err)
				}
			}
		}
		for n := range len(text) { // what was cut is no configuration, unless the rest is white space
			if c := Parse("f", []byte(text[:n]), homeDir); len(c.Problems) == 0 && strings.TrimSpace(text[n:]) != "" {
				t.Fatalf("the first %d bytes are sound", n)
			}
			if n > 200 {
				break
			}
		}
		again := Parse("f", []byte(text), homeDir)
		if fmt.Sprint(c.Problems) != fmt.Sprint(again.Problems) {
			t.Fatal("not the same twice")
		}
	})
}
