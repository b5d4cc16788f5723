package macf

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Entry is what an agent says of itself in its registry.
type Entry struct {
	Host     string
	Port     int
	Type     string // permanent or worker
	Instance string // of the process that registered
	Started  *record.Time
}

var hostShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$|^[0-9A-Fa-f:.]{2,45}$`)
})

// ParseEntry reads the value of an agent's variable. A start that is no time is
// not known; a last heartbeat is not read.
func ParseEntry(b []byte) (Entry, error) {
	o := newObject(b)
	e := Entry{Host: o.text("host"), Type: o.text("type")}
	port, ok := o.whole("port", 1, 65535)
	if !ok {
		o.fail("port is missing")
	}
	e.Port, e.Instance = int(port), o.maybe("instance_id")
	if t, err := time.Parse(time.RFC3339, o.maybe("started")); err == nil {
		e.Started = record.TimeOf(t)
	}
	switch {
	case o.err != nil:
		return Entry{}, o.err
	case !hostShape().MatchString(e.Host):
		return Entry{}, errors.New("host is neither a name nor an address")
	case e.Type != "permanent" && e.Type != "worker":
		return Entry{}, errors.New("type is neither permanent nor worker")
	}
	return e, nil
}

// Encode returns the value of a variable that reads as e does, cleaned.
func (e Entry) Encode() ([]byte, error) {
	m := map[string]any{"host": guard.ID(e.Host), "port": e.Port, "type": e.Type}
	if e.Instance != "" {
		m["instance_id"] = guard.ID(e.Instance)
	}
	if e.Started != nil {
		m["started"] = e.Started
	}
	return json.Marshal(m)
}

// Variable is one of a registry.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Page is one page of the variables of GitHub Actions.
type Page struct {
	Total     int        `json:"total_count"` // on all pages
	Variables []Variable `json:"variables"`
}

// ParsePage reads a page. A variable without a name is an error: then nobody
// knows what else is not there.
func ParsePage(b []byte) (Page, error) {
	var p struct {
		Total     *int        `json:"total_count"`
		Variables *[]Variable `json:"variables"`
	}
	if err := json.Unmarshal(b, &p); err != nil || p.Total == nil || p.Variables == nil {
		return Page{}, errors.New("no list of variables")
	}
	if slices.ContainsFunc(*p.Variables, func(v Variable) bool { return v.Name == "" }) {
		return Page{}, errors.New("a variable has no name")
	}
	return Page{*p.Total, *p.Variables}, nil
}

// Clean returns the variable as a recording keeps it: with a value when that is
// an agent's entry, cleaned.
func (v Variable) Clean() Variable {
	kept := Variable{Name: guard.ID(v.Name), Value: "null"}
	if e, err := ParseEntry([]byte(v.Value)); err == nil {
		b, _ := e.Encode() // made of texts and numbers
		kept.Value = string(b)
	}
	return kept
}

// Encode returns the page as a recording keeps it.
func (p Page) Encode() []byte {
	out := Page{p.Total, []Variable{}}
	for _, v := range p.Variables {
		out.Variables = append(out.Variables, v.Clean())
	}
	b, _ := json.Marshal(out) // made of texts and numbers
	return b
}

// ParseStore reads macf's own local registry, one JSON file of schema 1, as the
// variables of the project would be.
func ParseStore(b []byte, project string) ([]Variable, error) {
	o := newObject(b)
	if v, ok := o.whole("schema_version", 0, lastSecond); o.err == nil && (!ok || v != 1) {
		return nil, errors.New("its schema_version is not 1")
	}
	if name := o.text("project"); o.err == nil && Canonical(name) != Canonical(project) {
		return nil, errors.New("it is the registry of another project")
	}
	agents := o.part("agents")
	if agents == nil {
		o.fail("agents is missing")
	}
	if o.err != nil {
		return nil, o.err
	}
	vs := []Variable{}
	for name, value := range agents.fields {
		vs = append(vs, Variable{agentPrefix(project) + Segment(guard.ID(name)), string(value)})
	}
	slices.SortFunc(vs, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return vs, nil
}

// EncodeStore returns a local registry that reads as vs, cleaned.
func EncodeStore(vs []Variable, project string) ([]byte, error) {
	agents := map[string]json.RawMessage{}
	for _, v := range vs {
		v = v.Clean()
		agents[strings.TrimPrefix(v.Name, agentPrefix(project))] = json.RawMessage(v.Value)
	}
	return json.Marshal(map[string]any{"schema_version": 1, "project": guard.ID(project), "agents": agents})
}

func agentPrefix(project string) string { return Segment(project) + "_AGENT_" }

// CertName is the variable that holds the certificate of a project's own
// authority, as PEM.
func CertName(project string) string { return Segment(project) + "_CA_CERT" }

// Listed is an agent that a registry lists.
type Listed struct {
	Agent string // canonical id
	Entry Entry
	Err   error // why its entry is not understood
}

// Roster is the agents of a project among the variables of its registry, by id,
// and the names of those that stand there twice, of which the later start
// counts. others are further projects of the registry: what begins with the
// longer name of one of them is its own.
func Roster(vs []Variable, project string, others []string) (agents []Listed, twice []string) {
	prefix, at := agentPrefix(project), map[string]int{}
	for _, v := range vs {
		label, ok := strings.CutPrefix(strings.ToUpper(v.Name), prefix)
		if !ok || label == "" || slices.ContainsFunc(others, func(other string) bool {
			p := agentPrefix(other)
			return len(p) > len(prefix) && strings.HasPrefix(strings.ToUpper(v.Name), p)
		}) {
			continue
		}
		l := Listed{Agent: ID(v.Name[len(v.Name)-len(label):])}
		l.Entry, l.Err = ParseEntry([]byte(v.Value))
		i, have := at[l.Agent]
		if !have {
			at[l.Agent] = len(agents)
			agents = append(agents, l)
			continue
		}
		twice = append(twice, l.Agent)
		if agents[i].Err != nil || l.Err == nil && later(l.Entry.Started, agents[i].Entry.Started) {
			agents[i] = l
		}
	}
	slices.SortFunc(agents, func(a, b Listed) int { return strings.Compare(a.Agent, b.Agent) })
	slices.Sort(twice)
	return agents, slices.Compact(twice)
}

func later(a, b *record.Time) bool { return a != nil && (b == nil || a.After(b.Time)) }

var slugShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`) })

// Variables is the path of GitHub's REST API that lists the variables of a
// registry, without the number of a page. The profile of a user is the
// repository that has its name. The error is that the registry names none.
func Variables(r record.Registry) (string, error) {
	owner, repo, _ := strings.Cut(r.ID, "/")
	if r.Kind == "profile" {
		repo = owner
	}
	switch {
	case r.Kind == "org" && slugShape().MatchString(r.ID):
		return "orgs/" + r.ID + "/actions/variables", nil
	case (r.Kind == "repo" || r.Kind == "profile" && owner == r.ID) && slugShape().MatchString(owner) && slugShape().MatchString(repo):
		return "repos/" + owner + "/" + repo + "/actions/variables", nil
	}
	return "", fmt.Errorf("its registry, of the kind %s, has a name that GitHub has none of", r.Kind)
}
