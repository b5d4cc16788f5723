package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/driver/claude"
	"github.com/fleet-tools/fleet/internal/driver/tmux"
	"github.com/fleet-tools/fleet/internal/record"
)

// kept are the variables that a runtime and the sessions that it starts get of
// our environment. Nothing of the session that fleet was started from, if it was,
// gets into another.
var kept = []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR", "TMUX_TMPDIR", "CLAUDE_CONFIG_DIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"}

func environment() (env []string) {
	for _, name := range kept {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, "TERM=xterm-256color")
}

func (d *deed) drivers(stalls []record.StallRule) (map[string]driver.Driver, error) {
	var signatures []driver.Signature
	for _, s := range stalls {
		signatures = append(signatures, driver.Signature{ID: s.ID, Pattern: s.Match})
	}
	panes, err := tmux.New(environment(), signatures)
	if err != nil {
		return nil, err
	}
	dir := d.w.Expand(cmp.Or(d.opts.Dir, os.Getenv("CLAUDE_CONFIG_DIR"), "~/.claude"))
	jobs := at{claude.New(d.opts.Claude, dir, environment()), "", environment()}
	return map[string]driver.Driver{"tmux": at{panes, d.opts.Socket, environment()}, "claude": jobs}, nil
}

// at is a driver at a socket, whose sessions get an environment.
type at struct {
	driver.Driver
	socket string
	env    []string
}

func (a at) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	t.Socket = a.socket
	return a.Driver.Look(ctx, t)
}

func (a at) Say(ctx context.Context, t driver.Target, text string) error {
	t.Socket = a.socket
	return a.Driver.Say(ctx, t, text)
}

func (a at) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	t.Socket, how.Env = a.socket, append(a.env, how.Env...)
	return a.Driver.Start(ctx, t, how)
}

func (a at) Stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	t.Socket = a.socket
	return a.Driver.Stop(ctx, t, grace)
}

// then is what notes how a session ended: the program beside this one.
func (d *deed) then() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	argv := []string{filepath.Join(filepath.Dir(self), "fleet-ledger"), "exited", "--scope", d.scope.ID}
	if d.opts.Config != "" {
		named, err := filepath.Abs(d.opts.Config)
		if err != nil {
			return nil
		}
		argv = append(argv, "--config", named)
	}
	return append(argv, "--")
}
