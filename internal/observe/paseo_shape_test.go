package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/paseo"
)

// oddAgents and oddSchedules are records as no capture has them, by name.
func oddAgents() map[string]string {
	bad := func(from, to string) string { return strings.Replace(agentJSON("b", morning, ""), from, to, 1) }
	labels := func(n int) string {
		var ls []string
		for i := range n {
			ls = append(ls, fmt.Sprintf(`"l%02d":"%d"`, i, i))
		}
		return `,"labels":{"paseo.parent-agent-id":"p-1","paseo.schedule-id":"0badcafe","paseo.other":"FAKE-LABEL","n":7,` + strings.Join(ls, ",") + "}"
	}
	return map[string]string{
		"everything": agentJSON("e", morning, `,"title":"a title","internal":true,"archivedAt":"2026-11-29T15:20:00.000Z","requiresAttention":true,"attentionReason":"finished",
			"runtimeInfo":{"sessionId":"s-1","extra":"FAKE-EXTRA"},"persistence":{"sessionId":"s-2","nativeHandle":"s-3","metadata":"FAKE-META"},"config":{"systemPrompt":"FAKE-CONFIG"}`),
		"labels":          agentJSON("l", morning, labels(20)),
		"a Pi session":    agentJSON("p", morning, `,"persistence":{"sessionId":"s-4","nativeHandle":"/home/ana/.pi/s.jsonl"}`),
		"a handle object": agentJSON("h", morning, `,"persistence":{"sessionId":"s-5","nativeHandle":{"a":"FAKE-HANDLE"}}`),
		"times":           agentJSON("t", "FAKE-TIME", `,"archivedAt":"FAKE-TIME"`),
		"year 0":          agentJSON("y", "0000-01-01T00:00:00Z", ""),
		"another word":    strings.Replace(agentJSON("w", morning, `,"attentionReason":"tired"`), "running", "zombie", 1),
		"hidden":          strings.Replace(agentJSON("v", morning, `,"title":" two\nlines "`), "running", "id\u200ble", 1),
		"no provider":     bad("claude", changed),
		"long":            agentJSON("g", morning, `,"title":"`+strings.Repeat("界 ", 100)+`"`),
		"other case":      bad(`"lastStatus"`, `"LASTSTATUS"`),
		"a flag":          agentJSON("f", morning, `,"requiresAttention":false,"attentionReason":"error"`),
		"empty":           "",
		"blank":           " \n ",
		"cut":             agentJSON("c", morning, `,"title":"FAKE`),
		"garbage":         "FAKE-GARBAGE",
		"two values":      agentJSON("2", morning, "") + "FAKE",
		"null":            "null",
		"an array":        `[{"id":"FAKE-ARRAY"}]`,
		"a string":        `"FAKE-STRING"`,
		"no id":           bad(`"id"`, `"di"`),
		"not an id":       agentJSON("FAKE/ID", morning, ""),
		"a long id":       agentJSON(strings.Repeat("0", 201), morning, ""),
		"not an id, two":  agentJSON("a b", morning, ""),
		"cwd a number":    bad(`"/home/ana/wt"`, "5"),
		"cwd an object":   bad(`"/home/ana/wt"`, `{"FAKE":"FAKE"}`),
		"labels a string": agentJSON("b", morning, `,"labels":"FAKE-LABELS"`),
		"persistence":     agentJSON("b", morning, `,"persistence":["FAKE-LIST"]`),
		"a session id":    agentJSON("b", morning, `,"runtimeInfo":{"sessionId":17}`),
		"internal":        agentJSON("b", morning, `,"internal":"FAKE-FLAG"`),
	}
}

func oddSchedules() map[string]string {
	swap := func(from, to string) string { return strings.Replace(scheduleJSON("b", ""), from, to, 1) }
	minutes := make([]string, 60)
	for i := range minutes {
		minutes[i] = fmt.Sprint(i)
	}
	run := func(more string) string {
		return strings.Replace(scheduleJSON("b", ""), `"runs":[]`, `"runs":[{"id":"r","startedAt":"2026-11-29T15:00:00.000Z","endedAt":"2026-11-29T15:01:00.000Z",`+more+`}]`, 1)
	}
	return map[string]string{
		"failed":           run(`"status":"failed","output":null,"error":"no such\nmodel"`),
		"API error":        run(`"status":"succeeded","output":"API Error: 400 FAKE-OUTPUT","error":null`),
		"output":           run(`"status":"succeeded","output":"said API Error: FAKE-OUTPUT","error":null`),
		"output an object": run(`"status":"running","output":{"FAKE":1},"error":null`),
		"another status":   run(`"status":"flown","output":null,"error":null`),
		"a run":            swap(`"runs":[]`, `"runs":["FAKE-RUN"]`),
		"a run's time":     run(`"status":"failed","error":7`),
		"runs":             swap(`"runs":[]`, `"runs":"FAKE-RUNS"`),
		"maxRuns":          swap(`"maxRuns":null`, `"maxRuns":1e400`),
		"maxRuns of 3":     swap(`"maxRuns":null`, `"maxRuns":3`),
		"every":            swap(`{"type":"cron","expression":"0 9 * * *"}`, `{"type":"every","everyMs":900000}`),
		"every none":       swap(`{"type":"cron","expression":"0 9 * * *"}`, `{"type":"every","everyMs":-1}`),
		"moon":             swap(`"cron"`, `"moon"`),
		"spaced":           swap("0 9 * * *", `\t0  9 * * * \n`),
		"every minute":     swap("0 9 * * *", strings.Join(minutes, ",")+" 9 * 1 *"),
		"not cron":         swap("0 9 * * *", "at nine"),
		"a zone":           swap(`"0 9 * * *"`, `"0 9 * * *","timezone":"America/Bogota"`),
		"no zone":          swap(`"0 9 * * *"`, `"0 9 * * *","timezone":"Mars/FAKE"`),
		"nearly a zone":    swap(`"0 9 * * *"`, `"0 9 * * *","timezone":"\u200bUTC"`),
		"an agent":         swap(`{"type":"new-agent","config":{"cwd":"/home/ana/wt"}}`, `{"type":"agent","agentId":"e"}`),
		"no agent":         swap(`{"type":"new-agent","config":{"cwd":"/home/ana/wt"}}`, `{"type":"agent","agentId":"/x"}`),
		"everyone":         swap("new-agent", "everyone"),
		"dormant":          swap(`"active"`, `"dormant"`),
		"no status":        swap(`"active"`, `""`),
		"no target":        swap(`"target"`, `"aim"`),
		"expired":          swap(`"expiresAt":null`, `"expiresAt":"2026-11-29T15:30:00.000Z"`),
		"empty":            "",
	}
}

