package observe

import (
	"errors"
	"io/fs"

	"github.com/fleet-tools/fleet/internal/config"
)

// ErrNoScope says that there is neither a configuration nor a scope.
var ErrNoScope = errors.New("no configuration and no --scope: nothing is remembered")

// Scope is the scope id of the configuration in file, or the only one when id
// is empty. Without a configuration a named scope has the usual state
// directory, and no name is ErrNoScope.
func (w *World) Scope(file, id string) (*config.Scope, error) {
	f, err := w.Config(file)
	switch {
	case err == nil:
		return f.Scope(id)
	case !errors.Is(err, fs.ErrNotExist) || file != "":
		return nil, err
	case id == "":
		return nil, ErrNoScope
	}
	return config.Default(id, w.Home)
}
