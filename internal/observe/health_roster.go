package observe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// rosters reads registries, each once: projects may share one.
type rosters struct {
	ctx   context.Context
	w     *machine.World
	o     Health
	hub   *hub
	known map[record.Registry]variables
}

// variables are those of a registry, or why they could not be read.
type variables struct {
	all []macf.Variable
	err error
}

// Bounds of the list of variables: GitHub keeps at most 1,000 in one place.
const (
	variableRows  = 30
	variablePages = 40
)

// read reads the roster of a project and returns the questions to its agents.
// others are all projects, this one among them.
func (r *rosters) read(p *project, others []*project) (asked []*question) {
	p.written = r.written(p)
	vs, err := r.variables(p)
	if err != nil {
		fail(p.surface, err)
		return asked
	}
	var names []string
	for _, o := range others {
		if o.registry == p.registry {
			names = append(names, r.written(o))
		}
	}
	agents, twice := macf.Roster(vs, p.written, names)
	if !r.w.Recorded() {
		p.asker, p.untrusted = r.trust(p, vs)
	}
	for _, l := range agents {
		if l.Err != nil {
			p.surface.Unparsed++
			p.surface.Notes = merge(p.surface.Notes, []string{guard.ID(l.Agent) + ": its entry is not understood: " + unreadWhy(l.Err)})
		}
		asked = append(asked, p.question(r.w, l))
	}
	for _, name := range twice {
		p.surface.Notes = merge(p.surface.Notes, []string{guard.ID(name) + " is listed twice; the later start counts"})
	}
	p.surface.Rows = len(agents) - p.surface.Unparsed
	return asked
}

// written is the name of a project for the names of its variables, in which
// "-" and "_" are one.
func (r *rosters) written(p *project) string { return strings.ReplaceAll(p.name, "-", "_") }

// variables are those of the registry of a project.
func (r *rosters) variables(p *project) ([]macf.Variable, error) {
	if p.err != nil {
		return nil, p.err
	}
	if p.registry.Kind == "local" {
		return r.local(p)
	}
	vs, known := r.known[p.registry]
	if !known {
		vs.all, vs.err = r.github(p.registry)
		r.known[p.registry] = vs
	}
	if r.hub != nil {
		p.surface.Notes = merge(p.surface.Notes, r.hub.notes) // that a token file was not used
	}
	return vs.all, vs.err
}

// local reads a registry on this machine: a directory with a file for every
// variable, or macf's own file. That file is made when the first agent
// registers; before, its directory is there.
func (r *rosters) local(p *project) ([]macf.Variable, error) {
	path := r.w.Expand(p.registry.ID)
	if !filepath.IsAbs(path) {
		return nil, errors.New("the path of its registry is not absolute")
	}
	info, err := fs.Stat(r.w.FS, machine.Path(path))
	switch {
	case err == nil && info.IsDir():
		return r.directory(p, path)
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(path, ".json"):
		return nil, r.unregistered(p, path)
	case err != nil:
		return nil, at(guard.Path(path), err)
	}
	b, err := r.w.ReadFile(path, macfLimit)
	var vs []macf.Variable
	if err == nil {
		vs, err = macf.ParseStore(b, p.name)
	}
	if err != nil {
		r.w.Rec.File(path, []byte("null\n"), nil)
		return nil, at(guard.Path(path), err)
	}
	kept, err := macf.EncodeStore(vs, p.written)
	r.w.Rec.File(path, kept, err)
	return vs, nil
}

// unregistered says why macf's own file is not there; nil when that is because
// no agent has registered yet.
func (r *rosters) unregistered(p *project, path string) error {
	if err := r.w.Dangling(path); err != nil {
		return err
	}
	there, err := r.w.Exists(filepath.Dir(path))
	if err == nil && !there {
		err = fs.ErrNotExist
	}
	if err != nil {
		return at(guard.Path(path), err)
	}
	p.surface.Notes = append(p.surface.Notes, "no agent has registered yet: there is no "+guard.Path(path))
	r.w.Rec.Mkdir(filepath.Dir(path))
	return nil
}

