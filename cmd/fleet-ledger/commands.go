package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime/debug"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// program is what the commands share.
type program struct {
	std  *cli.Std
	opts *options
	w    *machine.World
}

// open names the ledger of a scope.
func (p program) open(id string) (ledger.Ledger, *config.Scope, error) {
	if p.std.EndsPipe() {
		return ledger.Ledger{}, nil, cli.Usage(errors.New("--jq is for records: it goes with observe"))
	}
	s, err := p.w.Scope(p.opts.Config, id)
	if err != nil {
		return ledger.Ledger{}, nil, cli.Usage(err)
	}
	return ledger.New(s.StateDir, s.ID), s, nil
}

func (p program) fire() error {
	l, s, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	_, token := s.TokenFile(p.w.FS)
	detail := "release: " + cli.Version + "; gh: " + token
	if p.opts.Detail != "" {
		detail += "; " + p.opts.Detail
	}
	n, err := l.Fire(p.std.Clock, s.DryRun || p.w.Dry(), detail, p.w.Clock())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.std.Out, n)
	return err
}

// exit ends a tick. The end is noted also when the snapshot is no good.
func (p program) exit() error {
	if p.opts.Tick == nil {
		return cli.Usage(errors.New("exit takes --tick N"))
	}
	l, s, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	end := ledger.Ended{Tick: *p.opts.Tick, Status: p.opts.Status, Detail: p.opts.Detail}
	var bad error
	end.Counts, end.Read, end.Wrote, bad = fold.Snapshot(p.std.In, end.Tick)
	if bad != nil {
		bad = fmt.Errorf("the end of tick %d is noted without counts: snapshot: %w", end.Tick, bad)
	}
	if err := l.Exit(p.std.Clock, s.DryRun || p.w.Dry(), end); err != nil {
		return err
	}
	return bad
}

func (p program) append() error {
	return ledger.Filter(p.std, p.opts.Scope, func(id string) (ledger.Ledger, error) {
		s, err := p.w.Scope(p.opts.Config, id)
		if err != nil {
			return ledger.Ledger{}, cli.Usage(err)
		}
		return ledger.New(s.StateDir, s.ID), nil
	})
}

// observe writes the records. A scope that never had a tick, or no scope, has
// no ledger, which is nothing unread.
func (p program) observe() error {
	at, host := record.NewTime(p.w.At), p.w.Host
	s, err := p.w.Scope(p.opts.Config, p.opts.Scope)
	if errors.Is(err, machine.ErrNoScope) {
		return ledger.ObserveNone(p.std, at, host, record.Surface{OK: true, Absent: true, Notes: []string{err.Error()}})
	}
	if err != nil {
		return cli.Usage(err)
	}
	debug.SetGCPercent(400) // lines come and go: what is folded stays small beside them
	state, err := p.read(ledger.New(s.StateDir, s.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return ledger.ObserveNone(p.std, at, host, record.Surface{OK: true, Absent: true})
	}
	if err != nil {
		says := guard.Text(err.Error(), errorWidth)
		return errors.Join(ledger.ObserveNone(p.std, at, host, record.Surface{Error: says}), cli.Partial(errors.New("ledger: not read: "+says)))
	}
	if s.OwnerChannel.Kind == "none" {
		state.ForgetMissed()
	}
	return ledger.Observe(p.std, state, at, host)
}

// errorWidth is how many columns of an error a record holds.
const errorWidth = 300

func (p program) read(l ledger.Ledger) (*fold.State, error) {
	if !p.w.Recorded() {
		return l.Read()
	}
	f, err := p.w.FS.Open(machine.Path(l.Path()))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fold.Read(fold.Lines(f))
}

func (p program) lines() (io.ReadCloser, error) {
	l, _, err := p.open(p.opts.Scope)
	if err != nil {
		return nil, err
	}
	return l.Open()
}

// cat prints the lines that are entries, as they are but for what an old
// release did not withhold.
func (p program) cat() error {
	r, err := p.lines()
	if err != nil {
		return err
	}
	defer r.Close()
	damaged := 0
	for line, err := range fold.Lines(r) {
		if err != nil {
			return err
		}
		if line.Damage != nil {
			damaged++
			continue
		}
		if _, err := p.std.Out.Write(append(guard.JSON(line.Raw), '\n')); err != nil {
			return err
		}
	}
	if damaged > 0 {
		p.std.Warn("%d damaged lines are left out: fleet-ledger verify names them", damaged)
	}
	return nil
}

// verify prints what is wrong, a line each.
func (p program) verify() error {
	r, err := p.lines()
	if err != nil {
		return err
	}
	defer r.Close()
	found, entries, err := 0, 0, error(nil)
	entries, err = fold.Verify(fold.Lines(r), func(n int, says string) {
		found++
		fmt.Fprintf(p.std.Out, "%s:%d: %s\n", filepath.Base(ledger.File), n, guard.Line(says)) // it names the field
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.std.Out, "%s: %d entries, %d findings\n", ledger.File, entries, found)
	if found > 0 {
		return fmt.Errorf("%s: %d findings", ledger.File, found)
	}
	return nil
}

// compact writes the ledger again without what nobody asks for any more.
func (p program) compact() error {
	l, _, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	c, err := l.Compact()
	if err != nil {
		return fmt.Errorf("compact: the ledger is as it was: %w", err)
	}
	fmt.Fprintf(p.std.Out, "%s: %d entries kept, %d dropped\n", ledger.File, len(c.Kept), c.Dropped)
	if len(c.Damaged) > 0 {
		fmt.Fprintf(p.std.Out, "%d damaged lines are now in %s\n", len(c.Damaged), ledger.DamagedFile)
	}
	return nil
}
