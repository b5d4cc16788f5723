package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/cli"
)

// output is where the command writes to, when that is no stream of ours: a file
// beside the one that is asked for, which takes its place when it is whole and
// on the disk. A nil output is our own standard output.
type output struct {
	*os.File
	name string // it is File's name without .part
}

// openOutput begins the file of a name, nil for "".
func openOutput(name string) (*output, error) {
	if name == "" {
		return nil, nil
	}
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return &output{f, name}, nil
}

// keep ends the file after a command with that exit status: it gets its name
// when the command ended well, also in part, and wrote anything. Else nothing is
// left of it, and what had the name before has it still.
func (o *output) keep(status int) error {
	if o == nil {
		return nil
	}
	defer os.Remove(o.File.Name())
	info, err := o.Stat()
	if err == nil && (info.Size() == 0 || status != cli.StatusDone && status != cli.StatusPart) {
		return o.Close()
	}
	if err == nil {
		err = o.Sync()
	}
	if err = errors.Join(err, o.Close()); err == nil {
		err = os.Rename(o.File.Name(), o.name)
	}
	if err == nil {
		err = syncDir(filepath.Dir(o.name))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.name, err)
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
