package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// agentLines are the records of a machine's agents; more are data of workspaces
// by subject.
func agentLines(host, processes, spaces string, more map[string]string) string {
	line := func(kind, subject, data string) string {
		return `{"v":1,"kind":"` + kind + `","at":"2026-11-29T15:10:00.000Z","host":"` + host + `","by":"fleet-observe-workspaces","subject":"` + subject + `","data":` + data + "}\n"
	}
	all, n := "", 0
	for subject, data := range more {
		all += line("workspace", subject, data)
		n++
	}
	for name, data := range map[string]string{"macf/processes": processes, "macf/workspaces": spaces} {
		if data != "" {
			all += line("surface", name, data)
			n++
		}
	}
	return all + line("surface", "fleet-observe-workspaces", `{"ok":true,"rows":0,"unparsed":0,"records":`+string(rune('0'+n))+`}`)
}

func ps(t *testing.T, stream string) string {
	t.Helper()
	set := new(record.Set)
	for l, err := range record.All(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(l)
	}
	var b bytes.Buffer
	if err := PS(&b, set); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	fine    = `{"ok":true,"rows":1,"unparsed":0}`
	dead    = `{"agent":"docs","project":"lamp","registry":{"kind":"local","id":"/r"},"path":"/w/docs","tmux_session":"lamp@docs","pin":"0.2.44","processes":[]}`
	running = `{"agent":"code","project":"lamp","registry":{"kind":"local","id":"/r"},"path":"/w/code","tmux_session":"lamp@code","pin":"v0.2.46","processes":[
		{"pid":12,"start":null,"kind":"claude","cwd":"/w/code"},{"pid":9,"start":null,"kind":"claude","cwd":"/w/code/sub","agent":"bot","port":7,"otel_endpoint":"http://desk:4318"},
		{"pid":10,"start":null,"kind":"channel-server","cwd":"/w/code","version":"0.2.45"},{"pid":11,"start":null,"kind":"channel-server","cwd":"/w/code","version":"0.2.46"}]}`
	alone = `{"agent":"","project":"","registry":null,"path":"/a","tmux_session":"","pin":"","processes":[{"pid":3,"start":null,"kind":"claude","cwd":"/a"}]}`
)

func compact(line string) string { return strings.Join(strings.Fields(line), " ") }

func TestPS(t *testing.T) {
	all := strings.ReplaceAll(running, "\n", " ")
	stream := agentLines("desk", fine, fine, map[string]string{"/w/docs": dead, "/w/code": all, "/a": alone,
		"/w/torn": `{"agent":"","project":"","registry":null,"unread":"torn","path":"/w/torn","tmux_session":"","pin":"","processes":[]}`})
	want := []string{
		"5 processes alive, 1 workspace dead", "",
		"| AGENT | STATUS | PID | KIND | WORKSPACE | VERSION | PIN | PORT | OTEL | CWD |", "",
		"| code | alive | 10 | channel-server | code | 0.2.45 | v0.2.46 ≠ running | — | (none) | /w/code |",
		"| code | alive | 11 | channel-server | code | 0.2.46 | v0.2.46 | — | (none) | /w/code |",
		"| bot | alive | 9 | claude | code | — | v0.2.46 | 7 | desk:4318 | /w/code/sub |",
		"| code | alive | 12 | claude | code | — | v0.2.46 | — | (none) | /w/code |",
		"| docs | dead | — | — | docs | — | 0.2.44 | — | — | /w/docs |",
		"| — | alive | 3 | claude | a | — | — | — | (none) | /a |", "",
	}
	got := strings.Split(ps(t, stream), "\n")
	got[3] = ""
	for i, line := range got {
		if i >= len(want) || compact(line) != want[i] {
			t.Errorf("line %d\n got %s\nwant %s", i, compact(line), want[min(i, len(want)-1)])
		}
	}
	lines := strings.SplitAfter(stream, "\n")
	for i := range lines { // the order of the lines tells nothing
		if other := ps(t, strings.Join(append(lines[i:len(lines):len(lines)], lines[:i]...), "")); other != ps(t, stream) {
			t.Errorf("turned by %d lines it says\n%s", i, other)
		}
	}
}

