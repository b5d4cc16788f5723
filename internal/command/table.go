package command

import (
	"path"
	"strings"
)

// table is every command that a fleet program other than fleet-step and
// fleet-act may start. "*" stands for one argument that does not begin with a
// dash, "…" at the end for any further ones of that kind.
var table = [][]string{
	{"claude", "--version"},
	{"claude", "agents", "--json", "--all"},
	{"ps", "-axww", "-o", "pid=,lstart=,args="},
	{"sysctl", "-n", "kern.boottime"},
	{"gh", "api", "--hostname", "github.com", "*"},
	{"gh", "api", "--hostname", "github.com", "*", "--include"},
	{"gh", "api", "--include", "--hostname", "github.com", "*"},
	{"gh", "pr", "list", "-R", "*", "--state", "open", "--limit", "*", "--json", "*"},
}

// Allowed tells whether argv is in the table. The program is compared by its
// base name.
func Allowed(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	for _, shape := range table {
		if matches(shape, argv) {
			return true
		}
	}
	return false
}

func matches(shape, argv []string) bool {
	if len(shape) != len(argv) || path.Base(argv[0]) != shape[0] {
		return false
	}
	for i, want := range shape[1:] {
		got := argv[i+1]
		if want == "*" {
			if got == "" || strings.HasPrefix(got, "-") {
				return false
			}
		} else if got != want {
			return false
		}
	}
	return true
}
