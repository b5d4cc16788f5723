package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A credential in a path of the list of agents, or of the roots, is in nothing that is told
// on stderr, which a tick keeps: of a workspace that is not there, or of a file of it.
func TestSecretInList(t *testing.T) {
	a := upgrading(t)
	token := "ghp_" + strings.Repeat("FAKE", 9)
	list := "agents:\n  - agent: code\n    workspace: " + a.home + "/" + token + "\n"
	a.write("list.yaml", list)
	config := func(desired, root string) {
		a.write("fleet.json", fmt.Sprintf(`{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "mode": "act", "dry_run": 0, "state_dir": "~/state", "owner_channel": {"kind": "none"},
			"surfaces": ["claude"], "repos": ["~/repos/first", "~/%s"], "desired_agents": %q, "workspace_roots": [%q], "heal": {}}}}`, token, desired, root))
	}
	for _, tt := range []struct{ desired, root, says string }{
		{a.home + "/list.yaml", a.home + "/" + token, "agent code: workspace: "},
		{a.home + "/" + token + ".yaml", a.home, "no such file"},
	} {
		config(tt.desired, tt.root)
		for _, argv := range [][]string{{"fleet-config", "check"}, {"fleet-config", "tick", "--tick", "1"}, {"fleet-act"}, {"fleet-ledger", "pause", "docs"}, {"fleet-reconcile", "--desired", tt.desired}, {"fleet-observe-workspaces"}} {
			out, errs, _ := a.fleetAct(nil, argv...)
			if strings.Contains(errs, "FAKE") || strings.Contains(string(out), "FAKE") {
				t.Errorf("%v: %s%s", argv, out, errs)
			}
			if slices.Contains(argv, "check") && (!strings.Contains(errs, "[withheld: ") || !strings.Contains(errs, tt.says)) {
				t.Errorf("%v: %s", argv, errs)
			}
		}
	}
}

// What is told on stderr is flat: no character that shows nothing hides a credential there,
// and none reaches the terminal.
func TestSecretDivided(t *testing.T) {
	a := upgrading(t)
	config := func(desired string) {
		a.write("fleet.json", fmt.Sprintf(`{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "mode": "act", "dry_run": 0, "state_dir": "~/state", "owner_channel": {"kind": "none"},
			"surfaces": ["claude"], "repos": ["~/repos/first"], "desired_agents": %q, "heal": {}}}}`, desired))
	}
	config(a.home + "/list.yaml")
	for _, by := range []string{`\u200b`, `\e[31m`, `\x01`} {
		token := "ghp_" + strings.Repeat("FAKE", 3) + by + strings.Repeat("FAKE", 6)
		for _, list := range []string{"workspace: \"" + a.home + "/" + token + "\"", "workspace: \"" + token + "\"", "project: \"" + token + "\"", "\"" + token + "\": 1", "command: [\"" + token + "\"]"} {
			a.write("list.yaml", "agents:\n  - agent: code\n    "+list+"\n")
			for _, argv := range [][]string{{"fleet-config", "check"}, {"fleet-config", "tick", "--tick", "1"}, {"fleet-act"}, {"fleet-ledger", "pause", "docs"}, {"fleet-reconcile", "--desired", a.home + "/list.yaml"}} {
				out, errs, _ := a.fleetAct(nil, argv...)
				if strings.Contains(errs, "FAKE") || strings.Contains(string(out), "FAKE") || strings.ContainsAny(errs, "\x1b\x01\u200b") {
					t.Errorf("%s: %v: %s%q", list, argv, out, errs)
				}
			}
		}
	}
}
