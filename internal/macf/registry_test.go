package macf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

const fitEntry = `{"host": "127.0.0.1", "port": 7443, "type": "permanent", "instance_id": "i-1", "started": "2026-11-29T11:00:00Z", "last_heartbeat": 7}`

func TestParseEntry(t *testing.T) {
	for _, tt := range []struct{ name, old, new, err string }{
		{"fits", "", "", ""},
		{"a name", "127.0.0.1", "desk.tail-1.ts.net", ""},
		{"of the sixth version", "127.0.0.1", "fd7a::1", ""},
		{"no instance", `"instance_id": "i-1", `, ``, ""},
		{"a start that is no time", `2026-11-29T11:00:00Z`, `soon`, ""},
		{"no host", `"host": "127.0.0.1", `, ``, "host is missing"},
		{"a path", "127.0.0.1", "127.0.0.1/x", "host is neither a name nor an address"},
		{"a login", "127.0.0.1", "a@b", "host is neither a name nor an address"},
		{"a port in it", "127.0.0.1", "localhost:80", "host is neither a name nor an address"},
		{"a flag", "127.0.0.1", "-x", "host is neither a name nor an address"},
		{"no port", `"port": 7443, `, ``, "port is missing"},
		{"port 0", `7443`, `0`, "port is not a whole number of 1 to 65535"},
		{"a port too large", `7443`, `65536`, "port is not a whole number of 1 to 65535"},
		{"half a port", `7443`, `1.5`, "port is not a whole number of 1 to 65535"},
		{"a port as text", `7443`, `"7443"`, "port is not a whole number of 1 to 65535"},
		{"another type", `permanent`, `guest`, "type is neither permanent nor worker"},
		{"no JSON", fitEntry, "host: here", "not JSON at byte 0"},
	} {
		e, err := ParseEntry([]byte(strings.Replace(fitEntry, tt.old, tt.new, 1)))
		if says(err) != tt.err || (e == Entry{}) != (tt.err != "") {
			t.Errorf("%s: %+v, %v, want %q", tt.name, e, err, tt.err)
		}
		if err == nil && (e.Started == nil) != (tt.name == "a start that is no time") {
			t.Errorf("%s: started %v", tt.name, e.Started)
		}
	}
}