// What was not read is said, and what then is not seen to run is not dead.
func TestPS_unread(t *testing.T) {
	spaces := map[string]string{"/w/docs": dead, "/a": alone}
	no := `{"ok":false,"error":"hidden","rows":0,"unparsed":0}`
	for name, tt := range map[string]struct{ stream, says, docs string }{
		"read":             {agentLines("desk", fine, fine, spaces), "1 process alive, 1 workspace dead", "dead"},
		"no process table": {agentLines("desk", no, fine, spaces), "Liveness unconfirmed on desk: macf/processes was not read: hidden.", "unknown"},
		"no such record":   {agentLines("desk", "", fine, spaces), "Liveness unconfirmed on desk: macf/processes was not read: no record of it.", "unknown"},
		"no workspaces":    {agentLines("desk", fine, no, spaces), "Workspaces may be missing on desk: macf/workspaces was not read: hidden.", "dead"},
		"absent":           {agentLines("desk", fine, `{"ok":true,"absent":true,"rows":0,"unparsed":0}`, nil), "macf is not installed on desk.\nNo agents.", ""},
		"none":             {agentLines("desk", fine, fine, nil), "No agents.", ""},
		"nothing":          {"", "Liveness unconfirmed: there is no record of fleet-observe-workspaces.", ""},
		"odd":              {agentLines("desk", fine, `{"ok":true,"rows":0,"unparsed":1,"notes":["/w/bad: torn"]}`, spaces), "Not understood on desk: /w/bad: torn.", "dead"},
		"cut": {strings.Join(strings.SplitAfter(agentLines("desk", fine, fine, map[string]string{"/w/docs": dead}), "\n")[:3], ""),
			"Liveness unconfirmed on desk: records are missing: fleet-observe-workspaces: no closing record.", "unknown"},
		"two machines": {agentLines("desk", fine, fine, spaces) + agentLines("attic", no, fine, spaces), "Liveness unconfirmed on attic: macf/processes was not read: hidden.", "dead"},
	} {
		got := ps(t, tt.stream)
		if !strings.HasPrefix(got, tt.says) {
			t.Errorf("%s: %s\nwant %s", name, got, tt.says)
		}
		if tt.docs != "" && !strings.Contains(compact(got), "| docs | "+tt.docs+" |") {
			t.Errorf("%s: docs is not %s\n%s", name, tt.docs, got)
		}
		if name == "two machines" && (!strings.Contains(compact(got), "| attic | docs | unknown |") || !strings.Contains(compact(got), "| desk | docs | dead |")) {
			t.Error(got)
		}
	}
}

// Foreign words stay in their cells.
func TestPS_hostile(t *testing.T) {
	space := strings.NewReplacer("docs", `a|b<img src=x>\u001b[31m`, "0.2.44", "[x](http://e.test)").Replace(dead)
	got := ps(t, agentLines("desk", fine, fine, map[string]string{"/w/x": space}))
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if strings.ContainsAny(got, "\x1b") || strings.Contains(got, "<img") || strings.Contains(got, "](http") || strings.Count(strings.ReplaceAll(lines[len(lines)-1], `\|`, ""), "|") != 11 {
		t.Error(got)
	}
}

// What cannot be started says so above the table, by the path of its launcher; nothing does where all can be.
func TestPS_unstartable(t *testing.T) {
	closed := strings.Replace(dead, `"pin"`, `"unstartable":"claude.sh is not executable: chmod +x","pin"`, 1)
	got := ps(t, agentLines("desk", fine, fine, map[string]string{"/w/docs": closed, "/w/none": strings.NewReplacer(`docs`, `none`, `is not executable: chmod +x`, `is not there`).Replace(closed)}))
	if !strings.Contains(got, "No launcher on desk: /w/docs/claude.sh is not executable: chmod +x; /w/none/claude.sh is not there.\n") {
		t.Error(got)
	}
	if got := ps(t, agentLines("desk", fine, fine, map[string]string{"/w/docs": dead})+agentLines("attic", fine, fine, map[string]string{"/w/docs": closed})); strings.Contains(got, "on desk") || !strings.Contains(got, "No launcher on attic: /w/docs/claude.sh ") {
		t.Error(got)
	}
}
