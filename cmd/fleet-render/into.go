package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/report"
)

// reports are the formats of a tick's reports, and their names.
var reports = [][2]string{{"md", "report.md"}, {"json", "report.json"}, {"html", "report.html"}, {"asks", "asks.md"}}

// writeInto writes a report in every format into a directory, and on out what it
// says in a line. One that fails keeps no other from being written.
func writeInto(out io.Writer, dir string, r report.Report) error {
	errs := make([]error, len(reports))
	var running sync.WaitGroup
	for i, file := range reports {
		running.Go(func() { errs[i] = writeFile(filepath.Join(dir, file[1]), file[0], r) })
	}
	running.Wait()
	_, err := fmt.Fprintln(out, report.Line(r))
	return errors.Join(append(errs, err)...)
}

// writeFile writes a report in one format, and leaves no file when there is nothing to say.
func writeFile(name, format string, r report.Report) error {
	part, err := cli.NewPart(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(part)
	if err = errors.Join(formats[format](out, r), out.Flush()); err != nil {
		return errors.Join(err, part.Drop())
	}
	info, err := part.Stat()
	if err != nil {
		return errors.Join(err, part.Drop())
	}
	if info.Size() > 0 {
		return part.Keep()
	}
	if err = os.Remove(name); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, part.Drop())
}
