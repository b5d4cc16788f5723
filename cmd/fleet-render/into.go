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
// says in a line. One that fails keeps no other from being written. With lead, a
// directory, latest.md, latest.json and latest.html in it lead to what was written.
func writeInto(out io.Writer, dir, lead string, r report.Report) error {
	errs := make([]error, len(reports))
	var running sync.WaitGroup
	for i, file := range reports {
		running.Go(func() {
			name := filepath.Join(dir, file[1])
			if errs[i] = writeFile(name, file[0], r); errs[i] == nil && lead != "" && file[0] != "asks" {
				errs[i] = leadTo(name, filepath.Join(lead, "latest."+file[0]))
			}
		})
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

// leadTo makes link a symbolic link to a file, in place of what it led to before:
// relative to where the link is when the file is below that.
func leadTo(file, link string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(filepath.Dir(link))
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
		file = below
	}
	part := link + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(file, part); err != nil {
		return err
	}
	return os.Rename(part, link)
}
