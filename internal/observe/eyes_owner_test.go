package observe

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// A session's directory belongs to the nearest workspace at or above it, with its
// agent and its lock; one that is not understood has no agent.
func TestEyes_owner(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("MACF_WORKSPACE_ROOT", "")
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("code/.macf/macf-agent.json", spaceJSON("code"))
	write("code/sub/x", "")
	write("code/tree/.git", "gitdir: /r/.git/worktrees/tree\n")
	write("code/torn/.macf/macf-agent.json", "{")
	write("plain/x", "")
	write("file", "")
	if err := os.Symlink("code/sub", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"code": "code code", "code/sub": "code code", "link": "code code", "code/gone": "code code", "code/torn": "code/torn ", "code/tree": "", "plain": "", "": ""} {
		seen := record.Seen{Workspace: filepath.Join(dir, at)}
		if at == "" {
			seen.Workspace = ""
		}
		p, err := Eyes{}.Owner(t.Context(), seen)
		got := ""
		if p != nil {
			rel, _ := filepath.Rel(dir, p.Path)
			got = rel + " " + p.Agent
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", at, got, err, want)
		}
	}
	if p, err := (Eyes{}).Owner(t.Context(), record.Seen{Workspace: filepath.Join(dir, "file/x")}); p != nil || err == nil {
		t.Errorf("what cannot be looked at: %+v, %v", p, err)
	}
	t.Setenv("HOME", "")
	if p, err := (Eyes{}).Owner(t.Context(), record.Seen{Workspace: filepath.Join(dir, "code")}); p != nil || err == nil {
		t.Errorf("no home: %+v, %v", p, err)
	}
}
