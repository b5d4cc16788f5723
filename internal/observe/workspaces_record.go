package observe

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/macf"
)

// agentMeta is a meta.json whose processes may have the fields of an agent's:
// env, an object of the variables that macf.Environ keeps, and server, where the
// package of a channel server is.
type agentMeta struct {
	Meta
	Processes []macf.Process `json:"processes"` // null: the process table could not be read
}

// recordedAgents is the process table of the recording.
func (w *World) recordedAgents() ([]macf.Process, error) {
	b, err := os.ReadFile(filepath.Join(w.fixtures, "meta.json"))
	if err != nil {
		return nil, err
	}
	var m agentMeta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m.Processes == nil {
		return nil, errors.New("the process table was not recorded")
	}
	return m.Processes, nil
}

// agents writes meta.json with what a process table says of agents.
func (r *Recording) agents(w *World, table []macf.Process) {
	if r == nil {
		return
	}
	m := agentMeta{Meta: Meta{Home: w.Home, Host: w.Host, OS: w.OS, Zone: w.Zone, At: w.At, BootAt: w.BootAt, AwakeS: w.AwakeS}, Processes: []macf.Process{}}
	for _, p := range table {
		m.Processes = append(m.Processes, p.Clean())
	}
	r.mkdir("/") // also when no file is kept
	b, err := json.MarshalIndent(m, "", "  ")
	r.write("meta.json", append(b, '\n'), err)
}
