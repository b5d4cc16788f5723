package github

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
)

// keptHeaders is what is read of an answer's head, besides whether there is a
// further page.
var keptHeaders = []string{"date", "retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}

// Encode returns the output of gh api --include that reads as the answer does:
// the status, the headers that are read and of the body what Parse… reads,
// cleaned. path is what gh was asked for. A body that doesn't decode is left
// out.
func (a Answer) Encode(path string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/2.0 %d\n", a.Status)
	for _, name := range keptHeaders {
		if v := a.Header[name]; v != "" {
			fmt.Fprintf(&out, "%s: %s\r\n", name, guard.Text(v, 60))
		}
	}
	if a.More() {
		out.WriteString("link: <>; rel=\"next\"\r\n")
	}
	out.WriteString("\r\n")
	var b []byte
	switch {
	case a.Status >= 300:
		b = project(a.Body, new(struct {
			Message string `json:"message"`
		}))
	case path == "rate_limit":
		b = project(a.Body, new(rateLimits))
	case strings.HasSuffix(path, "/protection"):
		b = project(a.Body, new(protection))
	case strings.Contains(path, "/rules/branches/"):
		b = project(a.Body, new([]*ruleRow))
	default:
		b = project(a.Body, new(repositoryBody))
	}
	out.Write(b)
	return out.Bytes()
}

// EncodePulls returns the output of gh pr list --json that ParsePulls reads as
// it does out, cleaned; nothing when out doesn't decode.
func EncodePulls(out []byte) []byte { return project(out, new([]*pull)) }

// project returns of a JSON text what into decodes, with every string cleaned.
func project(text []byte, into any) []byte {
	if err := json.Unmarshal(text, into); err != nil {
		return nil
	}
	switch rows := into.(type) {
	case *[]*pull:
		for _, p := range *rows {
			if p != nil && len(p.Rollup) > 0 {
				p.Rollup = project(p.Rollup, new([]contextRow))
			}
		}
	case *[]*ruleRow:
		for _, r := range *rows {
			if r != nil && r.Parameters != nil {
				r.Parameters = project(r.Parameters, new(parameters))
			}
		}
	}
	b, err := json.Marshal(into)
	if err != nil {
		return nil
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil
	}
	b, err = json.Marshal(clean(tree))
	if err != nil {
		return nil
	}
	return b
}

// clean passes every string of a JSON value through the guard.
func clean(v any) any {
	switch v := v.(type) {
	case string:
		return guard.Text(v, textWidth)
	case []any:
		for i := range v {
			v[i] = clean(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = clean(v[k])
		}
	}
	return v
}
