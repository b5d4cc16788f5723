// Package job writes the files that make launchd or systemd run a tick of one
// scope every hour, or a sweep of heal.sh more often: a property list, or a
// service and a timer. The same job
// gives the same bytes, so that a rerun can tell that nothing changed.
package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"howett.net/plist"
)

// Job is an hourly tick, or a sweep.
type Job struct {
	Every   int      // minutes between two sweeps; 0: the job is a tick
	Scope   string   // its id
	Release string   // absolute path of a release; the job runs bin/tick.sh or bin/heal.sh in it
	Home    string   // absolute path of the owner's home directory, for launchd's log
	Path    []string // directories of programs; the release's own comes before them
	Env     []Var    // further environment, in this order
}

// Var is a variable of the environment.
type Var struct{ Name, Value string }

// Label is the name that launchd knows the job by.
func (j Job) Label() string {
	if j.Every > 0 {
		return "dev.fleet.heal." + j.Scope
	}
	return "dev.fleet.reconcile." + j.Scope
}

// Unit is the name of the service and of the timer, without the ending.
func (j Job) Unit() string {
	if j.Every > 0 {
		return "fleet-heal-" + j.Scope
	}
	return "fleet-reconcile-" + j.Scope
}

// Log is where launchd writes what a tick says.
func (j Job) Log() string { return path.Join(j.Home, "Library/Logs", j.Label()+".log") }

func (j Job) script() string {
	if j.Every > 0 {
		return path.Join(j.Release, "bin/heal.sh")
	}
	return path.Join(j.Release, "bin/tick.sh")
}

// seconds between two runs.
func (j Job) seconds() int {
	if j.Every > 0 {
		return 60 * j.Every
	}
	return 3600
}

// environment is all that the job's environment names.
func (j Job) environment() []Var {
	dirs := []string{path.Join(j.Release, "bin")}
	for _, dir := range j.Path {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return append([]Var{{"PATH", strings.Join(dirs, ":")}, {"FLEET_SCOPE", j.Scope}}, j.Env...)
}

// Check returns what keeps the job from being written: a path that is not
// absolute, or one with a sign that PATH or a line of a unit cannot hold.
func (j Job) Check() error {
	paths := []Var{{"the release", j.Release}, {"the home directory", j.Home}}
	for _, dir := range j.Path {
		paths = append(paths, Var{"a directory of PATH", dir})
	}
	for _, p := range paths {
		switch {
		case !path.IsAbs(p.Value):
			return fmt.Errorf("%s: %q: want a path that begins with /", p.Name, p.Value)
		case p.Name != "the home directory" && strings.Contains(p.Value, ":"):
			return fmt.Errorf("%s: %q: PATH cannot hold a colon", p.Name, p.Value)
		}
	}
	seen := map[string]bool{}
	for _, v := range j.environment() {
		if !isName(v.Name) || seen[v.Name] {
			return fmt.Errorf("%q: want the name of a variable, once", v.Name)
		}
		seen[v.Name] = true
		paths = append(paths, v)
	}
	for _, p := range paths {
		if !utf8.ValidString(p.Value) || strings.ContainsFunc(p.Value, unicode.IsControl) {
			return fmt.Errorf("%s: %q: want UTF-8 without line ends and control signs", p.Name, p.Value)
		}
	}
	return nil
}

// isName tells whether a shell can hold a variable of this name.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) && (s[0] < '0' || s[0] > '9')
}

// agent is the property list. Loading it runs nothing: a reinstall is no tick.
type agent struct {
	Label       string            `plist:"Label"`
	Arguments   []string          `plist:"ProgramArguments"`
	Environment map[string]string `plist:"EnvironmentVariables"`
	Interval    int               `plist:"StartInterval"` // seconds
	RunAtLoad   bool              `plist:"RunAtLoad"`
	ProcessType string            `plist:"ProcessType"`
	ExitTimeOut int               `plist:"ExitTimeOut"` // seconds
	OutPath     string            `plist:"StandardOutPath"`
	ErrorPath   string            `plist:"StandardErrorPath"`
	Abandon     bool              `plist:"AbandonProcessGroup,omitempty"` // a sweep's: what it started runs on
}

// Launchd returns the property list of the job.
//
// It is a Standard process: a Background one is slowed down, and a tick reads
// the machine against deadlines. Told to end, it has 60 seconds, which is longer
// than its steps have.
func (j Job) Launchd() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, v := range j.environment() {
		env[v.Name] = v.Value
	}
	var b bytes.Buffer
	enc := plist.NewEncoder(&b)
	enc.Indent("\t")
	err := enc.Encode(agent{
		Label: j.Label(), Arguments: []string{"/bin/sh", j.script()}, Environment: env,
		Interval: j.seconds(), ProcessType: "Standard", ExitTimeOut: 60, Abandon: j.Every > 0,
		OutPath: j.Log(), ErrorPath: j.Log(),
	})
	return append(b.Bytes(), '\n'), err
}
