package config

// Node is a value of a configuration file with the line that it stands on.
// JSON and YAML are read into the same shape, so that both are judged with the
// same words. Keys are compared exactly and may not come twice, which
// encoding/json would let pass.
type Node struct {
	line   int
	kind   string // object, list, string, number, boolean, null
	text   string // of a string, number or boolean
	keys   []string
	fields map[string]*Node
	items  []*Node
	twice  []string // keys that came twice
}

// MaxDepth bounds how deep values nest; a reader stops at a value that as many
// are around, and says TooDeep.
const (
	MaxDepth = 32
	TooDeep  = "nested deeper than 32"
)

// LineError is what is wrong on a line of a file, the first being 1. What it
// says quotes nothing of the file.
type LineError struct {
	Line int
	Says string
}

func (e *LineError) Error() string { return e.Says }

// NewNode returns a value: an object, list, string, number, boolean or null, as
// kind says. Another kind fits no key. text is that of a string, number or
// boolean as it is in the file.
func NewNode(kind, text string, line int) *Node { return &Node{kind: kind, text: text, line: line} }

// is tells whether a node is there and of a kind.
func (n *Node) is(kind string) bool { return n != nil && n.kind == kind }

// Put adds a field to an object, and notes a key that comes twice.
func (n *Node) Put(key string, v *Node) {
	if n.fields == nil {
		n.fields = map[string]*Node{}
	}
	if n.fields[key] != nil {
		n.twice = append(n.twice, key)
	} else {
		n.keys = append(n.keys, key)
	}
	n.fields[key] = v
}

// Add adds an item to a list.
func (n *Node) Add(item *Node) { n.items = append(n.items, item) }
