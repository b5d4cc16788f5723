package config

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// AddLists gives scopes that list no repositories those of scopes.yaml, of which
// root is what it says: version 1, and under scopes the ids with a list of paths
// each. Without root there is no such file, or err is why it was not read; a
// *LineError has the line. What is wrong in it is a problem when a scope needs it
// and a note otherwise; a scope that has no repository then is a problem.
func (f *File) AddLists(name string, root *Node, err error) {
	switch {
	case err != nil:
		f.needLists(problemOf(name, err))
	case root != nil:
		f.readLists(name, root)
	}
	f.checkRepos(name)
}

func (f *File) readLists(name string, root *Node) {
	lists := map[string][]string{}
	r := &reader{path: name, home: f.home}
	r.object("", root, "an object", []field{
		{name: "version", need: true, want: "1", read: func(_ string, n *Node) bool { return n.is("number") && n.text == "1" }},
		{name: "scopes", need: true, want: "an object of lists", read: func(key string, n *Node) bool {
			fields := []field{}
			for _, id := range n.keys {
				fields = append(fields, field{name: id, want: "a list of paths", read: func(at string, v *Node) bool {
					var paths []string
					ok := listOf(aPath, "paths").read(r, at, v, &paths)
					lists[id] = paths
					return ok
				}})
			}
			r.object(key, n, "an object of lists", fields)
			return true
		}},
	})
	if len(r.problems) > 0 {
		f.needLists(r.problems...)
		return
	}
	f.lists = lists
}

// needLists notes what is wrong with scopes.yaml. One bad line makes the whole
// of it unread: half a list could give a repository to the wrong scope.
func (f *File) needLists(problems ...Problem) {
	needed := slices.ContainsFunc(f.scopes, func(s *Scope) bool { return s.raw["repos"] == nil })
	for _, p := range problems {
		if needed {
			f.Problems = append(f.Problems, p)
		} else {
			f.notes = append(f.notes, p.String())
		}
	}
}

// checkRepos gives scopes without a list of their own that of scopes.yaml, and
// notes those that have none.
func (f *File) checkRepos(lists string) {
	for _, s := range f.scopes {
		if s.raw["repos"] == nil {
			s.Repos = append(s.Repos, f.lists[s.ID]...)
		}
		bad := slices.ContainsFunc(f.Problems, func(p Problem) bool {
			return p.Path == lists || p.Key == "scopes."+s.ID || strings.HasPrefix(p.Key, "scopes."+s.ID+".repos")
		})
		if len(s.Repos) == 0 && !bad {
			f.Problems = append(f.Problems, Problem{f.Path, s.line, "scopes." + s.ID + ".repos",
				"want a list of at least one path, here or in " + lists})
		}
	}
}

// Placement is where the repositories of the scopes are.
type Placement struct {
	Repos   []string            // git common dirs that the scope alone names
	Others  []string            // git common dirs that another scope names, or more than one, and this one does not
	Unfound []string            // repositories of the scope that locate did not find, and why
	Shared  map[string][]string // by git common dir that the scope names and another one too: the ids of all that do
	Notes   []string            // repositories that more than one scope names
}

// Place asks locate for the git common dir of every repository of every scope,
// those of scopes.yaml included when AddLists took them.
// A repository that two scopes name belongs to neither, and neither may take it
// for the other's: see Shared. A path may be a main
// checkout, its .git or any work tree.
func (f *File) Place(s *Scope, locate func(dir string) (commonDir string, err error)) Placement {
	lists := maps.Clone(f.lists)
	if lists == nil {
		lists = map[string][]string{}
	}
	for _, other := range f.scopes {
		lists[other.ID] = other.Repos
	}
	var p Placement
	owners := map[string][]string{}
	for _, id := range sortedKeys(lists) {
		for _, dir := range lists[id] {
			common, err := locate(strings.TrimSuffix(dir, "/.git"))
			switch {
			case err != nil && id == s.ID:
				p.Unfound = append(p.Unfound, fmt.Sprintf("%s: %v", dir, err))
			case err == nil && !slices.Contains(owners[common], id):
				owners[common] = append(owners[common], id)
			}
		}
	}
	for _, common := range sortedKeys(owners) {
		ids := owners[common]
		if len(ids) > 1 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s is in several scopes and belongs to none: %s", common, strings.Join(ids, ", ")))
		}
		switch {
		case !slices.Contains(ids, s.ID):
			p.Others = append(p.Others, common)
		case len(ids) == 1:
			p.Repos = append(p.Repos, common)
		default:
			if p.Shared == nil {
				p.Shared = map[string][]string{}
			}
			p.Shared[common] = ids
		}
	}
	return p
}

// Tick is what a judge must know of a scope. n is nil outside a tick; dry
// forces a dry run.
func (f *File) Tick(s *Scope, host string, n *int, dry bool, p Placement) record.Tick {
	caps := s.Caps
	caps.MailIntervalHour = s.MailIntervalH
	t := record.Tick{Tick: n, Scope: s.ID, Host: host, Hosts: []string{}, Mode: s.Mode, DryRun: s.DryRun || dry,
		Repos: append([]string{}, p.Repos...), Others: p.Others, Adopted: s.Adopted, Caps: caps, Surfaces: s.Surfaces,
		AskWhen: s.AskWhen, Actions: s.ActionsAppID, PRCap: s.PRListCap, Timeout: s.TickTimeoutMin, Renotify: s.AskRenotifyH, Raise: s.AskRaiseAfter, Heal: s.Heal,
		Unfound: p.Unfound, Shared: p.Shared, Verbose: f.Notes(s, p)}
	if n != nil { // a numbered tick has a ledger, and who is ours rests on it
		t.Surfaces = append(slices.Clone(s.Surfaces), "ledger")
	}
	if len(s.Hosts) > 0 {
		t.Hosts = append(t.Hosts, host)
	}
	for _, h := range s.Hosts {
		if h.Name == host {
			continue
		}
		t.Hosts = append(t.Hosts, h.Name)
		if dirs := h.commonDirs(); dirs != nil {
			if t.There == nil {
				t.There = map[string][]string{}
			}
			t.There[h.Name] = dirs
		}
		if t.SSH == nil {
			t.SSH = map[string]string{}
		}
		t.SSH[h.Name] = h.Via()
	}
	return t
}

// Notes are facts about the configuration of a scope that are no problems.
func (f *File) Notes(s *Scope, p Placement) []string {
	notes := slices.Concat(f.notes, p.Notes)
	for _, key := range s.Unused {
		says := "accepted, not used by this release"
		if key == "compare_hour" {
			says = "accepted, not used: the comparison with the core belongs to another product"
		}
		notes = append(notes, "scopes."+s.ID+"."+key+": "+says)
	}
	return notes
}

// TokenFile tells whether the file of a GitHub token may be used: it must be
// there, not empty, and open to its owner alone. why is for the ledger.
func (s *Scope) TokenFile(fsys fs.FS) (ok bool, why string) {
	if s.Token == "" {
		return false, "keyring"
	}
	info, err := fs.Stat(fsys, strings.TrimPrefix(s.Token, "/"))
	name := path.Base(s.Token)
	switch {
	case err != nil:
		return false, "keyring (" + name + " cannot be read)"
	case info.Mode().Perm() != 0o600 && info.Mode().Perm() != 0o400:
		return false, fmt.Sprintf("keyring (%s has mode %04o, not 0600 or 0400)", name, info.Mode().Perm())
	case info.Size() == 0:
		return false, "keyring (" + name + " is empty)"
	}
	return true, "token file"
}
