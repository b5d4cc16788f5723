// Package tests runs the built programs.
package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// bin is where the built programs are, and a jq; root is the
// checkout.
var bin, root string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	wd, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	root = filepath.Dir(wd)
	if bin, err = os.MkdirTemp("", "fleet-bin-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	build := []string{"build"}
	if os.Getenv("FLEET_RACE") != "" { // a race that a program meets is on its stderr, and its status is 66
		build = append(build, "-race")
	}
	for _, args := range [][]string{{"-o", bin, "./cmd/..."}, {"-o", bin, "./tests/jq"}} {
		build := exec.Command("go", slices.Concat(build, args)...)
		build.Dir, build.Stderr = root, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "building the programs:", err)
			return 1
		}
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 ".",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") == "1",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition:           func(cond string) (bool, error) { return cond == "long" && isLong(), nil },
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("ROOT", root)
			e.Setenv("FIXTURES", filepath.Join(root, "fixtures"))
			e.Setenv("CC", filepath.Join(root, "fixtures", "cc-2.1.280"))
			e.Setenv("NOW", "2026-11-29T15:10:00Z")
			e.Setenv("TZ", "UTC")
			e.Setenv("LC_ALL", "C.UTF-8")
			return nil
		},
	})
}

// exits STATUS COMMAND… runs COMMAND and requires that exit status; testscript
// itself tells only success from failure.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		got = ee.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", args[1], got, want)
	}
}
