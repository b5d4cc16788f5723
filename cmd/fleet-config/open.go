package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/config"
)

// open tells of a file, of which the last of names is the path and the rest is where it
// is named, that anybody may write it.
func (p program) open(names ...string) {
	if info, err := os.Stat(names[len(names)-1]); err == nil && info.Mode().Perm()&0o002 != 0 {
		p.std.Warn("%s: anybody may write it, and so choose what fleet runs as you: chmod o-w", strings.Join(names, ": "))
	}
}

// opens tells it of what a scope names that is run, or says what is.
func (p program) opens(f *config.File, s *config.Scope) {
	if p.w.Recorded() {
		return
	}
	at := f.Path + ": scope " + s.ID
	if s.Desired != "" {
		p.open(at, "desired_agents", s.Desired)
	}
	for _, c := range []struct {
		key  string
		argv []string
	}{{"owner_channel", s.OwnerChannel.Argv}, {"notify_command", s.NotifyCommand}} {
		if len(c.argv) == 0 {
			continue
		}
		name := c.argv[0]
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(p.w.Home, rest)
		}
		if found, err := exec.LookPath(name); err == nil { // what cannot be run is told elsewhere
			p.open(at, c.key, found)
		}
	}
}
