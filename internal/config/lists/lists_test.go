package lists

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fleet-tools/fleet/internal/config"
)

const (
	homeDir = "/home/ana"
	bare    = `{"v": 1, "scopes": {"lamp": {}}}`
	own     = `{"v": 1, "scopes": {"lamp": {"repos": ["/src/lamp"]}}}`
)

const listed = `# the scopes of this machine
version: 1
scopes:
  lamp:
    - ~/src/lamp # main checkout
    - /wt/lamp-1
  mantle:
    - "/src/mantle/.git"
`

// load reads a configuration with a scopes.yaml, unless that is "".
func load(text, yaml string) (*config.File, error) {
	fsys := fstest.MapFS{"c": {Data: []byte(text)}}
	if yaml != "" {
		fsys["home/ana/.config/ctx/scopes.yaml"] = &fstest.MapFile{Data: []byte(yaml)}
	}
	f, err := config.Load(fsys, "/c", homeDir)
	if err != nil {
		return nil, err
	}
	Add(f, fsys, homeDir)
	return f, f.Err()
}

// says is what is wrong, without the directories.
func says(err error) string {
	if err == nil {
		return ""
	}
	return strings.NewReplacer(homeDir+"/.config/ctx/", "", "/c:", "fleet.json:").Replace(err.Error())
}

func TestAdd(t *testing.T) {
	f, err := load(bare, listed)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("lamp")
	if got := strings.Join(s.Repos, " "); got != "/home/ana/src/lamp /wt/lamp-1" {
		t.Errorf("%s", got)
	}
	if v, _, _ := f.Get(s, "repos"); v != `["/home/ana/src/lamp","/wt/lamp-1"]` {
		t.Errorf("%s", v)
	}
	f, err = load(own, listed)
	if s, _ := f.Scope("lamp"); err != nil || strings.Join(s.Repos, " ") != "/src/lamp" {
		t.Errorf("a list of its own wins: %q %v", s.Repos, err)
	}
	tests := []struct{ name, yaml, want string }{
		{"none", "", "fleet.json:1: scopes.lamp.repos: want a list of at least one path, here or in scopes.yaml"},
		{"a tab", "version: 1\nscopes:\n\tlamp: []\n", "scopes.yaml:3: not one YAML document"},
		{"empty", "\n", "scopes.yaml:1: not one YAML document"},
		{"two documents", "version: 1\n---\nversion: 1\n", "scopes.yaml:1: not one YAML document"},
		{"no mapping", "- a\n", "scopes.yaml:1: want an object"},
		{"no version", "scopes:\n  lamp: [/x]\n", "scopes.yaml:1: version: is missing; want 1"},
		{"another version", "version: 2\nscopes:\n  lamp: [/x]\n", "scopes.yaml:1: version: want 1"},
		{"the version is a text", "version: '1'\nscopes:\n  lamp: [/x]\n", "scopes.yaml:1: version: want 1"},
		{"no scopes", "version: 1\n", "scopes.yaml:1: scopes: is missing; want an object of lists"},
		{"scopes are no mapping", "version: 1\nscopes: []\n", "scopes.yaml:2: scopes: want an object of lists"},
		{"more keys", "version: 1\nscopes:\n  lamp: [/x]\nmore: 1\n", "scopes.yaml:4: more: no such key"},
		{"no list", "version: 1\nscopes:\n  lamp: /x\n", "scopes.yaml:3: scopes.lamp: want a list of paths"},
		{"home itself", "version: 1\nscopes:\n  lamp:\n    - ~\n", "scopes.yaml:4: scopes.lamp[0]: want a path that begins with / or ~/"},
		{"no path", "version: 1\nscopes:\n  lamp:\n    - /x\n    - src\n", "scopes.yaml:5: scopes.lamp[1]: want a path that begins with / or ~/"},
		{"twice", "version: 1\nscopes:\n  lamp: [/x]\n  lamp: [/y]\n", "scopes.yaml:4: scopes.lamp: comes twice"},
		{"an alias", "version: 1\nscopes:\n  mantle: &m [/x]\n  lamp: *m\n", "scopes.yaml:4: an alias, which is not read"},
		{"a date", "version: 1\nscopes:\n  lamp: [2026-01-01]\n", "scopes.yaml:3: scopes.lamp[0]: want a path that begins with / or ~/"},
		{"an odd key", "version: 1\nscopes:\n  [lamp]: [/x]\n", "scopes.yaml:3: a key that is no text"},
		{"an odder key", "version: 1\nscopes:\n  {a: b}: [/x]\n", "scopes.yaml:3: a key that is no text"},
		{"an alias as key", "version: 1\nscopes:\n  a: &m [/x]\n  *m : [/y]\n", "scopes.yaml:4: an alias, which is not read"},
		{"nested too deep", "version: 1\nscopes: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "scopes.yaml:2: nested deeper than 32"},
		{"not this scope", "version: 1\nscopes:\n  mantle: [/x]\n", "fleet.json:1: scopes.lamp.repos: want a list of at least one path, here or in scopes.yaml"},
		{"an empty list", "version: 1\nscopes:\n  lamp: []\n", "fleet.json:1: scopes.lamp.repos: want a list of at least one path, here or in scopes.yaml"},
	}
	for _, tt := range tests {
		if _, err := load(bare, tt.yaml); says(err) != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, says(err), tt.want)
		}
		f, err := load(own, tt.yaml)
		if err != nil {
			t.Errorf("%s: the scope needs no list of it: %v", tt.name, err)
			continue
		}
		s, _ := f.Scope("lamp")
		noted := ""
		if strings.HasPrefix(tt.want, "scopes.yaml") {
			noted = tt.want
		}
		if notes := strings.Join(f.Notes(s, config.Placement{}), "\n"); says(errors.New(notes)) != noted {
			t.Errorf("%s: notes: %s", tt.name, notes)
		}
	}
}

