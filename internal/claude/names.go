package claude

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// names returns the names of an object that are not known, nil when it is not
// one. Their values are passed over.
func names(object []byte, known map[string]bool) []string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var unknown []string
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err == nil && !known[string(name[1:len(name)-1])] {
			word, _ := jsontext.AppendUnquote(nil, name) // its error is about what it replaced
			if !known[string(word)] {
				unknown = append(unknown, string(word))
			}
		}
		if err == nil {
			err = dec.SkipValue()
		}
		if err != nil {
			return nil
		}
	}
	return unknown
}
