package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

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

// HostOf is the host of a scope's configuration or, without a scope, the one
// that name is a destination of ssh for.
func (w *World) HostOf(file, scope, name string) (config.Host, error) {
	if scope == "" {
		h, ok := config.HostOf(name)
		if !ok {
			return h, fmt.Errorf("--host %q: want a destination of ssh that names the machine, such as box or ana@box", name)
		}
		return h, nil
	}
	s, err := w.Scope(file, scope)
	if err != nil {
		return config.Host{}, err
	}
	if h, ok := s.Host(name); ok {
		return h, nil
	}
	names := []string{}
	for _, h := range s.Hosts {
		names = append(names, h.Name)
	}
	if len(names) == 0 {
		names = append(names, "none")
	}
	return config.Host{}, fmt.Errorf("--host %q: the scope %s has no host of this name; there are: %s", name, scope, strings.Join(names, ", "))
}
