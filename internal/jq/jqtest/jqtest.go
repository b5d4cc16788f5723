// Package jqtest is for tests that call --jq within their own process: they stand
// in for fleet-jq themselves.
package jqtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fleet-tools/fleet/internal/jq/query"
)

// Main is a TestMain: it runs the tests with a fleet-jq on PATH, which is this test
// program called as fleet-jq. It returns the status to exit with.
func Main(m *testing.M) int {
	if len(os.Args) == 2 && os.Args[1] == "--serve" {
		if err := query.Serve(os.Stdin, os.Stdout); err != nil {
			return 1
		}
		return 0
	}
	dir, err := os.MkdirTemp("", "fleet-jq-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = onPath(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jqtest:", err)
		return 1
	}
	return m.Run()
}

// onPath links this program as fleet-jq into dir, and puts dir before PATH.
func onPath(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, "fleet-jq")); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}
