package gitrepo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// files is a file system of text files.
func files(text map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, s := range text {
		fsys[name] = &fstest.MapFile{Data: []byte(s)}
	}
	return fsys
}

func TestOrigins(t *testing.T) {
	const origin = "[remote \"origin\"]\n\turl = gh:acme/lamp\n"
	const rewritten = "gh:acme/lamp https://github.com/acme/lamp"
	tests := []struct {
		name  string
		files map[string]string
		want  string // URLs, or the error after "!"
	}{
		{"as git clone writes it", map[string]string{"r/.git/config": "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://github.com/acme/lamp.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n"},
			"https://github.com/acme/lamp.git"},
		{"no remote", map[string]string{"r/.git/config": "[core]\n\tbare = true\n"}, ""},
		{"another remote", map[string]string{"r/.git/config": "[remote \"upstream\"]\n\turl = x\n"}, ""},
		{"two URLs", map[string]string{"r/.git/config": "[remote \"origin\"]\n\turl = a\n\turl = b\n\tpushurl = c\n"}, "a"},
		{"case, quotes, comment, CRLF, mark", map[string]string{"r/.git/config": "\ufeff[Remote \"origin\"]\r\n\tURL = \"a b\" # c\r\n"}, "a b"},
		{"a bare variable", map[string]string{"r/.git/config": "[remote \"origin\"]\n\turl\n"}, ""},
		{"rewritten by its own configuration", map[string]string{"r/.git/config": origin + "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n"}, rewritten},
		{"rewritten by ~/.gitconfig", map[string]string{"r/.git/config": origin, "home/ana/.gitconfig": "[url \"https://github.com/\"]\n\tinsteadof = gh:\n"}, rewritten},
		{"rewritten by ~/.config/git/config", map[string]string{"r/.git/config": origin, "home/ana/.config/git/config": "[url \"https://github.com/\"]\n\tinsteadof = gh:\n"}, rewritten},
		{"the longest prefix", map[string]string{"r/.git/config": origin, "home/ana/.gitconfig": "[url \"x:\"]\n\tinsteadof = gh\n[url \"https://github.com/acme\"]\n\tinsteadof = gh:acme\n[url \"y:\"]\n\tinsteadof = gh:\n"}, rewritten},
		{"of equal ones the first", map[string]string{"r/.git/config": origin + "[url \"y:\"]\n\tinsteadof = gh:\n", "home/ana/.gitconfig": "[url \"https://github.com/\"]\n\tinsteadof = gh:\n"}, rewritten},
		{"only a push is rewritten", map[string]string{"r/.git/config": origin + "[url \"y:\"]\n\tpushinsteadof = gh:\n"}, "gh:acme/lamp"},
		{"not a prefix", map[string]string{"r/.git/config": origin + "[url \"y:\"]\n\tinsteadof = acme\n"}, "gh:acme/lamp"},
		{"included", map[string]string{"r/.git/config": origin, "home/ana/.gitconfig": "[include]\n\tpath = ~/git/more\n", "home/ana/git/more": "[include]\n\tpath = urls\n", "home/ana/git/urls": "[url \"https://github.com/\"]\n\tinsteadof = gh:\n"}, rewritten},
		{"the include is not there", map[string]string{"r/.git/config": origin + "[include]\n\tpath = /nowhere\n"}, "gh:acme/lamp"},
		{"under a condition", map[string]string{"r/.git/config": origin + "[includeIf \"gitdir:/r/\"]\n\tpath = urls\n", "r/.git/urls": "[url \"https://github.com/\"]\n\tinsteadof = gh:\n"}, "gh:acme/lamp"},
		{"no configuration", map[string]string{"r/.git/HEAD": "x"}, "!git configuration: open r/.git/config: file does not exist"},
		{"a loop", map[string]string{"r/.git/config": "[include]\n\tpath = config\n"}, "!more than 10 includes deep"},
		{"not git's syntax", map[string]string{"r/.git/config": "<<<<<<< HEAD\n"}, "!git configuration: config: 1:1: "},
		{"an unreadable global one", map[string]string{"r/.git/config": origin, "home/ana/.gitconfig": "[a\n"}, "gh:acme/lamp!.gitconfig: 1:3: expected right bracket"},
	}
	for _, tt := range tests {
		urls, err := Origins(files(tt.files), "/r/.git", "/home/ana", "/etc/gitconfig", "/home/ana/.config/git/config", "/home/ana/.gitconfig")
		want, wantErr, _ := strings.Cut(tt.want, "!")
		if got := strings.Join(urls, " "); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
		if msg := fmt.Sprint(err); (wantErr == "") != (err == nil) || !strings.Contains(msg, wantErr) {
			t.Errorf("%s: error %v, want %q", tt.name, err, wantErr)
		}
	}
}

