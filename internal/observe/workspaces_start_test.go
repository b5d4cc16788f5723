package observe

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
)

// Of each workspace it is told why its launcher cannot be started; nothing of one that
// can be, or whose agent is not known. A recording says the same.
func TestWorkspaces_unstartable(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, "p", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"well", "none", "closed", "orphan"} {
		write(name+"/.macf/macf-agent.json", spaceJSON(name), 0o600)
	}
	write("torn/.macf/macf-agent.json", "{", 0o600)
	write("well/claude.sh", "#!/bin/sh\nexec claude\n", 0o700)
	write("closed/claude.sh", "#!/bin/sh\nexec claude\n", 0o600)
	write("orphan/claude.sh", "#!/no/sh\nsecret words\n", 0o700)
	w, err := machine.Open("", filepath.Join(dir, "kept"), time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	w.Home, w.Getenv = dir, func(string) string { return "" }
	roots := Workspaces{Roots: []string{dir + "/p"}}
	seen := observeSpaces(t, w, roots)
	kept, err := machine.New(filepath.Join(dir, "kept"), time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	again := observeSpaces(t, kept, roots)
	for name, want := range map[string]string{
		"well": "", "torn": "",
		"none":   "claude.sh is not there",
		"closed": "claude.sh is not executable: chmod +x",
		"orphan": `claude.sh is to be run by "/no/sh", as its first line says, which is not there`,
	} {
		path := dir + "/p/" + name
		if got := seen.spaces[path]; got.Path != path || got.Unstartable != want {
			t.Errorf("%s: %q, want %q", name, got.Unstartable, want)
		}
		if got := again.spaces[path].Unstartable; got != want {
			t.Errorf("%s: a recording says %q, want %q", name, got, want)
		}
	}
}
