// Package scripts puts the shell scripts that run programs beside the programs that a
// test built, as a release has them.
package scripts

import (
	"os"
	"path/filepath"
)

// Names are the scripts: the two that a job runs, and what they share.
var Names = []string{"tick.sh", "heal.sh", "parts.sh"}

// Copy copies them from the checkout into a directory.
func Copy(checkout, dir string) error {
	for _, name := range Names {
		b, err := os.ReadFile(filepath.Join(checkout, "bin", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o755); err != nil {
			return err
		}
	}
	return nil
}
