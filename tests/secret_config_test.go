package tests

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/tests/secrets"
)

const wholeConfig = `{"v": 1, "scopes": {"lamp": {"mode": "report", "state_dir": "~/state", "repos": ["/home/dev/src/storefront"], "surfaces": ["claude", "gh"],
	"adopted": [{"session_id": "s1", "adopted": "2026-11-01", "note": "x"}, {"paseo_agent_id": "p1"}], "owner_channel": {"kind": "command", "argv": ["/bin/tell", "-x"]},
	"notify_command": ["tell"], "ask_when": [{"key": "k", "when": ".kind == \"verdict\"", "question": "really?"}], "run_logs": [{"source": "d", "path": "/x/l", "stale_after_h": 3}],
	"hosts": [{"name": "b", "ssh": "b.example", "ssh_config": "~/.ssh/c", "command": "fleet", "timeout_s": 9, "repos": ["/x"]}],
	"gh_token_file": "~/tok", "launchd_prefix": "com.", "launchd_logs": {"com.a": "/x/y"}, "bookkeeping_run_log": "/x/b", "dream_run_log": "/x/d", "caps": {"fleet_sessions": 8}}}}`

// A credential that was pasted into the configuration, as a value or as a key,
// is in no tick record and in no message. (A predicate of ask_when stays in the
// record: it is code. What get is asked for it prints.)
func TestSecretInConfiguration(t *testing.T) {
	long(t)
	t.Parallel()
	pool := poolOf(t, 5)
	m := &lure{t: t, dir: t.TempDir(), index: secrets.NewIndex(pool)}
	m.config = filepath.Join(m.dir, "fleet.json")
	planted := map[string]bool{}
	const groups = 20
	for round := range groups {
		p := secrets.NewPlanter(pool, round, groups)
		m.write("fleet.json", string(p.File("config", []byte(wholeConfig))))
		for _, argv := range [][]string{{"fleet-config", "tick", "--tick", "1"}, {"fleet-ledger", "observe"}, {"fleet-observe-schedule"}} {
			if p.Fields["config.scopes.lamp.ask_when[].when"] == 0 {
				m.exec(nil, append(argv, "--fixtures", filepath.Join(root, "fixtures/cc-2.1.280"))...)
			}
		}
		m.exec(nil, "fleet-config", "check")
		for field := range p.Fields {
			planted[field] = true
		}
	}
	if len(planted) < 35 {
		t.Errorf("only %d fields are planted: %v", len(planted), slices.Sorted(maps.Keys(planted)))
	}
}
