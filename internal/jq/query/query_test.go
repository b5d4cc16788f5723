package query

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const line = `{"kind":"y","at":"2026-11-29T14:50:02.000Z","subject":"b","data":{"n":9007199254740993,"s":"<text>"}}`

func TestRun(t *testing.T) {
	now := time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)
	tests := []struct{ line, expr, out, err string }{
		{line, `.data.s`, "<text>\n", ""},
		{line, `.data`, `{"n":9007199254740993,"s":"<text>"}` + "\n", ""},
		{line, `[.subject, .data.n] | @tsv`, "b\t9007199254740993\n", ""},
		{line, `.subject, .kind`, "b\ny\n", ""},
		{line, `select(.kind == "nothing")`, "", ""},
		{line, `now`, "1795963802\n", ""}, // the line's own at, not the clock
		{`{"at":"noon"}`, `now`, "1795964400\n", ""},
		{`{"at":1}`, `now`, "1795964400\n", ""},
		{`[7]`, `now - .[0]`, "1795964393\n", ""},
		{line, `env | length`, "0\n", ""},
		{line, `input`, "", "input(s)/0 is not allowed"},
		{line, `halt`, "", ""},
		{`{"n":90071E5254740993}`, `.n, .n + 1`, "90071E5254740993\n1.7976931348623157e+308\n", ""},
		{line, `.data.s | tonumber`, "", `tonumber cannot be applied to "<text>": invalid number`},
		{`{"a":`, `.`, "", "not JSON: unexpected EOF"},
		{`1 2`, `.`, "", "not JSON: more than one value"},
		{``, `.`, "", "not JSON: EOF"},
		{line, `.a ===== 1`, "", `column 6: unexpected token "=="`},
		{line, `nope`, "", "function not defined: nope/0"},
	}
	for _, tt := range tests {
		q, err := Compile(tt.expr)
		var out []byte
		if err == nil {
			var values []any
			values, err = q.Run([]byte(tt.line), now)
			for _, v := range values {
				text, err := Text(v)
				if err != nil {
					t.Errorf("%s: %v", tt.expr, err)
				}
				out = append(append(out, text...), '\n')
			}
		}
		says := ""
		if err != nil {
			says = err.Error()
		}
		if string(out) != tt.out || says != tt.err {
			t.Errorf("%s over %s: %q, %q; want %q, %q", tt.expr, tt.line, out, says, tt.out, tt.err)
		}
	}
}

func TestServe(t *testing.T) {
	tests := []struct{ in, out string }{
		{"", ""},
		{`".n"`, ""}, // a line without its end was not asked
		{"\".n\"\n{\"n\":1}\n{}\n", `{"values":[]}` + "\n" + `{"values":[1]}` + "\n" + `{"values":[null]}` + "\n"},
		{"\".n\"\nno\n{\"n\":2}\n", `{"values":[]}` + "\n" + `{"error":"not JSON: invalid character 'o' in literal null (expecting 'u')"}` + "\n" + `{"values":[2]}` + "\n"},
		{"\".[\"\n{}\n", `{"error":"column 3: unexpected EOF"}` + "\n" + `{"error":"no expression"}` + "\n"},
		{".n\n", `{"error":"not an expression as JSON"}` + "\n"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		if err := Serve(strings.NewReader(tt.in), &out); err != nil || out.String() != tt.out {
			t.Errorf("%q: %q, %v; want %q", tt.in, &out, err, tt.out)
		}
	}
}

// Every line that is asked has one answer, which is one line: values or an error.
func FuzzServe(f *testing.F) {
	for _, expr := range []string{".", ".data.n", ".[", `"a\nb"`, "error", `"\u0000"`, "@json", "infinite, nan"} {
		f.Add(expr, line)
		f.Add(expr, "no\nJSON")
	}
	f.Add(".", `{"n":90071E5254740993}`) // valid JSON, and beyond every float64
	f.Fuzz(func(t *testing.T, expr, asked string) {
		for _, loop := range []string{"repeat", "def", "range", "until", "while", "recurse", "limit", "combinations", "walk", "paths", "..", "*"} {
			if strings.Contains(expr, loop) {
				t.Skip("it may take its ten seconds, or all memory")
			}
		}
		first, err := json.Marshal(expr)
		if err != nil {
			t.Fatal(err)
		}
		in := string(first) + "\n" + asked + "\n"
		var out bytes.Buffer
		if err := Serve(strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != strings.Count(in, "\n") {
			t.Fatalf("%d answers to %q", n, in)
		}
		for answer := range strings.Lines(out.String()) {
			var a struct {
				Values *[]json.RawMessage // a number may be one that no float64 holds
				Error  *string
			}
			if err := json.Unmarshal([]byte(answer), &a); err != nil || (a.Values == nil) == (a.Error == nil) {
				t.Errorf("%q is answered with %q: %v", in, answer, err)
			}
		}
	})
}
