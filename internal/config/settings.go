package config

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// setting is one key of a scope: what it must be and where it goes.
type setting struct {
	name string
	rule rule
	at   func(s *Scope) any // pointer to the value
}

// settings are the keys of a scope that this release uses.
var settings = []setting{
	{"dispatch_enabled", zeroOne, func(s *Scope) any { return &s.Enabled }},
	{"dry_run", zeroOne, func(s *Scope) any { return &s.DryRun }},
	{"mode", oneOf("report", "act"), func(s *Scope) any { return &s.Mode }},
	{"state_dir", aPath, func(s *Scope) any { return &s.StateDir }},
	{"caps", capsRule, func(s *Scope) any { return &s.Caps }},
	{"adopted", adoptedRule, func(s *Scope) any { return &s.Adopted }},
	{"mail_interval_h", atLeast(0), func(s *Scope) any { return &s.MailIntervalH }},
	{"listing_cap", atLeast(1), func(s *Scope) any { return &s.ListingCap }},
	{"pr_list_cap", atLeast(1), func(s *Scope) any { return &s.PRListCap }},
	{"actions_app_id", atLeast(1), func(s *Scope) any { return &s.ActionsAppID }},
	{"tick_timeout_min", atLeast(1), func(s *Scope) any { return &s.TickTimeoutMin }},
	{"ask_renotify_h", atLeast(0), func(s *Scope) any { return &s.AskRenotifyH }},
	{"ask_raise_after_min", atLeast(0), func(s *Scope) any { return &s.AskRaiseAfter }},
	{"b_step_timeout_min", atLeast(1), func(s *Scope) any { return &s.BStepTimeoutMin }},
	{"gh_token_file", orNull(aPath), func(s *Scope) any { return &s.Token }},
	{"launchd_prefix", orNull(aText), func(s *Scope) any { return &s.LaunchdPrefix }},
	{"launchd_logs", pathsByName, func(s *Scope) any { return &s.LaunchdLogs }},
	{"bookkeeping_run_log", orNull(aPath), func(s *Scope) any { return &s.BookkeepingLog }},
	{"dream_run_log", orNull(aPath), func(s *Scope) any { return &s.DreamLog }},
	{"repos", listOf(aPath, "paths"), func(s *Scope) any { return &s.Repos }},
	{"surfaces", listOf(oneOf(Products...), "surfaces"), func(s *Scope) any { return &s.Surfaces }},
	{"ask_when", askWhenRule, func(s *Scope) any { return &s.AskWhen }},
	{"owner_channel", channelRule, func(s *Scope) any { return &s.OwnerChannel }},
	{"notify_command", orNull(argv), func(s *Scope) any { return &s.NotifyCommand }},
	{"run_logs", runLogsRule, func(s *Scope) any { return &s.RunLogs }},
	{"hosts", hostsRule, func(s *Scope) any { return &s.Hosts }},
}

// unused are keys that are accepted, with any value, and not used. A star
// stands for any ending.
var unused = []string{"tracker", "paseo_project", "paseo_tools", "driver", "coordinator_*", "maestro_*", "ask_repo", "compare_hour", "timing"}

func isUnused(key string) bool {
	return slices.ContainsFunc(unused, func(u string) bool {
		prefix, star := strings.CutSuffix(u, "*")
		return key == u || star && strings.HasPrefix(key, prefix)
	})
}

// Default returns a scope of which no configuration says anything.
func Default(id, home string) (*Scope, error) {
	if !scopeID.MatchString(id) {
		return nil, fmt.Errorf("%q is no scope: %s", id, wantID)
	}
	return newScope(id, home), nil
}

// newScope returns a scope with every default.
func newScope(id, home string) *Scope {
	return &Scope{
		ID: id, DryRun: true, Mode: "report",
		StateDir: path.Join(home, ".local/state/fleet-reconcile", id),
		Caps:     record.Caps{FleetSessions: 8, ActiveSessions: 12, ActiveWindowMin: 30, ResearchPerDay: 4},
		Adopted:  []record.Adopted{}, MailIntervalH: 6, ListingCap: 200, PRListCap: 200, ActionsAppID: 15368,
		TickTimeoutMin: 15, AskRenotifyH: 6, AskRaiseAfter: 50, BStepTimeoutMin: 10,
		LaunchdLogs: map[string]string{}, Repos: []string{}, Surfaces: []string{"claude", "paseo", "gh", "board"},
		AskWhen: []record.AskWhen{}, OwnerChannel: Channel{Kind: "dialog"}, NotifyCommand: []string{},
		RunLogs: []RunLog{}, Hosts: []Host{},
	}
}

// fields are the keys of a scope, each bound to its place in s.
func (s *Scope) fields(r *reader) []field {
	fs := []field{}
	for _, set := range settings {
		fs = append(fs, field{name: set.name, want: set.rule.want, read: func(key string, n *node) bool {
			return set.rule.read(r, key, n, set.at(s))
		}})
	}
	for _, key := range sortedKeys(s.raw) {
		if isUnused(key) {
			s.Unused = append(s.Unused, key)
			fs = append(fs, field{name: key, read: func(string, *node) bool { return true }})
		}
	}
	return fs
}

// Get returns the value of a key as a shell takes it: a text as it is, null as
// nothing, 0 or 1 for a switch, lists and objects as JSON. safe is false when
// the file has a value that could not be read and what is returned is the
// default.
func (f *File) Get(s *Scope, key string) (value string, safe bool, err error) {
	if isUnused(key) {
		return "", true, nil
	}
	i := slices.IndexFunc(settings, func(set setting) bool { return set.name == key })
	if i < 0 {
		return "", false, fmt.Errorf("no such key: %q", key)
	}
	scope := "scopes." + s.ID
	bad := slices.ContainsFunc(f.Problems, func(p Problem) bool {
		rest, ok := strings.CutPrefix(p.Key, scope+"."+key)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') || p.Key == scope
	})
	switch v := settings[i].at(s).(type) {
	case *string:
		return *v, !bad, nil
	case *int:
		return fmt.Sprint(*v), !bad, nil
	case *bool:
		if *v {
			return "1", !bad, nil
		}
		return "0", !bad, nil
	default:
		b, _ := json.Marshal(v) // made of texts and numbers
		return string(b), !bad, nil
	}
}

// IsSwitch tells whether a key is one of the two whose unreadable value reads
// as the safe one.
func IsSwitch(key string) bool { return key == "dispatch_enabled" || key == "dry_run" }

// Safe is what such a switch reads as.
func Safe(key string) string {
	if key == "dry_run" {
		return "1"
	}
	return "0"
}
