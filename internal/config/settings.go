package config

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
)

// setting is one key of a scope: what it must be and where it goes.
type setting struct {
	name string
	rule rule
	at   func(s *Scope) any // pointer to the value
	says string             // what it is for, a line
}

// settings are the keys of a scope that this release uses. They are made when
// they are first asked for: a program that reads no configuration starts without.
var settings = sync.OnceValue(func() []setting { return append(ruling(), sources()...) })

// ruling are the keys that say how a scope is run, and within which bounds.
func ruling() []setting {
	return []setting{
		{"dispatch_enabled", zeroOne, func(s *Scope) any { return &s.Enabled },
			"ticks run only when it is exactly 1: the switch to stop them"},
		{"dry_run", zeroOne, func(s *Scope) any { return &s.DryRun },
			"what acts would only say what it would do; live only when it is exactly 0, and DRY_RUN in the environment can only make it dry"},
		{"mode", oneOf("report", "act"), func(s *Scope) any { return &s.Mode },
			"report looks and asks; act may also act"},
		{"state_dir", aPath, func(s *Scope) any { return &s.StateDir },
			"where the ledger, the reports and the log are (default ~/.local/state/fleet-reconcile/<scope>)"},
		{"caps", capsRule, func(s *Scope) any { return &s.Caps },
			"the most that an acting fleet starts: fleet_sessions, active_sessions, active_window_min, research_spawns_per_day"},
		{"adopted", adoptedRule, func(s *Scope) any { return &s.Adopted },
			"sessions that are ours: a list of {session_id, or paseo_agent_id for all sessions of an agent, adopted, note}; \"*\" is all"},
		{"mail_interval_h", between(0, decadeH), func(s *Scope) any { return &s.MailIntervalH },
			"an acting fleet writes to one session at most once in so many hours"},
		{"listing_cap", atLeast(1), func(s *Scope) any { return &s.ListingCap },
			"from so many rows on the listing of claude counts as whole only when every job file is in it"},
		{"pr_list_cap", atLeast(1), func(s *Scope) any { return &s.PRListCap },
			"a repository with as many open pull requests counts as not observed: there may be more"},
		{"actions_app_id", atLeast(1), func(s *Scope) any { return &s.ActionsAppID },
			"the app that required checks should be pinned to; 15368 is GitHub Actions"},
		{"tick_timeout_min", between(1, dayMin), func(s *Scope) any { return &s.TickTimeoutMin },
			"a tick is ended after so many minutes, each of its steps after a third of them"},
		{"ask_renotify_h", between(0, decadeH), func(s *Scope) any { return &s.AskRenotifyH },
			"a batch that was not seen is shown at the next tick, then at most once in so many hours"},
		{"ask_raise_after_min", between(0, decadeMin), func(s *Scope) any { return &s.AskRaiseAfter },
			"a question is shown when it has been open for so many minutes: a tick may settle it first; 0: at once"},
		{"b_step_timeout_min", between(1, dayMin), func(s *Scope) any { return &s.BStepTimeoutMin },
			"accepted for older configurations; an acting fleet's step is ended after so many minutes"},
	}
}

