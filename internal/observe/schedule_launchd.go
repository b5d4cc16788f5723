package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// agentLimit is the largest property list that is read.
const agentLimit = 1 << 20

// launchd reads the property lists of the scope's jobs and asks launchd about
// each. Without a prefix none is the scope's.
func (r *scheduleReading) launchd() *planned {
	p := newPart("schedule/launchd")
	prefix := r.scope.LaunchdPrefix
	switch {
	case r.w.OS != "darwin":
		p.Absent = true
		return p
	case prefix == "":
		p.Notes = append(p.Notes, "no job is looked for: the configuration names no launchd_prefix")
		return p
	}
	bin, err := r.w.FindProgram("launchctl", "/bin")
	if err != nil {
		p.refuse(err)
	}
	asking := err == nil
	for _, a := range r.agents(p, prefix) {
		seen := schedule.Seen{Log: r.scope.LaunchdLogs[a.Label]}
		if seen.Log == "" {
			seen.Log = a.Log
		}
		if seen.Log != "" {
			ran, there, err := r.modTime(seen.Log)
			if err != nil {
				p.refuse(at(seen.Log, err))
			}
			if there {
				r.w.Rec.File(seen.Log, nil, nil) // of which only the time is read
			}
			seen.Ran = ran
		}
		if asking {
			job, err := r.job(bin, a.Label, p)
			switch {
			case err == nil:
				seen.Job, seen.Asked = &job, true
			case errors.Is(err, schedule.ErrNotLoaded):
				seen.Asked = true
			default: // the rest would wait for launchd in vain too
				asking = false
				p.refuse(err)
			}
		}
		p.rows = append(p.rows, a.Record(r.look, seen))
	}
	return p
}

// agents reads ~/Library/LaunchAgents: the jobs whose label begins with prefix,
// in the order of their files; of two with one label the first, as launchd does.
// A property list that is not understood might be any job's.
func (r *scheduleReading) agents(p *planned, prefix string) []schedule.Agent {
	dir := filepath.Join(r.w.Home, "Library/LaunchAgents")
	entries, missing, err := r.w.ReadDir(dir)
	if err != nil {
		p.refuse(at(dir, err))
	}
	if err == nil && !missing {
		r.w.Rec.Mkdir(dir)
	}
	var as []schedule.Agent
	labels := map[string]bool{}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if filepath.Ext(name) != ".plist" || e.IsDir() {
			continue
		}
		b, err := r.w.ReadFile(name, agentLimit)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
		}
		if err != nil {
			p.refuse(at(name, err))
			continue
		}
		a, err := schedule.ParseAgent(b)
		switch {
		case err != nil:
			p.skip(e.Name(), err)
			r.w.Rec.File(name, nil, nil)
		case !strings.HasPrefix(a.Label, prefix):
		case labels[a.Label]:
			p.skip(e.Name(), errors.New("another file has the same Label"))
		default:
			labels[a.Label] = true
			as = append(as, a)
			if r.w.Rec != nil {
				b, err := a.Encode()
				r.w.Rec.File(name, b, err)
			}
		}
	}
	return as
}

// job asks launchd about a label.
func (r *scheduleReading) job(bin, label string, p *planned) (schedule.Job, error) {
	s := r.spec("launchctl", "print", fmt.Sprintf("gui/%d/%s", uid(r.w), label))
	s.Path = bin
	res, err := r.w.Run(r.ctx, s)
	started := err
	var job schedule.Job
	if err != nil {
		err = fmt.Errorf("launchctl print: %w", machine.Reason(err))
	} else {
		job, err = schedule.ParsePrint(res.Status, string(res.Stdout), string(res.Stderr), &p.drift)
	}
	if r.w.Rec != nil {
		kept := guard.Text(label, nameColumns)
		s.Argv = []string{"launchctl", "print", fmt.Sprintf("gui/%d/%s", recordedUID, kept)}
		var out string
		if err == nil {
			out = job.Encode(kept)
		}
		r.keep(s, res, started, []byte(out))
	}
	return job, err
}
