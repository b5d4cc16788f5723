package claude

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
)

// again is the command that takes a background session up where it ended, with
// text as the next prompt. Of a session that is no job nobody knows the options:
// an error.
func (d *Driver) again(t driver.Target, text string) ([]string, error) {
	if !jobID().MatchString(t.Session) {
		return nil, fmt.Errorf("the options of the session %s are not known", guard.Quote(t.SessionID))
	}
	if _, err := os.Lstat(filepath.Join(d.Dir, "jobs", t.Session, "state.json")); err != nil {
		return nil, fmt.Errorf("the options of job %s are not known: %w", t.Session, err)
	}
	return Wake(t.SessionID, text)
}
