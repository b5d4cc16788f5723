// Package lists reads scopes.yaml, the lists of repositories of scopes that name
// none in fleet.json. It stands apart from config because only fleet-config needs
// the repositories, and the YAML module costs every start of whoever links it a
// millisecond and more.
package lists

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fleet-tools/fleet/internal/config"
)

// Path is where scopes.yaml is below a home directory.
const Path = ".config/ctx/scopes.yaml"

// Add gives f the lists of the scopes.yaml below home in machine, which is
// rooted at /; there may be none. What is wrong is in f then, also that a scope
// has no repository.
func Add(f *config.File, machine fs.FS, home string) {
	name := path.Join(home, Path)
	b, err := config.ReadFile(machine, name)
	var root *config.Node
	switch {
	case err == nil:
		root, err = Parse(b)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	f.AddLists(name, root, err)
}

// Names tells whether scopes.yaml, of which b is the text, names repositories of
// a scope. One that is not right as a whole names none.
func Names(b []byte, id, home string) bool {
	f := config.Parse("", config.First(id, true, "none"), home)
	root, err := Parse(b)
	f.AddLists("", root, err)
	s, err := f.Scope(id)
	return err == nil && len(s.Repos) > 0
}

// Parse reads one YAML document without aliases. The error is a
// *config.LineError.
func Parse(b []byte) (*config.Node, error) {
	var doc yaml.Node
	if err := yaml.Load(b, &doc); err != nil {
		line := 1
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line = max(e.Mark.Line, 1)
		}
		return nil, &config.LineError{Line: line, Says: "not one YAML document"} // the module's own words may quote the file
	}
	return node(doc.Content[0], 0)
}

// node turns a YAML node into ours. The line is that of the node.
func node(y *yaml.Node, depth int) (*config.Node, error) {
	if depth == config.MaxDepth {
		return nil, &config.LineError{Line: y.Line, Says: config.TooDeep}
	}
	switch y.Kind {
	case yaml.MappingNode:
		return object(y, depth)
	case yaml.SequenceNode:
		n := config.NewNode("list", "", y.Line)
		for _, item := range y.Content {
			v, err := node(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Add(v)
		}
		return n, nil
	case yaml.ScalarNode:
		return config.NewNode(scalarKind(y.ShortTag()), y.Value, y.Line), nil
	}
	return nil, &config.LineError{Line: y.Line, Says: "an alias, which is not read"}
}

func object(y *yaml.Node, depth int) (*config.Node, error) {
	n := config.NewNode("object", "", y.Line)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if _, err := node(key, depth+1); err != nil {
			return nil, err
		}
		if key.Kind != yaml.ScalarNode {
			return nil, &config.LineError{Line: key.Line, Says: "a key that is no text"}
		}
		v, err := node(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		n.Put(key.Value, v)
	}
	return n, nil
}

func scalarKind(tag string) string {
	switch tag {
	case "!!str":
		return "string"
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "boolean"
	case "!!null":
		return "null"
	}
	return strings.TrimPrefix(tag, "!!")
}
