package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fixtureName is the fixture's directory.
const fixtureName = "cc-" + version

// keep is the file that stands in a working directory that would be empty, for git.
const keep = ".keep"

// publish cleans the raw moment and writes the fixture, the truth and the table.
func publish(raw, fixtures string) error {
	var facts []fact
	if err := readJSON(filepath.Join(raw, "facts.json"), &facts); err != nil {
		return err
	}
	p := &publisher{raw: raw, dir: filepath.Join(fixtures, fixtureName), facts: facts}
	if err := readJSON(filepath.Join(raw, "meta.json"), &p.moment); err != nil {
		return err
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	err := filepath.WalkDir(raw, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(raw, path)
		if err != nil {
			return err
		}
		return p.file(filepath.ToSlash(rel))
	})
	if err = errors.Join(err, p.directories(), p.truth()); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	return writeTable(filepath.Join(fixtures, "README.md"), p.rows, p.notes())
}

// publisher writes the fixture file by file and notes what it did to each.
type publisher struct {
	raw, dir string
	facts    []fact
	moment   moment
	rows     []row
}

// file cleans one file of the raw moment into the fixture.
func (p *publisher) file(name string) error {
	data, err := os.ReadFile(filepath.Join(p.raw, name))
	if err != nil {
		return err
	}
	r := row{path: name, source: source(name), changed: "nothing"}
	out := data
	switch base := filepath.Base(name); {
	case name == "facts.json" || name == "requests.jsonl":
		return nil
	case name == "meta.json":
		out, r.changed, err = p.meta(data)
	case name == "commands/"+commandDir(argvListing)+"/stdout":
		out, r.changed, err = p.listing(data)
	case strings.HasSuffix(base, ".jsonl"):
		out, r.changed, err = p.lines(name, data)
	case strings.HasPrefix(name, "root/") && strings.HasSuffix(base, ".json"):
		out, r.changed, err = p.document(name, data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return p.write(r, out)
}

func (p *publisher) write(r row, data []byte) error {
	r.sum = sum(data)
	r.date = p.moment.At[:len("2006-01-02")]
	p.rows = append(p.rows, r)
	return writeFile(filepath.Join(p.dir, r.path), data)
}

// lines cleans a transcript or the history.
func (p *publisher) lines(name string, data []byte) ([]byte, string, error) {
	clean, err := editLines(data, func(json.RawMessage) editor { return vendorText })
	if err != nil {
		return nil, "", err
	}
	moved, err := editLines(clean, func(line json.RawMessage) editor {
		var l struct{ SessionID string }
		if json.Unmarshal(line, &l) != nil {
			return keepAll
		}
		return p.mover(func(f fact) bool { return f.Session == l.SessionID })
	})
	return moved, changes(data, clean, moved, "vendor texts elided", p.offset(name)), err
}

// document cleans a file of one JSON value: a process's, a job's, a subagent's.
func (p *publisher) document(name string, data []byte) ([]byte, string, error) {
	clean, err := edit(data, machine)
	if err != nil {
		return nil, "", err
	}
	moved, err := edit(clean, p.mover(func(f fact) bool { return f.owns(name) }))
	return moved, changes(data, clean, moved, "socket and machine id elided", p.offset(name)), err
}

// meta moves the start of the processes whose session's clock is moved.
func (p *publisher) meta(data []byte) ([]byte, string, error) {
	moved := p.moment
	moved.Processes = slices.Clone(moved.Processes)
	for i, proc := range moved.Processes {
		for _, f := range p.facts {
			if f.PID != proc.PID || f.Shift == 0 {
				continue
			}
			start, err := edit(json.RawMessage(`{"start":"`+proc.Start+`"}`), earlier(f.Shift))
			if err != nil {
				return nil, "", err
			}
			if err := json.Unmarshal(start, &moved.Processes[i]); err != nil {
				return nil, "", err
			}
		}
	}
	out, err := json.MarshalIndent(moved, "", "  ")
	out = append(out, '\n')
	return out, changes(data, data, out, "", p.offsets()), err
}

// listing moves the rows whose session's clock is moved, and sorts again by the start.
func (p *publisher) listing(data []byte) ([]byte, string, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, "", err
	}
	for i, raw := range rows {
		var r struct{ SessionID string }
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, "", err
		}
		moved, err := edit(raw, p.mover(func(f fact) bool { return f.Session == r.SessionID }))
		if err != nil {
			return nil, "", err
		}
		rows[i] = moved
	}
	slices.SortStableFunc(rows, func(a, b json.RawMessage) int { return int(startedAt(a) - startedAt(b)) })
	var text []string
	for _, r := range rows {
		text = append(text, string(r))
	}
	out := []byte("[\n  " + strings.Join(text, ",\n  ") + "\n]\n")
	return out, changes(data, data, out, "", p.offsets()+", rows sorted again by startedAt"), nil
}

func startedAt(row json.RawMessage) int64 {
	var r struct{ StartedAt int64 }
	json.Unmarshal(row, &r) // a row that does not decode failed before
	return r.StartedAt
}

// mover returns the editor that moves the clock of the session that mine chooses.
func (p *publisher) mover(mine func(fact) bool) editor {
	for _, f := range p.facts {
		if f.Shift != 0 && mine(f) {
			return earlier(f.Shift)
		}
	}
	return keepAll
}

func keepAll([]string, json.RawMessage) json.RawMessage { return nil }

// owns reports whether the file is the session's own.
func (f fact) owns(name string) bool {
	return f.Session != "" && (strings.Contains(name, f.Session) || strings.Contains(name, "/jobs/"+f.Session[:8]+"/")) ||
		f.PID != 0 && strings.HasSuffix(name, fmt.Sprintf("/sessions/%d.json", f.PID))
}

// offset says by how much the clock of the file's session is moved; for a file of several
// sessions, whose clocks.
func (p *publisher) offset(name string) string {
	for _, f := range p.facts {
		if f.Shift != 0 && f.owns(name) {
			return "clock moved back " + duration(f.Shift)
		}
	}
	return p.offsets()
}

func (p *publisher) offsets() string {
	var all []string
	for _, f := range p.facts {
		if f.Shift != 0 {
			all = append(all, fmt.Sprintf("clock of %s moved back %s", f.Key, duration(f.Shift)))
		}
	}
	return strings.Join(all, ", ")
}

// notes say what was done to single sessions.
func (p *publisher) notes() []string {
	var notes []string
	for _, f := range p.facts {
		if f.Last != "" {
			notes = append(notes, fmt.Sprintf("`%s`, `%s`: %s", f.Key, f.Session, f.Last))
		}
		if f.Shift != 0 {
			notes = append(notes, fmt.Sprintf("`%s`, `%s`: its clock was moved back %s", f.Key, f.Session, duration(f.Shift)))
		}
	}
	return notes
}

func duration(d time.Duration) string { return strings.TrimSuffix(d.String(), "0s") }

// changes names the steps that changed something.
func changes(before, clean, moved []byte, cleaning, moving string) string {
	var all []string
	if string(before) != string(clean) {
		all = append(all, cleaning)
	}
	if string(clean) != string(moved) {
		all = append(all, moving)
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}
