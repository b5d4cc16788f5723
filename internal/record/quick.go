package record

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Quick reads a value as this package writes it into p, a pointer to the zero
// value of a payload type or of an envelope: no space, names in the order of the
// fields, each once and known. It is false for anything else, which may be as
// good, and p is then to be thrown away. What it accepts, encoding/json reads as
// the same.
func Quick(b []byte, p any) bool { return (&scan{b: b}).whole(p) }

// whole is Quick of what is scanned.
func (s *scan) whole(p any) bool {
	v := reflect.ValueOf(p).Elem()
	return shapeOf(v.Type())(s, v) && s.at == len(s.b)
}

// quickRecord is Parse of a line as Record.Line writes it.
func quickRecord(line []byte) (Record, bool) {
	s := scan{b: line, kept: true}
	r := Record{V: Version}
	var kind, host, by, subject []byte
	ok := s.token(`{"v":1,"kind":`) && s.text(&kind) && s.token(`,"at":`) && s.time(&r.At) && s.token(`,"host":`) && s.text(&host) &&
		s.token(`,"by":`) && s.text(&by) && s.token(`,"subject":`) && s.text(&subject) && s.token(`,"data":`)
	if !ok || r.At.IsZero() || len(by) == 0 || len(subject) == 0 {
		return Record{}, false
	}
	r.Kind, r.Host, r.By, r.Subject = Kind(s.string(kind)), s.string(host), s.string(by), s.string(subject)
	var into reflect.Value
	switch r.Kind {
	case KindSession: // a Set keeps none of them
		r.payload = (*Session)(nil)
	case KindVerdict:
		r.payload = (*Verdict)(nil)
	default:
		if r.payload = payloadOf(r.Kind); r.payload == nil {
			return Record{}, false
		}
		into = reflect.ValueOf(r.payload).Elem()
	}
	start := s.at
	if !shapeOf(reflect.TypeOf(r.payload).Elem())(&s, into) {
		return Record{}, false
	}
	r.Data = line[start:s.at:s.at]
	return r, s.token("}") && s.at == len(line)
}

// A shape reads a value of a type into v, or passes over one when v is invalid.
type shape func(s *scan, v reflect.Value) bool

// shapes are those that were asked for, by reflect.Type.
var shapes sync.Map

func shapeOf(t reflect.Type) shape {
	if s, ok := shapes.Load(t); ok {
		return s.(shape)
	}
	s := newShape(t)
	shapes.Store(t, s)
	return s
}

func newShape(t reflect.Type) shape {
	switch t {
	case reflect.TypeFor[Time]():
		return readTime
	case reflect.TypeFor[json.RawMessage]():
		return readRaw
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return refuse
	}
	switch t.Kind() {
	case reflect.String:
		return readString
	case reflect.Bool:
		return readBool
	case reflect.Int, reflect.Int64:
		return readInt
	case reflect.Float64:
		return readFloat
	case reflect.Pointer:
		return pointer(t)
	case reflect.Slice:
		return list(t)
	case reflect.Map:
		return object(t)
	case reflect.Struct:
		return fields(t)
	}
	return refuse
}

func refuse(*scan, reflect.Value) bool { return false }

func readTime(s *scan, v reflect.Value) bool {
	var t Time
	if !s.time(&t) {
		return false
	}
	if v.IsValid() {
		*v.Addr().Interface().(*Time) = t
	}
	return true
}

func readRaw(s *scan, v reflect.Value) bool {
	raw, ok := s.value()
	if ok && v.IsValid() {
		v.SetBytes(append([]byte{}, raw...))
	}
	return ok
}

func readString(s *scan, v reflect.Value) bool {
	var text []byte
	if !s.text(&text) {
		return false
	}
	if v.IsValid() {
		v.SetString(s.string(text))
	}
	return true
}

func readBool(s *scan, v reflect.Value) bool {
	if s.token("true") {
		if v.IsValid() {
			v.SetBool(true)
		}
		return true
	}
	return s.token("false")
}

func readInt(s *scan, v reflect.Value) bool {
	n, ok := s.integer()
	if ok && v.IsValid() {
		v.SetInt(n)
	}
	return ok
}

func readFloat(s *scan, v reflect.Value) bool {
	b := s.number()
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !jsontext.Value(b).IsValid() {
		return false
	}
	if v.IsValid() {
		v.SetFloat(n)
	}
	return true
}

func pointer(t reflect.Type) shape {
	read := shapeOf(t.Elem())
	return func(s *scan, v reflect.Value) bool {
		if s.token("null") {
			return true
		}
		if !v.IsValid() {
			return read(s, v)
		}
		v.Set(reflect.New(t.Elem()))
		return read(s, v.Elem())
	}
}

func list(t reflect.Type) shape {
	read := shapeOf(t.Elem())
	return func(s *scan, v reflect.Value) bool {
		if s.token("null") {
			return true
		}
		if !s.token("[") {
			return false
		}
		if v.IsValid() {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
		for n := 0; !s.token("]"); n++ {
			if n > 0 && !s.token(",") {
				return false
			}
			var element reflect.Value
			if v.IsValid() {
				v.Grow(1)
				v.SetLen(n + 1)
				element = v.Index(n)
				element.SetZero()
			}
			if !read(s, element) {
				return false
			}
		}
		return true
	}
}

// object reads a map. What it has twice is not for here, nor to pass over one.
func object(t reflect.Type) shape {
	if t.Key().Kind() != reflect.String {
		return refuse
	}
	read := shapeOf(t.Elem())
	return func(s *scan, v reflect.Value) bool {
		if s.token("null") {
			return true
		}
		if !v.IsValid() || !s.token("{") {
			return false
		}
		v.Set(reflect.MakeMap(t))
		for n := 0; !s.token("}"); n++ {
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			if n > 0 && !s.token(",") || !readString(s, key) || !s.token(":") || v.MapIndex(key).IsValid() || !read(s, value) {
				return false
			}
			v.SetMapIndex(key, value)
		}
		return true
	}
}

// field is a field of a struct.
type field struct {
	name string // as it stands in the line, with quotes and colon
	i    int
	read shape
}

// fields reads a struct by the tags of its fields.
func fields(t reflect.Type) shape {
	var fs []field
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || t.Field(i).Anonymous {
			return refuse
		}
		fs = append(fs, field{strconv.Quote(name) + ":", i, shapeOf(t.Field(i).Type)})
	}
	return func(s *scan, v reflect.Value) bool {
		if !s.token("{") {
			return false
		}
		first := true
		for _, f := range fs {
			if !s.name(f.name, first) {
				continue
			}
			first = false
			var value reflect.Value
			if v.IsValid() {
				value = v.Field(f.i)
			}
			if !f.read(s, value) {
				return false
			}
		}
		return s.token("}")
	}
}