// An agent is found by its canonical id, whatever wrote the variable; what is
// another project's is not in the roster.
func TestRoster(t *testing.T) {
	entry := func(host, started string) string {
		return fmt.Sprintf(`{"host": %q, "port": 1, "type": "worker", "instance_id": "i", "started": %q}`, host, started)
	}
	vs := []Variable{
		{"LAMP_AGENT_DEV_OPS", entry("old", "2026-11-29T11:00:00Z")}, {"lamp_agent_dev-ops", entry("new", "2026-11-29T11:00:01Z")},
		{"LAMP_AGENT_CODE", "null"}, {"LAMP_AGENT_", "{}"}, {"LAMP_CA_CERT", "x"}, {"DESK_AGENT_CODE", entry("desk", "")},
		{"LAMP_AGENT_AGENT_CODE", entry("longer", "")},
	}
	show := func(project string, others ...string) string {
		agents, twice := Roster(vs, project, others)
		s := ""
		for _, l := range agents {
			s += fmt.Sprintf("%s=%s,%v ", l.Agent, l.Entry.Host, l.Err)
		}
		return s + strings.Join(twice, ",")
	}
	for _, tt := range []struct{ got, want string }{
		{show("lamp", "lamp", "lamp_agent"), "code=,not a JSON object dev-ops=new,<nil> dev-ops"},
		{show("lamp", "lamp"), "agent-code=longer,<nil> code=,not a JSON object dev-ops=new,<nil> dev-ops"},
		{show("lamp_agent", "lamp", "lamp_agent"), "code=longer,<nil> "},
		{show("desk"), "code=desk,<nil> "},
		{show("moon"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s\nwant %s", tt.got, tt.want)
		}
	}
}

func TestParsePage(t *testing.T) {
	p, err := ParsePage([]byte(`{"total_count": 31, "variables": [{"name": "A", "value": "1", "created_at": "x"}]}`))
	if err != nil || p.Total != 31 || len(p.Variables) != 1 || p.Variables[0] != (Variable{"A", "1"}) {
		t.Errorf("%+v %v", p, err)
	}
	for in, want := range map[string]string{`{}`: "no list of variables", `{"total_count": 1}`: "no list of variables", `[]`: "no list of variables", `x`: "no list of variables",
		`{"total_count": 1, "variables": [{"value": "1"}]}`: "a variable has no name", `{"total_count": 0, "variables": null}`: "no list of variables"} {
		if _, err := ParsePage([]byte(in)); says(err) != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestParseStore(t *testing.T) {
	fit := `{"schema_version": 1, "project": "lamp", "agents": {"code": ` + fitEntry + `, "Dev-Ops": {}}}`
	for _, tt := range []struct{ name, old, new, err string }{
		{"fits", "", "", ""}, {"no agent", fitEntry, "null", ""},
		{"another schema", `: 1, "project"`, `: 2, "project"`, "its schema_version is not 1"},
		{"no schema", `"schema_version": 1, `, ``, "its schema_version is not 1"},
		{"another project", `"lamp"`, `"desk"`, "it is the registry of another project"},
		{"no agents", `"agents"`, `"Agents"`, "agents is missing"},
		{"torn", fit, fit[:30], "not JSON at byte 30"},
	} {
		vs, err := ParseStore([]byte(strings.Replace(fit, tt.old, tt.new, 1)), "lamp")
		if says(err) != tt.err || (len(vs) == 0) != (tt.err != "") {
			t.Errorf("%s: %+v, %v, want %q", tt.name, vs, err, tt.err)
		}
		if tt.err == "" && (vs[0].Name != "LAMP_AGENT_CODE" || vs[1].Name != "LAMP_AGENT_DEV_OPS") {
			t.Errorf("%s: %+v", tt.name, vs)
		}
	}
	vs, _ := ParseStore([]byte(fit), "lamp")
	kept, err := EncodeStore(vs, "lamp")
	again, err2 := ParseStore(kept, "lamp")
	if err != nil || err2 != nil || len(again) != 2 || again[1].Value != "null" || strings.Contains(string(kept), "last_heartbeat") {
		t.Errorf("%s, %v %v", kept, err, err2)
	}
}

func TestVariables(t *testing.T) {
	for _, tt := range []struct{ kind, id, want string }{
		{"org", "acme", "orgs/acme/actions/variables"}, {"repo", "acme/lamp", "repos/acme/lamp/actions/variables"},
		{"profile", "ana", "repos/ana/ana/actions/variables"},
		{"org", "acme/lamp", ""}, {"org", "../x", ""}, {"repo", "acme", ""}, {"repo", "acme/lamp/x", ""}, {"repo", "a?b/c", ""},
		{"profile", "ana/x", ""}, {"profile", "-x", ""}, {"local", "/r", ""},
	} {
		got, err := Variables(record.Registry{Kind: tt.kind, ID: tt.id})
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s %s: %q, %v", tt.kind, tt.id, got, err)
		}
	}
}

// A recording keeps no value but that of an entry.
func TestPage_encode(t *testing.T) {
	secret := "-----BEGIN " + "FAKE KEY-----"
	b := Page{2, []Variable{{"LAMP_CA_KEY_ENCRYPTED", secret}, {"LAMP_AGENT_A", fitEntry}}}.Encode()
	p, err := ParsePage(b)
	if err != nil || bytes.Contains(b, []byte("FAKE")) || p.Total != 2 || p.Variables[0].Value != "null" || !strings.Contains(p.Variables[1].Value, "7443") {
		t.Errorf("%s %v", b, err)
	}
}

// Law: an entry that is taken can be asked, and is written as it is read.
func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(fitEntry))
	f.Add([]byte(`{"host":"::1","port":65535,"type":"worker","instance_id":"a b","started":"0000-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := ParseEntry(b)
		if err != nil {
			return
		}
		if e.Port < 1 || e.Port > 65535 || e.Host == "" || strings.ContainsAny(e.Host, "/@?#% \t\n") || strings.HasPrefix(e.Host, "-") {
			t.Fatalf("%+v", e)
		}
		once, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseEntry(once)
		if err != nil || again.Port != e.Port || again.Type != e.Type || (again.Started == nil) != (e.Started == nil) {
			t.Fatalf("%+v, written %s, read %+v, %v", e, once, again, err)
		}
		if twice, _ := again.Encode(); !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s", once, twice)
		}
		if (Variable{Name: "A", Value: string(b)}).Clean().Value != string(once) || !json.Valid(once) {
			t.Errorf("kept otherwise: %s", once)
		}
	})
}
