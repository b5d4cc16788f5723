package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"
)

func line(kind, at, host, by, subject, data string) string {
	return `{"v":1,"kind":"` + kind + `","at":"` + at + `","host":"` + host + `","by":"` + by + `","subject":"` + subject + `","data":` + data + "}\n"
}

const at = "2026-11-29T14:50:02.000Z"

func TestParse(t *testing.T) {
	tests := []struct{ name, in, err string }{
		{"a session", line("session", at, "h", "o", "s", `{"session_id":"s"}`), ""},
		{"a kind of the future", line("moon", at, "h", "o", "s", `[1]`), ""},
		{"fields of the future", line("session", at, "h", "o", "s", `{"session_id":"s","aura":{"x":1}}`), ""},
		{"seconds, another zone", line("session", "2026-11-29T15:50:02+01:00", "h", "o", "s", `{}`), ""},
		{"no object", "[1]\n", "not a JSON object"},
		{"text", "hello\n", "not a JSON object"},
		{"cut", `{"v":1,"kind":`, "not JSON at byte 14"},
		{"another version", `{"v":2,"kind":"x","at":"` + at + `","by":"o","subject":"s"}`, "record version 2, this program reads 1"},
		{"no version", `{"kind":"x","at":"` + at + `","by":"o","subject":"s"}`, "record version 0, this program reads 1"},
		{"no kind", `{"v":1,"at":"` + at + `","by":"o","subject":"s"}`, "record has no kind"},
		{"no at", `{"v":1,"kind":"x","by":"o","subject":"s"}`, "record has no at"},
		{"no by", `{"v":1,"kind":"x","at":"` + at + `","subject":"s"}`, "record has no by"},
		{"no subject", `{"v":1,"kind":"x","at":"` + at + `","by":"o"}`, "record has no subject"},
		{"at is no time", line("session", "yesterday", "h", "o", "s", `{}`), `at: time is not RFC 3339`},
		{"data of another type", line("session", at, "h", "o", "s", `{"session_id":7}`), "session record: data: session_id is not a string"},
		{"data is no object", line("session", at, "h", "o", "s", `7`), "session record: data is not an object"},
		{"time of data", line("session", at, "h", "o", "s", `{"job":{"created_at":"soon"}}`), "session record: data: job.created_at: time is not RFC 3339"},
		{"type below a map", line("past", at, "h", "o", "s", `{"counts":{"FAKE-SECRET":"x"}}`), "past record: data: counts is not a int"},
		{"data before kind", `{"data":{"session_id":7},"v":1,"kind":"session","at":"` + at + `","by":"o","subject":"s"}`, "session record: data: session_id is not a string"},
		{"a name twice", `{"v":1,"kind":"x","kind":"session","at":"` + at + `","by":"o","subject":"s","data":{}}`, "a name comes twice at byte 18"},
		{"a name of data twice", line("session", at, "h", "o", "s", `{"cwd":"/a","cwd":"/b"}`), "session record: data: a name comes twice at byte 109"},
		{"no data", `{"v":1,"kind":"session","at":"` + at + `","by":"o","subject":"s"}`, "session record: data is not an object"},
		{"null data", line("session", at, "h", "o", "s", `null`), "session record: data is not an object"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.in))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.err)
		}
	}
}

// The order of an envelope's names tells nothing, and the data is what stands
// in the line.
func TestParse_order(t *testing.T) {
	data := `{"session_id":"s","cwd":"/w","aura":[1, 2]}`
	for _, in := range []string{line("session", at, "h", "o", "s", data), line("session", at, "h", "o", "s", " "+data+" "),
		`{"data" :` + data + `,"subject":"s","by":"o","host":"h","at":"` + at + `","kind":"session","v":1}`} {
		r, err := Parse([]byte(in))
		p, ok := Payload[Session](r)
		if err != nil || !ok || p.Cwd != "/w" || string(r.Data) != data || r.Identity() != (Identity{"h", "session", "s"}) {
			t.Errorf("%s: %+v, %v", in, r, err)
		}
	}
}

