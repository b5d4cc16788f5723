package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fleet-tools/fleet/tests/rig/scripts"
)

// A lab is where measurements are made: the programs of the checkout, and a
// scratch directory.
type lab struct {
	root string // the checkout
	dir  string // scratch; everything in it goes
	bin  string // the programs
}

// newLab builds the programs and a further one that does nothing.
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
	l := lab{root: root, dir: dir, bin: filepath.Join(dir, "bin")}
	build := exec.Command("go", "build", "-o", l.bin+"/", "./cmd/...", "./tests/bench/nothing")
	build.Dir, build.Stderr = root, os.Stderr
	if err = build.Run(); err == nil {
		err = scripts.Copy(root, l.bin)
	}
	if err != nil {
		l.close()
		return lab{}, fmt.Errorf("building the programs: %w", err)
	}
	return l, nil
}

func (l lab) close() { _ = os.RemoveAll(l.dir) }

// program is the path of a built program.
func (l lab) program(name string) string { return filepath.Join(l.bin, name) }

// path is a path in the scratch directory.
func (l lab) path(name string) string { return filepath.Join(l.dir, name) }
