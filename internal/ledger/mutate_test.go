package ledger

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err"},
	Calls:  []string{"Warn"},
	Equivalent: map[string]string{
		"Ledger.ReadOrNone: return fold.Read(fold.Lines(io.MultiReader()))": "nothing is a ledger without damage",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
