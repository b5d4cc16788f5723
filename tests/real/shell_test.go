//go:build real

package real

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// shellcheck has nothing against a script of the project, and warns of none of
// its tests.
func TestShellcheck(t *testing.T) {
	n := 0
	for _, tt := range [][2]string{{"style", "bin/*.sh"}, {"warning", "tests/*.sh"}, {"warning", "tests/*/*.sh"}} {
		files, _ := filepath.Glob(filepath.Join(root, tt[1]))
		n += len(files)
		cmd := exec.Command("shellcheck", "-S", tt[0])
		for _, file := range files { // one that another sources is known by its place in the checkout
			name, _ := filepath.Rel(root, file)
			cmd.Args = append(cmd.Args, name)
		}
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", tt[1], err, out)
		}
	}
	if n < 10 {
		t.Errorf("%d scripts", n)
	}
	bad := exec.Command("sh", "-c", "printf '#!/bin/sh\necho $x\n' | shellcheck -")
	if out, err := bad.CombinedOutput(); err == nil {
		t.Errorf("shellcheck takes anything: %s", out)
	}
}
