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

// assigned adds an assignment to what says that something is wrong, once for
// each of several. What is assigned is evaluated all the same.
func (f *finder) assigned(s *ast.AssignStmt) {
	var left, right []string
	for _, v := range s.Lhs {
		left = append(left, f.source(v))
	}
	for _, v := range s.Rhs {
		right = append(right, f.source(v))
	}
	if s.Tok == token.DEFINE || !slices.ContainsFunc(right, func(v string) bool { return v != "true" && v != "nil" }) {
		return // nothing was said before, or it says that all is well
	}
	for i, v := range s.Lhs {
		if !f.says(v) {
			continue
		}
		slip := strings.Join(slices.Concat(left[:i], []string{"_"}, left[i+1:]), ", ") + " = " + strings.Join(right, ", ")
		switch {
		case s.Tok != token.ASSIGN:
			slip = ""
		case len(s.Lhs) == 1 && last(left[0]) == "OK":
			slip += "; " + left[0] + " = true"
		}
		f.add(s, slip, false)
	}
}

// says tells whether a field or a variable has one of the names.
func (f *finder) says(e ast.Expr) bool {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		e = sel.Sel
	}
	name, ok := e.(*ast.Ident)
	return ok && slices.Contains(f.Fields, name.Name)
}

// last is the name behind the last dot.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
