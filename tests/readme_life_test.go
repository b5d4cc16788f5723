package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lifeBlocks are the README's blocks of what an owner types.
var lifeBlocks = regexp.MustCompile("(?s)```sh\n(bin/.*?|export .*?|cat .*?|jq .*?|fleet-.*?)```")

// What the README has an owner type, from the install to the uninstall, works
// as it stands: on a machine of its own whose service manager is a stub, over a
// recorded fleet.
func TestReadmeLife(t *testing.T) {
	long(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	b := newInstallBox(t, "Linux", "sh", false)
	tick := newTickBox(t)
	b.env = append(b.env, "FLEET_FIXTURES="+filepath.Join(tick.dir, "machine"))
	wants := []string{
		"would enable and start fleet-reconcile-team.timer\n",
		"tick 1: 49 sessions: ",
		"Verdict: ",
		"answered 1 ask\nanswered ",
		"\ttmux attach -t ",
		"removed fleet-reconcile-team.timer and fleet-reconcile-team.service from ",
	}
	blocks := lifeBlocks.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != len(wants) {
		t.Fatalf("%d blocks, want %d", len(blocks), len(wants))
	}
	typed := "cd '" + b.checkout + "'\n" // what was typed so far, but for the installs, is in the shell
	for i, block := range blocks {
		script := filepath.Join(filepath.Dir(b.home), "typed.sh")
		b.write(script, "set -eu\n"+typed+block[1])
		status, out, stderr := b.run(script)
		if status != 0 || !strings.Contains(out, wants[i]) {
			t.Fatalf("%s: status %d, want %q in\n%s%s", block[1], status, wants[i], out, stderr)
		}
		switch i {
		case 0: // the owner names repositories
			config := filepath.Join(b.home, ".config/ctx/fleet.json")
			named := strings.Replace(b.read(config), `["~/src/team"]`, `["/home/dev/src/storefront", "/home/dev/src/billing"]`, 1)
			named = strings.Replace(named, `"kind": "dialog"`, `"kind": "none"`, 1)
			if named == b.read(config) {
				t.Fatalf("no repos in\n%s", named)
			}
			b.write(config, named)
			typed += "export FLEET_CONFIG='" + config + "'\n" // a recorded machine has none of its own
		case 1:
			typed += strings.SplitAfter(block[1], "\n")[0] // PATH
		}
	}
	for _, stays := range []string{".config/ctx/fleet.json", ".local/state/fleet-reconcile/team/ledger.jsonl", ".local/share/fleet-reconcile/current/bin/tick.sh"} {
		if _, err := os.Stat(filepath.Join(b.home, stays)); err != nil {
			t.Errorf("after the uninstall: %v", err)
		}
	}
}
