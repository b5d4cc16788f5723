package driver

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A process is one of a workspace wherever it works in it, and not in another
// workspace or checkout inside of it.
func TestTarget_Holds(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/.macf/macf-agent.json": "{}", "a/inner/.macf/macf-agent.json": "{}", "a/sub/x": "", "a/tree/.git": "gitdir: /r/.git/worktrees/tree\n",
		"a/module/.git": "gitdir: ../.git/modules/module\n", "a/.git/config": "", "plain/sub/x": "",
	} {
		file := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "a/sub/.git"), 0o600); err != nil { // nobody writes to it
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir, cwd string
		want     bool
	}{
		{"a", "a", true}, {"a", "a/sub", true}, {"a", "a/gone/x", true}, {"a", "a/module", true}, {"a", "a/inner", false}, {"a", "a/inner/x", false},
		{"a", "a/tree", false}, {"a", "a/tree/x", false}, {"a/tree", "a/tree", true}, {"a", "ab", false}, {"a", ".", false}, {"a/sub", "a", false},
		{"plain", "plain", true}, {"plain", "plain/sub", false},
	} {
		if got := (Target{Cwd: filepath.Join(root, tt.dir)}).Holds(filepath.Join(root, tt.cwd)); got != tt.want {
			t.Errorf("in %s, of %s: %t", tt.cwd, tt.dir, got)
		}
	}
}
