// Package desired reads the list of the agents that should run.
package desired

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fleet-tools/fleet/internal/guard"
	"go.yaml.in/yaml/v4"
)

// Agent is one that should run.
type Agent struct {
	Agent     string   // canonical name
	Project   string   // "" when the list does not say: that of its workspace
	Workspace string   // absolute path
	Command   []string // what starts it; nil: claude.sh in the workspace
	Line      int      // of the list; 0 when there was none
}

// Start is what starts the agent: macf's own launcher, unless the list says
// another. It is macf.Launcher, whose package a program that asks for names need not link.
func (d Agent) Start() []string {
	if d.Command != nil {
		return d.Command
	}
	return []string{d.Workspace + "/claude.sh"}
}

// Name returns the canonical form of an agent's name: one name is written in
// several ways, and the registry's is none of them.
func Name(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-")
}

// IsName tells whether a canonical name is one: it becomes a part of the names of
// sessions, and a word of commands.
func IsName(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !unicode.IsMark(r) && !strings.ContainsRune("-.", r)) {
			return false
		}
	}
	return s != "" && len(s) <= 200
}

// Parse reads a list of the agents that should run:
//
//	agents:
//	  - agent: code-agent
//	    workspace: /home/ana/src/lamp
//
// agents: may be left out. An agent may also have project and command, a list
// of texts. Every mistake is in the error, a line each, with file and line; a
// value of the file is never quoted. What is wrong in one place makes the whole
// list useless: nothing is returned of it.
func Parse(file string, b []byte) ([]Agent, error) {
	p := parser{file: file}
	var doc yaml.Node
	err := yaml.Load(b, &doc)
	switch {
	case err != nil:
		line := 1
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line = max(e.Mark.Line, 1)
		}
		p.fail(line, "not one YAML document")
	case len(doc.Content) != 1:
		p.fail(1, "no agents")
	default:
		p.document(doc.Content[0])
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
		var errs []error
		for _, m := range p.errs {
			errs = append(errs, m.err)
		}
		return nil, errors.Join(errs...)
	}
	return p.list, nil
}

type parser struct {
	file string
	list []Agent
	errs []mistake
}

type mistake struct {
	line int
	err  error
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, mistake{line, fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...))})
}

func (p *parser) document(n *yaml.Node) {
	agents := n
	if n.Kind == yaml.MappingNode {
		fields := p.fields(n, "agents")
		if agents = fields["agents"]; agents == nil {
			p.fail(n.Line, "no agents")
			return
		}
	}
	if agents.Kind != yaml.SequenceNode || len(agents.Content) == 0 {
		p.fail(agents.Line, "want a list of agents, one at least")
		return
	}
	for _, item := range agents.Content {
		p.agent(item)
	}
}

// fields returns the values of a mapping, which may have the named keys only, each once.
func (p *parser) fields(n *yaml.Node, names ...string) map[string]*yaml.Node {
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || !slices.Contains(names, key.Value):
			p.fail(key.Line, "no such key; want %s", strings.Join(names, ", "))
		case fields[key.Value] != nil:
			p.fail(key.Line, "%s comes twice", key.Value)
		default:
			fields[key.Value] = n.Content[i+1]
		}
	}
	return fields
}

func (p *parser) agent(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "want an agent: a mapping with agent and workspace")
		return
	}
	fields := p.fields(n, "agent", "workspace", "project", "command")
	name := p.text(n, fields, "agent", true)
	d := Agent{Agent: Name(name), Workspace: p.text(n, fields, "workspace", true), Project: p.text(n, fields, "project", false), Line: n.Line}
	if c := fields["command"]; c != nil {
		d.Command = p.command(c)
	}
	switch {
	case guard.Withhold(name) != name: // before it is written in another way, in which nobody would know it again
		p.fail(fields["agent"].Line, "agent: it looks like a credential")
	case d.Agent != "" && !IsName(d.Agent):
		p.fail(fields["agent"].Line, "agent: want a name of letters and digits, with -, _ and . between them")
	}
	switch w := d.Workspace; {
	case w == "":
	case !path.IsAbs(w) || strings.ContainsRune(w, 0):
		tilde := ""
		if strings.HasPrefix(w, "~") {
			tilde = ", and ~ is not read here"
		}
		p.fail(fields["workspace"].Line, "workspace: want a path that begins with /%s", tilde)
	default:
		d.Workspace = path.Clean(w)
	}
	again := func(what string, same func(Agent) bool) {
		if i := slices.IndexFunc(p.list, same); i >= 0 {
			p.fail(n.Line, "the %s of line %d again", what, p.list[i].Line)
		}
	}
	again("agent", func(o Agent) bool { return d.Agent != "" && o.Agent == d.Agent }) // also of another project: the ledger knows agents by name
	again("workspace", func(o Agent) bool { return d.Workspace != "" && o.Workspace == d.Workspace })
	p.list = append(p.list, d)
}

// text returns the text of a field, which is not empty.
func (p *parser) text(n *yaml.Node, fields map[string]*yaml.Node, name string, need bool) string {
	v := fields[name]
	switch {
	case v == nil && need:
		p.fail(n.Line, "%s is missing", name)
	case v == nil:
	case v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" || strings.TrimSpace(v.Value) == "":
		p.fail(v.Line, "%s: want a text that is not empty", name)
	default:
		return v.Value
	}
	return ""
}

func (p *parser) command(n *yaml.Node) []string {
	words := []string{}
	for _, w := range n.Content {
		if w.Kind == yaml.ScalarNode && w.ShortTag() == "!!str" && !strings.ContainsRune(w.Value, 0) {
			words = append(words, w.Value)
		}
	}
	if n.Kind != yaml.SequenceNode || len(words) != len(n.Content) || len(words) == 0 || !path.IsAbs(words[0]) {
		p.fail(n.Line, "command: want a list of texts, the first a path that begins with /")
	}
	return words
}
