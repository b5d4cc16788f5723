package config

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/guard"
)

// rule says what a value must be. read puts it into the place that into points
// to and returns false when it is something else; it returns true when it has
// itself said what is wrong inside.
type rule struct {
	want string
	read func(r *reader, key string, n *Node, into any) bool
}

// reader notes what is wrong.
type reader struct {
	path     string
	home     string
	problems []Problem
	exprs    []expression
}

func (r *reader) fail(n *Node, key, says string) {
	r.problems = append(r.problems, Problem{r.path, n.line, key, says})
}

// field is a key of an object.
type field struct {
	name string
	need bool
	want string
	read func(key string, n *Node) bool
}

// object reads the fields of an object.
func (r *reader) object(key string, n *Node, want string, fields []field) {
	if !n.is("object") {
		r.fail(n, key, "want "+want)
		return
	}
	for _, name := range n.keys {
		if slices.Contains(n.twice, name) {
			r.fail(n.fields[name], below(key, name), "comes twice") // neither counts
			continue
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			r.fail(n.fields[name], below(key, name), "no such key")
		} else if f := fields[i]; !f.read(below(key, name), n.fields[name]) {
			r.fail(n.fields[name], below(key, name), "want "+f.want)
		}
	}
	for _, f := range fields {
		if f.need && n.fields[f.name] == nil {
			r.fail(n, below(key, f.name), "is missing; want "+f.want)
		}
	}
}

// plainKey is a key that is shown as it is; another is shown quoted.
var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.:/@~*-]{1,64}$`) })

func below(key, name string) string {
	// A value may be pasted in the place of a key. It is looked for before it is cut.
	if quoted := guard.Quote(name); quoted != strconv.Quote(name) {
		name = guard.Text(quoted, 64)
	} else if !plainKey().MatchString(name) {
		name = strconv.QuoteToASCII(name[:min(len(name), 64)])
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

// take binds a rule to a place.
func (r *reader) take(name string, rule rule, into any) field {
	return field{name: name, want: rule.want, read: func(key string, n *Node) bool { return rule.read(r, key, n, into) }}
}

// needed is take of a key that must be there.
func (r *reader) needed(name string, rule rule, into any) field {
	f := r.take(name, rule, into)
	f.need = true
	return f
}

// maybe is take of a key that may also be null.
func (r *reader) maybe(name string, rule rule, into any) field {
	return r.take(name, orNull(rule), into)
}

// The plain rules.
var (
	zeroOne = rule{"0 or 1", func(_ *reader, _ string, n *Node, into any) bool {
		switch {
		case n.is("number") && n.text == "0":
			*into.(*bool) = false
		case n.is("number") && n.text == "1":
			*into.(*bool) = true
		default:
			return false
		}
		return true
	}}
	aText = rule{"a text that is not empty", func(_ *reader, _ string, n *Node, into any) bool {
		if !n.is("string") || n.text == "" || strings.ContainsAny(n.text, "\x00\n\r") {
			return false
		}
		*into.(*string) = n.text
		return true
	}}
	aPath = rule{"a path that begins with / or ~/", func(r *reader, _ string, n *Node, into any) bool {
		p, ok := expand(n, r.home)
		if ok {
			*into.(*string) = p
		}
		return ok
	}}
	argv = rule{"a command: a list of texts, the first not empty", func(_ *reader, _ string, n *Node, into any) bool {
		list := []string{}
		for _, item := range n.items {
			if !item.is("string") || strings.Contains(item.text, "\x00") {
				return false
			}
			list = append(list, item.text)
		}
		if len(list) == 0 || list[0] == "" {
			return false
		}
		*into.(*[]string) = list
		return true
	}}
	pathsByName = rule{"an object of paths", func(r *reader, key string, n *Node, into any) bool {
		paths := map[string]string{}
		fields := []field{}
		for _, name := range n.keys {
			fields = append(fields, field{name: name, want: aPath.want, read: func(_ string, v *Node) bool {
				p, ok := expand(v, r.home)
				paths[name] = p
				return ok
			}})
		}
		r.object(key, n, "an object of paths", fields)
		*into.(*map[string]string) = paths
		return true
	}}
)

// expand returns an absolute path, cleaned.
func expand(n *Node, home string) (string, bool) {
	if !n.is("string") || strings.ContainsAny(n.text, "\x00\n\r") {
		return "", false
	}
	if rest, ok := strings.CutPrefix(n.text, "~/"); ok {
		return path.Join(home, rest), true
	}
	return path.Clean(n.text), path.IsAbs(n.text)
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`) })

func atLeast(least int) rule {
	return rule{fmt.Sprintf("a whole number from %d", least), func(_ *reader, _ string, n *Node, into any) bool {
		if !n.is("number") || !digits().MatchString(n.text) {
			return false
		}
		i, _ := strconv.Atoi(n.text)
		if i < least {
			return false
		}
		*into.(*int) = i
		return true
	}}
}

// The most that a length of time may be: a day of minutes for what is waited for,
// ten years of hours for what is looked back on.
const (
	dayMin    = 24 * 60
	decadeMin = 10 * 366 * dayMin
	decadeH   = decadeMin / 60
)

func between(least, most int) rule {
	return rule{fmt.Sprintf("a whole number from %d to %d", least, most), func(r *reader, key string, n *Node, into any) bool {
		i := 0
		if !atLeast(least).read(r, key, n, &i) || i > most {
			return false
		}
		*into.(*int) = i
		return true
	}}
}

func oneOf(words ...string) rule {
	return rule{"one of " + strings.Join(words, ", "), func(_ *reader, _ string, n *Node, into any) bool {
		if !n.is("string") || !slices.Contains(words, n.text) {
			return false
		}
		*into.(*string) = n.text
		return true
	}}
}

// orNull lets null stand for the default.
func orNull(inner rule) rule {
	return rule{inner.want + ", or null", func(r *reader, key string, n *Node, into any) bool {
		return n.is("null") || inner.read(r, key, n, into)
	}}
}

// listOf reads a list of texts that each follow a rule.
func listOf(inner rule, what string) rule {
	return rule{"a list of " + what, func(r *reader, key string, n *Node, into any) bool {
		list := []string{}
		ok := r.list(key, n, func(at string, item *Node) {
			var s string
			if !inner.read(r, at, item, &s) {
				r.fail(item, at, "want "+inner.want)
				return
			}
			list = append(list, s)
		})
		*into.(*[]string) = list
		return ok
	}}
}

// list calls each for every item; it returns false when n is no list.
func (r *reader) list(key string, n *Node, each func(at string, item *Node)) bool {
	for i, item := range n.items {
		each(fmt.Sprintf("%s[%d]", key, i), item)
	}
	return n.is("list")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