func TestParse_quotesNothing(t *testing.T) {
	for _, in := range []string{`{"v":1,"FAKE-SECRET`, line("session", at, "h", "o", "s", `{"cwd":{"FAKE-SECRET":1}}`), `{"v":"FAKE-SECRET"}`} {
		if _, err := Parse([]byte(in)); err == nil || strings.Contains(err.Error(), "FAKE") {
			t.Errorf("Parse(%s): %v", in, err)
		}
	}
}

func TestAll(t *testing.T) {
	in := "\n" + line("x", at, "", "o", "a", "1") + "  \n" + strings.TrimSuffix(line("x", at, "", "o", "b", "2"), "\n")
	var out strings.Builder
	n := 0
	for l, err := range All(strings.NewReader(in)) {
		if err != nil {
			t.Fatal(err)
		}
		out.Write(l.Raw)
		n++
		if l.N != n {
			t.Errorf("line %d has the number %d", n, l.N)
		}
	}
	if out.String() != in+"\n" {
		t.Errorf("copied %q, want %q", out.String(), in+"\n")
	}
	var got error
	for _, err := range All(strings.NewReader(in + "\nrubbish\n" + in)) {
		got = err
	}
	if got == nil || got.Error() != "line 5: not a JSON object" {
		t.Errorf("error %v", got)
	}
	for _, err := range All(io.MultiReader(strings.NewReader("{"), failing{})) {
		got = err
	}
	if !errors.Is(got, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Law: what is read can be written, read again, and is written the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(line("session", at, "h", "o", "s", `{"session_id":"s","listing":null}`)))
	f.Add([]byte(line("moon", at, "", "o", "<&>", `[1.10,9007199254740993]`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Parse(b)
		if err != nil {
			return
		}
		once, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("written %s, read: %v", once, err)
		}
		twice, err := again.Line()
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("written %s, then %s, %v", once, twice, err)
		}
	})
}

func set(t *testing.T, text string) *Set {
	t.Helper()
	s := new(Set)
	for l, err := range All(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(l)
	}
	return s
}

func TestSet_newest(t *testing.T) {
	older := line("x", "2026-11-29T14:00:00.000Z", "h", "o", "a", `"older"`)
	newer := line("x", at, "h", "o", "a", `"newer"`)
	greater := line("x", at, "h", "o", "a", `"zewer"`)
	for _, in := range []string{older + newer + greater, greater + newer + older, newer + greater + older} {
		rs := set(t, in).Of("x")
		if len(rs) != 1 || string(rs[0].Data) != `"zewer"` {
			t.Errorf("%s: %+v", in, rs)
		}
	}
}

// What a set keeps as a line alone reads as it was parsed.
func TestSet_payloads(t *testing.T) {
	session := line("session", at, "h", "o", "s", `{"session_id":"s","cwd":"/w","listing":{"state":"","status":"idle","waiting_for":"","pid":7},"aura":1}`)
	verdict := line("verdict", at, "h", "o", "s", `{"class":"9a","matched":["9a"],"session":{"name":"n","since":"`+at+`"}}`)
	in := set(t, session+verdict)
	r, _ := Parse([]byte(session))
	p, _ := Payload[Session](r)
	if got, ok := Payload[Session](in.Of(KindSession)[0]); !ok || len(pretty.Diff(got, p)) > 0 {
		t.Errorf("session %+v, %v, want %+v", got, ok, p)
	}
	r, _ = Parse([]byte(verdict))
	v, _ := Payload[Verdict](r)
	if got, ok := Payload[Verdict](in.Of(KindVerdict)[0]); !ok || len(pretty.Diff(got, v)) > 0 {
		t.Errorf("verdict %+v, %v, want %+v", got, ok, v)
	}
	if p, ok := Payload[Surface](in.Of(KindSession)[0]); ok {
		t.Errorf("a session is taken for a surface: %+v", p)
	}
}

