//go:build real

package real

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// overstruck is how a formatter makes a bold sign.
var overstruck = regexp.MustCompile(".\x08")

// The man pages and completions are right to the programs that read them.
func TestDocs(t *testing.T) {
	share := t.TempDir()
	if out, err := exec.Command("sh", filepath.Join(root, "bin/install.sh"), "--docs", everything(t), share).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct {
		files string
		reads []string
		says  string // what comes out; "": nothing
	}{
		{"man/man1/*.1", []string{"mandoc", "-Tlint", "-Wwarning"}, ""},
		{"man/man1/*.1", []string{"mandoc", "-Tutf8"}, "--version"},
		{"man/man1/*.1", []string{"man", "--warnings", "-E", "UTF-8", "-l", "-P", "cat"}, "--version"},
		{"completions/bash/*", []string{"bash", "-n"}, ""},
		{"completions/zsh/*", []string{"zsh", "-f", "-n"}, ""},
		{"completions/fish/*", []string{"fish", "-n"}, ""},
	} {
		files, _ := filepath.Glob(filepath.Join(share, tt.files))
		if len(files) < 10 {
			t.Fatalf("%s: %q", tt.files, files)
		}
		for _, file := range files {
			cmd := exec.Command(tt.reads[0], append(tt.reads[1:], file)...)
			cmd.Env = append(os.Environ(), "MANROFFOPT=-c", "LC_ALL=C.UTF-8", "HOME="+share)
			out, err := cmd.CombinedOutput()
			if tt.reads[0] == "mandoc" && strings.Count(string(out), "\n") == 1 && strings.Contains(string(out), "WARNING: missing date") {
				out, err = nil, nil // a page that is made again bears none
			}
			if err != nil || tt.says == "" && len(out) > 0 || !strings.Contains(overstruck.ReplaceAllString(string(out), ""), tt.says) {
				t.Errorf("%q %s: %v\n%.2000s", tt.reads, filepath.Base(file), err, out)
			}
		}
	}
}

// fish completes a value, a command, a flag and a file; zsh finds its functions.
func TestDocs_complete(t *testing.T) {
	share := t.TempDir()
	if out, err := exec.Command("sh", filepath.Join(root, "bin/install.sh"), "--docs", everything(t), share).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(share, "mine.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"fleet-render --docs ", "bash fish man zsh"},
		{"fleet-render --format j", "json"},
		{"fleet-config ch", "check"},
		{"fleet-config check --verb", "--verbose"},
		{"fleet-config check --config mi", "mine.json"},
	} {
		program, _, _ := strings.Cut(tt.line, " ")
		fish := exec.Command("fish", "--no-config", "-c", "source completions/fish/"+program+".fish; complete -C '"+tt.line+"' | string split -f1 \\t")
		fish.Dir, fish.Env = share, append(os.Environ(), "HOME="+share)
		out, _ := fish.CombinedOutput() // string's status only says whether there was a tab
		if got := strings.Join(strings.Fields(string(out)), " "); got != tt.want {
			t.Errorf("fish %q\n got %q\nwant %q", tt.line, got, tt.want)
		}
	}
	// zsh completes only where somebody types; here it knows whose function each
	// is, and the function gives _arguments what it has.
	const ask = `fpath=($PWD/completions/zsh $fpath)
autoload -U compinit && compinit -u -D || exit
print -r -- $_comps[fleet-render]
_arguments() { print -rl -- "$@" }
_fleet-render`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	zsh := exec.CommandContext(ctx, "zsh", "-f", "-c", ask)
	zsh.Dir, zsh.Env = share, append(os.Environ(), "HOME="+share)
	out, err := zsh.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "_fleet-render\n") || !strings.Contains(string(out), ":KIND:(man bash zsh fish)\n") {
		t.Errorf("zsh: %v\n%s", err, out)
	}
}
