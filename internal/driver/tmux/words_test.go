package tmux

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/driver"
)

// token is a credential as a pane of 200 columns breaks it, and whole.
var token, broken = "ghp_" + strings.Repeat("FAKE", 9), "ghp_" + strings.Repeat("FAKE", 4) + "\n" + strings.Repeat("FAKE", 5)

// What a session said when it ended at once is read with its rows as they were printed:
// half a credential, at the edge of the pane, looks like none.
func TestBuried(t *testing.T) {
	r := newRig(t)
	r.put(t, "pane", "cannot log in: "+broken+"\n")
	r.put(t, "joined", "cannot log in: "+token+"   \nPane is dead (status 1)\n")
	stub := strings.Replace(program, `capture-pane) `, `capture-pane) case " $* " in *" -J "*) exec cat "$STUB/joined" ;; esac; `, 1)
	r.put(t, "tmux", stub)
	if err := os.Chmod(filepath.Join(r.dir, "tmux"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := r.d.buried(t.Context(), r.target(), view{State: driver.State{Place: "%7"}})
	if !errors.Is(err, driver.ErrGone) || strings.Contains(err.Error(), "FAKE") || !strings.Contains(err.Error(), "it said: cannot log in: [withheld: ") {
		t.Error(err)
	}
}

// The words of a dialog leave with why nothing was typed, without a credential that it
// breaks at its edge.
func TestWords(t *testing.T) {
	for dialog, want := range map[string]string{
		"Do you want to proceed?\n❯ 1. Yes\n2. No": "Do you want to proceed? ❯ 1. Yes 2. No",
		"curl -H " + token + "\n❯ 1. Yes":          "curl -H [withheld: github-token] ❯ 1. Yes",
		"curl -H " + broken + "\n❯ 1. Yes":         "its words are withheld: they look like a credential",
		strings.Repeat("a ", 300):                  strings.Repeat("a ", 199) + "a…",
	} {
		if got := words(dialog); got != want {
			t.Errorf("%q: %q, want %q", dialog, got, want)
		}
	}
	r := newRig(t)
	r.put(t, "pane", line+"\n Run curl "+strings.Replace(broken, "\n", "\n ", 1)+"\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n")
	err := r.d.Say(t.Context(), r.target(), "hello")
	if !errors.Is(err, driver.ErrDialog) || strings.Contains(err.Error(), "FAKE") {
		t.Error(err)
	}
}
