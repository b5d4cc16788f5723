package macf

import (
	"path"
	"strings"
)

// Owner returns the workspace that a working directory belongs to: the nearest at
// or above it, "" when there is none. A further work tree of a repository that is
// no workspace itself belongs to none: it is another checkout. dir is canonical;
// one that is not absolute belongs to none.
func Owner(dir string, marked, worktree func(dir string) bool) string {
	for path.IsAbs(dir) {
		if marked(dir) {
			return dir
		}
		if dir == "/" || worktree(dir) {
			break
		}
		dir = path.Dir(dir)
	}
	return ""
}

// IsWorktree tells from the file .git of a directory whether that is a further
// work tree of a repository.
func IsWorktree(gitFile []byte) bool { return strings.Contains(string(gitFile), "/worktrees/") }
