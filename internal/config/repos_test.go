package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

const lists = `# the scopes of this machine
version: 1
scopes:
  lamp:
    - ~/src/lamp # main checkout
    - /wt/lamp-1
  mantle:
    - "/src/mantle/.git"
`

func TestLists(t *testing.T) {
	bare := `{"v": 1, "scopes": {"lamp": {}}}`
	f, err := load(bare, lists)
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
	f, err = load(file(""), lists)
	if s, _ := f.Scope("lamp"); err != nil || strings.Join(s.Repos, " ") != "/src/lamp" {
		t.Errorf("a list of its own wins: %q %v", s.Repos, err)
	}
	tests := []struct{ name, yaml, want string }{
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
		f, err := load(file(""), tt.yaml)
		if err != nil {
			t.Errorf("%s: the scope needs no list of it: %v", tt.name, err)
			continue
		}
		s, _ := f.Scope("lamp")
		if notes := strings.Join(f.Notes(s, Placement{}), "\n"); strings.HasPrefix(tt.want, "scopes.yaml") && says(errors.New(notes)) != tt.want {
			t.Errorf("%s: notes: %s", tt.name, notes)
		}
	}
	fsys := fstest.MapFS{"c": {Data: []byte(bare)}, "home/ana/.config/ctx/scopes.yaml/x": {}}
	if _, err := Load(fsys, "/c", fsys, homeDir); says(err) != "scopes.yaml:1: cannot be read" {
		t.Errorf("scopes.yaml is a directory: %v", err)
	}
}

func TestPlace(t *testing.T) {
	dirs := map[string]string{"/home/ana/src/lamp": "/home/ana/src/lamp/.git", "/wt/lamp-1": "/home/ana/src/lamp/.git",
		"/src/mantle": "/src/mantle/.git", "/src/shared": "/src/shared/.git", "/src/both": "/src/both/.git", "/src/wick": "/src/wick/.git"}
	locate := func(dir string) (string, error) {
		if common, ok := dirs[dir]; ok {
			return common, nil
		}
		return "", errors.New("in no git repository")
	}
	f, err := load(`{"v": 1, "scopes": {"lamp": {}, "wick": {"repos": ["/src/wick", "/src/shared/", "/src/gone", "/src/both"]}}}`,
		strings.Replace(lists, "    - /wt", "    - /src/both\n    - /wt", 1)+"    - /src/nowhere\n    - /src/shared\n  wick:\n    - /ignored\n")
	if err != nil {
		t.Fatal(err)
	}
	lamp, _ := f.Scope("lamp")
	shared := "/src/shared/.git is in several scopes and belongs to none: mantle, wick"
	both := "/src/both/.git is in several scopes and belongs to none: lamp, wick"
	want := Placement{Repos: []string{"/home/ana/src/lamp/.git"}, Others: []string{"/src/both/.git", "/src/mantle/.git", "/src/shared/.git", "/src/wick/.git"}, Notes: []string{both, shared}}
	for _, d := range pretty.Diff(f.Place(lamp, locate), want) {
		t.Error("lamp:", d)
	}
	wick, _ := f.Scope("wick")
	want = Placement{Repos: []string{"/src/wick/.git"}, Others: []string{"/home/ana/src/lamp/.git", "/src/both/.git", "/src/mantle/.git", "/src/shared/.git"},
		Unfound: []string{"/src/gone: in no git repository"}, Notes: []string{both, shared}}
	p := f.Place(wick, locate)
	for _, d := range pretty.Diff(p, want) {
		t.Error("wick:", d)
	}
	n := 7
	tick := f.Tick(wick, "devbox", &n, false, p)
	wantTick := record.Tick{Tick: &n, Scope: "wick", Host: "devbox", Hosts: []string{}, Mode: "report", DryRun: true, Repos: p.Repos, Others: p.Others,
		Adopted: []record.Adopted{}, Caps: record.Caps{FleetSessions: 8, ActiveSessions: 12, ActiveWindowMin: 30, ResearchPerDay: 4, MailIntervalHour: 6},
		Surfaces: []string{"claude", "paseo", "gh", "board", "ledger"}, AskWhen: []record.AskWhen{}, Actions: 15368, PRCap: 200, Renotify: 6, Raise: 50,
		Unfound: p.Unfound, Verbose: []string{both, shared}}
	for _, d := range pretty.Diff(tick, wantTick) {
		t.Error("tick:", d)
	}
}

func TestTick_hostsAndDry(t *testing.T) {
	f, err := load(file(`"dry_run": 0, "hosts": ["ana@laptop", {"name": "devbox"}, {"name": "nas", "ssh_config": "/it's", "repos": ["/srv/lamp/", "/srv/wick.git", "/srv/a/.git"]}]`), "")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("lamp")
	for _, dry := range []bool{false, true} {
		tick := f.Tick(s, "devbox", nil, dry, Placement{})
		if fmt.Sprint(tick.Hosts, tick.SSH, tick.There) != `[devbox laptop nas] map[laptop:ana@laptop nas:-F '/it'\''s' nas] map[nas:[/srv/lamp/.git /srv/wick.git /srv/a/.git]]` || tick.DryRun != dry || tick.Repos == nil {
			t.Errorf("%+v", tick)
		}
	}
	f, _ = load(file(""), "")
	s, _ = f.Scope("lamp")
	if tick := f.Tick(s, "devbox", nil, false, Placement{}); !tick.DryRun || len(tick.Hosts) > 0 {
		t.Errorf("%+v", tick)
	}
}

func TestTokenFile(t *testing.T) {
	fsys := fstest.MapFS{"t/good": {Data: []byte("x"), Mode: 0o600}, "t/strict": {Data: []byte("x"), Mode: 0o400},
		"t/open": {Data: []byte("x"), Mode: 0o640}, "t/empty": {Mode: 0o600}}
	for name, want := range map[string]string{"": "false keyring", "/t/good": "true token file", "/t/strict": "true token file",
		"/t/open":  "false keyring (open has mode 0640, not 0600 or 0400)",
		"/t/empty": "false keyring (empty is empty)", "/t/gone": "false keyring (gone cannot be read)"} {
		ok, why := (&Scope{Token: name}).TokenFile(fsys)
		if got := fmt.Sprint(ok, " ", why); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// Whatever scopes.yaml is: it is read whole or not at all, and a problem has a
// line of it.
func FuzzLists(f *testing.F) {
	f.Add(lists)
	f.Add("version: 1\nscopes: {lamp: [/x, ~/y]}\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := Parse("f", []byte(`{"v": 1, "scopes": {"lamp": {}}}`), homeDir)
		c.AddLists("y", []byte(text))
		for _, p := range c.Problems {
			if p.Line < 1 || p.Line > 2+strings.Count(text, "\n")+strings.Count(text, "\r") && !strings.ContainsAny(text, "\u0085\u2028\u2029") || strings.ContainsAny(p.String(), "\n\r\x00") {
				t.Fatalf("%+v", p)
			}
		}
		if len(c.Problems) > 0 && c.lists != nil {
			t.Fatal("half of it is read")
		}
		for id, paths := range c.lists {
			for _, p := range paths {
				if !strings.HasPrefix(p, "/") {
					t.Fatalf("%s: %q", id, p)
				}
			}
		}
	})
}
