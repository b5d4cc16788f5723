package reconcile

import (
	"slices"
	"strings"
	"testing"
)

// A command with a credential in it, in one word or over two, is told without it,
// and starts nothing then; any other is told as it is.
func TestTold(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for _, argv := range [][]string{{"/x", token}, {"/x", "--password", "FAKE" + "hunter2pass"}, {"/x", "sh -c 'A=1 GH_TOKEN=" + token + " y'"}} {
		if got := Told(argv); len(got) != 1 || strings.Contains(got[0], "FAKE") {
			t.Errorf("%q", got)
		}
	}
	for _, argv := range [][]string{{"/w/claude.sh"}, {"/bin/sh", "-c", "exec  claude\n"}} {
		if got := Told(argv); !slices.Equal(got, argv) {
			t.Errorf("%q", got)
		}
	}
}
