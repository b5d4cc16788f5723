package observe

import "github.com/fleet-tools/fleet/internal/process"

// processCwd tells nothing: it would be a command a process. A session's directory
// comes from Claude Code's own file.
func processCwd(process.Process) string { return "" }

// environ tells nothing: macOS does not.
func environ(process.Process) map[string]string { return nil }

// notShown says what a process table lacks.
func notShown([]process.Process) []string {
	return []string{"macOS does not tell the directory of a channel server, nor its environment"}
}
