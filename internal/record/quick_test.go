package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/kr/pretty"
)

// filled returns a t in which everything is set.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[Time]():
		v.Set(reflect.ValueOf(NewTime(time.UnixMilli(1795963802007))))
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a":[1.5,{"b":"}]\" "},null]}`))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type))
		}
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem()))
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem()), filled(t.Elem())))
	case t.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(filled(t.Key()), filled(t.Elem()))
	case t.Kind() == reflect.String:
		v.SetString("a \"b\"\n<ü>\u2028")
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case t.Kind() == reflect.Float64:
		v.SetFloat(-1.5e300)
	default:
		v.SetInt(-70)
	}
	return v
}

// Law: what is written the quick way is what the library writes, whatever is in
// it.
func FuzzNew(f *testing.F) {
	f.Add("a", int64(1795963802007), uint64(0))
	f.Add("\u2028\x7f\u0080<&>\ufffd", int64(-62135596800000), ^uint64(0))
	f.Add("\"\\\b\f\n\r\t\x00/", int64(253402300799999), uint64(0x5555555555555555))
	f.Add("\xff", int64(253402300800000), uint64(0xaaaaaaaaaaaaaaaa))
	f.Fuzz(func(t *testing.T, text string, ms int64, set uint64) {
		for _, k := range every {
			p := reflect.ValueOf(payloadOf(k)).Elem()
			some(p, text, ms, &set)
			got, ok := quickJSON(p.Interface())
			if !ok {
				continue
			}
			if want, err := jsonv2.Marshal(p.Interface(), format); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, %v, instead of %s", got, err, want)
			}
		}
	})
}

// some sets what the bits of set say, which it turns round.
func some(v reflect.Value, text string, ms int64, set *uint64) {
	*set = *set>>1 | *set<<63
	on := *set&1 != 0
	switch {
	case v.Type() == reflect.TypeFor[Time]():
		v.Set(reflect.ValueOf(Time{time.UnixMilli(ms)}))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			some(v.Field(i), text, ms, set)
		}
	case !on:
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		some(v.Elem(), text, ms, set)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), int(*set%3), 3))
		for i := range v.Len() {
			some(v.Index(i), text, ms, set)
		}
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(ms)
	}
}

// every is each known kind.
var every = []Kind{KindTick, KindHost, KindSurface, KindSession, KindAgent, KindSchedule, KindRepo, KindBoard, KindOwned, KindAsked, KindPast, KindVerdict,
	KindFinding, KindAsk, KindEntry, KindWorkspace, KindHealth, KindHeal, KindSwept, KindDecision, KindOutcome}

// What this package writes is read the quick way: of each kind the record of
// which everything is set, and the one of which nothing is.
func TestQuick(t *testing.T) {
	for _, k := range every {
		typ := reflect.TypeOf(payloadOf(k)).Elem()
		for _, data := range []reflect.Value{filled(typ), reflect.Zero(typ)} {
			r, err := New(k, NewTime(time.Unix(0, 0)), "h", "o", "s", data.Interface())
			if err != nil {
				t.Fatalf("%s: %v", k, err)
			}
			line, err := r.Line()
			if err != nil {
				t.Fatal(err)
			}
			same(t, line)
			if _, ok := quickRecord(bytes.TrimSuffix(line, []byte("\n"))); !ok {
				t.Errorf("%s is read the slow way: %s", k, line)
			}
			p := payloadOf(k)
			if !Quick(r.Data, p) || data.IsZero() && !reflect.ValueOf(p).Elem().IsZero() {
				t.Errorf("%s: %s is %+v", k, r.Data, p)
			}
		}
	}
}

// same fails when a line that is read the quick way is another record the slow
// way, or none.
func same(t *testing.T, line []byte) {
	t.Helper()
	line = bytes.TrimRight(line, "\r\n")
	r, ok := quickRecord(line)
	if !ok {
		return
	}
	want, err := slowRecord(line)
	if err != nil {
		t.Fatalf("%s is refused: %v", line, err)
	}
	if p := reflect.ValueOf(r.payload); p.IsNil() {
		got := reflect.New(p.Type().Elem())
		if !Quick(r.Data, got.Interface()) {
			t.Fatalf("%s is refused when it is asked for", r.Data)
		}
		r.payload = got.Interface()
	}
	if !reflect.DeepEqual(r, want) {
		t.Fatalf("%s: %v", line, pretty.Diff(r, want))
	}
}

// Law: what is read the quick way is what the library reads; by encoding/json
// too, which a ledger is read with.
func FuzzQuick(f *testing.F) {
	for _, k := range every {
		r, err := New(k, NewTime(time.Unix(0, 0)), "h", "o", "s", filled(reflect.TypeOf(payloadOf(k)).Elem()).Interface())
		if err != nil {
			f.Fatal(err)
		}
		line, _ := r.Line()
		f.Add(line)
		f.Add([]byte(r.Data))
	}
	for _, l := range []string{line("session", "0001-01-01T00:00:00.000Z", "h", "o", "s", "{}"), line("session", at, "h", "", "s", "{}"), line("session", at, "h", "o", "", "{}"), line("", at, "h", "o", "s", "{}")} {
		f.Add([]byte(l))
	}
	for _, data := range []string{`{"session_id":null}`, `{"session_id":"\ud800"}`, `{"session_id":"` + "\xff" + `"}`, `{"cwd":"/a","cwd":"/b"}`, `{"cwd":"/a","session_id":"s"}`,
		`{"Cwd":"/a"}`, `{"prompted":null,"listing":{"state":"","pid":-0}}`, `{"listing":{"pid":01}}`, `{"listing":{"pid":9223372036854775808}}`,
		`{"aliases":[]}`, `{"aliases":[null]}`, `{"aliases":["a",]}`, `{,"cwd":"/a"}`, `{} `, `{"started_at":"2026-02-30T00:00:00.000Z"}`} {
		f.Add([]byte(line("session", at, "h", "o", "s", data)))
	}
	for _, data := range []string{`{"counts":{"a":1,"a":2}}`, `{"target":{"a":1,"a":2}}`, `{"target":nul}`, `{"target":"x}`, `{"result":[}]}`, `{"clock":{"awake_s":1e999}}`, `{"clock":{"awake_s":.5}}`} {
		f.Add([]byte(data))
		f.Add([]byte(line("entry", at, "h", "o", "s", data)))
	}
	paths, _ := filepath.Glob("../../tests/testdata/*.ndjson")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for l := range strings.Lines(string(b)) {
			f.Add([]byte(l))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[:i]
		}
		same(t, b)
		quick, slow := new(Entry), new(Entry)
		if Quick(b, quick) {
			if err := json.Unmarshal(b, slow); err != nil || !reflect.DeepEqual(quick, slow) {
				t.Fatalf("%s: %v, %v", b, err, pretty.Diff(quick, slow))
			}
		}
	})
}
