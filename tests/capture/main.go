// Capture makes fixtures/cc-2.1.280 out of the real Claude Code: it installs the binary, runs a
// small fleet of sessions against a stub Messages API in an isolated box, takes one moment of it,
// cleans that and writes it down with a table that says where each file came from.
//
// It needs root and Linux, for the box's namespaces. Nothing in the box reaches a network.
//
// Usage:
//
//	capture [--root DIR] [--again]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// version is the release of Claude Code that the fixture holds.
const version = "2.1.280"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "capture: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case stageInit:
			return initBox(args[1])
		case stageInside:
			return inside()
		}
	}
	flags := flag.NewFlagSet("capture", flag.ExitOnError)
	root := flags.String("root", ".", "the checkout")
	again := flags.Bool("again", false, "clean and write the moment of the last run instead of taking a new one")
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	cache, err := filepath.Abs(filepath.Join(*root, ".cache"))
	if err != nil {
		return err
	}
	raw := filepath.Join(cache, "capture")
	if !*again {
		if err := take(*root, cache, raw); err != nil {
			return err
		}
	}
	return publish(raw, filepath.Join(*root, "fixtures"))
}

// take runs the fleet in a new box and leaves its moment in raw.
func take(root, cache, raw string) error {
	install := exec.Command(filepath.Join(root, "tests/rig/install-claude.sh"), filepath.Join(cache, "claude-code"), version)
	install.Stderr = os.Stderr
	out, err := install.Output()
	if err != nil {
		return fmt.Errorf("installing claude: %w", err)
	}
	if err := os.RemoveAll(raw); err != nil {
		return err
	}
	if err := os.MkdirAll(raw, 0o755); err != nil {
		return err
	}
	began := time.Now()
	if err := runBox(strings.TrimSpace(string(out)), raw); err != nil {
		return fmt.Errorf("running the box: %w", err)
	}
	progress("the moment was taken after %s", time.Since(began).Round(time.Second))
	return nil
}

// progress tells the person who waits how far the capture is.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "capture: "+format+"\n", args...)
}
