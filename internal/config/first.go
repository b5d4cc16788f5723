package config

import "fmt"

// First returns a configuration to begin with: a scope of this id that ticks
// and only reports, and of whose repositories every session is the owner's. Its
// list of repositories, which the owner is to edit, is left out when scopes.yaml
// lists some for it. channel is a kind of owner_channel.
func First(id string, listed bool, channel string) []byte {
	return fmt.Appendf(nil, "{\n  \"v\": 1,\n  \"scopes\": {\n%s\n  }\n}\n", FirstScope(id, listed, channel))
}

// FirstScope returns the part of First that is the scope, for a configuration
// that has others.
func FirstScope(id string, listed bool, channel string) []byte {
	repos := ""
	if !listed {
		repos = `      "repos": ["~/src/` + id + `"],` + "\n"
	}
	return fmt.Appendf(nil, `    "%s": {
      "dispatch_enabled": 1,
      "dry_run": 1,
      "mode": "report",
%s      "surfaces": ["claude"],
      "adopted": "*",
      "owner_channel": {"kind": "%s"}
    }`, id, repos, channel)
}
