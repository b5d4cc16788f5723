package guard

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// JSON returns a JSON value without the credentials and crm paths in its strings and names; else it stays as it is, no
// string flattened or clipped. What holds none, or is no JSON in UTF-8, comes back as the same bytes.
func JSON(b []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber() // a number keeps its digits
	var v any
	if !json.Valid(b) || !utf8.Valid(b) || dec.Decode(&v) != nil {
		return b
	}
	clean, changed := cleanJSON(v)
	if !changed {
		return b
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(clean) != nil {
		return b
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Withhold returns s without the credentials and crm paths in it; else as it is, neither flattened nor clipped.
func Withhold(s string) string {
	return settle(s, func(s string) string {
		spans := find(s)
		if len(spans) == 0 {
			return s
		}
		return withhold(s, spans, false)
	})
}

func cleanJSON(v any) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		s := Withhold(v)
		return s, s != v
	case []any:
		for i := range v {
			c, ch := cleanJSON(v[i])
			v[i], changed = c, changed || ch
		}
	case map[string]any:
		for k, member := range v {
			name, renamed := cleanJSON(k)
			c, ch := cleanJSON(member)
			if renamed {
				delete(v, k)
			}
			v[name.(string)], changed = c, changed || ch || renamed
		}
	}
	return v, changed
}
