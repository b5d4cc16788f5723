package record

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonError names place and cause of an error while into, an envelope or its
// payload, was decoded, without quoting the input: what does not parse may hold
// a secret.
func jsonError(err error, into any) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(e, jsontext.ErrDuplicateName) {
			return fmt.Errorf("a name comes twice at byte %d", e.ByteOffset)
		}
		return fmt.Errorf("not JSON at byte %d", e.ByteOffset)
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	field := "the value"
	at := e.JSONPointer
	if _, ok := into.(*envelope); !ok {
		at = jsontext.Pointer(strings.TrimPrefix(string(at), "/data"))
	}
	if names := namesAt(reflect.TypeOf(into), at); len(names) > 0 {
		field = strings.Join(names, ".")
	}
	if e.GoType == reflect.TypeFor[Time]() {
		return fmt.Errorf("%s: %w", field, e.Err)
	}
	return fmt.Errorf("%s is not a %s", field, e.GoType)
}

// namesAt are the fields on the way that a pointer leads through a t. Keys of
// maps and places in lists are left out: they are the input's words.
func namesAt(t reflect.Type, at jsontext.Pointer) []string {
	var names []string
	for token := range at.Tokens() {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Struct:
			f, ok := t.FieldByNameFunc(func(name string) bool {
				f, _ := t.FieldByName(name)
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				return tag == token
			})
			if !ok {
				return names
			}
			names, t = append(names, token), f.Type
		case reflect.Slice, reflect.Map:
			t = t.Elem()
		default:
			return names
		}
	}
	return names
}
