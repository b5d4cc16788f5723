package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Health says how the agents that the registries list are asked for their
// health.
type Health struct {
	Binary    string        // name or path of gh
	TokenFile string        // file whose content gh gets as GH_TOKEN; "" for gh's own login
	Timeout   time.Duration // for one agent, its whole answer included
	GHTimeout time.Duration // for one call of gh
	Only      string        // the one agent to ask; "": all

	// Trusting makes what asks the agents of a project, of the certificates of its
	// authority, PEM. For a recording it may be nil.
	Trusting func(authority []byte, now time.Time) (Asker, error)
}

// healthParallel is how many agents are asked at once.
const healthParallel = 16

// The surfaces of the registries and of what the agents answer.
const (
	surfaceRoster = "macf/roster:"
	surfaceHealth = "macf/health"
)

// byWorkspaces is the program whose records name the projects.
const byWorkspaces = "fleet-observe-workspaces"

// project is a group of agents that meet in one registry.
type project struct {
	name     string // canonical
	written  string // as the workspaces write it, for the names of variables
	registry record.Registry
	spaces   []record.Workspace // of this machine, by path
	err      error              // why its registry cannot be read
	surface  *record.Surface
	asker    Asker // nil in a recording

	untrusted error // why there is nothing to ask its agents with
}

// Read passes every line of in on to pass, unchanged, and returns them as a
// set.
func (o Health) Read(in io.Reader, pass func(raw []byte) error) (*record.Set, error) {
	return GitHub{}.Read(in, pass)
}

// Observe writes a health record for every agent that the registries of this
// machine's workspaces in set list, a surface for every project's roster, and
// one for the asking. It returns the surfaces that could not be read, one line
// each. What fails with one agent is that agent's own.
func (o Health) Observe(ctx context.Context, w *machine.World, set *record.Set, sink Sink) (unread []string, err error) {
	health := &record.Surface{OK: true}
	projects := o.projects(w, set, health)
	rosters := &rosters{ctx: ctx, w: w, o: o, known: map[record.Registry]variables{}}
	var asked []*question
	for _, p := range projects {
		asked = append(asked, rosters.read(p, projects)...)
	}
	asked = slices.DeleteFunc(asked, func(q *question) bool { return o.Only != "" && q.data.Agent != o.Only })
	slots := make(chan struct{}, healthParallel)
	var wg sync.WaitGroup
	for _, q := range asked {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			q.ask(ctx, w, o.Timeout)
		})
	}
	wg.Wait()
	for _, q := range asked {
		if q.data.Failure == unasked { // what is known of none is not that they do not answer
			fail(q.of.surface, fmt.Errorf("its agents cannot be asked: %s", q.data.Detail))
		}
	}
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	for _, q := range asked {
		q.keep(w.Rec)
		emit.add(record.KindHealth, q.data.Project+"/"+q.data.Agent, q.data)
	}
	for _, p := range projects {
		emit.surface(surfaceRoster+guard.ID(p.name), "", p.surface)
	}
	health.Rows = len(asked)
	emit.surface(surfaceHealth, "", health)
	emit.close("")
	w.Rec.Meta(w, nil)
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// projects groups the workspaces of this machine in the set, by name. When they
// were not all read, the surface says so: then projects may be missing.
func (o Health) projects(w *machine.World, set *record.Set, health *record.Surface) (all []*project) {
	if err := set.Closed(w.Host, byWorkspaces); err != nil {
		fail(health, err)
	} else if r, ok := set.Get(record.Identity{Host: w.Host, Kind: record.KindSurface, Subject: surfaceWorkspaces}); ok {
		if s, _ := record.Payload[record.Surface](r); !s.OK {
			fail(health, fmt.Errorf("%s: %s", surfaceWorkspaces, s.Error))
		} else {
			health.Absent = s.Absent
		}
	}
	by := map[string]*project{}
	for _, r := range set.Of(record.KindWorkspace) {
		s, ok := record.Payload[record.Workspace](r)
		if !ok || r.Host != w.Host || s.Registry == nil || s.Project == "" {
			continue
		}
		p := by[s.Project]
		if p == nil {
			p = &project{name: s.Project, registry: *s.Registry, surface: &record.Surface{OK: true}}
			by[s.Project], all = p, append(all, p)
		}
		p.spaces = append(p.spaces, *s)
	}
	slices.SortFunc(all, func(a, b *project) int { return strings.Compare(a.name, b.name) })
	for _, p := range all {
		slices.SortFunc(p.spaces, func(a, b record.Workspace) int { return strings.Compare(a.Path, b.Path) })
		first := p.spaces[0]
		for _, s := range p.spaces {
			if *s.Registry != *first.Registry {
				p.err = fmt.Errorf("its workspaces name two registries: that of %s is %s %s, that of %s is %s %s", first.Path, first.Registry.Kind,
					first.Registry.ID, s.Path, s.Registry.Kind, s.Registry.ID)
			}
		}
		p.registry = *first.Registry
	}
	return all
}

