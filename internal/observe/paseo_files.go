package observe

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/paseo"
	"github.com/fleet-tools/fleet/internal/record"
)

// readAgents reads agents/<dir>/<id>.json and, of older versions,
// agents/<id>.json. All names are listed before the first file is read; when
// one is gone by then, perhaps to another directory, they are listed once
// more.
func (r *paseoReading) readAgents() {
	s := &r.ofAgents
	var read []paseo.Agent
	done := map[string]bool{}
	for range 2 {
		var todo []string
		for _, name := range r.agentFiles() {
			if !done[name] {
				done[name] = true
				todo = append(todo, name)
			}
		}
		gone := r.again(todo, kind{s, paseoLimit, agentShape, func(name string, b []byte) error {
			a, err := paseo.ParseAgent(b, &s.drift)
			if err != nil {
				return err
			}
			a.Path, a.Flat = name, filepath.Dir(name) == filepath.Join(r.dir, "agents")
			read = append(read, a)
			return nil
		}, func(name string, err error) { s.skip(r.short(name), err) }})
		if gone == 0 {
			break
		}
	}
	agents, doubled := paseo.Newest(read)
	if doubled > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("agents with several records, of which the newest counts: %d", doubled))
	}
	for _, a := range agents {
		a.Record.Repo, a.Record.Placement = r.place(a.Cwd)
		if a.Record.UpdatedAt != nil {
			a.Record.Leftover = r.daemon.Leftover(a.Record.UpdatedAt.Time)
		}
		r.agents = append(r.agents, a.Record)
	}
}

// agentFiles lists the records of both layouts. A directory that could not be
// listed makes the surface not read.
func (r *paseoReading) agentFiles() []string {
	root := filepath.Join(r.dir, "agents")
	entries, _, err := r.w.ReadDir(root)
	if err != nil {
		r.unlist(&r.ofAgents, root, root, err)
		return nil
	}
	var files []string
	for _, e := range entries {
		switch name := filepath.Join(root, e.Name()); {
		case isRecord(e):
			files = append(files, name)
		case e.IsDir():
			inner, _, err := r.w.ReadDir(name)
			if err != nil {
				r.unlist(&r.ofAgents, name, root, err)
			}
			for _, i := range inner {
				if isRecord(i) {
					files = append(files, filepath.Join(name, i.Name()))
				}
			}
		}
	}
	return files
}

// readSchedules reads schedules/<id>.json.
func (r *paseoReading) readSchedules() {
	s := &r.ofSchedules
	root := filepath.Join(r.dir, "schedules")
	entries, _, err := r.w.ReadDir(root)
	if err != nil {
		r.unlist(s, root, root, err)
		return
	}
	var files []string
	for _, e := range entries {
		if isRecord(e) {
			files = append(files, filepath.Join(root, e.Name()))
		}
	}
	look := paseo.Look{At: r.w.At, Zone: r.w.Zone, Daemon: r.daemon,
		Agents: map[string]record.Agent{}, AllAgents: r.ofAgents.OK && r.ofAgents.Unparsed == 0}
	for _, a := range r.agents {
		look.Agents[a.ID] = a
	}
	read := map[string]record.Schedule{}
	r.again(files, kind{s, paseoLimit, scheduleShape, func(name string, b []byte) error {
		plan, err := paseo.ParseSchedule(b, &s.drift)
		if err != nil {
			return err
		}
		seen := plan.Seen(look)
		if plan.Cwd != "" {
			seen.Cwd = guard.Path(plan.Cwd)
			seen.Repo, seen.Placement = r.place(plan.Cwd)
		}
		// Of two files with one id Paseo uses the one that bears its name.
		if _, twice := read[seen.ID]; !twice || filepath.Base(name) == seen.ID+".json" {
			read[seen.ID] = seen
		}
		return nil
	}, func(name string, err error) { s.skip(r.short(name), err) }})
	for _, id := range slices.Sorted(maps.Keys(read)) {
		r.schedules = append(r.schedules, read[id])
	}
}

// place places a cwd as that of a session is placed. The repository is cleaned
// as everywhere, so that it can be compared.
func (r *paseoReading) place(cwd string) (repo, how string) {
	at := r.places.of(cwd)
	repo, how = at.CommonDir, at.how
	if how == record.PlacedGone {
		if above, ok := r.places.above(cwd); ok {
			repo, how = above, record.PlacedAbove
		}
	}
	return guard.Path(repo), how
}

// short is a path below Paseo's directory, without it.
func (r *paseoReading) short(name string) string { return strings.TrimPrefix(name, r.dir+"/") }
