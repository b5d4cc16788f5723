package reconcile

import (
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/desired"
)

// token looks like a credential.
var token = "ghp_" + strings.Repeat("FAKE", 9)

// What looks like a credential in the list starts nothing, and stands in no decision: a
// person is told without it.
func TestSecret(t *testing.T) {
	for _, want := range []desired.Agent{{Agent: "a", Workspace: "/w/" + token}, {Agent: "a", Workspace: "/w/a", Project: token}, {Agent: "a", Workspace: "/w/crm/a"}} {
		for name, judge := range bothJudges {
			s := solo(gone).session("s", "9", ended)
			j := judge(setOf(t, s.records(t)), Options{Desired: []desired.Agent{want}})
			d := j.of(t, "a")
			if says := asText(t, j); d.Reason != "secret" || d.Action != nil || (d.Alert == nil) != (name == "upgrade") || j.RC != 1 || strings.Contains(says, "FAKE") || strings.Contains(says, "crm/a") {
				t.Errorf("%s: %s rc %d", name, says, j.RC)
			}
			if d.Seen.Workspace != "" && d.Seen.Workspace[0] != '/' {
				t.Errorf("%+v", d.Seen)
			}
		}
	}
	list := []desired.Agent{{Agent: "a", Workspace: "/w/" + token}}
	if _ = Judge(setOf(t, solo(gone).records(t)), Options{Desired: list}); list[0].Workspace != "/w/"+token {
		t.Error("the caller's list is changed")
	}
}

// A command with a credential in it, in one word or over two, is told without it,
// and starts nothing then; any other is told as it is.
func TestTold(t *testing.T) {
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