// What git itself says of a configuration is what is read of it, or it is
// refused: in particular nothing is made up.
func TestOriginsAsGit(t *testing.T) {
	for _, text := range []string{
		"[remote \"origin\"]\n\turl = https://github.com/acme/lamp.git\n",
		"[remote \"origin\"]\n\turl = \"https://github.com/a\\\"b\"; c\n",
		"[remote \"origin\"]\n\turl = a\\tb\n",
		"[remote \"origin\"]\n\turl =    a   b\t \n",
		"[remote \"origin\"]\n\turl = \"a \"b\" c\"\n",
		"[remote \"origin\"]\n\turl = a # b\n\t# url = c\n",
		"[remote \"origin\"] # c\n\turl = a;b\n",
		"[remote \"Origin\"]\n\turl = a\n",
		"[REMOTE \"origin\"]\n\tURL = a\n",
		"[remote \"origin\"]\nurl=\xe1\xbb\x87\n",
		"[remote \"ori\\gin\"]\n\turl = a\n",
		"[remote \"origin\"]\n\tfetch = x\n[remote \"b\"]\n\turl = c\n[remote \"origin\"]\n\turl = a\n",
		"[alias]\n\tlg = log --pretty=format:'%C(yellow)%d'\n\tx = \"!f() { git a; }; f\"\n[remote \"origin\"]\n\turl = a\n",
		"[url \"https://github.com/\"]\n\tinsteadOf = gh:\n[remote \"origin\"]\n\turl = gh:acme/lamp\n",
		"[url \"b/\"]\n\tinsteadOf = \"a/\"\n[url \"c/\"]\n\tinsteadOf = \"a/x\"\n[remote \"origin\"]\n\turl = a/x/y\n",
	} {
		dir := t.TempDir()
		git := func(args ...string) (string, error) {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
			out, err := cmd.Output()
			return strings.TrimSuffix(string(out), "\n"), err
		}
		if _, err := git("init", "-q"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git/config"), []byte("[core]\n\trepositoryformatversion = 0\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		want, err := git("remote", "get-url", "origin")
		if err != nil {
			want = ""
		}
		urls, err := Origins(os.DirFS("/"), filepath.Join(dir, ".git"), dir)
		got := ""
		if len(urls) > 0 {
			got = urls[len(urls)-1]
		}
		if err == nil && got != want {
			t.Errorf("%q: %q, git says %q", text, got, want)
		}
		if err != nil {
			t.Logf("%q: refused: %v", text, err)
		}
	}
}

// Laws: no configuration makes the reader hang; what insteadOf rewrites is a
// prefix of the first URL; and another remote and a comment change nothing.
func FuzzOrigins(f *testing.F) {
	f.Add("[remote \"origin\"]\nurl = a\n", "[url \"b\"]\ninsteadof = a\n")
	f.Add("[include]\npath = config\n", "[a\n")
	f.Add("[remote \"origin\"]\n\turl = \"https://github.com/acme/lamp\" ; x\n\turl = b\n[url \"git@github.com:\"]\n\tinsteadOf = https://github.com/\n", "")
	f.Fuzz(func(t *testing.T, local, global string) {
		origins := func(local string) ([]string, error) {
			return Origins(files(map[string]string{"r/.git/config": local, "g": global}), "/r/.git", "/", "/g")
		}
		urls, err := origins(local)
		if len(urls) > 2 || len(urls) == 2 && urls[0] == urls[1] {
			t.Errorf("%q, %v", urls, err)
		}
		if err != nil || len(local) > 0 && !strings.HasSuffix(local, "\n") {
			return
		}
		more := "; a comment\n" + local + "\n[remote \"other\"]\n\turl = /elsewhere\n[remote]\n\turl = /nowhere\n"
		if again, err := origins(more); err != nil || !slices.Equal(again, urls) {
			t.Errorf("%q; with what is no origin's %q, %v", urls, again, err)
		}
		if len(urls) == 2 && !rewrites(local+global, urls[0], urls[1]) {
			t.Errorf("%q is rewritten as %q, by nothing that is there", urls[0], urls[1])
		}
	})
}

// rewrites tells whether a configuration names a beginning of a URL, and what stands in
// its place in another. One with escapes is not looked into.
func rewrites(config, url, as string) bool {
	bare := func(s string) string {
		return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '"' || unicode.IsSpace(r) }), ""))
	}
	if strings.Contains(config, `\`) {
		return true
	}
	config = bare(config)
	for n := 1; n <= len(url); n++ {
		if base, ok := strings.CutSuffix(as, url[n:]); ok && strings.Contains(config, bare(base)) && strings.Contains(config, bare(url[:n])) {
			return true
		}
	}
	return false
}
