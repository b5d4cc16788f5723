package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// truth writes what is true of each session of the listing, in its order.
func (p *publisher) truth() error {
	data, err := os.ReadFile(filepath.Join(p.dir, "commands", commandDir(argvListing), "stdout"))
	if err != nil {
		return err
	}
	var rows []struct{ SessionID, Kind string }
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	known := make(map[string]fact)
	for _, f := range p.facts {
		known[f.Session] = f
	}
	var out strings.Builder
	out.WriteString("session\tkind\tsituation\tclass\n")
	for _, r := range rows {
		f, ok := known[r.SessionID]
		if !ok {
			return fmt.Errorf("writing the truth: nothing is known of session %s", r.SessionID)
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", r.SessionID, r.Kind, f.Situation, f.Class)
	}
	return p.write(row{path: "truth.tsv", source: "what the capture provoked", changed: "written by the capture"}, []byte(out.String()))
}

// directories puts a file into each working directory that exists and would be empty.
func (p *publisher) directories() error {
	for _, proc := range p.moment.Processes {
		if !strings.HasPrefix(proc.Cwd, p.moment.Home+"/") || strings.HasSuffix(proc.Cwd, deleted) {
			continue
		}
		name := filepath.ToSlash(filepath.Join("root", stored(proc.Cwd)))
		if _, err := os.Stat(filepath.Join(p.dir, name)); err == nil {
			continue
		}
		r := row{path: name + "/" + keep, source: proc.Cwd, changed: "stands for the empty directory"}
		if err := p.write(r, nil); err != nil {
			return err
		}
	}
	return nil
}

// deleted is what Linux adds to the name of a directory that is gone.
const deleted = " (deleted)"
