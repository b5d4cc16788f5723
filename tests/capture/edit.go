package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// An editor looks at one value of a JSON document: its path of object keys ("[]" for an element
// of an array) and its bytes. It returns what stands there instead, or nil to keep the value and
// to look at what is inside it.
type editor func(path []string, value json.RawMessage) json.RawMessage

// edit returns the document with the replacements that the editor made, every other byte unchanged.
func edit(doc json.RawMessage, e editor) (json.RawMessage, error) {
	if !json.Valid(doc) {
		return nil, fmt.Errorf("editing %.60q: not JSON", doc)
	}
	body := bytes.TrimSpace(doc)
	before, after, _ := bytes.Cut(doc, body)
	return slices.Concat(before, editValue(nil, body, e), after), nil
}

// editValue is edit for a value at path, which is known to be valid.
func editValue(path []string, value json.RawMessage, e editor) json.RawMessage {
	if r := e(path, value); r != nil {
		return r
	}
	if value[0] != '{' && value[0] != '[' {
		return value
	}
	var out []byte
	done := 0
	for child, at := range children(value) {
		end := at + len(child.value)
		out = append(out, value[done:at]...)
		out = append(out, editValue(append(slices.Clip(path), child.key), child.value, e)...)
		done = end
	}
	return append(out, value[done:]...)
}

type child struct {
	key   string
	value json.RawMessage
}

// children yields the members of an object or the elements of an array, each with its offset.
func children(value json.RawMessage) func(yield func(child, int) bool) {
	return func(yield func(child, int) bool) {
		d := json.NewDecoder(bytes.NewReader(value))
		open, _ := d.Token() // the value is valid
		for d.More() {
			c := child{key: "[]"}
			if open == json.Delim('{') {
				key, _ := d.Token()
				c.key = key.(string)
			}
			if d.Decode(&c.value) != nil {
				return
			}
			if !yield(c, int(d.InputOffset())-len(c.value)) {
				return
			}
		}
	}
}

// editLines is edit for each line of a file of JSON lines.
func editLines(data []byte, e func(line json.RawMessage) editor) ([]byte, error) {
	var out []byte
	for line := range bytes.Lines(data) {
		body := bytes.TrimRight(line, "\n")
		if len(body) == 0 {
			out = append(out, line...)
			continue
		}
		edited, err := edit(body, e(body))
		if err != nil {
			return nil, err
		}
		out = append(out, edited...)
		out = append(out, line[len(body):]...)
	}
	return out, nil
}
