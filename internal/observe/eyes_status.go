package observe

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/record"
)

// Busy tells whether the session's process says that it works, or that something
// of it runs in the background. A process without a file that says so is an error.
func (e Eyes) Busy(_ context.Context, s record.Seen) (bool, error) {
	status, err := e.status(s)
	return status == "busy" || status == "shell", err
}

// status is the status in a session's process file, "" without a process. Source:
// sessions/<pid>.json of Claude Code 2.1.280.
func (e Eyes) status(s record.Seen) (string, error) {
	if s.PID == 0 {
		return "", nil
	}
	dir, err := e.claudeDir()
	if err != nil {
		return "", err
	}
	b, err := endOf(filepath.Join(dir, "sessions", fmt.Sprintf("%d.json", s.PID)), processLimit)
	if err != nil {
		return "", fmt.Errorf("its process file: %w", err)
	}
	f, _, err := claude.ReadProcessFile(b, s.PID)
	switch {
	case err != nil:
		return "", fmt.Errorf("its process file: %w", err)
	case !claude.IsRawStatus(f.Status):
		return "", errors.New("its process file has no status that is known")
	}
	return f.Status, nil
}
