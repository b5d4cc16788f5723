package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A caseRow is a row of the tables of README.md: a case and the tests that
// prove it, as file, file:Test or file:Test/subtest.
type caseRow struct {
	id, what string
	tests    []string
}

var (
	rowOfCase = regexp.MustCompile(`(?m)^\| ((?:[a-z]+-)+[a-z0-9-]+) \| ([^|]+) \| [^|]+ \|(.*)\|$`)
	testOfRow = regexp.MustCompile("`([^`]+)`")
)

func caseRows(text string) (rows []caseRow) {
	for _, m := range rowOfCase.FindAllStringSubmatch(text, -1) {
		row := caseRow{id: m[1], what: m[2]}
		for _, t := range testOfRow.FindAllStringSubmatch(m[3], -1) {
			row.tests = append(row.tests, t[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// Every case has a row of its own and a test that is there and names it, and
// every kind of fault at least two inputs of our own.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, seen, kinds, own, proved := caseRows(string(text)), map[string]bool{}, map[string]int{}, 0, 0
	for _, row := range rows {
		if seen[row.id] || len(row.tests) == 0 {
			t.Errorf("%s: twice, or without a test", row.id)
		}
		seen[row.id] = true
		if strings.HasPrefix(row.id, "own-") {
			kinds[row.what]++
			own++
		}
		for _, test := range row.tests {
			if err := proves(test, row.id); err != nil {
				t.Errorf("%s: %s: %v", row.id, test, err)
			}
			proved++
		}
	}
	if lines := strings.Count(string(text), "\n| ") - strings.Count(string(text), "\n|---"); len(rows)-own < 101 || len(kinds) < 13 || lines-len(rows) > 12 {
		t.Errorf("%d rows, %d kinds; %d lines of tables", len(rows), len(kinds), lines)
	}
	for kind, n := range kinds {
		if n < 2 {
			t.Errorf("%s: %d inputs of our own", kind, n)
		}
	}
	t.Logf("%d cases, %d tests", len(rows), proved)
}

// proves says why a test is not there or does not name a case.
func proves(test, id string) error {
	file, name, _ := strings.Cut(test, ":")
	name, sub, _ := strings.Cut(name, "/")
	src, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	text := string(src)
	if strings.HasSuffix(file, "_test.go") {
		if text, err = sourceOf(file, src, name); err != nil {
			return err
		}
	} else if name != "" || !strings.HasSuffix(file, ".txtar") {
		return fmt.Errorf("neither a script nor a test")
	}
	if !regexp.MustCompile(`(^|[^\w-])` + id + `($|[^\w-])`).MatchString(text) {
		return fmt.Errorf("it does not name the case")
	}
	if sub != "" && !strings.Contains(text, `"`+sub+`"`) {
		return fmt.Errorf("no subtest %q", sub)
	}
	return nil
}

// sourceOf is the text of a test with its comment, and of the tables of its
// file that it uses.
func sourceOf(file string, src []byte, name string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	add := func(from, to token.Pos) { text.Write(src[fset.Position(from).Offset:fset.Position(to).Offset]) }
	used := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
			from := fn.Pos()
			if fn.Doc != nil {
				from = fn.Doc.Pos()
			}
			add(from, fn.End())
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
		}
	}
	if text.Len() == 0 {
		return "", fmt.Errorf("no test of this name")
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				if v := s.(*ast.ValueSpec); used[v.Names[0].Name] {
					add(v.Pos(), v.End())
				}
			}
		}
	}
	return text.String(), nil
}
