package faults

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// result is what a program left.
type result struct {
	stdout, stderr string
	status         int // 128 + n after signal n
	peak           int64
}

// line is what these tests read of a record.
type line struct {
	Kind    string          `json:"kind"`
	By      string          `json:"by"`
	Subject string          `json:"subject"`
	Data    json.RawMessage `json:"data"`
}

// surface is what these tests read of a surface.
type surface struct {
	OK       bool   `json:"ok"`
	Absent   bool   `json:"absent"`
	Error    string `json:"error"`
	Rows     int    `json:"rows"`
	Unparsed int    `json:"unparsed"`
	Notes    []string
}

// lines are the records of a stream, which must all be whole.
func lines(t testing.TB, stream string) []line {
	t.Helper()
	var ls []line
	for raw := range strings.Lines(stream) {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil || !strings.HasSuffix(raw, "\n") {
			t.Fatalf("no whole record: %.200q: %v", raw, err)
		}
		ls = append(ls, l)
	}
	return ls
}

// surfaces are the surface records of a stream, by name.
func surfaces(t testing.TB, stream string) map[string]surface {
	t.Helper()
	m := map[string]surface{}
	for _, l := range lines(t, stream) {
		if l.Kind == "surface" {
			var s surface
			if err := json.Unmarshal(l.Data, &s); err != nil {
				t.Fatal(err)
			}
			m[l.Subject] = s
		}
	}
	return m
}

// unread requires that a program ended in part, with a surface that was not read
// for a reason that has one of the words, and a line on stderr that names it.
func (r result) unread(t testing.TB, name string, words ...string) {
	t.Helper()
	s, there := surfaces(t, r.stdout)[name]
	if !there || s.OK || s.Absent || !hasAny(s.Error, words) {
		t.Errorf("%s: %+v, want ok false for a reason with one of %q", name, s, words)
	}
	if r.status != 3 || !strings.Contains(r.stderr, name+": not read: ") {
		t.Errorf("status %d, stderr %.300q; want 3, and %s named", r.status, r.stderr, name)
	}
}

func hasAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// failed requires status 1 and a line on stderr that has all the words.
func (r result) failed(t testing.TB, words ...string) {
	t.Helper()
	if r.status != 1 {
		t.Errorf("status %d, want 1; stderr %.300q", r.status, r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("stderr %.300q does not name %s", r.stderr, w)
		}
	}
}
