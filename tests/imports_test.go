package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fleet-tools/fleet/"

// edges are the packages that may touch the machine.
var edges = []string{"internal/machine", "internal/process", "internal/observe", "internal/observe/agents", "internal/command", "internal/ledger", "internal/notify", "internal/cli", "internal/jq", "internal/jq/jqtest", "internal/driver", "internal/driver/tmux", "internal/driver/claude", "internal/act"}

// purePackages returns the directories of internal packages that are no edges,
// with their files that are no tests.
func purePackages(t *testing.T) map[string][]string {
	t.Helper()
	pkgs := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(root, "internal/*/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no packages found", err)
	}
	more, _ := filepath.Glob(filepath.Join(root, "internal/*/*/*.go"))
	for _, f := range append(files, more...) {
		dir, _ := filepath.Rel(root, filepath.Dir(f))
		if !slices.Contains(edges, dir) && !strings.HasSuffix(f, "_test.go") && filepath.Base(dir) != "gen" {
			pkgs[dir] = append(pkgs[dir], f)
		}
	}
	return pkgs
}

// A pure package sees no machine and no clock.
func TestPurePackages(t *testing.T) {
	for dir, files := range purePackages(t) {
		for _, f := range files {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, f, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, imp := range tree.Imports {
				switch path := strings.Trim(imp.Path.Value, `"`); path {
				case "os", "os/exec", "os/signal", "net", "net/http", "syscall", "golang.org/x/sys/unix":
					t.Errorf("%s: pure package %s imports %s", fset.Position(imp.Pos()), dir, path)
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Local", "Since", "Until", "After", "Tick", "NewTimer", "Sleep"}, sel.Sel.Name) {
						t.Errorf("%s: pure package %s uses time.%s", fset.Position(n.Pos()), dir, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// Imports flow one way: record, surfaces, judges, edges, programs; filters link
// no guard; only fleet-act may link the drivers, and only who asks agents the
// network, and only fleet-jq the language of jq, which costs every start.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		for _, imp := range f[1:] {
			if slices.Contains([]string{"net", "net/http", "crypto/tls", "crypto/x509"}, imp) && f[0] != module+"internal/observe/agents" && !strings.HasPrefix(f[0], module+"tests/") {
				t.Errorf("%s imports %s", f[0], imp)
			}
			if strings.HasPrefix(imp, module) {
				from, to := strings.TrimPrefix(f[0], module), strings.TrimPrefix(imp, module)
				imports[from] = append(imports[from], to)
			}
		}
	}
	if len(imports["internal/record"]) > 0 {
		t.Errorf("internal/record imports %v", imports["internal/record"])
	}
	for from, tos := range imports {
		for _, to := range tos {
			if strings.HasPrefix(to, "cmd/") {
				t.Errorf("%s imports the program %s", from, to)
			}
			if strings.HasPrefix(from, "internal/") && !isEdge(from) && isEdge(to) {
				t.Errorf("pure package %s imports the edge %s", from, to)
			}
		}
	}
	for _, filter := range []string{"cmd/fleet-classify", "cmd/fleet-render", "cmd/fleet-asks"} {
		if reach(imports, filter)["internal/guard"] && filter != "cmd/fleet-asks" {
			t.Errorf("the filter %s links internal/guard", filter)
		}
	}
	for from := range imports {
		if strings.HasPrefix(from, "cmd/") && from != "cmd/fleet-jq" && reach(imports, from)["internal/jq/query"] {
			t.Errorf("%s links internal/jq/query", from)
		}
		if strings.HasPrefix(from, "cmd/") && from != "cmd/fleet-act" && reach(imports, from)["internal/driver"] {
			t.Errorf("%s links internal/driver", from)
		}
		if strings.HasPrefix(from, "cmd/") && from != "cmd/fleet-act" && from != "cmd/fleet-observe-health" && reach(imports, from)["internal/observe/agents"] {
			t.Errorf("%s links internal/observe/agents", from)
		}
	}
}

// A tick starts the asks and the ledger some ten times, and nearly every program
// reads settings: they link nothing that only others need, which costs every
// start. The ledger has YAML for the list of agents.
func TestStartsLink(t *testing.T) {
	const yaml = "go.yaml.in/yaml/v4"
	observers := []string{module + "internal/observe", module + "internal/claude", "howett.net/plist", "encoding/gob", "encoding/xml"}
	for program, dear := range map[string][]string{
		"cmd/fleet-asks":   append([]string{yaml}, observers...),
		"cmd/fleet-ledger": observers,
		"internal/config":  append([]string{yaml, "github.com/itchyny/gojq"}, observers...),
		"internal/observe": {yaml, "encoding/gob"},
		"cmd/fleet-render": append([]string{yaml, "crypto/sha256"}, observers...),
	} {
		out, err := exec.Command("go", "list", "-deps", module+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			if slices.Contains(dear, dep) {
				t.Errorf("%s links %s", program, dep)
			}
		}
	}
}

func isEdge(dir string) bool {
	return slices.ContainsFunc(edges, func(e string) bool { return dir == e })
}

// reach returns all that a package links.
func reach(imports map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(p string) {
		for _, to := range imports[p] {
			if !seen[to] {
				seen[to] = true
				walk(to)
			}
		}
	}
	walk(from)
	return seen
}
