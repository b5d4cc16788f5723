package observe

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Errors: []string{"*github.Failure"},
	Fields: []string{"OK", "Error", "Unread", "Unparsed", "err", "failure", "cut", "missing", "unread", "binErr"},
	Calls:  []string{"fail", "refuse", "skip", "note", "failure", "unlist"},
	Equivalent: map[string]string{
		"New: return nil, err (2)":                     "a host without a name: uname(2) does not fail",
		"World.Processes: return syscall.Kill(pid, 0)": "only a /proc that hides others' processes asks; TestHidden holds what its answer means",
		"paseoReading.agentFiles: return nil":          "no list and an empty one read alike; that it failed is told before",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