// question is one agent that is asked.
type question struct {
	data  record.Health
	entry macf.Entry
	err   error    // its entry is not understood
	names []string // what its workspaces call it besides
	says  macf.Recorded

	of *project
}

// question is the question to an agent of the project.
func (p *project) question(w *machine.World, l macf.Listed) *question {
	q := &question{entry: l.Entry, err: l.Err, of: p, data: record.Health{Agent: guard.ID(l.Agent), Project: guard.ID(p.name),
		Registry: &p.registry, StartedAt: l.Entry.Started}}
	if l.Err == nil {
		q.data.Address = addressOf(l.Entry)
	}
	if l.Entry.Instance != "" {
		q.data.Listed = guard.ID(l.Entry.Instance)
	}
	for _, s := range p.spaces {
		if s.Agent != q.data.Agent {
			continue
		}
		b, err := w.ReadFile(filepath.Join(s.Path, macf.Marker), macfLimit)
		if err != nil {
			continue // then only the registry's name is known
		}
		if c, err := macf.ParseConfig(b); err == nil {
			kept, err := c.Encode()
			w.Rec.File(filepath.Join(s.Path, macf.Marker), kept, err)
			q.names = append(q.names, c.Name)
		}
	}
	return q
}

// ask asks the agent and judges its answer.
func (q *question) ask(ctx context.Context, w *machine.World, timeout time.Duration) {
	if q.err != nil {
		q.refuse("unreachable", fmt.Errorf("its entry in the registry is not understood: %w", q.err))
		return
	}
	var body []byte
	if w.Recorded() {
		body = q.replay(w)
	} else {
		body = q.get(ctx, w, timeout)
	}
	q.data.CertExpires = nil
	if q.says.Expires != nil {
		q.data.CertExpires = record.TimeOf(*q.says.Expires)
	}
	if q.says.Failure != "" {
		q.refuse(q.says.Failure, errors.New(q.says.Detail))
		return
	}
	q.judge(body)
}

// judge takes an answer for that of the agent when all of it fits.
func (q *question) judge(body []byte) {
	if q.says.Status < 200 || q.says.Status > 299 {
		q.refuse("status", fmt.Errorf("HTTP %d", q.says.Status))
		return
	}
	a, err := macf.ParseHealth(body)
	if err != nil {
		q.refuse("body", fmt.Errorf("its answer does not fit: %w", err))
		return
	}
	q.says.Body, _ = a.Encode() // made of texts and numbers
	if !a.Is(q.data.Project, q.data.Agent, q.names...) {
		q.refuse("identity", errors.New("it answers as "+guard.ID(a.Agent)))
		return
	}
	d := &q.data
	d.Online, d.Version, d.Busy, d.Instance, d.UptimeS, d.Doing = true, a.Version, a.Busy, a.Instance, a.UptimeS, a.Doing
}

// refuse notes why the agent is not online.
func (q *question) refuse(failure string, err error) {
	q.data.Failure, q.data.Detail = failure, guard.Text(err.Error(), errorWidth)
}
