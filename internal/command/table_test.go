package command

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAllowed(t *testing.T) {
	zenity := []string{"zenity", "--question", "--no-markup", "--default-cancel", "--ok-label=Seen", "--cancel-label=Later", "--timeout=600", "--width=480", "--title", "fleet: lamp", "--text", "one\ntwo"}
	box := SSH("box", "", 30, []string{"fleet-observe-claude", "--claude", "it's $(id)\n;"})
	with := func(argv []string, i int, s string) []string {
		argv = slices.Clone(argv)
		argv[i] = s
		return argv
	}
	for _, tt := range []struct {
		name string
		argv []string
		want bool
	}{
		{"nothing", nil, false},
		{"no program", []string{""}, false},
		{"another program", []string{"sh", "-c", "true"}, false},
		{"a path to a program", []string{"/opt/bin/claude", "--version"}, true},
		{"one argument more", []string{"claude", "--version", "x"}, false},
		{"one less", []string{"claude"}, false},
		{"another word", []string{"claude", "-p"}, false},
		{"a dialog of zenity", zenity, true},
		{"with markup", with(zenity, 2, "--question"), false},
		{"with another button", with(zenity, 4, "--ok-label=Later"), false},
		{"with a flag for a text", with(zenity, 11, "--help"), false},
		{"with no text", with(zenity, 11, ""), false},
		{"a dialog of osascript", []string{"osascript", "-e", DialogScript, "fleet: lamp", `"& do shell script "id`}, true},
		{"of another script", []string{"osascript", "-e", DialogScript + "\ndo shell script \"id\"", "fleet: lamp", "text"}, false},
		{"of another script in an argument", []string{"osascript", "-e", DialogScript, "-e", "beep"}, false},
		{"a dialog of kdialog", []string{"kdialog", "--yes-label", "Seen", "--no-label", "Later", "--title", "fleet: lamp", "--warningyesno", "<qt>x</qt>"}, true},
		{"a page for the browser", []string{"xdg-open", "/run/user/7/fleet-1.html"}, true},
		{"of a Mac", []string{"open", "/tmp/fleet-1.html"}, true},
		{"an address", []string{"xdg-open", "https://evil.test"}, false},
		{"a program", []string{"open", "-a"}, false},
		{"whose default is Yes", []string{"kdialog", "--yes-label", "Seen", "--no-label", "Later", "--title", "fleet: lamp", "--yesno", "<qt>x</qt>"}, false},
		{"another machine", box, true},
		{"with a configuration of ssh", SSH("ana@box", "/home/ana/c", 5, []string{"f"}), true},
		{"with one that is no path", SSH("ana@box", "-oProxyCommand=id", 5, []string{"f"}), false},
		{"with one more option", slices.Insert(slices.Clone(box), 1, "-A"), false},
		{"with another option", with(box, 5, "BatchMode=no"), false},
		{"with a time that is another option", with(box, 7, "ProxyCommand=id"), false},
		{"at an option", with(box, len(box)-2, "-oProxyCommand=id"), false},
		{"at nothing", with(box, len(box)-2, ""), false},
		{"without the end of options", slices.Delete(slices.Clone(box), len(box)-3, len(box)-2), false},
		{"with more arguments", append(slices.Clone(box), "x"), false},
		{"another script", with(box, len(box)-1, "id"), false},
		{"more than the script", with(box, len(box)-1, RemoteCommand([]string{"f"})+"; id"), false},
		{"a word that is not quoted", with(box, len(box)-1, RemoteCommand([]string{"f"})+" $(id)"), false},
		{"a quote that is left open", with(box, len(box)-1, RemoteCommand([]string{"f"})+" 'x"), false},
		{"no word", with(box, len(box)-1, RemoteCommand(nil)), false},
	} {
		if got := Allowed(tt.argv); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// What the table lacks is not started; of the owner it is.
func TestRun_refuses(t *testing.T) {
	spec := Spec{Argv: []string{"sh", "-c", "exit 7"}, Timeout: time.Minute, KillAfter: time.Second, MaxOutput: 10}
	if res, err := Run(context.Background(), spec); err == nil || err.Error() != `command is not in the table: "sh"` || res.Status != 0 {
		t.Errorf("%+v %v", res, err)
	}
	if res, err := Owner(context.Background(), spec); err != nil || res.Status != 7 {
		t.Errorf("%+v %v", res, err)
	}
}

// Who may start a program: fleet-step, whose argument it is, and this package;
// what no table lists, package notify alone.
func TestStarters(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string][]string{
		"command.Owner": {"internal/notify"}, "command.Act": {"internal/driver/tmux", "internal/driver/claude", "internal/driver"}, "command.Group": {"cmd/fleet-step"},
		"exec.Command": {"internal/command", "cmd/fleet-step", "internal/guard/gen"}, "exec.CommandContext": {}, "exec.Cmd": {"internal/command"},
		"os.StartProcess": {}, "syscall.Exec": {"internal/command"}, "command.Become": {"cmd/fleet-render"}, "syscall.ForkExec": {}, "syscall.StartProcess": {},
	}
	found := map[string]bool{}
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				return err
			}
			dir, _ := filepath.Rel(root, filepath.Dir(name))
			for _, imp := range tree.Imports {
				path := strings.Trim(imp.Path.Value, `"`)
				if imp.Name != nil && (path == "os/exec" || path == "os" || path == "syscall" || strings.HasSuffix(path, "/internal/command")) {
					t.Errorf("%s: %s under another name", fset.Position(imp.Pos()), path)
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				what := pkg.Name + "." + sel.Sel.Name
				allowed, starter := starts[what]
				if starter && !slices.Contains(allowed, dir) {
					t.Errorf("%s: %s may not use %s", fset.Position(n.Pos()), dir, what)
				}
				found[what] = true
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"command.Owner", "command.Act", "command.Group", "exec.Command"} {
		if !found[what] {
			t.Errorf("nobody uses %s: was anything looked at?", what)
		}
	}
}
