package machine

import (
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/config"
)

// Config reads the configuration: the file name, which is taken from this
// machine because its caller names it, or the machine's own when name is empty.
// With problems in it, the file comes together with the error. It is what
// fleet.json alone says, which is all that settings take: only fleet-config
// reads scopes.yaml, and checks the expressions of ask_when.
func (w *World) Config(name string) (*config.File, error) {
	if name == "" {
		return config.Load(w.FS, filepath.Join(w.Home, config.DefaultPath), w.Home)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	return config.Load(machineTree(), abs, w.Home)
}

// Dry tells whether the environment forces a dry run: any DRY_RUN but 0 does. A
// recording has no environment.
func (w *World) Dry() bool {
	v, set := os.LookupEnv("DRY_RUN")
	return set && v != "0" && !w.Recorded()
}
