package driver

import (
	"io"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// gitFileLimit is how much of a file .git is read: it is one line.
const gitFileLimit = 64 << 10

// Holds tells whether a process that works in cwd is one of the target's
// directory: it works there, or that is the workspace to which cwd belongs, by the
// rule of fleet-observe-workspaces.
func (t Target) Holds(cwd string) bool {
	return cwd == t.Cwd || macf.Owner(cwd, marked, worktree) == t.Cwd
}

func marked(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, macf.Marker))
	return err == nil
}

func worktree(dir string) bool {
	f, err := machine.OpenFile(filepath.Join(dir, ".git"))
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, gitFileLimit))
	return err == nil && macf.IsWorktree(b)
}
