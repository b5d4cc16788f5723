// Package macf reads what macf keeps of its agents: the configuration of a
// workspace, the registry in which the agents of a project meet, what an agent
// answers when it is asked for its health, and what its tools leave behind. It
// is pure: bytes become payloads. Source: macf 0.2.46.
//
// An agent has one canonical id, lower case with "-": its workspace calls it
// devops-agent, a variable of the registry DEVOPS_AGENT.
package macf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// textWidth is how much of a word of another's is kept.
const textWidth = 120

// Canonical is the one id of an agent or a project, however it is written.
func Canonical(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), "_", "-"))
}

// ID is the canonical id of an agent or a project as a record holds it. What may
// be a secret goes before the name is written in another way, in which nobody
// would know it again.
func ID(name string) string { return Canonical(guard.ID(strings.TrimSpace(name))) }

// Segment is a name as a part of the name of a variable: upper case with "_".
func Segment(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }

// FileName is a name as macf makes a file's of it: any character but letters,
// digits, dot, underscore and dash is an underscore.
func FileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '_'
	}, name)
}

// SessionName is the name of the tmux session of an agent, cleaned. tmux writes "_" for
// the signs that separate parts of its targets.
func SessionName(project, agent string) string {
	return strings.NewReplacer(".", "_", ":", "_").Replace(guard.Text(project, textWidth) + "@" + guard.Text(agent, textWidth))
}

// object reads the fields of a JSON object and keeps the first error, or all of
// them. Names are matched exactly, one that comes twice is an error, and no error
// quotes what is read.
type object struct {
	fields map[string]jsontext.Value
	err    error
	all    bool     // keep every error: a person mends the file
	errs   []string // what err says, of one that keeps all
}

func newObject(b []byte) *object {
	o := new(object)
	if err := json.Unmarshal(b, &o.fields); err != nil || o.fields == nil {
		o.fields, o.err = nil, errors.New("not a JSON object")
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			o.err = fmt.Errorf("not JSON at byte %d", syntax.ByteOffset)
		}
	}
	return o
}

func (o *object) fail(format string, args ...any) {
	switch {
	case o.err == nil:
		o.err = fmt.Errorf(format, args...)
		o.errs = []string{o.err.Error()}
	case o.all && o.fields != nil:
		o.errs = append(o.errs, fmt.Sprintf(format, args...))
		o.err = errors.New(strings.Join(o.errs, ", "))
	}
}

// within is the object that a field holds, which keeps as many errors.
func (o *object) within(v jsontext.Value) *object {
	p := newObject(v)
	p.all = o.all
	return p
}

// has tells whether a field is there and is not null.
func (o *object) has(name string) bool {
	v, ok := o.fields[name]
	return ok && v.Kind() != 'n'
}

// text is a field that must be a text, and must not be empty.
func (o *object) text(name string) string {
	before := len(o.errs)
	s := o.maybe(name)
	if _, ok := o.fields[name]; !ok {
		o.fail("%s is missing", name)
	} else if s == "" && len(o.errs) == before {
		o.fail("%s is empty", name)
	}
	return s
}

// maybe is a field that must be a text when it is there and not null.
func (o *object) maybe(name string) string {
	if !o.has(name) {
		return ""
	}
	v := o.fields[name]
	b, err := jsontext.AppendUnquote(nil, v)
	if v.Kind() != '"' || err != nil {
		o.fail("%s is not a text", name)
		return ""
	}
	return string(b)
}

// optional checks a field that must be a text that is not empty when it is there.
func (o *object) optional(name string) {
	if _, ok := o.fields[name]; ok {
		o.text(name)
	}
}

// whole is a field that must be a whole number from low to high when it is
// there and not null; ok is false when it is not.
func (o *object) whole(name string, low, high int64) (n int64, ok bool) {
	if !o.has(name) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(o.fields[name]), 10, 64)
	if err != nil || n < low || n > high {
		o.fail("%s is not a whole number of %d to %d", name, low, high)
		return 0, false
	}
	return n, true
}

// part is a field that must be an object when it is there and not null; nil
// when it is not.
func (o *object) part(name string) *object {
	if !o.has(name) {
		return nil
	}
	p := o.within(o.fields[name])
	if p.err != nil {
		o.fail("%s is not an object", name)
		return nil
	}
	return p
}

// take keeps the errors of a part, under its name.
func (o *object) take(name string, p *object) {
	switch {
	case p == nil || p.err == nil:
	case p.errs == nil: // it is no object
		o.fail("%s.%v", name, p.err)
	default:
		for _, says := range p.errs {
			o.fail("%s.%s", name, says)
		}
	}
}
