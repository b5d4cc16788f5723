package tests

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/tests/secrets"
)

// Each field alone, in every place where it occurs: no other field that cannot be
// read hides it. It is looked for in what the observer tells and records; all
// else is made of that. Claude Code's files, of which there are many, are planted
// so in the longest runs.
func TestSecretInEachField(t *testing.T) {
	if os.Getenv("FLEET_SOAK") == "" {
		t.Skip("FLEET_SOAK is not set")
	}
	t.Parallel()
	names := []string{"gh", "board", "mac", "linux", "paseo", "claude"}
	pool := poolOf(t, 1)
	index := secrets.NewIndex(pool)
	for _, name := range names {
		src := sources(0)[name]
		all := secrets.NewPlanter(pool, 0, 1)
		all.Keep = ours.MatchString
		if err := all.Copy(src, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		for i, field := range slices.Sorted(maps.Keys(all.Fields)) {
			m := &lure{t: t, round: i, dir: t.TempDir(), index: index}
			m.config = filepath.Join(src, "root/Users/ana/.config/ctx/fleet.json")
			p := secrets.NewPlanter(pool, i, 1)
			p.Keep, p.Only = ours.MatchString, field
			if err := p.Copy(src, filepath.Join(m.dir, "root")); err != nil {
				t.Fatal(err)
			}
			m.alone(name, field)
		}
		t.Logf("%s: %d fields", name, len(all.Fields))
	}
}

// alone runs the observer of a recorded machine.
func (m *lure) alone(name, field string) {
	m.t.Helper()
	argv := []string{"fleet-observe-" + name, "--fixtures", filepath.Join(m.dir, "root"), "--record", filepath.Join(m.dir, "recorded")}
	var input []byte
	switch name {
	case "mac", "linux":
		argv[0] = "fleet-observe-schedule"
	case "gh":
		b, err := os.ReadFile(filepath.Join(m.dir, "root/input.ndjson"))
		if err != nil {
			m.t.Fatal(err)
		}
		input = b
	}
	if name != "mac" {
		m.config = filepath.Join(m.dir, "none.json")
		m.write("none.json", `{"v": 1, "scopes": {"lamp": {"repos": []}}}`)
	}
	m.exec(input, argv...)
	if _, err := os.Stat(filepath.Join(m.dir, "recorded")); err == nil { // nothing is, when nothing was read
		m.check("the recording with "+field, tree(m.t, filepath.Join(m.dir, "recorded")))
	}
}
