package guard

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A span is a part of a text to withhold, and the rule that says so.
type span struct {
	start, end int
	rule       string
}

const (
	markerStart = "[withheld: "
	markerEnd   = "]"
)

func marker(rule string) string { return markerStart + rule + markerEnd }

// withhold returns flat with each of spans replaced by a marker. When flat was cut, it ends before the margin.
func withhold(flat string, spans []span, cut bool) string {
	end := len(flat)
	if cut {
		end = max(0, end-margin)
	}
	var out strings.Builder
	pos := 0
	for _, sp := range spans {
		if sp.start >= end {
			break
		}
		out.WriteString(flat[pos:sp.start])
		out.WriteString(marker(sp.rule))
		pos = sp.end
	}
	if pos < end {
		out.WriteString(strings.ToValidUTF8(flat[pos:end], ""))
	}
	return out.String()
}

// find returns what is to be withheld of flat, in order and without overlap. Of rules that meet in one place the one that
// starts first gives its name, and the earlier rule of two that start together; randomRule only alone.
func find(flat string) []span { return findBetween(flat, nil) }

// findBetween is find in a text of which something is gone at gaps: what was glued by that is looked at as one, and apart.
func findBetween(flat string, gaps []int) []span {
	found := findIn(flat)
	text := unglued(flat)
	if text == flat && len(gaps) == 0 {
		return merge(found)
	}
	for _, sp := range findIn(divide(text, gaps)) {
		found = append(found, span{undivided(sp.start, gaps), undivided(sp.end, gaps), sp.rule})
	}
	return merge(found)
}

// findIn returns the spans of a text in any order.
func findIn(flat string) []span {
	var found []span
	pos := 0
	for text, mark := range segments(flat) {
		for _, sp := range scan(text) {
			found = append(found, span{pos + sp.start, pos + sp.end, sp.rule})
		}
		pos += len(text) + len(mark)
	}
	return found
}

// merge puts spans in order and makes one of those that overlap.
func merge(found []span) []span {
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	merged := found[:0]
	for _, sp := range found {
		if last := len(merged) - 1; last >= 0 && sp.start < merged[last].end {
			merged[last].end = max(merged[last].end, sp.end)
			if merged[last].rule == randomRule {
				merged[last].rule = sp.rule
			}
			continue
		}
		merged = append(merged, sp)
	}
	return merged
}

// scan returns the spans of one text without markers.
func scan(text string) []span {
	spans := append(crmPaths(text), randomTokens(text)...)
	for _, r := range rules().hit(text) {
		spans = append(spans, r.spans(text)...)
	}
	return spans
}

// segments yields s piece by piece: text, and the marker of ours that follows it, empty at the end. What stands in a
// marker is never looked at, so a text that was guarded once stays as it is.
func segments(s string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		text := 0
		for from := 0; ; {
			i := strings.Index(s[from:], markerStart)
			if i < 0 {
				yield(s[text:], "")
				return
			}
			i += from
			n := markerLength(s[i:])
			if n == 0 {
				from = i + len(markerStart)
				continue
			}
			if !yield(s[text:i], s[i:i+n]) {
				return
			}
			text, from = i+n, i+n
		}
	}
}

// markerLength returns the length of the marker that s, which starts with markerStart, starts with; 0 when it isn't one
// of ours.
func markerLength(s string) int {
	name, _, ok := strings.Cut(s[len(markerStart):min(len(s), len(markerStart)+maxRuleName)], markerEnd)
	if !ok || !isRule(name) {
		return 0
	}
	return len(markerStart) + len(name) + len(markerEnd)
}
