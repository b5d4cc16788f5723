package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/act"
	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/observe/agents"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// deed is one run.
type deed struct {
	ctx   context.Context
	std   *cli.Std
	opts  *options
	scope *config.Scope
	l     ledger.Ledger
	w     *machine.World
	set   *record.Set
	tick  *record.Tick
	host  string
	actor *act.Actor
	lock  io.Closer
	last  record.Outcome // that was told
	calls calls          // of the owner's command

	desired []desired.Agent // the list; nil: every workspace
}

// list reads the agents that should run: of the flag, else of the configuration.
func (d *deed) list() error {
	file := cmp.Or(d.opts.Desired, d.scope.Desired)
	if file == "" {
		return nil
	}
	b, err := cli.ReadFile(file)
	if err == nil {
		d.desired, err = desired.Parse(file, b)
	}
	if err != nil {
		return cli.Usage(err)
	}
	return nil
}

// prepare reads the configuration and, but for recover, the stream. Only one run
// acts on a scope at a time.
func prepare(ctx context.Context, std *cli.Std, opts *options) (*deed, error) {
	w, err := machine.New("", std.Clock, false)
	if err != nil {
		return nil, err
	}
	d := &deed{ctx: ctx, std: std, opts: opts, w: w, set: new(record.Set), host: w.Host}
	if d.scope, err = w.Scope(opts.Config, opts.Scope); err != nil {
		return nil, cli.Usage(err)
	}
	if err := d.list(); err != nil {
		return nil, err
	}
	d.l = ledger.New(d.scope.StateDir, d.scope.ID)
	if !slices.Equal(std.Args, []string{"recover"}) {
		if d.set, err = std.ReadOn(w.Host); err != nil {
			return nil, err
		}
	}
	_, d.tick, _ = d.set.Tick()
	if err := d.act(); err != nil {
		return nil, err
	}
	if d.actor.Dry != "" {
		d.actor.Rehearse = d.present()
		if err := d.halves(); err != nil { // each act says that it cannot be read
			d.std.Warn("%v", err)
		}
		return d, nil
	}
	if err := os.MkdirAll(d.scope.StateDir, 0o700); err != nil {
		return nil, err
	}
	if d.lock, err = command.TryLock(filepath.Join(d.scope.StateDir, "act.lock"), fmt.Sprintf("fleet-act, process %d", os.Getpid())); err != nil {
		if _, held := errors.AsType[*command.HeldError](err); held {
			return nil, cli.Held(err)
		}
		return nil, err
	}
	if err := d.halves(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

// halves counts what a machine that lost its power left in the ledger.
func (d *deed) halves() error {
	r, err := d.l.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	defer r.Close()
	if d.actor.Halves, err = act.Halves(fold.Lines(r)); err != nil {
		return fmt.Errorf("reading %s: %w", d.l.Path(), err)
	}
	return nil
}

func (d *deed) release() {
	if d.lock != nil {
		d.lock.Close()
	}
}

// act makes the actor.
func (d *deed) act() error {
	rules := record.DefaultHealRules()
	if d.scope.Heal != nil {
		rules = *d.scope.Heal
	}
	drivers, err := d.drivers(rules.Stalls)
	if err != nil {
		return err
	}
	updater := driver.Updater{Env: environment(), Lock: filepath.Join(d.scope.StateDir, "update.lock")}
	d.actor = &act.Actor{Book: d.l, Drivers: drivers, Rules: rules, Mail: time.Duration(d.scope.MailIntervalH) * time.Hour, Dry: d.dry(), Host: d.host,
		Eyes: observe.Eyes{ClaudeDir: d.opts.Dir, Ask: d.health(), Known: d.set}, Then: d.then(), Command: d.command, Lets: d.lets, Update: updater.Update, Updates: updater.Works, Startable: machine.Startable,
		Now: time.Now, Sleep: sleep, Emit: d.emit, Warn: d.std.Warn, Patient: act.DefaultPatience}
	d.actor.Patient.Green = d.opts.Verify
	if d.opts.To == "" { // what an upgrade goes by it looks at anew for each agent
		d.actor.Keeps = freshFor
	}
	if d.scope.OwnerChannel.Kind == "command" {
		d.actor.Tell = d.tell
	}
	oldest, _ := d.span()
	d.actor.SeenAt = record.TimeOf(cmp.Or(oldest, d.set.Now(time.Time{})).Time)
	d.actor.Pause = reconcile.Pause(d.set)
	if room, capped := reconcile.Room(d.set, d.host); capped {
		d.actor.Room = &room
	}
	return nil
}

func (d *deed) health() observe.Health {
	_, token := d.scope.TokenFile(d.w.FS)
	h := observe.Health{Binary: d.opts.GH, Timeout: 5 * time.Second, GHTimeout: 30 * time.Second,
		Trusting: func(pem []byte, now time.Time) (observe.Asker, error) { return agents.New(pem, now) }}
	if token == "file" {
		h.TokenFile = d.scope.Token
	}
	return h
}

// decided does what the stream's decisions ask for. A stream that is cut, or of
// another time, is not acted on.
func (d *deed) decided() error {
	if err := d.set.Closed("", "fleet-reconcile"); err != nil {
		return fmt.Errorf("nothing is done: %w", err)
	}
	if err := d.fresh(); err != nil {
		return err
	}
	if err := d.actor.Ready(d.ctx); err != nil {
		return errors.Join(err, d.close())
	}
	ds, rest, err := d.agreed()
	if err == nil && d.actor.Dry == "" {
		ds, err = d.held(ds)
	}
	if err != nil {
		return err
	}
	err = d.actor.Do(d.ctx, ds)
	if err == nil {
		err = d.leave(rest)
	}
	return errors.Join(err, d.close())
}

func (d *deed) stalled() error {
	for _, by := range []string{"fleet-config", "fleet-observe-workspaces"} {
		if err := d.set.Closed(d.host, by); err != nil && d.actor.Dry == "" {
			return fmt.Errorf("nothing is done: %w", err)
		}
	}
	if err := d.fresh(); err != nil {
		return err
	}
	return errors.Join(d.actor.Stalled(d.ctx, d.set, d.host), d.close())
}

func (d *deed) recover() error {
	if d.actor.Dry != "" {
		return fmt.Errorf("nothing is recovered: %s", d.actor.Dry)
	}
	return errors.Join(d.actor.Recover(d.ctx), d.close())
}

func (d *deed) emit(subject string, o record.Outcome) error {
	if err := d.std.AddData(record.KindOutcome, record.NewTime(time.Now()), d.host, subject, o); err != nil {
		return err
	}
	d.last = o
	return d.std.Out.Flush() // what was done is told when it was, whatever comes after
}

func (d *deed) close() error { return d.std.Close(record.NewTime(time.Now()), d.host, "") }

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
