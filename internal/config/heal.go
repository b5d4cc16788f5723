package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

var healRule = rule{"an object or null", func(r *reader, key string, n *Node, into any) bool {
	if n.is("null") {
		*into.(**record.HealRules) = nil
		return true
	}
	h := new(record.DefaultHealRules())
	var fields []field
	for _, part := range healKeys(h) {
		fields = append(fields, r.take(part.name, part.rule, part.into))
	}
	r.object(key, n, "an object or null", fields)
	if h.BackoffMin < 2*h.IntervalMin && n.fields["backoff_min"] != nil {
		r.fail(n.fields["backoff_min"], below(key, "backoff_min"), "want twice interval_min or more: a shorter wait holds nothing back")
	} else if h.BackoffMin < 2*h.IntervalMin {
		h.BackoffMin = 2 * h.IntervalMin
	}
	h.BackoffMaxMin = max(h.BackoffMaxMin, h.BackoffMin)
	*into.(**record.HealRules) = h
	return true
}}

// healKey is a key of heal.
type healKey struct {
	name     string
	rule     rule
	into     any    // pointer to the value
	standard string // its default, with the unit
	says     string
}

// healKeys are the keys of heal, each bound to its place in h.
func healKeys(h *record.HealRules) []healKey {
	d := record.DefaultHealRules()
	unit := func(n int, unit string) string { return fmt.Sprint(n, " ", unit) }
	return []healKey{
		{"interval_min", between(1, dayMin), &h.IntervalMin, unit(d.IntervalMin, "minutes"), "a sweep begins so often"},
		{"allow_restart", zeroOne, &h.AllowRestart, "0", "1: an agent that does not answer may be restarted; 0: you are told that it is due"},
		{"escalate_after", between(0, 1000), &h.EscalateAfter, unit(d.EscalateAfter, "sweep"), "so many times an agent is told that it does not answer, a sweep each, before it is restarted"},
		{"backoff_min", between(1, decadeMin), &h.BackoffMin, unit(d.BackoffMin, "minutes"), "the wait after the first attempt, then twice as long each time; twice interval_min at least"},
		{"backoff_max_min", between(1, decadeMin), &h.BackoffMaxMin, unit(d.BackoffMaxMin, "minutes"), "the longest such wait"},
		{"max_attempts", between(1, 1000), &h.MaxAttempts, unit(d.MaxAttempts, "attempts"), "so many restarts or launches of an agent until it is well again, then you are asked"},
		{"stagger_s", between(0, 3600), &h.StaggerS, unit(d.StaggerS, "seconds"), "the wait between two launches of a sweep; 0: none"},
		{"window_s", between(0, 24*3600), &h.WindowS, unit(d.WindowS, "seconds"), "in so long one agent is launched or restarted window_max times at most, also when it was well in between; 0: no such limit"},
		{"window_max", between(1, 1000), &h.WindowMax, unit(d.WindowMax, "starts"), "see window_s"},
		{"fleet_gap_s", between(0, 24*3600), &h.FleetGapS, unit(d.FleetGapS, "seconds"), "the wait between the restarts of two agents; 0: none"},
		{"green_probes", between(1, 100), &h.GreenProbes, unit(d.GreenProbes, "answers"), "so many in a row an upgraded agent must give before the next is upgraded"},
		{"stalls", stallsRule, &h.Stalls, "none", "what a stalled session shows: match is looked for in its lines, action is nudge (default: it is written to) or report, " +
			"at most max_fires times (default 3) until it is well again"},
	}
}

// healSays explains the keys of heal, two lines a key.
func healSays() string {
	var b strings.Builder
	for _, k := range healKeys(new(record.HealRules)) {
		fmt.Fprintf(&b, "\n      %s: %s; default %s\n          %s", k.name, k.rule.want, k.standard, k.says)
	}
	return b.String()
}

var stallsRule = rule{"a list of {id, match, action, max_fires}", func(r *reader, key string, n *Node, into any) bool {
	list := []record.StallRule{}
	ok := r.list(key, n, func(at string, item *Node) {
		before, s := len(r.problems), record.StallRule{Action: "nudge", Max: 3}
		r.object(at, item, "an object", []field{r.needed("id", aHostName, &s.ID), r.needed("match", aPattern, &s.Match),
			r.take("action", oneOf("nudge", "report"), &s.Action), r.take("max_fires", between(1, 1000), &s.Max)})
		switch {
		case len(r.problems) > before:
		case slices.ContainsFunc(list, func(o record.StallRule) bool { return o.ID == s.ID }):
			r.fail(item, at+".id", "want an id that no other has")
		default:
			list = append(list, s)
		}
	})
	*into.(*[]record.StallRule) = list
	return ok
}}

var aPattern = rule{"a regular expression of Go that matches no empty text", func(_ *reader, _ string, n *Node, into any) bool {
	if !n.is("string") || n.text == "" {
		return false
	}
	re, err := regexp.Compile("(?i)" + n.text)
	if err != nil || re.MatchString("") {
		return false
	}
	*into.(*string) = n.text
	return true
}}
