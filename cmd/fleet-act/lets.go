package main

import (
	"errors"
	"fmt"

	"github.com/fleet-tools/fleet/internal/config"
)

// off says what of a scope's configuration lets nothing be done, "" when it lets it.
func (d *deed) off(s *config.Scope) string {
	heals := len(d.std.Args) == 0 || d.std.Args[0] == "stalled" // what else there is the owner asks for
	switch {
	case !s.Enabled:
		return "the scope's dispatch_enabled is not 1"
	case s.Heal == nil && heals:
		return "the scope's heal is null"
	case s.Mode != "act":
		return "the scope's mode is not act"
	case s.DryRun:
		return "the scope's dry_run is 1"
	}
	return ""
}

// lets reads the configuration again, and says why it lets nothing with that verb be
// done by now. One that cannot be read lets nothing be done.
func (d *deed) lets(verb string) error {
	s, err := d.w.Scope(d.opts.Config, d.opts.Scope)
	if err != nil {
		return fmt.Errorf("the configuration cannot be read any more: %w", err)
	}
	off := d.off(s)
	switch {
	case off != "":
		return errors.New(off)
	case verb == "restart" && (s.Heal == nil || !s.Heal.AllowRestart):
		return errors.New("heal.allow_restart is 0")
	case s.ID != d.scope.ID || s.StateDir != d.scope.StateDir:
		return errors.New("the scope has another state_dir by now, and so another ledger")
	}
	return nil
}
