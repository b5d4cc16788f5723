package machine

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err"},
	Equivalent: map[string]string{
		"New: return nil, err (2)":                                 "a host without a name: uname(2) does not fail",
		"Recording.Replace: r.err = r.root.RemoveAll(stored(abs))": "what cannot be removed cannot be written over: the next call says so",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
