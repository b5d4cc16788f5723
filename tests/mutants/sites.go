// Package mutants proves that the tests of a package hold what fails closed in
// it: it finds by AST every statement that says that something is wrong, is not
// known or was not read, lets one of them slip at a time, and requires that a
// test fails. It is for tests only.
//
// What slips is
//   - a return with an error: the same values come without it;
//   - a truth that a function returns last and that is not plainly true: true;
//   - a return of nothing without an error: something empty;
//   - a field of a returned value that says what is wrong: it is left out;
//   - an assignment to such a field or to a variable of such a name, or a count
//     of what was not understood: it is not made, and OK stays true;
//   - a call that says so: it is not made.
//
// Function literals count with the function that they stand in, but for truths:
// those of literals are conditions of a search.
package mutants

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Table is what a package says of its sites. The zero Table suits a package
// whose sites all slip as they usually do.
type Table struct {
	Errors     []string          // types beside error of which nil says that all is well: *github.Failure
	Fields     []string          // fields and variables that say that something is wrong or unknown
	Calls      []string          // functions and methods that say so
	Slips      map[string]string // by the name of a site: the statements of its slip, when the usual one is no fault
	Equivalent map[string]string // by the name of a site: why no test can tell its slip
}

// site is a statement that may slip.
type site struct {
	name     string // its function and its text, and a number when both come again
	file     string
	from, to int    // where it stands in the file
	slip     string // the statements in its place
	stays    bool   // the statement stands behind its slip, which leaves the function
}

// sites finds the sites of the package in the working directory, in the order
// of its files.
func (m Table) sites(t testing.TB) []site {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	linux := build.Default // whatever runs this, so that rows name the same sites
	linux.GOOS = "linux"
	var all []site
	times := map[string]int{}
	for _, file := range files {
		if ok, err := linux.MatchFile(".", file); !ok || err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			f := finder{Table: m, text: text, base: fset.File(fn.Pos()).Base(), declared: fn.Type}
			f.walk(fn.Body, fn.Type)
			for _, s := range f.found {
				line, _, _ := strings.Cut(string(text[s.from:s.to]), "\n")
				s.name, s.file = nameOf(fn)+": "+line, file
				if times[s.name]++; times[s.name] > 1 {
					s.name += fmt.Sprintf(" (%d)", times[s.name])
				}
				if by := m.Slips[s.name]; by != "" {
					s.slip = by
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// nameOf is the name of a function, behind that of its receiver's type.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// finder finds the sites of one function.
type finder struct {
	Table
	text     []byte
	base     int           // of the file's positions
	declared *ast.FuncType // of the function, not of a literal in it
	found    []site
}

func (f *finder) source(n ast.Node) string {
	return string(f.text[int(n.Pos())-f.base : int(n.End())-f.base])
}

func (f *finder) add(n ast.Node, slip string, stays bool) {
	f.found = append(f.found, site{from: int(n.Pos()) - f.base, to: int(n.End()) - f.base, slip: slip, stays: stays})
}

// walk looks at the statements of a function of that type.
func (f *finder) walk(body ast.Node, typ *ast.FuncType) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.walk(n.Body, n.Type)
			return false
		case *ast.ReturnStmt:
			if slip := f.returned(n, typ); slip != "" {
				f.add(n, slip, true)
			}
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		}
		return true
	})
}

// results are the types of a function's results, one for each.
func (f *finder) results(typ *ast.FuncType) []string {
	var types []string
	if typ.Results == nil {
		return nil
	}
	for _, field := range typ.Results.List {
		for range max(len(field.Names), 1) {
			types = append(types, f.source(field.Type))
		}
	}
	return types
}

// returned is the slip of a return, "" when it is no site.
func (f *finder) returned(r *ast.ReturnStmt, typ *ast.FuncType) string {
	types := f.results(typ)
	if len(r.Results) == 0 {
		return ""
	}
	last := types[len(types)-1]
	isError := last == "error" || slices.Contains(f.Errors, last)
	if len(r.Results) == 1 && len(types) > 1 { // return f(), of which the last value goes
		if !isError {
			return ""
		}
		var vs []string
		for i := range types[1:] {
			vs = append(vs, fmt.Sprint("v", i))
		}
		values := strings.Join(vs, ", ")
		return fmt.Sprintf("%s, _ := %s; return %s, nil", values, f.source(r.Results[0]), values)
	}
	var values []string
	for _, v := range r.Results {
		values = append(values, f.source(v))
	}
	end := len(values) - 1
	without := func(value string) string {
		gone := values[end]
		return fmt.Sprintf("_ = %s; return %s", gone, strings.Join(append(values[:end:end], value), ", "))
	}
	switch {
	case isError && values[end] != "nil":
		return without("nil")
	case f.field(r) != nil:
		kv := f.field(r)
		return strings.Replace(f.source(r), f.source(kv)+", ", "", 1)
	case last == "bool" && typ == f.declared && values[end] != "true":
		return without("true")
	case values[0] == "nil" && (len(values) > 1 || !isError):
		return "return " + strings.Join(append([]string{empty(types[0])}, values[1:]...), ", ")
	}
	return ""
}

// empty is an empty value of a type, which is not nil.
func empty(typ string) string {
	if inner, ok := strings.CutPrefix(typ, "*"); ok {
		return "new(" + inner + ")"
	}
	return typ + "{}"
}

// field is the first part of a returned literal that says what is wrong.
func (f *finder) field(r *ast.ReturnStmt) (found *ast.KeyValueExpr) {
	for _, v := range r.Results {
		if ref, ok := v.(*ast.UnaryExpr); ok {
			v = ref.X
		}
		literal, ok := v.(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, e := range literal.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && slices.Contains(f.Fields, f.source(kv.Key)) && f.source(kv.Value) != "true" {
				return kv
			}
		}
	}
	return nil
}
