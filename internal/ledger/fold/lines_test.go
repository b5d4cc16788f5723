package fold

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kr/pretty"
)

const (
	fire12 = `{"by":"tick","dry_run":true,"id":"12-1","kind":"tick_fire","scope":"lamp","tick":12,"ts":"2026-10-01T10:00:00.120Z","v":1}`
	fire13 = `{"by":"tick","dry_run":true,"id":"13-1","kind":"tick_fire","scope":"lamp","tick":13,"ts":"2026-10-01T11:00:00.000Z","v":1}`
)

func readAll(t testing.TB, text string) []Line {
	t.Helper()
	var lines []Line
	for l, err := range Lines(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		l.Raw = bytes.Clone(l.Raw)
		lines = append(lines, l)
	}
	return lines
}

func TestParse_damage(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"by":"tick","dry_run":true,"id":"12`, "torn: ends at byte 36"},
		{fire12[:60], "torn: ends at byte 60"},
		{fire12 + "\x00\x00", "NUL bytes"},
		{"\x00\x00\x00\x00", "NUL bytes"},
		{`{"v":1,"kind":"ack","id":"x","ts":"2026-10-01T10:00:00Z","detail":"` + "\xe2\x82" + `"}`, "not UTF-8"},
		{`[1,2]`, "not a JSON object"},
		{"", "not a JSON object"},
		{" \t", "not a JSON object"},
		{`{"v":1,"kind":"ack","id":"x","ts":"noon"}`, "time is not RFC 3339"},
		{`"` + "ghp_" + strings.Repeat("FAKE", 9) + `"`, "not a JSON object"},
		{`{"v":1,"kind":"ack"} {"v":1}`, "not JSON at byte 22"},
		{fire12[:60] + fire13, "not JSON at byte 63"}, // two lines fused by another writer are none
		{`{"v":2,"kind":"ack"}`, "ledger version 2, this program reads 1"},
		{`{"kind":"ack"}`, "ledger version 0, this program reads 1"},
		{`{"v":1}`, "kind is no word"},
		{`{"v":1,"kind":"No Word"}`, "kind is no word"},
		{`{"v":1,"kind":"ack","ts":"2026-10-01T10:00:00Z"}`, "entry has no id"},
		{`{"v":1,"kind":"ack","id":"x"}`, "entry has no ts"},
		{`{"v":1,"kind":"ack","id":7,"ts":"2026-10-01T10:00:00Z"}`, "id is not a string"},
		{`{"v":"1","kind":"ack"}`, "v is not a int"},
		{`{"v":1,"kind":"tick_fire","id":"x","ts":"2026-10-01T10:00:00Z"}`, "tick_fire entry has no tick"},
		{`{"v":1,"kind":"runner_exit","id":"x","ts":"2026-10-01T10:00:00Z"}`, "runner_exit entry has no tick"},
		{`{"v":1,"kind":"ack","id":"x","ts":"2026-10-01T10:00:00Z","tick":-1}`, "tick is not within 0 to 1073741824"},
		{`{"v":1,"kind":"ack","id":"x","ts":"2026-10-01T10:00:00Z","tick":2000000000}`, "tick is not within 0 to 1073741824"},
	}
	for _, tt := range tests {
		e, newer, err := Parse([]byte(tt.line))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.line, err, tt.want)
		}
		if newer || e.ID != "" || e.Kind != "" {
			t.Errorf("%q: a damaged line has an entry: %+v", tt.line, e)
		}
	}
}

func TestParse_newer(t *testing.T) {
	e, newer, err := Parse([]byte(`{"v":1,"kind":"label_v2","id":7}`))
	if err != nil || !newer || e.Kind != "label_v2" {
		t.Errorf("%+v %t %v", e, newer, err)
	}
}

