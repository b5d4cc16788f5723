package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// object is a struct that is a JSON object.
type object struct {
	says   string
	fields []property
}

// property is a field as JSON has it.
type property struct {
	name, says string
	typ        ast.Expr
	absent     bool // left out when empty
}

// typesOf reads the structs of directories, of the first by their names, of
// others with the package before them.
func typesOf(dirs ...string) (map[string]*object, error) {
	types := map[string]*object{}
	for i, dir := range dirs {
		prefix := ""
		if i > 0 {
			prefix = filepath.Base(dir) + "."
		}
		err := eachFile(dir, func(file *ast.File) error {
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, s := range g.Specs {
					spec := s.(*ast.TypeSpec)
					if st, ok := spec.Type.(*ast.StructType); ok {
						types[prefix+spec.Name.Name] = objectOf(paragraph(g.Doc), st)
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, o := range types {
		o.embed(types)
	}
	return types, nil
}

// wordsOf are the values of the string constants of directories, by name.
func wordsOf(dirs ...string) (map[string]string, error) {
	words := map[string]string{}
	for _, dir := range dirs {
		err := eachFile(dir, func(file *ast.File) error {
			ast.Inspect(file, func(n ast.Node) bool {
				v, ok := n.(*ast.ValueSpec)
				if !ok || len(v.Values) != 1 {
					return true
				}
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					words[v.Names[0].Name], _ = strconv.Unquote(lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}

// eachFile parses the files of a package that are no tests.
func eachFile(dir string, f func(*ast.File) error) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
		if err != nil {
			return err
		}
		if err := f(file); err != nil {
			return err
		}
	}
	return nil
}

func objectOf(says string, st *ast.StructType) *object {
	o := &object{says: says}
	for _, f := range st.Fields.List {
		tag := ""
		if f.Tag != nil {
			tag, _ = strconv.Unquote(f.Tag.Value)
		}
		name, rest, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		p := property{name: name, typ: f.Type, says: paragraph(f.Comment), absent: strings.Contains(rest, "omit")}
		if p.says == "" {
			p.says = paragraph(f.Doc)
		}
		switch {
		case len(f.Names) == 0 && name == "": // embedded
		case name == "" || name == "-":
			continue
		}
		o.fields = append(o.fields, p)
	}
	return o
}

// embed puts the fields of embedded structs in their places.
func (o *object) embed(types map[string]*object) {
	var fs []property
	for _, f := range o.fields {
		if f.name == "" {
			name := ""
			switch t := f.typ.(type) {
			case *ast.Ident:
				name = t.Name
			case *ast.SelectorExpr:
				if id, ok := t.X.(*ast.Ident); ok && id.Name == "record" {
					name = t.Sel.Name
				}
			}
			if of := types[name]; of != nil {
				of.embed(types)
				fs = append(fs, of.fields...)
			}
			continue
		}
		fs = append(fs, f)
	}
	o.fields = fs
}

// kindsOf are the kinds in the order of the code, with their types, by the
// function payloadOf, each clause of which is case KindX: return new(X).
func kindsOf(dir string) ([][2]string, error) {
	words, clauses := map[string]string{}, []ast.Stmt{}
	err := eachFile(dir, func(file *ast.File) error {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Kind") {
						words[v.Names[0].Name], _ = strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
					}
				}
			case *ast.FuncDecl:
				if d.Name.Name == "payloadOf" {
					clauses = d.Body.List[0].(*ast.SwitchStmt).Body.List
				}
			}
		}
		return nil
	})
	var kinds [][2]string
	for _, c := range clauses {
		clause := c.(*ast.CaseClause)
		made := clause.Body[0].(*ast.ReturnStmt).Results[0].(*ast.CallExpr)
		kinds = append(kinds, [2]string{words[clause.List[0].(*ast.Ident).Name], made.Args[0].(*ast.Ident).Name})
	}
	if len(kinds) != len(words) {
		return nil, fmt.Errorf("%d kinds, and %d words of them", len(kinds), len(words))
	}
	return kinds, err
}

// paragraph is a comment on one line.
func paragraph(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return strings.Join(strings.Fields(c.Text()), " ")
}
