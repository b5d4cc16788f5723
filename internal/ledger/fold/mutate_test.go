package fold

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"Damage", "Damaged", "Nothing", "err", "closed"},
	Calls:  []string{"say"},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
