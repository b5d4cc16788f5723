package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/report"
)

// openPage writes the page to a file that only its user can read, prints the
// file's name, and becomes the platform's opener. The file stays: a browser
// reads it when it likes, and a page is reloaded.
func openPage(std *cli.Std, r report.Report) error {
	var page bytes.Buffer
	if err := report.HTML(&page, r); err != nil {
		return err
	}
	f, err := os.CreateTemp(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()), "fleet-*.html")
	if err != nil {
		return fmt.Errorf("keeping the page: %w", err)
	}
	_, err = f.Write(page.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keeping the page: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if _, err := fmt.Fprintln(std.Out, f.Name()); err != nil {
		return err
	}
	if err := std.Out.Flush(); err != nil {
		return fmt.Errorf("writing output: %w", err)
	}
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	err = command.Become([]string{opener, f.Name()}, os.Environ())
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("opening the page: %s is not installed; the page is in %s", opener, f.Name())
	}
	return fmt.Errorf("opening the page: %w; the page is in %s", err, f.Name())
}
