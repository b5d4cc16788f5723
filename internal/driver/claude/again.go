package claude

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/driver"
)

// again is the command that takes a background session up where it ended: with
// the options that Claude Code noted of it, without its first prompt, and with
// text as the next one. Source: respawnFlags of jobs/<id>/state.json, 2.1.280. Of
// a session that is no job nobody knows its options: an error.
func (d *Driver) again(t driver.Target, text string) ([]string, error) {
	if !jobID().MatchString(t.Session) || t.SessionID == "" {
		return nil, fmt.Errorf("the options of the session %q are not known", t.SessionID)
	}
	b, err := os.ReadFile(filepath.Join(d.Dir, "jobs", t.Session, "state.json"))
	var job struct {
		Flags *[]string `json:"respawnFlags"`
	}
	if err == nil {
		err = json.Unmarshal(b, &job)
	}
	if err != nil || job.Flags == nil {
		return nil, fmt.Errorf("the options of job %s are not known: %v", t.Session, err)
	}
	return Resume(append([]string{"claude"}, *job.Flags...), t.SessionID, text, true)
}
