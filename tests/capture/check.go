package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// foreign is what must not stand in a fixture: paths of a real machine, its kernel, keys, and the
// texts that Claude Code tells a model.
var foreign = regexp.MustCompile(`/root\b|/tmp/capture|/opt/|\.sock\b|sk-ant|FAKE|dummy|Linux [0-9]|linux:[0-9a-f]{32}|` +
	`system-reminder|You are Claude|internal metadata|<total_tokens>|claudebox`)

// check reports the first foreign text of each file of the fixture. The checkout's own path is one.
func (p *publisher) check() error {
	checkout, err := filepath.Abs(p.dir)
	if err != nil {
		return err
	}
	checkout = filepath.Dir(filepath.Dir(checkout))
	var errs []error
	for _, r := range p.rows {
		data, err := os.ReadFile(filepath.Join(p.dir, r.path))
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte(checkout)) {
			errs = append(errs, fmt.Errorf("%s: the checkout's path", r.path))
		}
		if at := foreign.FindIndex(data); at != nil {
			errs = append(errs, fmt.Errorf("%s: foreign text %q", r.path, data[max(0, at[0]-40):min(len(data), at[1]+40)]))
		}
	}
	return errors.Join(errs...)
}
