package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/config/lists"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/notify"
	"github.com/fleet-tools/fleet/internal/record"
)

func run(_ context.Context, std *cli.Std, opts *options) error {
	w, err := machine.New(opts.Fixtures, std.Clock, !std.Now.IsZero())
	if err != nil {
		return cli.Usage(err)
	}
	p := program{std, opts, w}
	commands := map[string]struct {
		args int // at least as many; get may have more
		run  func([]string) error
	}{"tick": {0, p.tick}, "get": {2, p.get}, "check": {0, p.check}, "keys": {0, p.keys}, "init": {0, p.init}, "job": {1, p.job}}
	if len(std.Args) > 0 {
		if c := commands[std.Args[0]]; c.run != nil && (c.args == len(std.Args)-1 || std.Args[0] == "get" && len(std.Args) > 3) {
			return c.run(std.Args[1:])
		}
	}
	return cli.Usage(errors.New("which command? tick, get SCOPE KEY…, check, keys, init or job KIND\ntry fleet-config --help"))
}

// program is what the commands share.
type program struct {
	std  *cli.Std
	opts *options
	w    *machine.World
}

// config is the configuration in the file name with what no other program reads
// of it: the lists of scopes.yaml, which is the machine's, and whether each
// expression of ask_when compiles. It returns what World.Config does.
func (p program) config(name string) (*config.File, error) {
	f, err := p.w.Config(name)
	if f == nil {
		return nil, err
	}
	lists.Add(f, p.w.FS, p.w.Home)
	var unchecked error
	f.CheckExpressions(func(expr string) error {
		err := jq.Check(expr)
		if _, ok := errors.AsType[*jq.Mistake](err); !ok && err != nil {
			unchecked = fmt.Errorf("ask_when cannot be checked: %w", err)
			return nil
		}
		return err
	})
	return f, cmp.Or(f.Err(), unchecked)
}

// load reads the configuration. Any mistake in it is the caller's.
func (p program) load() (*config.File, error) {
	f, err := p.config(p.opts.Config)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w\nfleet-config init writes an example", err)
	}
	if err != nil {
		return f, cli.Usage(err)
	}
	return f, nil
}

func (p program) locate(dir string) (string, error) {
	place, err := gitrepo.Locate(p.w.FS, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("is not there")
	}
	return place.CommonDir, err
}

// tick writes the tick record and the closing record.
func (p program) tick([]string) error {
	f, err := p.load()
	if err != nil {
		return err
	}
	s, err := f.Scope(p.opts.Scope)
	if err != nil {
		return cli.Usage(err)
	}
	at := record.NewTime(p.w.At)
	t := f.Tick(s, p.w.Host, p.opts.Tick, p.w.Dry(), f.Place(s, p.locate))
	if f.Path != p.usual() {
		t.Config = f.Path
	}
	if err := withhold(&t); err != nil {
		return err
	}
	for _, dir := range t.Unfound {
		p.std.Warn("%s: %s", f.Path, dir)
	}
	if err := p.std.AddData(record.KindTick, at, p.w.Host, s.ID, t); err != nil {
		return err
	}
	return p.std.Close(at, p.w.Host, "")
}

// withhold takes credentials out of a tick record: one that was pasted into the
// configuration by mistake would go into every snapshot. The predicates of
// ask_when stay: they are code.
func withhold(t *record.Tick) error {
	asks := slices.Clone(t.AskWhen)
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	clean := guard.JSON(b)
	if bytes.Equal(clean, b) {
		return nil
	}
	*t = record.Tick{}
	if err := json.Unmarshal(clean, t); err != nil {
		return err
	}
	for i := range t.AskWhen {
		t.AskWhen[i].When = asks[i].When
	}
	return nil
}

