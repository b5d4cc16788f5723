package command

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every word arrives as it was given, in each shell that is here, and none is
// read as the shell's own.
func TestRemoteCommand(t *testing.T) {
	words := []string{"printf", "[%s]", "a b", "it's", "$(id)", "`id`", "!x", "*", "", "-x", "a\nb", `"`, "~/x", "é"}
	shells := 0
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "fish", "csh", "tcsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		shells++
		words := slices.Clone(words)
		if strings.HasSuffix(shell, "csh") { // which reads these two in quotes as well
			words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "!\n") })
		}
		want := ""
		for _, w := range words[2:] {
			want += "[" + w + "]"
		}
		out, err := exec.Command(shell, "-c", RemoteCommand(words)).CombinedOutput()
		if string(out) != want || err != nil {
			t.Errorf("%s: %v\n got %q\nwant %q", shell, err, out, want)
		}
	}
	if shells < 2 {
		t.Errorf("%d shells", shells)
	}
}

// A program is found where bin/install.sh puts it, behind what PATH has, and in
// the home when its name begins so.
func TestRemoteCommand_found(t *testing.T) {
	home := t.TempDir()
	program := func(name, says string) {
		script := "mkdir -p \"$(dirname \"$1\")\" && printf '#!/bin/sh\\necho %s \"$@\"\\n' \"$2\" >\"$1\" && chmod 755 \"$1\""
		if out, err := exec.Command("sh", "-c", script, "sh", home+name, says).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run := func(words ...string) string {
		cmd := exec.Command("sh", "-c", RemoteCommand(words))
		cmd.Env = []string{"HOME=" + home, "PATH=" + home + "/first:/usr/bin:/bin"}
		out, _ := cmd.CombinedOutput()
		return strings.TrimSpace(string(out))
	}
	for _, step := range []struct{ name, says string }{{"/.local/bin/fleet-x", "local"},
		{"/.local/share/fleet-reconcile/current/bin/fleet-x", "release"}, {"/first/fleet-x", "path"}} {
		program(step.name, step.says)
		if got := run("fleet-x", "a b"); got != step.says+" a b" {
			t.Errorf("%s: %q", step.name, got)
		}
	}
	program("/my bin/f", "home")
	if got := run("~/my bin/f", "~/y"); got != "home ~/y" {
		t.Errorf("%q", got)
	}
}

// What writes more than is read is ended at once.
func TestRun_flood(t *testing.T) {
	for _, script := range []string{"yes", "yes >&2", "trap '' TERM; while :; do echo x; done"} {
		ctx, enough := context.WithCancel(context.Background())
		res, err := start(ctx, Spec{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: time.Hour, KillAfter: 100 * time.Millisecond, MaxOutput: 1000}, enough)
		enough()
		if err != ErrOutput || len(res.Stdout) > 1000 || len(res.Stderr) > 1000 {
			t.Errorf("%s: %v, %d and %d bytes", script, err, len(res.Stdout), len(res.Stderr))
		}
	}
}
