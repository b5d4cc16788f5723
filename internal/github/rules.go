package github

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// ActionsApp is the id of GitHub Actions, whose checks count as pinned unless
// the configuration names another app.
const ActionsApp = 15368

// The flags of a default branch, in the words that ask keys are made of.
const (
	FlagNoPullRequest = "no pull_request rule"
	FlagNoChecks      = "no required status checks"
	FlagUnpinned      = "required check(s) not pinned"
	FlagForcePush     = "force-push to the default branch not blocked"
)

// The answers to whether a branch has classic protection.
const (
	ClassicYes    = "yes"
	ClassicExempt = "admins exempt"
	ClassicNo     = "no"
	ClassicUnseen = "cannot tell"
)

// The rule types that are judged.
const (
	typePull   = "pull_request"
	typeChecks = "required_status_checks"
	typeForce  = "non_fast_forward"
)

// Rule is one rule of one ruleset, or what classic protection says in its
// place.
type Rule struct {
	Type      string
	Source    string // Repository, Organization, Enterprise; "" for classic protection
	Approvals int
	Checks    []record.RequiredCheck // Pinned is not yet filled
}

// ruleRow is one rule as GitHub answers it.
type ruleRow struct {
	Type       string          `json:"type"`
	Source     string          `json:"ruleset_source_type"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// parameters is what is kept of a rule's parameters.
type parameters struct {
	Approvals int `json:"required_approving_review_count"`
	Checks    []struct {
		Context string `json:"context"`
		AppID   *int   `json:"integration_id"`
	} `json:"required_status_checks"`
}

// ParseRules reads the body of one page of repos/<slug>/rules/branches/<branch>.
// Rule types are an open set, and the parameters of one that is not judged are
// not looked at. A rule without a type, or whose parameters don't decode, is an
// error.
func ParseRules(body []byte) ([]Rule, error) {
	var page []*ruleRow
	if err := json.Unmarshal(body, &page); err != nil || !isArray(body) {
		return nil, errors.New("the answer to rules/branches/… is not a JSON list of rules")
	}
	rules := make([]Rule, 0, len(page))
	for i, p := range page {
		if p == nil || p.Type == "" {
			return nil, fmt.Errorf("rule %d of rules/branches/… has no type", i+1)
		}
		r := Rule{Type: p.Type, Source: p.Source}
		var asked parameters
		if judged := p.Type == typePull || p.Type == typeChecks; judged && p.Parameters != nil {
			if err := json.Unmarshal(p.Parameters, &asked); err != nil {
				return nil, fmt.Errorf("rule %d of rules/branches/… has parameters that cannot be read", i+1)
			}
		}
		r.Approvals = asked.Approvals
		for _, c := range asked.Checks {
			if c.Context == "" {
				return nil, fmt.Errorf("rule %d of rules/branches/… requires a check without a name", i+1)
			}
			r.Checks = append(r.Checks, record.RequiredCheck{Context: c.Context, AppID: c.AppID})
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func isArray(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) }

// Classic is what is known of a branch's classic protection.
type Classic struct {
	Word  string // a Classic… word
	Rules []Rule // what it asks of everybody; empty when admins are exempt
}

// protection is classic protection as GitHub answers it.
type protection struct {
	URL    string   `json:"url"`
	Admins switched `json:"enforce_admins"`
	Force  switched `json:"allow_force_pushes"`
	Pull   *struct {
		Approvals int `json:"required_approving_review_count"`
	} `json:"required_pull_request_reviews"`
	Checks *struct {
		Contexts []string `json:"contexts"`
		Checks   []struct {
			Context string `json:"context"`
			AppID   *int   `json:"app_id"`
		} `json:"checks"`
	} `json:"required_status_checks"`
}

type switched struct {
	Enabled bool `json:"enabled"`
}

// ParseProtection reads the body of repos/<slug>/branches/<branch>/protection,
// which only an admin gets.
func ParseProtection(body []byte) (Classic, error) {
	var p protection
	if err := json.Unmarshal(body, &p); err != nil || p.URL == "" {
		return Classic{}, errors.New("the answer to branches/…/protection is not the JSON of a protection")
	}
	if !p.Admins.Enabled {
		return Classic{Word: ClassicExempt}, nil
	}
	c := Classic{Word: ClassicYes}
	if p.Pull != nil {
		c.Rules = append(c.Rules, Rule{Type: typePull, Approvals: p.Pull.Approvals})
	}
	if !p.Force.Enabled {
		c.Rules = append(c.Rules, Rule{Type: typeForce})
	}
	if p.Checks != nil {
		r := Rule{Type: typeChecks}
		for _, k := range p.Checks.Checks {
			if k.AppID != nil && *k.AppID < 0 {
				k.AppID = nil // -1 is any app
			}
			r.Checks = append(r.Checks, record.RequiredCheck{Context: k.Context, AppID: k.AppID})
		}
		if len(p.Checks.Checks) == 0 { // servers that know no checks list name them alone
			for _, name := range p.Checks.Contexts {
				r.Checks = append(r.Checks, record.RequiredCheck{Context: name})
			}
		}
		c.Rules = append(c.Rules, r)
	}
	return c, nil
}

// Judge sums up the rules of a default branch. Of several rules of one type all
// hold. app is the id of the app whose checks count as pinned.
func Judge(rules []Rule, classic Classic, app int) *record.Rules {
	out := &record.Rules{Classic: classic.Word, Checks: []record.RequiredCheck{}, Flags: []string{}}
	types, sources := map[string]bool{}, map[string]bool{}
	for _, r := range rules {
		types[guard.Text(r.Type, 60)] = true
		if r.Source != "" {
			sources[guard.Text(r.Source, 60)] = true
		}
	}
	for _, r := range slices.Concat(rules, classic.Rules) {
		switch r.Type {
		case typePull:
			out.PullRequest = true
			out.Approvals = max(out.Approvals, r.Approvals)
		case typeForce:
			out.NoForcePush = true
		}
		out.Checks = append(out.Checks, r.Checks...)
	}
	out.Types, out.Sources = slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(sources))
	if out.Types == nil {
		out.Types = []string{}
	}
	unpinned := pin(out, app)
	flag := func(missing bool, words string) {
		if missing {
			out.Flags = append(out.Flags, words)
		}
	}
	flag(!out.PullRequest, FlagNoPullRequest)
	flag(len(out.Checks) == 0, FlagNoChecks)
	flag(unpinned, FlagUnpinned)
	flag(!out.NoForcePush, FlagForcePush)
	out.DriverAllowed = out.PullRequest && len(out.Checks) > 0 && !unpinned
	return out
}

// pin sorts the required checks, keeps each once, marks those that only app can
// pass, and tells whether some check can be passed by others. A check that two
// rulesets ask for is pinned when one of them pins it, since both must hold.
func pin(out *record.Rules, app int) (unpinned bool) {
	pinned := map[string]bool{}
	for i, c := range out.Checks {
		c.Pinned = c.AppID != nil && *c.AppID == app
		pinned[c.Context] = pinned[c.Context] || c.Pinned
		out.Checks[i] = c
	}
	appOf := func(c record.RequiredCheck) int {
		if c.AppID == nil {
			return -1
		}
		return *c.AppID
	}
	slices.SortFunc(out.Checks, func(a, b record.RequiredCheck) int {
		if a.Context != b.Context {
			return cmp.Compare(a.Context, b.Context)
		}
		return cmp.Compare(appOf(a), appOf(b))
	})
	out.Checks = slices.CompactFunc(out.Checks, func(a, b record.RequiredCheck) bool {
		return a.Context == b.Context && appOf(a) == appOf(b)
	})
	for i, c := range out.Checks {
		unpinned = unpinned || !pinned[c.Context]
		out.Checks[i].Context = guard.Text(c.Context, 100)
	}
	return unpinned
}

// Unshown is the Rules of a branch whose rules GitHub did not show to this
// login: nothing is known, and nothing is flagged.
func Unshown(why string) *record.Rules {
	return &record.Rules{Checks: []record.RequiredCheck{}, Types: []string{}, Flags: []string{}, Classic: ClassicUnseen, CannotTell: why}
}