func TestSet_Closed(t *testing.T) {
	closing := func(host, subject, n string) string {
		return line("surface", at, host, "o", subject, `{"ok":true,"rows":0,"unparsed":0,"records":`+n+`}`)
	}
	a, b, c := line("x", at, "h", "o", "a", "1"), line("x", at, "h", "o", "b", "1"), line("x", at, "h", "o", "c@work", "1")
	other := line("x", at, "g", "o", "a", "1")
	tests := []struct{ name, in, program, host, err string }{
		{"whole", a + b + closing("h", "o", "2"), "o", "h", ""},
		{"twice the same", a + a + b + closing("h", "o", "2"), "o", "h", ""},
		{"a line less", a + closing("h", "o", "2"), "o", "h", "o: closing record counts 2, 1 are here"},
		{"a line more", a + b + closing("h", "o", "1"), "o", "h", "o: closing record counts 1, 2 are here"},
		{"no closing record", a + b, "o", "h", "o: no closing record"},
		{"another host's lines are not counted", a + b + other + closing("h", "o", "2"), "o", "h", ""},
		{"another host's closing record does not close", a + closing("g", "o", "1"), "o", "h", "o: no closing record"},
		{"a judge is counted over all hosts", a + other + closing("", "o", "2"), "o", "", ""},
		{"a further directory closes its own", a + c + closing("h", "o", "1") + closing("h", "o@work", "1"), "o@work", "h", ""},
		{"and the first its own", a + c + closing("h", "o", "1") + closing("h", "o@work", "1"), "o", "h", ""},
		{"without the further closing record neither is closed", a + c + closing("h", "o", "1"), "o", "h", "o: closing record counts 1, 2 are here"},
		{"a surface record without a count does not close", a + line("surface", at, "h", "o", "o", `{"ok":true,"rows":0,"unparsed":0}`), "o", "h", "o: no closing record"},
	}
	for _, tt := range tests {
		err := set(t, tt.in).Closed(tt.host, tt.program)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.err)
		}
	}
}

func TestSet_Now(t *testing.T) {
	given := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	tick := line("tick", "2026-11-29T14:00:00.000Z", "h", "fleet-config", "lamp", `{"scope":"lamp"}`)
	tests := []struct {
		in    string
		given time.Time
		want  string
	}{
		{line("x", at, "", "o", "a", "1") + line("x", "2026-11-29T13:00:00.000Z", "", "o", "b", "1"), time.Time{}, at},
		{line("x", at, "", "o", "a", "1") + tick, time.Time{}, "2026-11-29T14:00:00.000Z"},
		{tick, given, "2027-01-01T00:00:00.000Z"},
	}
	for _, tt := range tests {
		b, err := json.Marshal(set(t, tt.in).Now(tt.given))
		if err != nil || string(b) != `"`+tt.want+`"` {
			t.Errorf("%s: now %s, %v", tt.in, b, err)
		}
	}
}

// Every kind with a payload type decodes one, and reading it back gives the
// same.
func TestPayloads(t *testing.T) {
	for _, k := range []Kind{KindTick, KindHost, KindSurface, KindSession, KindAgent, KindSchedule, KindRepo, KindBoard, KindOwned, KindAsked, KindPast, KindVerdict, KindFinding, KindAsk} {
		r, err := New(k, NewTime(time.Unix(0, 0)), "h", "o", "s", payloadOf(k))
		if err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		b, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(b); err != nil || !slices.Equal(again.Data, r.Data) {
			t.Errorf("%s: read back %s, %v", k, again.Data, err)
		}
	}
}

// A time that cannot be written is none: it must not end the stream.
func TestTimeOf(t *testing.T) {
	for _, s := range []string{"9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z"} {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := TimeOf(at); got != nil {
			t.Errorf("TimeOf(%s) = %s, want none", s, got)
		}
	}
}

// A time in Layout is what it is in any form.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-11-29T14:50:02.000Z", "2024-02-29T23:59:59.999Z", "2025-02-29T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "2026-00-10T00:00:00.000Z",
		"2026-13-01T00:00:00.000Z", "2026-01-00T00:00:00.000Z", "2026-04-31T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z", "2026-01-01T00:00:60.000Z",
		"2026-01-01T00:00:00,000Z", "2026-01-01t00:00:00.000z", "2026-01-01T00:00:00.0000", "9999-12-31T23:59:59.999Z", "2026-11-29T15:50:02+01:00", "2026-11-29T14:50:02.123456Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := []byte(`"` + s + `"`)
		var any, quick Time
		err := any.parse(b)
		if got := quick.UnmarshalJSON(b); (got == nil) != (err == nil) || quick != any {
			t.Errorf("%s: %v, %v; in any form %v, %v", b, quick, got, any, err)
		}
	})
}
