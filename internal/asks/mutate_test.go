package asks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	at             int    // where it begins, in the file
	nothing        bool   // it returns nil
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
					first, _ := r.Results[0].(*ast.Ident)
					found = append(found, aReturn{file, fn.Name.Name, n, cmp.Or(by, "true"), by != "", fset.Position(r.Pos()).Offset, first != nil && first.Name == "nil"})
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
		} else if r.nothing {
			t.Errorf("%s, return %d yields nothing and has no row", r.function, r.n)
		}
	}
	if rows != len(slips) {
		t.Errorf("%d rows, %d of them have a return", len(slips), rows)
	}
}

// TestMutants opens each of them, one at a time, and requires that the tests of
// this package fail. All are built at once: a variable of the environment says
// which of them a run has.
func TestMutants(t *testing.T) {
	if os.Getenv("FLEET_MUTATE") == "" {
		t.Skip("FLEET_MUTATE is not set")
	}
	all := returns(t)
	binary := mutants(t, all)
	killed, survived := 0, 0
	for i, r := range all {
		cmd := exec.Command(binary, "-test.failfast", "-test.run", killers)
		cmd.Env = []string{fmt.Sprintf("FLEET_MUTANT=%d", i+1)}
		if cmd.Run() == nil {
			t.Errorf("survived: %s, return %d as %s", r.function, r.n, r.by)
			survived++
		} else {
			killed++
		}
	}
	cmd := exec.Command(binary, "-test.run", killers)
	cmd.Env = []string{}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("without a mutant: %v: %s", err, out)
	}
	t.Logf("mutants: %d killed, %d survived", killed, survived)
}

// killers are the tests that a mutant must fail.
const killers = "^Test(Keys|Entries|Remembered|NotRaised|Unworded|UnknownKeys|Local|LedgerAlone|Persists|AskWhen|UnseenRepos|Strangers|Order|WithoutProgram)$"

// mutants builds the tests over a package that has every slip, each behind its
// number.
func mutants(t *testing.T, all []aReturn) (binary string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	write := func(name string, text []byte) {
		abs, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[abs] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[abs], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string][]byte{}
	for i, r := range slices.Backward(all) { // from the end, so that places stay
		text := texts[r.file]
		if text == nil {
			var err error
			if text, err = os.ReadFile(r.file); err != nil {
				t.Fatal(err)
			}
		}
		slip := fmt.Sprintf("if mutant == \"%d\" { return %s }; ", i+1, r.by)
		texts[r.file] = slices.Concat(text[:r.at], []byte(slip), text[r.at:])
	}
	for name, text := range texts {
		write(name, text)
	}
	write("mutant.go", []byte("package asks\n\nimport \"os\"\n\nvar mutant = os.Getenv(\"FLEET_MUTANT\")\n"))
	overlay := filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "asks.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}