// A file that is there and is not read is no file that is not there.
func TestAdd_unreadable(t *testing.T) {
	for name, fsys := range map[string]fstest.MapFS{
		"a directory": {"home/ana/.config/ctx/scopes.yaml/x": {}},
		"too long":    {"home/ana/.config/ctx/scopes.yaml": {Data: []byte(listed + strings.Repeat("\n", 4<<20))}},
	} {
		fsys["c"] = &fstest.MapFile{Data: []byte(bare)}
		f, err := config.Load(fsys, "/c", homeDir)
		if err != nil {
			t.Fatal(err)
		}
		if Add(f, fsys, homeDir); says(f.Err()) != "scopes.yaml:1: cannot be read" {
			t.Errorf("%s: %v", name, f.Err())
		}
	}
}

// What is wrong is never quoted.
func TestAdd_quotesNothing(t *testing.T) {
	secret := "ghp_" + strings.Repeat("FAKE", 9)
	for _, yaml := range []string{secret, "version: " + secret, "version: 1\nscopes: " + secret, "version: 1\nscopes:\n  lamp: " + secret, "version: 1\nscopes:\n  lamp: [" + secret + "]", "a: *" + secret} {
		if _, err := load(bare, yaml); err == nil || strings.Contains(err.Error(), secret[4:12]) {
			t.Errorf("%v", err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		id, yaml string
		want     bool
	}{
		{"lamp", "", false},
		{"lamp", listed, true},
		{"other", listed, false},
		{"lamp", "version: 1\nscopes:\n  lamp: []\n", false},
		{"lamp", "version: 1\nscopes:\n  lamp: [/x]\n  wick: [x]\n", false},
		{"lamp", "not yaml: [", false},
	} {
		if got := Names([]byte(tt.yaml), tt.id, homeDir); got != tt.want {
			t.Errorf("%s of %q: %t", tt.id, tt.yaml, got)
		}
	}
}

// Whatever scopes.yaml is: it is read whole or not at all, and a problem has a
// line of it.
func FuzzAddLists(f *testing.F) {
	f.Add(listed)
	f.Add("version: 1\nscopes: {lamp: [/x, ~/y]}\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := config.Parse("f", []byte(bare), homeDir)
		root, err := Parse([]byte(text))
		c.AddLists("y", root, err)
		for _, p := range c.Problems {
			if p.Line < 1 || p.Line > 2+strings.Count(text, "\n")+strings.Count(text, "\r") && !strings.ContainsAny(text, "\u0085\u2028\u2029") || strings.ContainsAny(p.String(), "\n\r\x00") {
				t.Fatalf("%+v", p)
			}
		}
		s, err := c.Scope("lamp")
		if err != nil || (len(c.Problems) == 0) != (len(s.Repos) > 0) {
			t.Fatalf("%v, with %d repositories: %v", err, len(s.Repos), c.Problems)
		}
		c.Place(s, func(dir string) (string, error) { // asks for every path of every scope
			if dir != "" && !strings.HasPrefix(dir, "/") { // "" is of /.git
				t.Fatalf("%q", dir)
			}
			if len(c.Problems) > 0 && c.Problems[0].Path == "y" {
				t.Fatal("half of it is read")
			}
			return dir, nil
		})
	})
}
