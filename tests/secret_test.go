package tests

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// planted is shaped like a token, in pieces so that no tool takes this file for
// a leak.
var planted = "ghp_" + strings.Repeat("FAKE", 9)

// A credential in any string of any file that is read comes out of no program:
// neither in records, nor in a report, nor in a recording.
func TestSecretInEveryString(t *testing.T) {
	claude, rec := planting(t, filepath.Join(root, "fixtures/cc-2.1.280"), 1000), filepath.Join(t.TempDir(), "rec")
	records := pipe(t, nil, []string{"fleet-observe-claude", "--fixtures", claude, "--record", rec})
	paseo, paseoRec := planting(t, paseoDir("20-all-live"), 1000), filepath.Join(t.TempDir(), "rec")
	records = append(records, pipe(t, nil, []string{"fleet-observe-paseo", "--fixtures", paseo, "--record", paseoRec})...)
	stream := pipe(t, records, []string{"fleet-classify"}, []string{"fleet-asks"})
	outputs := map[string]string{"records": string(stream), "recording": tree(t, rec), "recording of Paseo": tree(t, paseoRec)}
	for _, format := range []string{"md", "json"} {
		outputs[format] = string(pipe(t, stream, []string{"fleet-render", "--format", format}))
	}
	for name, text := range outputs {
		if i := strings.Index(text, "FAKE"); i >= 0 {
			t.Errorf("%s: …%s…", name, text[max(i-120, 0):min(i+60, len(text))])
		}
		if !strings.Contains(text, "withheld") {
			t.Errorf("%s: nothing was withheld: the planted strings did not get there", name)
		}
	}
}

// planting copies a recorded machine with the secret behind the strings of its
// files, at least as many as least, and returns its place.
func planting(t *testing.T, src string, least int) string {
	t.Helper()
	dir, n := t.TempDir(), 0
	err := filepath.WalkDir(src, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(src, p)
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if rel != "meta.json" && filepath.Base(rel) != "argv" {
			var k int
			b, k = plant(b)
			n += k
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
	if err != nil || n < least {
		t.Fatalf("%s: planted %d, %v", src, n, err)
	}
	return dir
}

// structural are the strings that decide how a file is read; they stay.
var structural = map[string]bool{"type": true, "timestamp": true, "createdAt": true, "updatedAt": true, "lastTerminalAt": true,
	"firstTerminalAt": true, "sessionId": true, "resumeSessionId": true, "kind": true, "status": true, "state": true, "tempo": true, "id": true,
	"template": true, "tool_use_id": true, "stop_reason": true, "role": true, "entrypoint": true, "procStart": true, "waitingFor": true, "jobId": true}

// plant puts the secret behind every other string of a JSON file or of each of
// its lines, and returns how many.
func plant(b []byte) ([]byte, int) {
	n := 0
	var walk func(key string, v any) any
	walk = func(key string, v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(k, v[k])
			}
		case []any:
			for i := range v {
				v[i] = walk(key, v[i])
			}
		case string:
			if !structural[key] {
				n++
				return v + " " + planted
			}
		}
		return v
	}
	again := func(text []byte) []byte {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			return text
		}
		out, err := json.Marshal(walk("", v))
		if err != nil {
			return text
		}
		return out
	}
	if json.Valid(b) {
		return again(b), n
	}
	lines := bytes.Split(b, []byte("\n"))
	for i, l := range lines {
		if json.Valid(l) {
			lines[i] = again(l)
		}
	}
	return bytes.Join(lines, []byte("\n")), n
}
