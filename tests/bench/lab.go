package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A lab is where measurements are made: a scratch directory with the programs
// of the checkout.
type lab struct {
	root string // the checkout
	dir  string // scratch; everything in it goes
}

// newLab builds the programs, those of tests/bench/cmd too.
func newLab(scratch string) (lab, error) {
	root, err := os.Getwd()
	if err != nil {
		return lab{}, err
	}
	dir, err := os.MkdirTemp(scratch, "fleet-bench-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return lab{}, err
	}
	l := lab{root: root, dir: dir}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+"/", "./cmd/...", "./tests/bench/nothing")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		l.close()
		return lab{}, fmt.Errorf("building the programs: %w", err)
	}
	return l, nil
}

func (l lab) close() { _ = os.RemoveAll(l.dir) }

// program is the path of a built program.
func (l lab) program(name string) string { return filepath.Join(l.dir, "bin", name) }

// path is a path in the scratch directory.
func (l lab) path(name string) string { return filepath.Join(l.dir, name) }