// sources are the keys that say what is looked at, where it is, and who is asked.
func sources() []setting {
	return []setting{
		{"gh_token_file", orNull(aPath), func(s *Scope) any { return &s.Token },
			"a file with the token that gh gets, mode 0600 or 0400; null: gh's own login"},
		{"launchd_prefix", orNull(aText), func(s *Scope) any { return &s.LaunchdPrefix },
			"LaunchAgents whose label begins so are listed; null: none"},
		{"launchd_logs", pathsByName, func(s *Scope) any { return &s.LaunchdLogs },
			"by label: the log whose time of change is the last run of a LaunchAgent (default its StandardOutPath)"},
		{"bookkeeping_run_log", orNull(aPath), func(s *Scope) any { return &s.BookkeepingLog },
			"a run log, late after 2 days"},
		{"dream_run_log", orNull(aPath), func(s *Scope) any { return &s.DreamLog },
			"a run log, late after 7 days"},
		{"repos", listOf(aPath, "paths"), func(s *Scope) any { return &s.Repos },
			"paths of the scope's repositories, any work tree of each (default: the scope's list in ~/.config/ctx/scopes.yaml)"},
		{"surfaces", listOf(oneOf(Products...), "surfaces"), func(s *Scope) any { return &s.Surfaces },
			"products that must be read: claude, paseo, gh, board, schedule; one that is named and missing is not read, and ticks ask about it"},
		{"ask_when", askWhenRule, func(s *Scope) any { return &s.AskWhen },
			"questions of your own: a list of {key, when, question}, asked while the jq expression when is true of a record"},
		{"owner_channel", channelRule, func(s *Scope) any { return &s.OwnerChannel },
			"how you are asked: {kind: dialog}, {kind: command, argv: [...]} or {kind: none}"},
		{"notify_command", orNull(argv), func(s *Scope) any { return &s.NotifyCommand },
			"a command that is run after something was shown, with the number of open asks as its last argument"},
		{"run_logs", runLogsRule, func(s *Scope) any { return &s.RunLogs },
			"further logs of scheduled work: a list of {source, path, stale_after_h}"},
		{"heal", healRule, func(s *Scope) any { return &s.Heal },
			"how agents are kept alive; null: heal.sh does nothing; {}: by the defaults of its keys"},
		{"desired_agents", orNull(aPath), func(s *Scope) any { return &s.Desired },
			"a YAML file with the agents that should run: a list of {agent, workspace, project, command}, of which agent and workspace must be there (default null: the agent of every workspace that is found)"},
		{"workspace_roots", listOf(aPath, "paths"), func(s *Scope) any { return &s.WorkspaceRoots },
			"directories in which, at most four levels deep, the workspaces of macf agents are looked for; MACF_WORKSPACE_ROOT comes before it (default beside the workspace of the working directory, and ~/repos)"},
		{"hosts", hostsRule, func(s *Scope) any { return &s.Hosts },
			"other machines whose Claude Code sessions belong to the scope, looked at through ssh: a list of destinations, or of {name, ssh, ssh_config, command, timeout_s, repos}; repos are their paths there, when those are others"},
	}
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
	if !scopeID().MatchString(id) {
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
		RunLogs: []RunLog{}, WorkspaceRoots: []string{}, Hosts: []Host{},
	}
}

// fields are the keys of a scope, each bound to its place in s.
func (s *Scope) fields(r *reader) []field {
	fs := []field{}
	for _, set := range settings() {
		fs = append(fs, field{name: set.name, want: set.rule.want, read: func(key string, n *Node) bool {
			return set.rule.read(r, key, n, set.at(s))
		}})
	}
	for _, key := range sortedKeys(s.raw) {
		if isUnused(key) {
			s.Unused = append(s.Unused, key)
			fs = append(fs, field{name: key, read: func(string, *Node) bool { return true }})
		}
	}
	return fs
}

// Key is a key of a scope as a person looks it up.
type Key struct {
	Name    string
	Want    string // what it must be
	Default string // as Get returns it, without what other keys say; "" when there is none
	Says    string // what it is for
}

// Keys returns the keys that this release uses.
func Keys() []Key {
	f, s := new(File), newScope("ID", "~")
	keys := []Key{}
	for _, set := range settings() {
		value, _, _ := f.Get(s, set.name)
		switch set.name {
		case "heal":
			set.says += healSays()
		case "caps": // mail_interval_h is a key of its own
			value = strings.Replace(value, `,"mail_interval_h":0`, "", 1)
		}
		keys = append(keys, Key{set.name, set.rule.want, value, set.says})
	}
	return keys
}

// Get returns the value of a key as a shell takes it: a text as it is, null as
// nothing, 0 or 1 for a switch, lists and objects as JSON. safe is false when
// the file has a value that could not be read and what is returned is the
// default; of a switch also when the file has none and a mistake elsewhere.
func (f *File) Get(s *Scope, key string) (value string, safe bool, err error) {
	if isUnused(key) {
		return "", true, nil
	}
	i := slices.IndexFunc(settings(), func(set setting) bool { return set.name == key })
	if i < 0 {
		return "", false, fmt.Errorf("no such key: %q", key)
	}
	scope := "scopes." + s.ID
	bad := slices.ContainsFunc(f.Problems, func(p Problem) bool {
		rest, ok := strings.CutPrefix(p.Key, scope+"."+key)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') || p.Key == scope
	})
	if _, given := s.raw[key]; IsSwitch(key) && !given && len(f.Problems) > 0 {
		bad = true // it may be what is misspelt
	}
	switch v := settings()[i].at(s).(type) {
	case *string:
		return *v, !bad, nil
	case *int:
		return fmt.Sprint(*v), !bad, nil
	case *bool:
		if *v {
			return "1", !bad, nil
		}
		return "0", !bad, nil
	case **record.HealRules:
		if *v == nil {
			return "", !bad, nil
		}
		b, _ := json.Marshal(v)
		return string(b), !bad, nil
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
