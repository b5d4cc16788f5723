package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fleet-tools/fleet/internal/config"
)

// dry says why nothing is done, "" when it is.
func (d *deed) dry() string {
	off := d.off(d.scope)
	switch {
	case !d.opts.Execute:
		return "--execute was not given"
	case off != "":
		return off
	case d.w.Dry():
		return "DRY_RUN is set"
	case d.tick == nil && !slices.Equal(d.std.Args, []string{"recover"}):
		return "the stream has no tick record"
	case d.tick != nil && (d.tick.Scope != d.scope.ID || d.tick.Host != d.w.Host):
		return fmt.Sprintf("the stream is of the scope %s on %s", d.tick.Scope, d.tick.Host)
	case d.tick != nil && (d.tick.Mode != "act" || d.tick.DryRun):
		return "the stream was judged for a scope that does not act"
	}
	return ""
}

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