// A line that this release writes has the shape of those that it found: keys
// sorted, no escapes.
func TestMarshal_continuesTheSeed(t *testing.T) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range readAll(t, string(b)) {
		if l.Damage != nil {
			t.Fatalf("line %d: %v", l.N, l.Damage)
		}
		want := strings.ReplaceAll(string(l.Raw), `"of":null,`, "") // an empty of is left out
		if got := string(Marshal(l.Entry)); got != want {
			t.Errorf("line %d\n got %s\nwant %s", l.N, got, want)
		}
	}
	if got, want := string(Marshal(map[string]string{"b": "<é&>", "a": ""})), `{"a":"","b":"<é&>"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLines(t *testing.T) {
	t.Run("ledger-torn-tail", func(t *testing.T) {
		s, err := Read(Lines(strings.NewReader(fire12 + "\n" + fire13[:40])))
		if err != nil || s.Entries != 1 || s.Damaged != 1 || s.LastTick != 12 {
			t.Errorf("%+v %v", s, err)
		}
		s, err = Read(Lines(strings.NewReader(fire12[:40] + "\n" + fire13 + "\n")))
		if err != nil || s.Entries != 1 || s.Damaged != 1 || s.LastTick != 13 {
			t.Errorf("%+v %v", s, err)
		}
	})
	t.Run("a last line without newline is whole", func(t *testing.T) {
		if ls := readAll(t, fire12); len(ls) != 1 || ls[0].Damage != nil {
			t.Errorf("%+v", ls)
		}
	})
	t.Run("blank lines are nothing", func(t *testing.T) {
		if ls := readAll(t, "\n  \n\r\n"+fire12+"\r\n\n"); len(ls) != 1 || ls[0].N != 4 || ls[0].Damage != nil {
			t.Errorf("%+v", ls)
		}
	})
	t.Run("a line that is too long is one damaged line", func(t *testing.T) {
		ls := readAll(t, fire12+"\n"+strings.Repeat("x", MaxLine+1)+"\n"+fire13+"\n")
		if len(ls) != 3 || ls[1].Damage == nil || ls[1].Damage.Error() != "longer than 4194304 bytes" || ls[2].Entry.ID != "13-1" {
			t.Errorf("%d lines", len(ls))
		}
		long := fire12 + strings.Repeat(" ", MaxLine-len(fire12))
		if ls := readAll(t, long+"\n"+fire13); len(ls) != 2 || ls[0].Damage != nil || ls[1].Entry.ID != "13-1" {
			t.Errorf("a line of the full length: %d lines", len(ls))
		}
	})
	t.Run("a failing reader", func(t *testing.T) {
		r := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(fire12)))
		s, err := Read(Lines(r))
		if err == nil || err.Error() != "line 1: timeout" || s.Entries != 0 {
			t.Errorf("%+v %v", s, err)
		}
	})
}

// What stands between two whole lines, whatever it is, neither hides nor
// changes them, and every line is counted once.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "{", `{"v":1`, "\x00\x00\n\x00", "\xe2\x82", fire12[:50], "\n\n", "\r", fire13 + "\n" + fire13[:9], "[]", "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, damage []byte) {
		text := fire12 + "\n" + string(damage) + "\n" + fire13 + "\n"
		lines := readAll(t, text)
		want := 0
		for _, l := range strings.Split(text, "\n") {
			if strings.TrimSpace(l) != "" {
				want++
			}
		}
		if len(lines) != want {
			t.Fatalf("%d lines, want %d", len(lines), want)
		}
		if first, last := lines[0], lines[len(lines)-1]; first.Entry.ID != "12-1" || last.Entry.ID != "13-1" || last.Damage != nil {
			t.Fatalf("a whole line is gone: %+v %+v", first, last)
		}
		s, newer := new(State), 0
		for _, l := range lines {
			s.Add(l)
			if l.Newer {
				newer++
			}
			if bytes.IndexByte(l.Raw, '\n') >= 0 || !strings.Contains(text, string(l.Raw)) {
				t.Fatalf("line %d is no line of the ledger", l.N)
			}
			if l.Damage == nil && !l.Newer && !json.Valid(l.Raw) {
				t.Fatalf("line %d is an entry and no JSON", l.N)
			}
		}
		if s.Entries+s.Damaged+newer != want || s.Damaged != s.Surface().Unparsed || s.LastTick < 13 {
			t.Fatalf("%d entries, %d damaged and %d newer of %d", s.Entries, s.Damaged, newer, want)
		}
	})
}

// What is read can be written, and reads the same again.
func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for l := range bytes.Lines(b) {
		f.Add(bytes.TrimSpace(l))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, newer, err := Parse(raw)
		if err != nil || newer {
			if e.ID != "" {
				t.Fatalf("an entry beside %v", err)
			}
			return
		}
		if bytes.IndexByte(raw, '\n') >= 0 {
			return
		}
		if y := e.TS.Year(); y < 0 || y > 9999 {
			return
		}
		again, newer, err := Parse(Marshal(e))
		if err != nil || newer {
			t.Fatalf("%s\nwritten again: %v", raw, err)
		}
		if string(Marshal(again)) != string(Marshal(e)) {
			t.Fatalf("%v", pretty.Diff(again, e))
		}
	})
}
