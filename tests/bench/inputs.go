package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// made returns the path of an input, which another process makes when it is
// first asked for: what makes it may be large, and a process that is measured
// inherits the peak of its parent.
func (l lab) made(gen string, n int) (string, error) {
	path := l.path(fmt.Sprintf("%s-%d", gen, n))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "bench: making a %s of %d\n", gen, n)
	make := exec.Command(self, "-gen", gen, "-n", strconv.Itoa(n), "-into", path, "-bin", l.bin)
	make.Dir, make.Stderr = l.root, os.Stderr
	return path, make.Run()
}

// stream is a stream of n sessions as it comes out of a stage: observe,
// classify or asks.
func (l lab) stream(stage string, n int) (string, error) {
	before := map[string]string{"classify": "observe", "asks": "classify"}[stage]
	if before == "" {
		return l.made("stream", n)
	}
	in, err := l.stream(before, n)
	path := l.path(fmt.Sprintf("%s-%d", stage, n))
	if _, serr := os.Stat(path); err != nil || serr == nil {
		return path, err
	}
	_, err = command{argv: []string{l.program("fleet-" + stage)}, stdin: in, stdout: path}.run()
	return path, err
}

// home is a home directory whose scope, benchScope, has a ledger of n lines.
func (l lab) home(n int) (string, error) {
	home := l.path(fmt.Sprintf("home-%d", n))
	state := filepath.Join(home, ".local/state/fleet-reconcile", ledgerScope)
	if _, err := os.Stat(state); err == nil {
		return home, nil
	}
	ledger, err := l.made("ledger", n)
	if err == nil {
		err = os.MkdirAll(state, 0o700)
	}
	if err == nil {
		err = os.Rename(ledger, filepath.Join(state, "ledger.jsonl"))
	}
	if err == nil {
		err = configure(home)
	}
	return home, err
}

// configure writes the configuration of a scope of a home directory: all
// repositories of a generated fleet.
func configure(home string) error {
	config := fmt.Sprintf(`{"v":1,"scopes":{%q:{"dispatch_enabled":1,"dry_run":1,"mode":"report","surfaces":["claude"],
		"repos":["~/src/0/billing","~/src/0/checkout-api","~/src/0/etl","~/src/0/handbook","~/src/0/infra","~/src/0/storefront"]}}}`, ledgerScope)
	dir := filepath.Join(home, ".config/ctx")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "fleet.json"), []byte(config), 0o600)
}

// lastTick is the number of the tick that a ledger ends with, and that line.
func lastTick(ledger string) (n int, line []byte, err error) {
	f, err := os.Open(ledger)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, nil, err
	}
	tail := make([]byte, min(info.Size(), 4096))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return 0, nil, err
	}
	tail = bytes.TrimSpace(tail)
	line = tail[bytes.LastIndexByte(tail, '\n')+1:]
	_, after, _ := bytes.Cut(line, []byte(`"tick":`))
	digits, _, _ := bytes.Cut(after, []byte(","))
	n, err = strconv.Atoi(string(digits))
	return n, line, err
}
