//go:build !linux

package main

import "errors"

const (
	stageInit   = "box-init"
	stageInside = "box-inside"
	boxHost     = "devbox"
	boxHome     = "/home/dev"
	boxOut      = "/opt/out"
	boxBinary   = boxHome + "/.local/share/claude/versions/" + version
)

var errLinux = errors.New("the box needs Linux")

func runBox(binary, out string) error { return errLinux }

func initBox(dir string) error { return errLinux }