// get prints the value of each key, a line each.
func (p program) get(args []string) error {
	f, problems := p.load()
	if p.opts.Checked {
		if problems != nil {
			return problems
		}
		p.doubt(f, args[0])
	}
	var unsafe error
	for _, key := range args[1:] {
		value, why, err := value(f, problems, args[0], key)
		if err != nil {
			return err
		}
		if why != nil {
			unsafe = cli.Partial(why)
		}
		if _, err := fmt.Fprintln(p.std.Out, value); err != nil {
			return err
		}
	}
	return unsafe
}

// value is the value of a key in a configuration, and what is wrong in that. A
// switch that cannot be read has the safe one, and unsafe says why.
func value(f *config.File, problems error, id, key string) (value string, unsafe, err error) {
	switch safe := config.IsSwitch(key); {
	case f == nil && !safe:
		return "", nil, problems
	case f == nil, len(f.Scopes()) == 0 && safe && problems != nil:
		return config.Safe(key), problems, nil
	}
	s, err := f.Scope(id)
	if err != nil {
		return "", nil, cli.Usage(errors.Join(problems, err))
	}
	value, sound, err := f.Get(s, key)
	switch {
	case err != nil:
		return "", nil, cli.Usage(err)
	case sound:
		return value, nil, nil
	case config.IsSwitch(key):
		return config.Safe(key), problems, nil
	}
	return "", nil, problems
}

// doubt tells, of one scope or of all when only is "", what is right as it is
// written and will not work.
func (p program) doubt(f *config.File, only string) {
	p.open(f.Path)
	for i, id := range f.Scopes() {
		s, _ := f.Scope(id)
		place := f.Place(s, p.locate)
		for _, note := range place.Notes {
			if i == 0 { // it is the same of every scope
				p.std.Warn("%s: %s: until one scope alone names it, its sessions are unknown in the reports of each", f.Path, note)
			}
		}
		if only == "" || only == id {
			p.warn(f, s, place)
		}
	}
}

func (p program) warn(f *config.File, s *config.Scope, place config.Placement) {
	for _, says := range place.Unfound {
		p.std.Warn("%s: scope %s: repos: %s: while it is, a session that is in no other repository of the scope is unknown, not out of scope", f.Path, s.ID, says)
	}
	p.opens(f, s)
	p.missing(f, s)
	for _, h := range s.Hosts {
		if h.Name == p.w.Host { // one configuration may serve several machines
			p.std.Warn("%s: scope %s: hosts: %s is the name of this machine, so nothing is looked at through ssh: give it another name, if it is another machine", f.Path, s.ID, h.Name)
		}
	}
	if err := notify.Able(s.OwnerChannel); err != nil {
		p.std.Warn("%s: scope %s: owner_channel: %s", f.Path, s.ID, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// keys explains the keys of a scope.
func (p program) keys([]string) error {
	if p.std.EndsPipe() {
		return cli.Usage(errors.New("--jq is for records: keys prints none"))
	}
	for _, k := range config.Keys() {
		standard := ""
		if k.Default != "" && k.Name != "state_dir" {
			standard = "; default " + k.Default
		}
		fmt.Fprintf(p.std.Out, "%s: %s%s\n    %s\n", k.Name, k.Want, standard, k.Says)
	}
	return nil
}

// check names what is wrong.
func (p program) check([]string) error {
	f, err := p.load()
	if err != nil {
		return err
	}
	if p.opts.Scope != "" {
		if _, err := f.Scope(p.opts.Scope); err != nil {
			return cli.Usage(err)
		}
	}
	if err := p.lists(f, p.opts.Scope); err != nil {
		return cli.Usage(err)
	}
	if !p.opts.Verbose {
		p.doubt(f, p.opts.Scope)
		return nil
	}
	for _, id := range f.Scopes() {
		s, _ := f.Scope(id)
		place := f.Place(s, p.locate)
		for _, repo := range place.Repos {
			fmt.Fprintf(p.std.Out, "%s: scope %s has %s\n", f.Path, id, repo)
		}
		for _, note := range append(f.Notes(s, place), place.Unfound...) {
			fmt.Fprintf(p.std.Out, "%s: scope %s: %s\n", f.Path, id, note)
		}
	}
	return nil
}
