package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/record"
)

func TestRaise_command(t *testing.T) {
	unhurried := patience
	delivered := record.Shown{Delivered: true}
	for _, tt := range []struct {
		name, script string
		want         record.Shown
		err          string
		hangs        bool
	}{
		{"it took the batch", "cat >stdin", delivered, "", false},
		{"it read nothing", "", delivered, "", false},
		{"it failed", "cat >/dev/null; echo >&2; echo 'curl: (22) 403' >&2; echo more >&2; exit 22", record.Shown{}, "tell: exit status 22: curl: (22) 403", false},
		{"it failed without a word", "exit 3", record.Shown{}, "tell: exit status 3", false},
		{"it was killed", "kill -9 $$", record.Shown{}, "tell: exit status 137", false},
		{"it hangs", "sleep 300", record.Shown{}, "tell: not done after 800ms: ended", true},
		{"it hangs and does not hear", "trap '' TERM; sleep 300; sleep 300", record.Shown{}, "tell: not done after 800ms: ended", true},
		{"it says much", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2", delivered, "", false},
		{"it says much and fails", "head -c 3000000 /dev/zero; exit 4", record.Shown{}, "tell: exit status 4", false},
		{"it never stops saying", "yes", record.Shown{}, "tell: not done after 800ms: ended", true},
		{"it leaves something behind", "sleep 300 & echo $! >child", delivered, "", false},
		{"a secret in what it says", "echo token " + "ghp_" + "FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12 >&2; exit 1", record.Shown{}, "tell: exit status 1: token [withheld: github-token]", false},
		{"a long line", "echo " + strings.Repeat("word ", 100) + ">&2; exit 1", record.Shown{}, "tell: exit status 1: " + strings.TrimRight(strings.Repeat("word ", 40)[:199], " ") + "…", false},
	} {
		dir := stubs(t, map[string]string{"tell": tt.script})
		if tt.hangs {
			hurry(t)
		} else {
			patience = unhurried
		}
		shown, err := Raise(context.Background(), config.Channel{Kind: "command", Argv: []string{"tell", "-x", "$HOME *"}}, three)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if shown != tt.want || got != tt.err {
			t.Errorf("%s: %+v %q, want %+v %q", tt.name, shown, got, tt.want, tt.err)
		}
		if tt.hangs {
			continue
		}
		if argv := read(t, dir, "argv"); argv != "-x\x00$HOME *\x00" {
			t.Errorf("%s: argv %q", tt.name, argv)
		}
		gone(t, dir)
		if b, err := os.ReadFile(filepath.Join(dir, "stdin")); err == nil {
			want := `{"v":1,"scope":"lamp","batch":12,"open":3,"asks":[{"id":"a1","class":"3","question":"Session wick waits","since":null,"key":"","session":"","go":""}],"list":"fleet-asks list --scope lamp","answer":"fleet-asks ack 12 --scope lamp"}` + "\n"
			if string(b) != want {
				t.Errorf("stdin %s\nwant  %s", b, want)
			}
		}
	}
}

func TestRaise_missing(t *testing.T) {
	dir := stubs(t, map[string]string{"tell": "echo $HOME >home"})
	run := func(argv ...string) string {
		shown, err := Raise(context.Background(), config.Channel{Kind: "command", Argv: argv}, three)
		if err != nil && shown == (record.Shown{}) {
			return err.Error()
		}
		return ""
	}
	for argv, want := range map[string]string{
		"nosuch":            "nosuch: executable file not found in $PATH",
		dir + "/nosuch":     "nosuch: no such file or directory",
		"~/nosuch":          "nosuch: no such file or directory",
		dir:                 filepath.Base(dir) + ": is a directory",
		dir + "/bin/tell":   "",
		"~/bin/tell":        "",
		"tell":              "",
		"x" + "\nforged: x": "x forged: x: executable file not found in $PATH",
	} {
		if got := run(argv); got != want {
			t.Errorf("%q: %q, want %q", argv, got, want)
		}
	}
	if _, err := Raise(context.Background(), config.Channel{Kind: "pigeon"}, three); err == nil || err.Error() != `no such channel: "pigeon"` {
		t.Error(err)
	}
}

// No token reaches what is started; what a desktop needs does, and the marks
// of a session, so that it cannot answer for the owner.
func TestEnvironment(t *testing.T) {
	dir := stubs(t, map[string]string{"tell": "env >env", "zenity": "env >env"})
	secrets := []string{"GH_TOKEN", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "SSH_AUTH_SOCK", "ZENITY_CANCEL", "DIALOG_CANCEL", "LD_PRELOAD_FAKE", "GO_FLAGS_COMPLETION"}
	for _, name := range secrets {
		t.Setenv(name, "FAKE")
	}
	t.Setenv("FLEET_CHILD", "1")
	t.Setenv("XAUTHORITY", "/x")
	for _, ch := range []config.Channel{{Kind: "dialog"}, {Kind: "command", Argv: []string{"tell"}}} {
		if _, err := Raise(context.Background(), ch, three); err != nil {
			t.Fatal(err)
		}
		env := "\n" + read(t, dir, "env")
		for _, name := range secrets {
			if strings.Contains(env, "\n"+name+"=") {
				t.Errorf("%s: %s arrives", ch.Kind, name)
			}
		}
		if ch.Kind == "dialog" != strings.Contains(env, "\nLANGUAGE=en\n") {
			t.Errorf("%s: what toolkits say is read in English: %s", ch.Kind, env)
		}
		for _, want := range []string{"DISPLAY=:0", "XAUTHORITY=/x", "FLEET_CHILD=1", "HOME=" + dir} {
			if !strings.Contains(env, "\n"+want+"\n") {
				t.Errorf("%s: no %s in %s", ch.Kind, want, env)
			}
		}
	}
}

func TestCount(t *testing.T) {
	dir := stubs(t, map[string]string{"tell": "cat >stdin"})
	argv := []string{"tell", "send"}
	for n, want := range map[int]string{1: "fleet: 1 open ask", 12: "fleet: 12 open asks"} {
		if err := Count(context.Background(), argv, n); err != nil {
			t.Fatal(err)
		}
		if got := read(t, dir, "argv"); got != "send\x00"+want+"\x00" {
			t.Errorf("argv %q", got)
		}
		if got := read(t, dir, "stdin"); got != "" {
			t.Errorf("stdin %q", got)
		}
	}
	if err := Count(context.Background(), []string{"nosuch"}, 1); err == nil || err.Error() != "nosuch: executable file not found in $PATH" {
		t.Error(err)
	}
}
