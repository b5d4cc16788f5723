package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/config/lists"
	"github.com/fleet-tools/fleet/internal/notify"
)

// listLimit bounds what is read of scopes.yaml.
const listLimit = 4 << 20

// usual is the configuration of whoever names no other.
func (p program) usual() string { return filepath.Join(p.w.Home, config.DefaultPath) }

// init writes the example, or a scope to begin with, unless a configuration is
// there.
func (p program) init([]string) error {
	name := p.opts.Config
	if name == "" {
		name = p.usual()
	}
	if p.w.Recorded() {
		return cli.Usage(errors.New("init writes nothing into a recorded machine"))
	}
	text, says, err := p.first()
	if err != nil {
		return err
	}
	if p.opts.Scope != "" {
		if f, err := p.config(name); err == nil {
			return p.further(f)
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	err = create(name, text)
	if errors.Is(err, fs.ErrExist) {
		p.std.Warn("%s is there and stays as it is", name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if says != "" {
		_, err = fmt.Fprintf(p.std.Out, "%s: %s\n", name, says)
	}
	return err
}

// create writes a file that is not there yet, for its owner alone: under another
// name first, so that one that was cut never has the name.
func create(name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Link(file.Name(), name)
}

// first is the text of a new configuration and, for one that names a scope, what
// the owner looks at next.
func (p program) first() (text []byte, says string, err error) {
	id := p.opts.Scope
	if id == "" {
		return config.Example, "", nil
	}
	if _, err := config.Default(id, p.w.Home); err != nil {
		return nil, "", cli.Usage(err)
	}
	at := filepath.Join(p.w.Home, lists.Path)
	b, err := p.w.ReadFile(at, listLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	says = "the scope " + id + ", in report mode; next, name its repositories in repos, and in surfaces what else to look at"
	listed := lists.Names(b, id, p.w.Home)
	if listed {
		says = "the scope " + id + ", in report mode, with the repositories of " + at + "; next, name in surfaces what else to look at"
	}
	return config.First(id, listed, p.channel()), says, nil
}

// channel is a dialog where one can be shown.
func (p program) channel() string {
	if notify.Able(config.Channel{Kind: "dialog"}) != nil {
		return "none"
	}
	return "dialog"
}

// further prints a scope to begin with for a configuration that is there: that
// is its owner's to edit.
func (p program) further(f *config.File) error {
	if _, err := f.Scope(p.opts.Scope); err == nil {
		p.std.Warn("%s is there, has the scope %s, and stays as it is", f.Path, p.opts.Scope)
		return nil
	}
	p.std.Warn("%s stays as it is; to have the scope %s, put this into its scopes:", f.Path, p.opts.Scope)
	_, err := fmt.Fprintf(p.std.Out, "%s\n", config.FirstScope(p.opts.Scope, false, p.channel()))
	return err
}
