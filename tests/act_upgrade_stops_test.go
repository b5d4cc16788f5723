package tests

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// program puts a shell script onto the PATH of the agents' home.
func (a *agents) program(name, script string) {
	a.t.Helper()
	a.write("none/"+name, "#!/bin/sh\nPATH=/usr/bin:/bin\n"+script+"\n")
	if err := os.Chmod(filepath.Join(a.home, "none", name), 0o700); err != nil {
		a.t.Fatal(err)
	}
}

// panes is a tmux whose sessions each show an idle prompt, of the process in panes/<session>.
func (a *agents) panes() {
	a.t.Helper()
	idle, err := filepath.Abs(filepath.Join(root, "internal/screen/testdata/panes/idle.txt"))
	if err != nil {
		a.t.Fatal(err)
	}
	a.program("tmux", `while [ $# -gt 0 ]; do case $1 in list-panes | capture-pane) does=$1 ;; -t) at=${2#=} ;; esac; shift; done
case $does in
list-panes) at=${at%:} && echo "%1 $(cat "$HOME/panes/$at") 0 0 0 0 0 $at" ;;
capture-pane) cat `+idle+` ;;
esac`)
}

// A rolling upgrade ends at the first agent whose upgrade failed, also when that answers in
// a newer version by then: that it stopped is filed, the others stay as they are, status 1.
func TestUpgrade_newer(t *testing.T) {
	a := upgrading(t)
	a.panes()
	a.program("macf", `: >>"$PWD/updated"; echo "no such file" >&2; exit 1`)
	for _, name := range []string{"first", "second"} {
		a.serve(name, a.mutual(a.ca.agent(nil)), func(w http.ResponseWriter, r *http.Request) {
			version := "0.2.46"
			if _, err := os.Stat(filepath.Join(a.home, "repos", name, "updated")); err == nil {
				version = "0.2.48"
			}
			fmt.Fprintf(w, `{"agent": %q, "status": "online", "type": "permanent", "uptime_seconds": 7, "current_issue": null, "version": %q, "last_notification": null, "state": "idle"}`, name, version)
		})
	}
	stream := a.judged("first", "second")
	for _, name := range []string{"first", "second"} {
		pid, err := os.ReadFile(filepath.Join(a.home, "panes/lamp@"+name))
		if err != nil {
			t.Fatal(err)
		}
		a.write(".claude/sessions/"+string(pid)+".json", fmt.Sprintf(`{"pid": %s, "sessionId": "s-%s", "cwd": %q, "startedAt": 1, "version": "2.1.280", "kind": "interactive", "status": "idle"}`, pid, name, filepath.Join(a.home, "repos", name)))
	}
	out, errs, status := a.fleetAct(stream, "fleet-act", "upgrade", "--to", "0.2.47", "--execute", "--jq",
		`select(.kind == "outcome" or .kind == "decision").data | [.agent, .verb // .decision, .result // .reason, .alert.severity // "", .detail] | join(" ")`)
	want := "first upgrade failed  bringing first to 0.2.47: macf update: exit status 1: no such file\nfirst OK at-target upgrade-stopped it runs 0.2.48\nsecond SKIP stopped  it runs 0.2.46, behind 0.2.47; upgrade: first did not come back green: mend that one first\n"
	if string(out) != want || status != 1 || !bytes.Contains([]byte(errs), []byte("the upgrade to 0.2.47 stopped at first; left: second")) {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	b, err := os.ReadFile(filepath.Join(a.home, "state/ledger.jsonl"))
	if err != nil || bytes.Count(b, []byte(`"severity":"upgrade-stopped"`)) != 1 || bytes.Contains(b, []byte(`"key":"second"`)) {
		t.Errorf("%v\n%s", err, b)
	}
}
