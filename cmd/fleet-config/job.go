package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/job"
)

// job prints a file that makes a tick of the scope run every hour.
func (p program) job(args []string) error {
	if _, err := config.Default(p.opts.Scope, p.w.Home); err != nil {
		return cli.Usage(err)
	}
	j := job.Job{Scope: p.opts.Scope, Release: p.opts.Release, Home: p.w.Home, Path: []string{"/usr/bin", "/bin"}}
	if p.opts.Heal {
		f, err := p.load()
		if err != nil {
			return err
		}
		s, err := f.Scope(p.opts.Scope)
		if err != nil {
			return cli.Usage(err)
		}
		if s.Heal == nil {
			return cli.Usage(fmt.Errorf("job --heal: the scope %s keeps nothing alive: its heal is null; \"heal\": {} in the configuration makes it", p.opts.Scope))
		}
		j.Every = s.Heal.IntervalMin
	}
	if p.opts.Path != "" {
		j.Path = strings.Split(p.opts.Path, ":")
	}
	if name := p.opts.Config; name != "" && name != p.usual() {
		// The job runs elsewhere than who asks for it.
		name, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		j.Env = append(j.Env, job.Var{Name: "FLEET_CONFIG", Value: name})
	}
	for _, set := range p.opts.Env {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return cli.Usage(errors.New("--env: want NAME=VALUE"))
		}
		j.Env = append(j.Env, job.Var{Name: name, Value: value})
	}
	write := map[string]func() ([]byte, error){"launchd": j.Launchd, "systemd-service": j.Service, "systemd-timer": j.Timer}[args[0]]
	if write == nil {
		return cli.Usage(fmt.Errorf("job %q: want launchd, systemd-service or systemd-timer", args[0]))
	}
	text, err := write()
	if err != nil {
		return cli.Usage(err)
	}
	_, err = p.std.Out.Write(text)
	return err
}
