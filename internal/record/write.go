package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// quickJSON is the JSON of a payload as the library writes it; ok is false when
// that is for the library to say: of maps, numbers with a point, and raw JSON.
func quickJSON(data any) ([]byte, bool) {
	v := reflect.ValueOf(data)
	if !v.IsValid() {
		return nil, false
	}
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	b, ok := formOf(v.Type())((*room)[:0], v)
	*room = b
	return bytes.Clone(b), ok
}

// rooms are what is written in before its length is known.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// A form appends a value of a type to b, as JSON.
type form func(b []byte, v reflect.Value) ([]byte, bool)

// forms are those that were asked for, by reflect.Type.
var forms sync.Map

func formOf(t reflect.Type) form {
	if f, ok := forms.Load(t); ok {
		return f.(form)
	}
	f := newForm(t)
	forms.Store(t, f)
	return f
}

func newForm(t reflect.Type) form {
	switch {
	case t == reflect.TypeFor[Time]():
		return func(b []byte, v reflect.Value) ([]byte, bool) { return v.Interface().(Time).appendTo(b) }
	case t.Implements(reflect.TypeFor[json.Marshaler]()) && t.Kind() != reflect.Pointer:
		return leave
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return appendString(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendBool(b, v.Bool()), true }
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendInt(b, v.Int(), 10), true }
	case reflect.Pointer:
		return ofPointer(t)
	case reflect.Slice:
		return ofList(t)
	case reflect.Struct:
		return ofFields(t)
	}
	return leave
}

func leave(b []byte, _ reflect.Value) ([]byte, bool) { return b, false }

func ofPointer(t reflect.Type) form {
	write := formOf(t.Elem())
	return func(b []byte, v reflect.Value) ([]byte, bool) {
		if v.IsNil() {
			return append(b, "null"...), true
		}
		return write(b, v.Elem())
	}
}

func ofList(t reflect.Type) form {
	write := formOf(t.Elem())
	return func(b []byte, v reflect.Value) ([]byte, bool) {
		if v.IsNil() {
			return append(b, "null"...), true
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			var ok bool
			if b, ok = write(b, v.Index(i)); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	}
}

// ofFields writes a struct by the tags of its fields.
func ofFields(t reflect.Type) form {
	type field struct {
		name  string // with quotes and colon
		empty func(reflect.Value) bool
		write form
	}
	var fs []field
	for i := range t.NumField() {
		tag := t.Field(i)
		name, options, _ := strings.Cut(tag.Tag.Get("json"), ",")
		empty := map[string]func(reflect.Value) bool{"": isNever, "omitempty": isEmpty, "omitzero": reflect.Value.IsZero}[options]
		if name == "" || tag.Anonymous || empty == nil || options == "omitzero" && tag.Type.Kind() != reflect.Slice {
			return leave
		}
		fs = append(fs, field{strconv.Quote(name) + ":", empty, formOf(tag.Type)})
	}
	return func(b []byte, v reflect.Value) ([]byte, bool) {
		comma := byte('{')
		for i := range fs {
			value := v.Field(i)
			if fs[i].empty(value) {
				continue
			}
			b = append(append(b, comma), fs[i].name...)
			comma = ','
			var ok bool
			if b, ok = fs[i].write(b, value); !ok {
				return b, false
			}
		}
		if comma == '{' {
			b = append(b, comma)
		}
		return append(b, '}'), true
	}
}

func isNever(reflect.Value) bool { return false }

// isEmpty is what omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// appendString appends a text.
func appendString(b []byte, s string) ([]byte, bool) {
	for i := range len(s) {
		if !plain[s[i]] {
			return appendText(b, "", s), !strings.ContainsAny(s, "\u2028\u2029") // which the library escapes in a payload
		}
	}
	return append(append(append(b, '"'), s...), '"'), true
}
