package asks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNeeds drops each check of each need, one at a time, and requires that a
// case of a key notices.
func TestNeeds(t *testing.T) {
	was := needs
	defer func() { needs = was }()
	tried := 0
	for i, n := range was {
		for j := range n.checks {
			needs = slices.Clone(was)
			needs[i].checks = slices.Delete(slices.Clone(n.checks), j, j+1)
			tried++
			if !slices.ContainsFunc(keyCases, func(c keyCase) bool { return strings.HasPrefix(c.key, n.prefix) && len(c.check(t)) > 0 }) {
				t.Errorf("check %d of %q can go and nothing notices", j+1, n.prefix)
			}
		}
	}
	t.Logf("%d checks dropped", tried)
}

// slips is what a slip would return in place of what fails closed, by function
// and count; true where a truth is returned, unless it is here.
var slips = map[string]string{
	"Of 1":         "Fold{}, nil",
	"raise 1":      "s.sessions(), nil",
	"raise 2":      "nil, nil",
	"listing 1":    `[]condition{{key: "listing"}}`,
	"configured 1": "nil, nil",
	"met 2":        "false, nil",
}

// aReturn is a return statement that fails closed.
type aReturn struct {
	file, function string
	n              int    // among the returns of its function, from 1
	by             string // what a slip would return
	row            bool   // by is from slips
	from, to       int    // of its values, in the file
}

// returns finds the returns that fail closed: a truth that is not plainly true,
// nothing, or an error.
func returns(t *testing.T) []aReturn {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []aReturn
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Type.Results == nil {
				continue
			}
			n := 0
			ast.Inspect(fn, func(node ast.Node) bool {
				if _, nested := node.(*ast.FuncLit); nested {
					return false
				}
				r, ok := node.(*ast.ReturnStmt)
				if !ok || len(r.Results) == 0 {
					return true
				}
				if n++; failsClosed(fn, r, n) {
					by := slips[fmt.Sprint(fn.Name.Name, " ", n)]
					found = append(found, aReturn{file, fn.Name.Name, n, cmp.Or(by, "true"), by != "",
						fset.Position(r.Results[0].Pos()).Offset, fset.Position(r.End()).Offset})
				}
				return true
			})
		}
	}
	return found
}

func failsClosed(fn *ast.FuncDecl, r *ast.ReturnStmt, n int) bool {
	if slips[fmt.Sprint(fn.Name.Name, " ", n)] != "" {
		return true
	}
	first, _ := r.Results[0].(*ast.Ident)
	if kind, ok := fn.Type.Results.List[0].Type.(*ast.Ident); ok && kind.Name == "bool" && len(r.Results) == 1 {
		return first == nil || first.Name != "true"
	}
	return first != nil && first.Name == "nil" // without a row: the test names it
}

// Every return of nothing or of an error has a row, and every row a return.
func TestReturns(t *testing.T) {
	rows := 0
	for _, r := range returns(t) {
		if r.row {
			rows++
		} else if r.by == "true" && r.kindOfNil() {
			t.Errorf("%s, return %d yields nothing and has no row", r.function, r.n)
		}
	}
	if rows != len(slips) {
		t.Errorf("%d rows, %d of them have a return", len(slips), rows)
	}
}

// kindOfNil tells a return of nil.
func (r aReturn) kindOfNil() bool {
	src, err := os.ReadFile(r.file)
	return err != nil || strings.HasPrefix(string(src[r.from:r.to]), "nil")
}

// TestMutants opens each of them, one at a time, and requires that the tests of
// this package fail. It builds the package anew for each, so it runs only when
// FLEET_MUTATE is set.
func TestMutants(t *testing.T) {
	if os.Getenv("FLEET_MUTATE") == "" {
		t.Skip("FLEET_MUTATE is not set")
	}
	dir := t.TempDir()
	killed, survived := 0, 0
	for i, r := range returns(t) {
		name := fmt.Sprintf("%s, return %d as %s", r.function, r.n, r.by)
		if out, err := mutant(filepath.Join(dir, fmt.Sprint(i)), r, r.by); err == nil {
			t.Errorf("survived: %s", name)
			survived++
		} else if bytes.Contains(out, []byte("[build failed]")) {
			t.Errorf("%s: does not build: %s", name, out)
		} else {
			killed++
		}
	}
	t.Logf("mutants: %d killed, %d survived", killed, survived)
}

// mutant runs the tests over a package in which one return is another.
func mutant(dir string, r aReturn, by string) ([]byte, error) {
	src, err := os.ReadFile(r.file)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(r.file)
	if err != nil {
		return nil, err
	}
	changed, overlay := dir+".go", dir+".json"
	o, err := json.Marshal(map[string]map[string]string{"Replace": {abs: changed}})
	if err != nil {
		return nil, err
	}
	if !r.row { // what it returns stays used
		by += " || (" + string(src[r.from:r.to]) + ")"
	}
	text := slices.Concat(src[:r.from], []byte(by), src[r.to:])
	for name, b := range map[string][]byte{changed: text, overlay: o} {
		if err := os.WriteFile(name, b, fs.FileMode(0o600)); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", "^Test(Keys|Entries|Remembered|NotRaised|Unworded|UnknownKeys|Local|LedgerAlone|Persists|AskWhen|UnseenRepos|Strangers|Order|WithoutProgram)$", ".")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FLEET_") })
	return cmd.CombinedOutput()
}
