package config

// node is a value of a configuration file with the line that it stands on.
// JSON and YAML are read into the same shape, so that both are judged with the
// same words. Keys are compared exactly and may not come twice, which
// encoding/json would let pass.
type node struct {
	line   int
	kind   string // object, list, string, number, boolean, null
	text   string // of a string, number or boolean
	keys   []string
	fields map[string]*node
	items  []*node
	twice  []string // keys that came twice
}

// maxDepth bounds how deep values nest.
const maxDepth = 32

const tooDeep = "nested deeper than 32"

// is tells whether a node is there and of a kind.
func (n *node) is(kind string) bool { return n != nil && n.kind == kind }

// lineError is what is wrong on a line.
type lineError struct {
	line int
	says string
}

func (e *lineError) Error() string { return e.says }

// put adds a field and notes a key that comes twice.
func (n *node) put(key string, v *node) {
	if n.fields == nil {
		n.fields = map[string]*node{}
	}
	if n.fields[key] != nil {
		n.twice = append(n.twice, key)
	} else {
		n.keys = append(n.keys, key)
	}
	n.fields[key] = v
}
