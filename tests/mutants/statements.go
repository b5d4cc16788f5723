package mutants

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// statements looks at the statements of one block that are no returns.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && slices.Contains(f.Calls, last(f.source(call.Fun))) {
				f.add(s, "", false)
			}
		case *ast.IncDecStmt:
			if f.says(s.X) {
				f.add(s, "", false)
			}
		case *ast.AssignStmt:
			f.assigned(s)
		}
	}
}

// assigned adds an assignment to a field that says what is wrong. What is
// assigned is evaluated all the same.
func (f *finder) assigned(s *ast.AssignStmt) {
	if !slices.ContainsFunc(s.Lhs, f.says) {
		return
	}
	var left, right []string
	for _, v := range s.Rhs {
		right = append(right, f.source(v))
	}
	if !slices.ContainsFunc(right, func(v string) bool { return v != "true" && v != "nil" }) {
		return // it says that all is well
	}
	for _, v := range s.Lhs {
		name := f.source(v)
		if f.says(v) {
			name = "_"
		}
		left = append(left, name)
	}
	slip := strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
	switch {
	case s.Tok != token.ASSIGN:
		slip = ""
	case len(s.Lhs) == 1 && last(f.source(s.Lhs[0])) == "OK":
		slip += "; " + f.source(s.Lhs[0]) + " = true"
	}
	f.add(s, slip, false)
}

func (f *finder) says(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && slices.Contains(f.Fields, sel.Sel.Name)
}

// last is the name behind the last dot.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
