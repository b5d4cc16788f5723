package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// open names the scope and its ledger.
func open(std *cli.Std, opts *options) (*config.Scope, ledger.Ledger, error) {
	if std.EndsPipe() && std.Args[0] != "list" {
		return nil, ledger.Ledger{}, cli.Usage(errNoRecords)
	}
	w, err := machine.New("", std.Clock, !std.Now.IsZero())
	if err != nil {
		return nil, ledger.Ledger{}, err
	}
	s, err := w.Scope(opts.Config, opts.Scope)
	if err != nil {
		return nil, ledger.Ledger{}, cli.Usage(err)
	}
	return s, ledger.New(s.StateDir, s.ID), nil
}

var errNoRecords = errors.New("--jq is for records: of the commands it goes with list alone")

// list prints one ask a line, oldest first: batch and id, how long it is open,
// the class, the question, and, when one was known, the command that led to its session
// when it was asked. With --jq each is a record, as fleet-ledger observe
// has it.
func list(std *cli.Std, opts *options) error {
	s, l, err := open(std, opts)
	if err != nil {
		return err
	}
	state, err := l.Read()
	if errors.Is(err, fs.ErrNotExist) { // no tick ever ran, so nothing was asked
		state, err = new(fold.State), nil
	}
	if err != nil {
		return err
	}
	if s.OwnerChannel.Kind == "none" {
		state.ForgetMissed()
	}
	shown := 0
	for _, a := range state.Asked() {
		if a.State != record.AskOpen && !(opts.All && a.State == record.AskAcked) {
			continue
		}
		shown++
		if err := line(std, a); err != nil {
			return err
		}
	}
	if err := doubt(state); err != nil {
		return err
	}
	if shown == 0 && !std.EndsPipe() {
		std.Warn("no open ask")
	}
	return nil
}

// line prints an ask.
func line(std *cli.Std, a record.Asked) error {
	if std.EndsPipe() {
		return std.AddData(record.KindAsked, record.NewTime(std.Clock), "", a.Key, a)
	}
	mark := ""
	if a.State == record.AskAcked {
		mark = " (answered)"
	}
	if a.Go != "" {
		mark += "\t" + a.Go
	}
	_, err := fmt.Fprintf(std.Out, "%d %s\t%s\t%s\t%s%s\n", a.Batch, a.ID, age(std.Clock, a.Since), orDash(a.Class), guard.Text(a.Question, 4000), mark)
	return err
}

// doubt is the error of a ledger of which lines can't be read: any may be an ask, or
// an answer. Nil: all were read.
func doubt(s *fold.State) error {
	newer := s.NewerLines()
	if s.Damaged+newer == 0 {
		return nil
	}
	return cli.Partial(fmt.Errorf("%d damaged lines of the ledger and %d of a later release may be asks that are open, or answers: fleet-ledger verify names them", s.Damaged, newer))
}

// age is how long ago t was, in its two largest units.
func age(now time.Time, t *record.Time) string {
	if t == nil || t.After(now) {
		return "-"
	}
	m := int(now.Sub(t.Time).Minutes())
	switch {
	case m < 60:
		return fmt.Sprintf("%d min", m)
	case m < 24*60:
		return fmt.Sprintf("%d h %02d min", m/60, m%60)
	}
	return fmt.Sprintf("%d d %d h", m/1440, m%1440/60)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// ack answers asks. The owner answers from a terminal of his own: a session
// must not answer what it asked.
func ack(std *cli.Std, opts *options) error {
	by, err := cli.Owner()
	if err != nil {
		return err
	}
	pick := fold.Pick{All: opts.All, IDs: opts.Ask}
	switch {
	case opts.All && (len(std.Args) > 1 || len(opts.Ask) > 0):
		return cli.Usage(errors.New("ack --all answers everything: it takes no TICK and no --ask"))
	case !opts.All && len(std.Args) != 2:
		return cli.Usage(errors.New("ack takes the TICK of a batch, or --all\ntry fleet-asks list"))
	case !opts.All:
		n, err := strconv.Atoi(std.Args[1])
		if err != nil {
			return cli.Usage(fmt.Errorf("%q is no tick number", std.Args[1]))
		}
		pick.Batch = n
	}
	_, l, err := open(std, opts)
	if err != nil {
		return err
	}
	keys, err := l.Ack(by, std.Clock, pick)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("scope %s: nothing was ever asked", l.Scope)
	case err != nil:
		return err
	case len(keys) == 0:
		fmt.Fprintln(std.Out, "answered 0 asks: none of them is open")
	case len(keys) == 1:
		fmt.Fprintln(std.Out, "answered 1 ask")
	default:
		fmt.Fprintf(std.Out, "answered %d asks\n", len(keys))
	}
	state, err := l.Read()
	if err != nil {
		return err
	}
	return doubt(state)
}
