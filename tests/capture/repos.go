package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// repositories is the directory under HOME that holds the fleet's working directories.
const repositories = "src"

// branches are the repositories and the branch that is checked out in each.
var branches = map[string]string{
	"billing":        "main",
	"cart-prototype": "main",
	"checkout-api":   "feat/partial-refunds",
	"etl":            "main",
	"handbook":       "main",
	"infra":          "main",
	"storefront":     "feat/new-header",
}

// scripts are the programs that the sessions run.
var scripts = map[string]string{
	"test.sh":  "#!/bin/sh\necho 'ok: 42 tests in 3 s'\n",
	"soak.sh":  "#!/bin/sh\necho \"soaking $1\"\nexec sleep 3000\n",
	"links.sh": "#!/bin/sh\necho 'three links are dead' >&2\nexit 3\n",
}

// projects are the directories that Claude Code trusts.
func projects() []string {
	dirs := []string{filepath.Join(repositories, "notes"), filepath.Join(repositories, "storefront-contrast")}
	for name := range branches {
		dirs = append(dirs, filepath.Join(repositories, name))
	}
	return dirs
}

// layRepositories makes the repositories and the worktree.
func layRepositories(ctx context.Context, box *claudebox.Box) error {
	for name, branch := range branches {
		dir := box.Path(repositories, name)
		for script, text := range scripts {
			if err := writeFile(filepath.Join(dir, "scripts", script), []byte(text)); err != nil {
				return err
			}
			if err := os.Chmod(filepath.Join(dir, "scripts", script), 0o755); err != nil {
				return err
			}
		}
		for _, args := range [][]string{
			{"init", "-q", "-b", "main"},
			{"remote", "add", "origin", "https://github.com/example/" + name + ".git"},
			{"add", "."},
			{"commit", "-q", "-m", "Begin"},
			{"checkout", "-q", "-B", branch},
		} {
			if _, err := box.Output(ctx, dir, "git", args...); err != nil {
				return err
			}
		}
	}
	_, err := box.Output(ctx, box.Path(repositories, "storefront"), "git", "worktree", "add", "-q", "-b", "fix/contrast", box.Path(repositories, "storefront-contrast"))
	return err
}
