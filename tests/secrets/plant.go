package secrets

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Planter copies recorded machines and puts credentials where strings are: values and keys of JSON, lines of text, names
// of files. A field is a kind of file and a path in it; a round plants one in Groups of all fields, so what the rest of a
// record needs to be read stays whole in other rounds.
type Planter struct {
	Round, Groups int
	Keep          func(rel string) bool // files to copy as they are
	Fields        map[string]int        // how often each field was planted
	Only          string                // when set: the one field to plant, everywhere

	pool  []Credential
	seen  map[string]int
	names map[string]string
	next  int
}

// NewPlanter returns a planter that takes the credentials of pool in turn, and begins at another place every round.
func NewPlanter(pool []Credential, round, groups int) *Planter {
	return &Planter{Round: round, Groups: groups, Fields: map[string]int{}, seen: map[string]int{}, pool: pool, names: map[string]string{}, next: 17 * round}
}

// Copy copies the tree at src to dst.
func (p *Planter) Copy(src, dst string) error {
	return filepath.WalkDir(src, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to := rel
		if p.Keep == nil || !p.Keep(rel) {
			b, to = p.File(rel, b), p.rename(rel)
		}
		to = filepath.Join(dst, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
}

// File returns what is in a file with credentials in it.
func (p *Planter) File(rel string, b []byte) []byte {
	kind := class(rel)
	dir, base := filepath.Split(rel)
	switch fails := strings.HasPrefix(rel, "commands/") && p.hit("fails "+dir); {
	case base == "status" && fails:
		return []byte("1\n")
	case base == "stderr" && fails:
		c, _ := p.take()
		return append([]byte(c.In()+"\n"), b...)
	case base == "status", base == "argv":
		return b
	}
	if out, ok := p.json(kind, b); ok {
		return out
	}
	head, body, isHTTP := bytes.Cut(b, []byte("\r\n\r\n"))
	if out, ok := p.json(kind, body); isHTTP && ok {
		return slices.Concat(p.lines(kind+" head", head), []byte("\r\n\r\n"), out)
	}
	return p.lines(kind, b)
}

// lines plants the lines of a text, each as JSON when it is.
func (p *Planter) lines(kind string, b []byte) []byte {
	lines := strings.SplitAfter(string(b), "\n")
	for i, l := range lines {
		text := strings.TrimRight(l, "\r\n")
		if out, ok := p.json(kind, []byte(text)); ok {
			lines[i] = string(out) + l[len(text):]
		} else if text != "" && p.hit(kind+" line "+number.ReplaceAllString(text, "*")) {
			lines[i] = p.line(text) + l[len(text):]
		}
	}
	return []byte(strings.Join(lines, ""))
}

var value = regexp.MustCompile(`^([^=:>]*(?:=|: |>))([^<]*)(.*)$`)

// line returns a line with a credential behind it, in place of its value, before it or in its place.
func (p *Planter) line(text string) string {
	c, how := p.take()
	m := value.FindStringSubmatch(text)
	switch {
	case how == 0 && m != nil && m[3] != "":
		return m[1] + m[2] + " " + c.In() + m[3]
	case how == 0:
		return text + " " + c.In()
	case how <= 2 && m != nil:
		return m[1] + c.Text + m[3]
	case how == 1:
		return c.In()
	}
	return c.Text + " " + text
}

// json plants a JSON object or array.
func (p *Planter) json(kind string, b []byte) ([]byte, bool) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if !json.Valid(b) || dec.Decode(&v) != nil {
		return nil, false
	}
	switch v.(type) {
	case map[string]any, []any:
	default:
		return nil, false
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(p.walk(kind, v)) != nil {
		return nil, false
	}
	return bytes.TrimRight(out.Bytes(), "\n"), true
}

func (p *Planter) walk(kind string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = p.walk(kind+"."+class(k), v[k])
		}
		if p.hit(kind + ".{}") {
			c, _ := p.take()
			v[c.Text] = c.In()
		}
	case []any:
		for i := range v {
			v[i] = p.walk(kind+"[]", v[i])
		}
	case string:
		if p.hit(kind) {
			return p.string(v)
		}
	}
	return v
}

// string returns a string with a credential behind it, or in its place.
func (p *Planter) string(s string) string {
	c, how := p.take()
	switch {
	case how == 0:
		return s + " " + c.In()
	case how == 1:
		return c.In()
	case how == 2 && strings.Contains(s, "/"):
		return s + "/" + c.Text
	case how == 3:
		return c.Text + " " + s
	}
	return c.Text
}

// rename returns the name of a file with a credential in its last part, or the one before.
func (p *Planter) rename(rel string) string {
	dir, base := filepath.Split(rel)
	dir = filepath.Clean(dir)
	if strings.Count(rel, "/") > 5 && p.hit("dir "+class(dir)) {
		dir = p.name(dir)
	}
	if ext := filepath.Ext(base); strings.HasPrefix(rel, "root/") && p.hit("name "+class(rel)) {
		base = p.name(strings.TrimSuffix(base, ext)) + ext
	}
	return filepath.Join(dir, base)
}

func (p *Planter) name(of string) string {
	for p.names[of] == "" {
		if c, _ := p.take(); len(c.Text) < 150 && !strings.ContainsAny(c.Text, "/\n\x00") {
			p.names[of] = of + "." + c.Text
		}
	}
	return p.names[of]
}

// hit reports whether a string of a field is planted in this round: the first, and half of the others, so that some
// records keep the fields that a reader needs. Which fields go together is otherwise after each Groups rounds.
func (p *Planter) hit(field string) bool {
	if p.Only != "" {
		if p.Only == field {
			p.Fields[field]++
		}
		return p.Only == field
	}
	cycle := byte(p.Round / p.Groups)
	if int(hash(field, cycle))%p.Groups != p.Round%p.Groups {
		return false
	}
	p.seen[field]++
	if n := p.seen[field]; n > 1 && hash(field, cycle, byte(n), byte(n>>8))%2 == 0 {
		return false
	}
	p.Fields[field]++
	return true
}

func hash(field string, more ...byte) uint32 {
	h := fnv.New32a()
	h.Write([]byte(field))
	h.Write(more)
	return h.Sum32() >> 3
}

// take returns the next credential, and one of four ways to plant it.
func (p *Planter) take() (Credential, int) {
	p.next++
	return p.pool[p.next%len(p.pool)], (p.next/3 + p.next/len(p.pool)) % 4
}

var (
	number = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8,}\b|[0-9]+`)
	paths  = regexp.MustCompile(`projects/[^/]+`)
)

// class returns a name without what differs between files of one kind.
func class(name string) string {
	return number.ReplaceAllString(paths.ReplaceAllString(name, "projects/*"), "*")
}
