package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// docs/records.md is every kind of record and the JSON report, field by field, as
// the comments of the Go types say; UPDATE=1 writes it anew.
func TestRecordsPage(t *testing.T) {
	got, err := recordsPage(filepath.Join(root, "internal/record"), filepath.Join(root, "internal/report"))
	if err != nil {
		t.Fatal(err)
	}
	goldenAt(t, "docs/records.md", got)
}

const recordsIntro = `# Records

One record is one line: a JSON object of these fields. A kind or a field that a reader doesn't know is passed on and
means nothing to it; a field that is removed, or means something else, would be another format version. Each program
ends with a record of kind surface whose subject is its own name, and which says how many it added: without it the
lines before are not the whole. This page is made from the comments of the code that reads and writes them.

Times are RFC 3339 in UTC with milliseconds. A field is always there unless its row says that it may be absent.

`

// recordsPage returns the page. The first of the directories is package record's.
func recordsPage(dirs ...string) ([]byte, error) {
	types, err := typesOf(dirs...)
	if err != nil {
		return nil, err
	}
	words, err := wordsOf(dirs...)
	if err != nil {
		return nil, err
	}
	p := &recordsWriter{types: types, words: words, done: map[string]bool{}}
	p.WriteString(recordsIntro)
	p.table("Record")
	kinds, err := kindsOf(dirs[0])
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		fmt.Fprintf(p, "\n## %s\n\n", k[0])
		if err := p.object(k[1]); err != nil {
			return nil, err
		}
	}
	p.WriteString("\n## The JSON report\n\n`latest.json`, `ticks/<tick>/report.json` and `fleet-render --format json`.\n\n")
	if err := p.object("report.Report"); err != nil {
		return nil, err
	}
	p.WriteString("\n## The JSON report of a sweep\n\n`heal.json`, `heal/report.json` and `fleet-render --format sweep-json`.\n\n")
	if err := p.object("report.Sweep"); err != nil {
		return nil, err
	}
	return p.Bytes(), nil
}

// recordsWriter is the text while it is written.
type recordsWriter struct {
	bytes.Buffer
	types map[string]*object
	words map[string]string // of constants, by name
	done  map[string]bool
	due   []string // types that a table names and that have no table yet
}

// object writes a type and those that its fields have and no table described
// before.
func (p *recordsWriter) object(name string) error {
	o := p.types[name]
	if o == nil {
		return fmt.Errorf("no struct %s", name)
	}
	p.done[name] = true
	fmt.Fprintf(p, "%s\n\n", o.says)
	p.table(name)
	for len(p.due) > 0 {
		next := p.due[0]
		p.due = p.due[1:]
		if p.done[next] {
			continue
		}
		p.done[next] = true
		fmt.Fprintf(p, "\n### %s\n\n%s\n\n", titleOf(next), p.types[next].says)
		p.table(next)
	}
	return nil
}

// table writes the fields of a type.
func (p *recordsWriter) table(name string) {
	p.WriteString("| field | type | |\n|---|---|---|\n")
	for _, f := range p.types[name].fields {
		fmt.Fprintf(p, "| `%s` | %s | %s |\n", f.name, p.typeOf(name, f.typ, !f.absent), p.cell(f.says, f.absent))
	}
}

// closedWords is how a comment names the constants that a field may have.
var closedWords = regexp.MustCompile(`an? ([A-Z][A-Za-z]+)… word`)

// cell is what a table says of a field.
func (p *recordsWriter) cell(says string, absent bool) string {
	says = closedWords.ReplaceAllStringFunc(says, func(named string) string {
		prefix, list := closedWords.FindStringSubmatch(named)[1], []string{}
		for _, name := range slices.Sorted(maps.Keys(p.words)) {
			if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && unicode.IsUpper(rune(rest[0])) {
				list = append(list, "`"+p.words[name]+"`")
			}
		}
		return "one of " + strings.Join(list, ", ")
	})
	if absent && !strings.Contains(says, "absent") {
		says = strings.TrimPrefix(says+"; absent when it is empty", "; ")
	}
	return strings.ReplaceAll(says, "|", `\|`)
}

// typeOf is a Go type as JSON has it. null says whether a pointer may be null.
func (p *recordsWriter) typeOf(in string, t ast.Expr, null bool) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		if s := p.typeOf(in, t.X, false); null {
			return s + " or null"
		}
		return p.typeOf(in, t.X, false)
	case *ast.ArrayType:
		return "list of " + p.typeOf(in, t.Elt, false)
	case *ast.MapType:
		return "object of " + p.typeOf(in, t.Value, false) + " by " + p.typeOf(in, t.Key, false)
	case *ast.IndexExpr:
		return p.typeOf(in, t.X, false) + " of " + p.typeOf(in, t.Index, false)
	case *ast.SelectorExpr:
		if s := t.X.(*ast.Ident).Name + "." + t.Sel.Name; s != "record.Time" {
			if s == "json.RawMessage" {
				return "any"
			}
			return p.named(strings.TrimPrefix(s, "record."))
		}
		return "time"
	case *ast.Ident:
		if t.Name == "T" {
			return "what it is of"
		}
		if pkg, _, ok := strings.Cut(in, "."); ok && p.types[pkg+"."+t.Name] != nil {
			return p.named(pkg + "." + t.Name)
		}
		return p.named(t.Name)
	}
	return fmt.Sprintf("%T", t)
}

// jsonTypes are Go's types in JSON's words.
var jsonTypes = map[string]string{"string": "text", "bool": "boolean", "int": "number", "int64": "number", "float64": "number", "any": "any", "Time": "time", "Kind": "text"}

func (p *recordsWriter) named(name string) string {
	if s := jsonTypes[name]; s != "" {
		return s
	}
	if p.types[name] == nil {
		return "text" // a word of a closed set
	}
	p.due = append(p.due, name)
	return "[" + titleOf(name) + "](#" + strings.ToLower(strings.ReplaceAll(titleOf(name), " ", "-")) + ")"
}

// titleOf is the heading of a type.
func titleOf(name string) string {
	if of, ok := strings.CutPrefix(name, "report."); ok {
		return "Report " + of
	}
	return name
}
