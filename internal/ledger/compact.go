package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
)

// DamagedFile holds, in a state directory, damaged lines that a compaction took
// out of the ledger.
const DamagedFile = "ledger.damaged"

const tickLock = "tick.lock" // tick.sh's

// Compact writes the ledger again without what no reader asks for any more. It
// refuses while a tick runs. Damaged lines go to the end of ledger.damaged
// first. The old ledger or the new one is there at any moment, whole.
func (l Ledger) Compact() (fold.Compacted, error) {
	var c fold.Compacted
	if _, err := os.Stat(l.Path()); err != nil {
		return c, err
	}
	lock, err := command.TryLock(filepath.Join(l.Dir, tickLock), "fleet-ledger compact")
	if held, ok := errors.AsType[*command.HeldError](err); ok {
		return c, fmt.Errorf("a tick runs: %w", held)
	}
	if err != nil {
		return c, err
	}
	defer lock.Close()
	err = l.locked(os.O_RDWR|os.O_CREATE, func() error {
		if c, err = l.compacted(); err != nil {
			return err
		}
		return l.replace(c)
	})
	return c, err
}

// compacted reads the ledger under its lock.
func (l Ledger) compacted() (fold.Compacted, error) {
	f, err := l.open(l.Path(), os.O_RDONLY)
	if err != nil {
		return fold.Compacted{}, err
	}
	defer f.Close()
	size, err := regularSize(f, l.Path())
	if err != nil {
		return fold.Compacted{}, err
	}
	var lines []fold.Line
	for line, err := range fold.Lines(io.NewSectionReader(f, 0, size)) {
		if err != nil {
			return fold.Compacted{}, fmt.Errorf("reading %s: %w", l.Path(), err)
		}
		line.Raw = guard.JSON(bytes.Clone(line.Raw))
		lines = append(lines, line)
	}
	return fold.Compact(lines)
}

// replace puts what stays in the place of the ledger; when nothing goes, the
// ledger is left alone.
func (l Ledger) replace(c fold.Compacted) error {
	if c.Dropped == 0 && len(c.Damaged) == 0 {
		return nil
	}
	if len(c.Damaged) > 0 {
		if err := l.setAside(c.Damaged); err != nil {
			return err
		}
	}
	var kept []byte
	for _, line := range c.Kept {
		kept = append(append(kept, line...), '\n')
	}
	path, err := filepath.EvalSymlinks(l.Path()) // a link stays, and leads to the new one
	if err == nil {
		err = atomic.WriteFile(path, bytes.NewReader(kept))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", l.Path(), err)
	}
	return l.syncDir(filepath.Dir(path))
}

// setAside appends damaged lines to ledger.damaged: all of them or none.
func (l Ledger) setAside(lines [][]byte) error {
	name := filepath.Join(l.Dir, DamagedFile)
	f, err := l.open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	size, err := regularSize(f, name)
	if err == nil {
		if err = appendTo(f, size, lines); err != nil && size == 0 {
			os.Remove(name) // of a new file nothing is left; the write's own error is told
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return l.syncDir(l.Dir)
}
