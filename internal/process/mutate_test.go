package process

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Fields: []string{"err"},
	Equivalent: map[string]string{
		`Process.Stat: return Stat{}, fmt.Errorf("%s: %w", p.file("stat"), err)`: "the kernel writes the line whole; TestParseStat holds what another is",
		"List: return among(ctx, dirs, Find)":                                    "descriptors that run out on the way, which TestList_unread lets among meet",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
