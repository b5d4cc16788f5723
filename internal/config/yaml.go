package config

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseYAML reads one YAML document without aliases. The error is a *lineError.
func parseYAML(b []byte) (*node, error) {
	var doc yaml.Node
	if err := yaml.Load(b, &doc); err != nil {
		line := 1
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line = max(e.Mark.Line, 1)
		}
		return nil, &lineError{line, "not one YAML document"} // the module's own words may quote the file
	}
	return fromYAML(doc.Content[0], 0)
}

// fromYAML turns a YAML node into ours. The line is that of the node.
func fromYAML(y *yaml.Node, depth int) (*node, error) {
	n := &node{line: y.Line}
	if depth == maxDepth {
		return nil, &lineError{y.Line, tooDeep}
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = "object"
		for i := 0; i+1 < len(y.Content); i += 2 {
			key, err := fromYAML(y.Content[i], depth+1)
			if err != nil {
				return nil, err
			}
			if key.is("object") || key.is("list") {
				return nil, &lineError{key.line, "a key that is no text"}
			}
			v, err := fromYAML(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.put(key.text, v)
		}
	case yaml.SequenceNode:
		n.kind = "list"
		for _, item := range y.Content {
			v, err := fromYAML(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case yaml.ScalarNode:
		n.kind, n.text = scalarKind(y.ShortTag()), y.Value
	default:
		return nil, &lineError{y.Line, "an alias, which is not read"}
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
