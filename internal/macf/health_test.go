package macf

import (
	"bytes"
	"strings"
	"testing"
)

const fitHealth = `{"agent": "devops-agent", "status": "online", "type": "permanent", "uptime_seconds": 60, "current_issue": 5, "version": "0.2.46",
	"last_notification": null, "instance_id": "i-1", "cert_expiry": null, "otel": {"endpoint": null}, "health_schema_version": 3,
	"state": {"status": "busy", "turn_number": 7, "elapsed_ms": 1080499, "phase": "tool", "current_tool": "Bash", "current_command": null}}`

func TestParseHealth(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name, old, new string
		busy           *bool
		doing, err     string
	}{
		{"fits", "", "", &yes, "busy, turn 7, for 18m0s, tool, Bash, issue 5", ""},
		{"idle", `"busy"`, `"idle"`, &no, "idle, turn 7, tool, Bash, issue 5", ""},
		{"a word", fitHealth[strings.Index(fitHealth, `{"status"`) : len(fitHealth)-1], `"idle"`, &no, "idle, issue 5", ""},
		{"words", fitHealth[strings.Index(fitHealth, `{"status"`) : len(fitHealth)-1], `"busy 18m on turn 7"`, &yes, "busy 18m on turn 7, issue 5", ""},
		{"a state of the future", `"busy"`, `"asleep"`, nil, "asleep, turn 7, tool, Bash, issue 5", ""},
		{"no state", `"state"`, `"State"`, nil, "issue 5", ""},
		{"a null state", fitHealth[strings.Index(fitHealth, `{"status"`) : len(fitHealth)-1], `null`, nil, "issue 5", ""},
		{"no issue", `"current_issue": 5`, `"current_issue": null`, &yes, "busy, turn 7, for 18m0s, tool, Bash", ""},
		{"another status", `"online"`, `"draining"`, nil, "", `status is not "online"`},
		{"no status", `"status": "online", `, ``, nil, "", "status is missing"},
		{"no agent", `"agent": "devops-agent", `, ``, nil, "", "agent is missing"},
		{"a number for the agent", `"devops-agent"`, `7`, nil, "", "agent is not a text"},
		{"no version", `"version": "0.2.46",`, ``, nil, "", "version is missing"},
		{"a version of nothing that shows", `"0.2.46"`, `"\u0001"`, nil, "", "version shows nothing"},
		{"a negative uptime", `60`, `-1`, nil, "", "uptime_seconds is not a whole number of 0 to 2147483647"},
		{"a list for the state", fitHealth[strings.Index(fitHealth, `{"status"`) : len(fitHealth)-1], `[]`, nil, "", "state is not an object"},
		{"a state without a status", `"status": "busy", `, ``, nil, "", "state.status is missing"},
		{"a turn of text", `"turn_number": 7`, `"turn_number": "7"`, nil, "", "state.turn_number is not a whole number of 0 to 2147483647"},
		{"a name twice", `"agent"`, `"version": "1", "agent"`, nil, "", "not JSON at byte 115"},
		{"text", fitHealth, "OK", nil, "", "not JSON at byte 0"},
		{"nothing", fitHealth, "", nil, "", "not JSON at byte 0"},
		{"two bodies", fitHealth, fitHealth + fitHealth, nil, "", "not JSON at byte 388"},
	} {
		a, err := ParseHealth([]byte(strings.Replace(fitHealth, tt.old, tt.new, 1)))
		if got := says(err); got != tt.err && !(strings.HasPrefix(tt.err, "not JSON at byte") && strings.HasPrefix(got, "not JSON at byte")) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.err)
		}
		if (a.Busy == nil) != (tt.busy == nil) || a.Busy != nil && *a.Busy != *tt.busy || a.Doing != tt.doing {
			t.Errorf("%s: %+v, busy %v", tt.name, a, a.Busy)
		}
	}
}

func TestAnswer_is(t *testing.T) {
	for self, want := range map[string]bool{"dev-ops": true, "DEV_OPS": true, "lamp-dev-ops": true, "Bot_7": true,
		"dev": false, "dev-ops-2": false, "desk-dev-ops": false, "": false} {
		if got := (Answer{Agent: self}).Is("lamp", "dev-ops", "", "bot-7"); got != want {
			t.Errorf("%q: %t", self, got)
		}
	}
}

// Law: an answer that is taken names its agent and a version on one line, is
// busy only when its first word says so, and is written as it is read.
func FuzzParseHealth(f *testing.F) {
	f.Add([]byte(fitHealth))
	f.Add([]byte(`{"agent":"a","status":"online","version":"\u001b[1m1","state":"busy 7","instance_id":"x y"}`))
	f.Add([]byte(`{"agent":"a","status":"online","version":"1","state":{"status":"asleep","current_tool":"busy, x"},"current_issue":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseHealth(b)
		if err != nil {
			return
		}
		if a.Agent == "" || a.Version == "" || strings.ContainsAny(a.Version+a.Doing+a.Instance, "\n\x1b") {
			t.Fatalf("%+v", a)
		}
		once, err := a.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseHealth(once)
		if err != nil || again.Version != a.Version || again.Instance != a.Instance || again.UptimeS != a.UptimeS || again.Doing != a.Doing {
			t.Fatalf("%+v, written %s, read %+v, %v", a, once, again, err)
		}
		if a.Busy != nil && (again.Busy == nil || *again.Busy != *a.Busy) {
			t.Errorf("busy %t, written %s", *a.Busy, once)
		}
		if twice, _ := again.Encode(); !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s", once, twice)
		}
	})
}
