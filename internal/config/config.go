// Package config reads fleet.json. Every key is checked; a problem names the
// file, the line, the key and what was wanted, and quotes no value. The package
// opens what an fs.FS holds and nothing else.
//
// Every program that reads settings reads them here. What fleet-config alone
// needs, and what costs a start most, is given to the File by it: AddLists takes
// what scopes.yaml says, and CheckExpressions what compiles a jq expression.
package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/shell"
)

// Example is the configuration that fleet-config init writes.
//
//go:embed fleet.json.example
var Example []byte

// DefaultPath is where the configuration is below a home directory.
const DefaultPath = ".config/ctx/fleet.json"

// sizeLimit bounds the files that are read.
const sizeLimit = 4 << 20

// Products are the words of surfaces.
var Products = []string{"claude", "paseo", "gh", "board", "schedule"}

// Scope is the configuration of one scope, defaults filled in, paths absolute.
// A value that could not be read is its default: dispatch is off, a run is dry.
type Scope struct {
	ID              string
	Enabled         bool // dispatch_enabled
	DryRun          bool
	Mode            string // report or act
	StateDir        string
	Caps            record.Caps
	Adopted         []record.Adopted
	MailIntervalH   int
	ListingCap      int
	PRListCap       int
	ActionsAppID    int
	TickTimeoutMin  int
	AskRenotifyH    int
	AskRaiseAfter   int // minutes
	BStepTimeoutMin int
	Token           string // path of its file; "": gh's own login
	LaunchdPrefix   string
	LaunchdLogs     map[string]string // label to log
	BookkeepingLog  string
	DreamLog        string
	Repos           []string // as listed; none when the scope lists none, until AddLists
	Surfaces        []string
	AskWhen         []record.AskWhen
	OwnerChannel    Channel
	NotifyCommand   []string
	RunLogs         []RunLog
	WorkspaceRoots  []string // where macf's workspaces are looked for; none: macf's own places
	Hosts           []Host
	Heal            *record.HealRules // nil: nothing is kept alive
	Desired         string            // path of the list of agents that should run; "": every workspace
	Unused          []string          // keys that are accepted and that this release does not use

	raw  map[string]*Node
	line int
}

// Channel is how the owner is asked.
type Channel struct {
	Kind string   `json:"kind"` // dialog, command, none
	Argv []string `json:"argv,omitempty"`
}

// RunLog is a log whose last line tells of the last run of something.
type RunLog struct {
	Source      string `json:"source"`
	Path        string `json:"path"`
	StaleAfterH int    `json:"stale_after_h"`
}

// Host is a further machine, whose sessions are looked at through ssh.
type Host struct {
	Name      string   `json:"name"`                 // what records, keys and reports call it, whatever it calls itself
	SSH       string   `json:"ssh"`                  // destination
	SSHConfig string   `json:"ssh_config,omitempty"` // "": ssh's own
	Command   []string `json:"command"`              // what observes there; the first may begin with ~/
	TimeoutS  int      `json:"timeout_s"`            // seconds, of the whole look
	Repos     []string `json:"repos,omitempty"`      // main checkouts of the scope's repositories there; none: the same paths as here
}

// Via are the words behind ssh -t that lead to it.
func (h Host) Via() string {
	if h.SSHConfig == "" {
		return h.SSH
	}
	return "-F " + shell.Word(h.SSHConfig) + " " + h.SSH
}

// File is a configuration file.
type File struct {
	Path     string
	Problems []Problem

	home   string
	scopes []*Scope            // by id
	lists  map[string][]string // scopes.yaml: id to repositories
	notes  []string
	exprs  []expression // not checked yet
}

// Problem is one thing that is wrong.
type Problem struct {
	Path string
	Line int
	Key  string // "" for the file as a whole
	Says string
}

func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d: ", p.Path, p.Line)
	if p.Key != "" {
		s += p.Key + ": "
	}
	return s + p.Says
}