// directory reads the variables of the project in a directory.
func (r *rosters) directory(p *project, path string) (vs []macf.Variable, err error) {
	entries, _, err := r.w.ReadDir(path)
	if err != nil {
		return nil, at(guard.Path(path), err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, macf.Segment(p.written)+"_") || strings.Contains(name, ".") {
			continue // another project's, or half written
		}
		b, err := r.w.ReadFile(filepath.Join(path, name), macfLimit)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has deregistered meanwhile
		}
		if err != nil {
			return nil, at(guard.Path(filepath.Join(path, name)), err)
		}
		vs = append(vs, macf.Variable{Name: name, Value: string(b)})
	}
	r.w.Rec.Mkdir(path)
	r.keepFiles(path, vs)
	return vs, nil
}

// keepFiles records variables as files of a directory, what is no entry of an
// agent without its value.
func (r *rosters) keepFiles(dir string, vs []macf.Variable) {
	for _, v := range vs {
		r.w.Rec.File(filepath.Join(dir, guard.ID(v.Name)), []byte(v.Clean().Value), nil)
	}
}

// github reads the variables of GitHub Actions through gh, page by page.
func (r *rosters) github(at record.Registry) ([]macf.Variable, error) {
	path, err := macf.Variables(at)
	if err != nil {
		return nil, err
	}
	if r.hub == nil {
		quiet := *r.w
		quiet.Rec = nil // what is recorded is written here
		r.hub = newHub(r.ctx, &quiet, GitHub{Binary: r.o.Binary, TokenFile: r.o.TokenFile, Timeout: r.o.GHTimeout}, 0, 0)
	}
	var vs []macf.Variable
	for page := 1; page <= variablePages; page++ {
		ask := fmt.Sprintf("%s?per_page=%d&page=%d", path, variableRows, page)
		answer, failure := r.hub.api(ask, "core")
		if failure != nil {
			r.keep(ask, nil, failure)
			return nil, failure
		}
		p, err := macf.ParsePage(answer.Body)
		if err != nil {
			return nil, fmt.Errorf("gh api: %w", err)
		}
		r.keep(ask, p.Encode(), nil)
		vs = append(vs, p.Variables...)
		switch {
		case len(vs) >= p.Total:
			return vs, nil
		case len(p.Variables) == 0:
			return nil, fmt.Errorf("gh api: %d variables of %d", len(vs), p.Total)
		}
	}
	return nil, errors.New("gh api: more than " + strconv.Itoa(variablePages*variableRows) + " variables")
}

// keep records a call of gh. One that did not start leaves nothing.
func (r *rosters) keep(ask string, body []byte, failure *github.Failure) {
	spec := command.Spec{Argv: []string{"gh", "api", "--include", "--hostname", "github.com", ask}}
	switch {
	case failure == nil:
		r.w.Rec.Command(spec, append([]byte("HTTP/2.0 200\r\n\r\n"), body...), "0", nil)
	case !failure.Absent:
		r.w.Rec.Command(spec, nil, "1", nil)
		says := strings.TrimPrefix(failure.Says, "rate limited: ")
		r.w.Rec.Write(filepath.Join("commands", machine.CommandDir(spec.Argv, ""), "stderr"), []byte(says), nil)
	}
}

// authority is the certificate of the project's own authority, as PEM: the
// variable, of macf's own local registry the file that macf keeps.
func (r *rosters) authority(p *project, vs []macf.Variable) ([]byte, error) {
	name := macf.CertName(p.written)
	i := slices.IndexFunc(vs, func(v macf.Variable) bool { return strings.EqualFold(v.Name, name) })
	if i >= 0 && strings.TrimSpace(vs[i].Value) != "" {
		return []byte(vs[i].Value), nil
	}
	if p.registry.Kind != "local" {
		return nil, fmt.Errorf("the registry has no variable %s", name)
	}
	err := fs.ErrNotExist
	for _, spelt := range []string{p.name, p.written} {
		file := r.w.Expand("~/.macf/certs/" + macf.FileName(spelt) + "/ca-cert.pem")
		var b []byte
		if b, err = r.w.ReadFile(file, macfLimit); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("neither the registry nor ~/.macf/certs has the certificate of the project's authority: %w", machine.Reason(err))
}