// A credential, an invisible character or too many words in any string: what is
// recorded is understood as the file is, and holds no credential.
func TestPaseoShape_strings(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	tried := 0
	agents, schedules := oddAgents(), oddSchedules()
	for name, texts := range map[string][]string{
		"agent":    {agents["everything"], agents["labels"], agents["other case"]},
		"schedule": {schedules["failed"], schedules["API error"], schedules["a zone"], schedules["an agent"], schedules["moon"]},
	} {
		shape := map[string]shape{"agent": agentShape, "schedule": scheduleShape}[name]
		for _, text := range texts {
			var doc any
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
			eachString(doc, func(put func(string), old string) {
				if strings.Contains(old, "* *") {
					return // which of its fields is not understood may be another
				}
				for _, s := range []string{token, "a " + token + "\n", changed + old, old + changed, changed, " ", strings.Repeat("word ", 1000), old + "\x1b[31m", "/home/ana/crm/" + token} {
					put(s)
					b, err := json.Marshal(doc)
					if err != nil {
						t.Fatal(err)
					}
					once, err := shape.project(b)
					if err != nil || bytes.Contains(once, []byte(token)) {
						t.Fatalf("%s is recorded as %s, %v", b, once, err)
					}
					if got, want := understood(name, once), understood(name, b); got != want {
						t.Errorf("%s is recorded as %s, which is\n%s\nand not\n%s", b, once, got, want)
					}
					tried++
				}
				put(old)
			})
		}
	}
	if tried < 1000 {
		t.Errorf("only %d strings were tried", tried)
	}
}

// eachString calls f for every string of a JSON value and for every name of its
// objects, with what puts another in its place.
func eachString(v any, f func(put func(string), old string)) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if s, ok := e.(string); ok {
				f(func(n string) { v[i] = n }, s)
			}
			eachString(e, f)
		}
	case map[string]any:
		for name, e := range maps.Clone(v) {
			if s, ok := e.(string); ok {
				f(func(n string) { v[name] = n }, s)
			}
			at := name
			f(func(n string) { delete(v, at); v[n], at = e, n }, name)
			eachString(e, f)
		}
	}
}

// Whatever a file holds, what is recorded of it is understood as it is, or
// misunderstood for the same reason, and recorded as itself.
func FuzzPaseoShape(f *testing.F) {
	for _, text := range oddAgents() {
		f.Add([]byte(text))
	}
	for _, text := range oddSchedules() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if doubled(b) {
			return
		}
		for name, shape := range map[string]shape{"agent": agentShape, "schedule": scheduleShape, "pid": pidShape} {
			once, err := shape.project(b)
			if err != nil {
				t.Fatal(err)
			}
			if twice, err := shape.project(once); err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%q is recorded as %q, and that as %q, %v", b, once, twice, err)
			}
			if got, want := understood(name, once), understood(name, b); got != want {
				t.Errorf("%q is recorded as %q, which is\n%s\nand not\n%s", b, once, got, want)
			}
		}
	})
}

// understood is all that a file is to an observer.
func understood(shape string, b []byte) string {
	var d paseo.Drift
	var v any
	var err error
	switch shape {
	case "agent":
		var a paseo.Agent
		a, err = paseo.ParseAgent(b, &d)
		v = a.Record
	case "schedule":
		var s paseo.Schedule
		s, err = paseo.ParseSchedule(b, &d)
		v = []any{guard.Path(s.Cwd), s.AgentID}
		if err == nil {
			v = append(v.([]any), s.Seen(paseo.Look{At: looked, Zone: "Europe/Berlin"}))
		}
	case "pid":
		v, err = paseo.ParsePID(b, &d)
	}
	return fmt.Sprintf("%s %q %v", pretty.Sprint(v), d.Words(), err)
}

// doubled tells of JSON in which an object has one name twice, in any case.
func doubled(b []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(b))
	var open []map[string]bool // of each array or object that is open its names; nil for an array
	for name := false; ; {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		top := len(open) - 1
		switch d, _ := token.(json.Delim); {
		case d == '{':
			open, name = append(open, map[string]bool{}), true
		case d == '[':
			open, name = append(open, nil), false
		case d == '}' || d == ']':
			open = open[:top]
			name = top > 0 && open[top-1] != nil
		case name:
			folded := strings.ToLower(strings.ToUpper(token.(string)))
			if open[top][folded] {
				return true
			}
			open[top][folded], name = true, false
		default:
			name = top >= 0 && open[top] != nil
		}
	}
}