// Load reads the configuration name, an absolute path in fsys, which is rooted
// at /. A path in it that begins with ~/ is below home. The error is that of
// opening the configuration, or all problems, one a line; with problems the
// file is there as well. A scope may be without repositories, and an expression
// of ask_when is any text: see AddLists and CheckExpressions.
func Load(fsys fs.FS, name, home string) (*File, error) {
	b, err := ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	f := Parse(name, b, home)
	return f, f.Err()
}

// ReadFile reads the file name, an absolute path in fsys, which is rooted at /.
// One of more than 4 MiB is an error.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(strings.TrimPrefix(name, "/"))
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // its path lacks the first slash
		}
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, sizeLimit+1))
	if err == nil && len(b) > sizeLimit {
		err = fmt.Errorf("%s: longer than %d bytes", name, sizeLimit)
	}
	return b, err
}

// Err is all problems, one a line; nil when there are none.
func (f *File) Err() error {
	if len(f.Problems) == 0 {
		return nil
	}
	lines := []string{}
	for _, p := range f.Problems {
		lines = append(lines, p.String())
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Scopes returns the ids of the configured scopes, sorted.
func (f *File) Scopes() []string {
	ids := []string{}
	for _, s := range f.scopes {
		ids = append(ids, s.ID)
	}
	return ids
}

// Scope returns a scope; the only one when id is empty.
func (f *File) Scope(id string) (*Scope, error) {
	if id == "" && len(f.scopes) == 1 {
		return f.scopes[0], nil
	}
	for _, s := range f.scopes {
		if s.ID == id {
			return s, nil
		}
	}
	have := strings.Join(f.Scopes(), ", ")
	if have == "" {
		have = "none"
	}
	if id == "" {
		return nil, fmt.Errorf("%s: which scope? there are: %s", f.Path, have)
	}
	return nil, fmt.Errorf("%s: no scope %q; there are: %s", f.Path, id, have)
}

// scopeID is what a scope may be called.
var scopeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`) })

const wantID = "want an id of a-z, 0-9, _ and -, 64 characters at most, the first no sign"

// Parse reads a configuration, as Load does. What is wrong is in Problems.
func Parse(name string, b []byte, home string) *File {
	f := &File{Path: name, home: home}
	root, err := parseJSON(b)
	if err != nil {
		f.Problems = append(f.Problems, problemOf(name, err))
		return f
	}
	r := &reader{path: name, home: home}
	r.object("", root, "an object", []field{
		{name: "v", need: true, want: "1", read: func(_ string, n *Node) bool { return n.is("number") && n.text == "1" }},
		{name: "scopes", need: true, want: "an object of scopes", read: func(key string, n *Node) bool { return f.readScopes(r, key, n) }},
	})
	f.Problems, f.exprs = append(f.Problems, r.problems...), r.exprs
	return f
}

// problemOf is why a file was not read: a *LineError, or the machine's reason.
func problemOf(name string, err error) Problem {
	if e, ok := errors.AsType[*LineError](err); ok {
		return Problem{name, e.Line, "", e.Says}
	}
	return Problem{name, 1, "", "cannot be read"}
}

func (f *File) readScopes(r *reader, key string, n *Node) bool {
	if !n.is("object") {
		return false
	}
	for _, id := range n.keys {
		at := below(key, id)
		if slices.Contains(n.twice, id) {
			r.fail(n.fields[id], at, "comes twice")
			continue
		}
		if !scopeID().MatchString(id) {
			r.fail(n.fields[id], at, wantID)
			continue
		}
		s := newScope(id, r.home)
		s.raw, s.line = n.fields[id].fields, n.fields[id].line
		r.object(at, n.fields[id], "an object", s.fields(r))
		s.Caps.MailIntervalHour = s.MailIntervalH
		if says := f.shares(s); says != "" {
			r.fail(s.node(n.fields[id], "state_dir"), at+".state_dir", "want a directory of its own"+says)
		}
		s.ownLogs(r, at)
		f.scopes = append(f.scopes, s)
	}
	slices.SortFunc(f.scopes, func(a, b *Scope) int { return strings.Compare(a.ID, b.ID) })
	return true
}
