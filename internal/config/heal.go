package config

import (
	"regexp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

var healRule = rule{"an object or null", func(r *reader, key string, n *node, into any) bool {
	if n.is("null") {
		*into.(**record.HealRules) = nil
		return true
	}
	h := new(record.DefaultHealRules())
	r.object(key, n, "an object or null", []field{
		r.take("interval_min", between(1, dayMin), &h.IntervalMin), r.take("allow_restart", zeroOne, &h.AllowRestart),
		r.take("escalate_after", between(0, 1000), &h.EscalateAfter), r.take("backoff_min", between(1, decadeMin), &h.BackoffMin),
		r.take("backoff_max_min", between(1, decadeMin), &h.BackoffMaxMin), r.take("max_attempts", between(1, 1000), &h.MaxAttempts),
		r.take("stagger_s", between(0, 3600), &h.StaggerS), r.take("window_s", between(0, 24*3600), &h.WindowS),
		r.take("window_max", between(1, 1000), &h.WindowMax), r.take("fleet_gap_s", between(0, 24*3600), &h.FleetGapS),
		r.take("green_probes", between(1, 100), &h.GreenProbes), r.take("stalls", stallsRule, &h.Stalls)})
	if h.BackoffMin < 2*h.IntervalMin && n.fields["backoff_min"] != nil {
		r.fail(n.fields["backoff_min"], below(key, "backoff_min"), "want twice interval_min or more: a shorter wait holds nothing back")
	} else if h.BackoffMin < 2*h.IntervalMin {
		h.BackoffMin = 2 * h.IntervalMin
	}
	h.BackoffMaxMin = max(h.BackoffMaxMin, h.BackoffMin)
	*into.(**record.HealRules) = h
	return true
}}

var stallsRule = rule{"a list of {id, match, action, max_fires}", func(r *reader, key string, n *node, into any) bool {
	list := []record.StallRule{}
	ok := r.list(key, n, func(at string, item *node) {
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

var aPattern = rule{"a regular expression of Go that matches no empty text", func(_ *reader, _ string, n *node, into any) bool {
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
