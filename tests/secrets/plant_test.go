package secrets

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func one() []Credential {
	return []Credential{{Shape: Shape{Name: "x", Sentence: "it is %s"}, Text: "FAKE-body-of-20-bytes", Bodies: []string{"FAKE-body-of-20-bytes"}}}
}

// Over the rounds every string of a JSON file, a new key in each object, every
// line and every file's name is planted, each in one round.
func TestPlanterPlantsEveryString(t *testing.T) {
	src := t.TempDir()
	for name, text := range map[string]string{
		"root/a.json":               `{"a": "1", "b": {"c": ["2", "3"], "n": 7}, "d": null}`,
		"root/b.jsonl":              "{\"type\": \"x\"}\n{\"type\": \"y\"}\n",
		"root/c.txt":                "one = 1\n\ntwo\n",
		"commands/gh-0/stdout":      "HTTP/2.0 200 OK\r\nX: y\r\n\r\n{\"t\": \"z\"}",
		"commands/gh-0/stderr":      "",
		"commands/gh-0/status":      "0\n",
		"root/d.plist":              "<key>Label</key>\n<string>x</string>\n",
		"root/u/v/w/x/y/z/e/a.json": "[]",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(src, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fields := map[string]int{}
	for round := range 5 {
		p, dst := NewPlanter(one(), round, 5), t.TempDir()
		if err := p.Copy(src, dst); err != nil {
			t.Fatal(err)
		}
		for f, n := range p.Fields {
			fields[f] += n
		}
	}
	for field, n := range map[string]int{
		"root/a.json.a": 1, "root/a.json.b.c[]": 2, "root/a.json.{}": 1, "root/a.json.b.{}": 1, "root/b.jsonl.type": 2, "root/b.jsonl.{}": 2,
		"root/c.txt line one = *": 1, "root/c.txt line two": 1, "commands/gh-*/stdout.t": 1, "commands/gh-*/stdout head line X: y": 1,
		"fails commands/gh-0/": 3, "root/d.plist line <string>x</string>": 1, "name root/a.json": 1, "dir root/u/v/w/x/y/z/e": 1,
	} {
		if fields[field] < 1 || fields[field] > n {
			t.Errorf("%q is planted %d times of %d: %v", field, fields[field], n, fields)
		}
	}
}

func TestPlantedTextHoldsTheCredential(t *testing.T) {
	for next := range 12 {
		p := NewPlanter(one(), 0, 1)
		p.next = next
		var got map[string]string
		if err := json.Unmarshal(p.File("a.json", []byte(`{"k": "/v"}`)), &got); err != nil || len(got) != 2 || !strings.Contains(got["k"], "FAKE-body-of-20-bytes") {
			t.Errorf("%q, %v", got, err)
		}
		for _, line := range []string{"plain", "k = v", "k: v", "<string>v</string>"} {
			if got := string(p.File("a.txt", []byte(line+"\n"))); strings.Count(got, "\n") != 1 || !strings.Contains(got, "FAKE-body-of-20-bytes") {
				t.Errorf("%q", got)
			}
		}
	}
}

// An index finds any 12 bytes of a body, wherever they stand, and no 11.
func TestIndex(t *testing.T) {
	all, err := Corpus()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		c := s.Make(rand.New(rand.NewPCG(3, uint64(i))))
		x := NewIndex([]Credential{c})
		b := slices.MaxFunc(c.Bodies, func(a, b string) int { return len(a) - len(b) })
		if name, at := x.Find([]byte("ab " + b[len(b)-12:])); name != s.Name || at != 3 {
			t.Errorf("%s: the end of %q is found at %d", s.Name, b, at)
		}
		if _, at := x.Find([]byte("ab " + b[:11] + " " + c.Sentence)); at >= 0 {
			t.Errorf("%s: 11 bytes of %q are found", s.Name, b)
		}
	}
}
