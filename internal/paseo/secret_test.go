package paseo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// secret has the shape of a GitHub token and is none.
const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

// leaves calls f with a copy of the object for each string in it, key or
// value, that string replaced by the secret; path names it.
func leaves(t *testing.T, b []byte, f func(path string, b []byte)) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any, put func(any))
	try := func(path string) {
		out, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		f(path, out)
	}
	walk = func(path string, v any, put func(any)) {
		switch x := v.(type) {
		case string:
			put(secret)
			try(path)
			put("a " + secret + "\n")
			try(path)
			put(x)
		case map[string]any:
			for k, e := range x {
				walk(path+"."+k, e, func(n any) { x[k] = n })
			}
			x[secret] = "1"
			try(path + " key")
			delete(x, secret)
		case []any:
			for i, e := range x {
				walk(path+"[]", e, func(n any) { x[i] = n })
			}
		}
	}
	walk("", doc, nil)
}

// A secret in any string of a file, also one of a field that is decoded, does
// not come out: not in the payload, not as drift, not in the error.
func TestNoSecretComesOut(t *testing.T) {
	tried := 0
	for _, dir := range []string{"agents/*/*.json", "schedules/*.json"} {
		files, _ := filepath.Glob(filepath.Join("../../fixtures/paseo-0.1.65/C32-one-session-two-processes/root/home/dev/.paseo", dir))
		if len(files) == 0 {
			t.Fatal("no fixtures")
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][]byte{b, written(`"title":"t","labels":{"fleet":"l","paseo.parent-agent-id":"p"},"lastStatus":"s","attentionReason":"r"`),
			plan(map[string]string{"cadence": `{"type":"cron","expression":"0 9 * * *","timezone":"Europe/Lisbon"}`, "runs": "[" + runOf(`"2026-07-01T00:00:00Z"`, "null", "failed", `,"error":"e"`) + "]"})} {
			leaves(t, b, func(path string, b []byte) {
				tried++
				var d Drift
				a, errA := ParseAgent(b, &d)
				s, errS := ParseSchedule(b, &d)
				var plans record.Schedule
				if errS == nil {
					plans = s.Seen(Look{Zone: "Europe/Berlin"})
				}
				out, err := json.Marshal([]any{a.Record, plans, d.Words(), errText(errA), errText(errS)})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(out), secret) {
					t.Errorf("%s: %s", path, out)
				}
			})
		}
	}
	if tried < 100 {
		t.Errorf("only %d places were tried", tried)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
