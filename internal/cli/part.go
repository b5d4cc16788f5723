package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Part is a file that is being written, NAME.part, which gets its name when it
// is whole and on the disk, whatever becomes of the machine.
type Part struct {
	*os.File
	name string
}

// NewPart begins the file of a name, which only its owner may read. What a
// program that was killed left of one is removed.
func NewPart(name string) (*Part, error) {
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return &Part{f, name}, nil
}

// Keep ends the file and gives it its name. After an error, what had the name
// before has it still.
func (p *Part) Keep() error {
	err := p.Sync()
	if err = errors.Join(err, p.Close()); err == nil {
		err = os.Rename(p.File.Name(), p.name)
	}
	if err == nil {
		err = syncDir(filepath.Dir(p.name))
	} else {
		_ = os.Remove(p.File.Name())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", p.name, err)
	}
	return nil
}

// Drop ends the file, of which nothing is left.
func (p *Part) Drop() error {
	return errors.Join(p.Close(), os.Remove(p.File.Name()))
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
