package command

import (
	"path"
	"strings"
)

// table is every command that a fleet program other than fleet-step and
// fleet-act may start. A star at the end of a word stands for one character or
// more, of an argument that does not begin with a dash.
var table = [][]string{
	{"claude", "--version"},
	{"claude", "agents", "--json", "--all"},
	{"ps", "-axww", "-o", "pid=,lstart=,args="},
	{"sysctl", "-n", "kern.boottime"},
	{"gh", "api", "--include", "--hostname", "github.com", "rate_limit"},
	{"gh", "api", "--include", "--hostname", "github.com", "repos/*"},
	{"gh", "pr", "list", "-R", "github.com/*", "--state", "open", "--limit", "*", "--json", pullFields},
	{"gh", "pr", "list", "-R", "github.com/*", "--state", "open", "--limit", "*", "--json", pullFields + ",statusCheckRollup"},
}

const pullFields = "author,baseRefName,headRefName,isCrossRepository,isDraft,labels,mergeStateStatus,mergeable,number,title,updatedAt,url"

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
		if !fits(want, argv[i+1]) {
			return false
		}
	}
	return true
}

func fits(want, got string) bool {
	prefix, open := strings.CutSuffix(want, "*")
	if !open {
		return got == want
	}
	return len(got) > len(prefix) && strings.HasPrefix(got, prefix) && !strings.HasPrefix(got, "-")
}
