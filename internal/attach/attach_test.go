package attach

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// What leads to a session with a process is its pane, or the job.
func TestCommand(t *testing.T) {
	tests := []struct{ tmux, job, want string }{
		{"work:@3.%7", "", "tmux attach -t work:@3.%7"},
		{"my work:@3.%7", "", "tmux attach -t 'my work:@3.%7'"},
		{"a$(reboot);'x:@1.%1", "", `tmux attach -t 'a$(reboot);'\''x:@1.%1'`},
		{"$(reboot)", "", ""}, // tmux takes it for an id
		{"=x:@1.%1", "", ""},
		{"-d", "", "tmux attach -t '=-d'"},
		{"work", "", "tmux attach -t '=work'"}, // and not workshop
		{"", "87e639e1", "claude attach 87e639e1"},
		{"work:@3.%7", "87e639e1", "tmux attach -t work:@3.%7"},
		{"", "$(reboot)", ""}, // no id of a job looks so
		{"", "-p", ""},
		{"[withheld: github-token]", "", ""},
		{"a long na…", "", ""},
		{"", "?abc", ""},
		{"a`b:@1.%1", "", ""}, // better no command than one that does not survive
		{"a\nb:@1.%1", "", ""},
		{strings.Repeat("w", 100), "", ""},
		{"", "", ""},
		{"a  b:@1.%1", "", ""}, // a page shows one space
		{" a:@1.%1", "", ""},
		{"\u0301a:@1.%1", "", ""},
		{"\u202ea:@1.%1", "", ""},
		{"a\xff:@1.%1", "", ""},
		{"\U0001F469\u200D\U0001F4BB:@1.%1", "", "tmux attach -t '\U0001F469\u200D\U0001F4BB:@1.%1'"},
	}
	for _, tt := range tests {
		s := record.VerdictSession{Tmux: tt.tmux, JobID: tt.job, Process: true}
		if got := Command(s, true, ""); got != tt.want {
			t.Errorf("tmux %q, job %q: %q, want %q", tt.tmux, tt.job, got, tt.want)
		}
	}
}

// What leads to a session without a process is no pane, which is gone or another's.
func TestCommand_ended(t *testing.T) {
	const id, dir = "0612c97c-13cd-412b-a500-b86039f1e0aa", "/home/ana/src/checkout-api"
	tests := []struct {
		name                              string
		judged                            bool
		tmux, job, account, dir, id, want string
	}{
		{"ended", true, "work:@7.%7", "", "", dir, id, "cd /home/ana/src/checkout-api && claude --resume " + id},
		{"at a limit", true, "", "", "", dir, id, "cd /home/ana/src/checkout-api && claude --resume " + id},
		{"a background session", true, "work:@7.%7", "87e639e1", "", dir, id, "claude attach 87e639e1"},
		{"no id of a job", true, "", "-p", "", dir, id, ""},
		{"not known whether", false, "work:@7.%7", "", "", dir, id, "tmux attach -t work:@7.%7"},
		{"not known whether, no pane", false, "", "", "", dir, id, ""},
		{"another account", true, "work:@7.%7", "", "work", dir, id, ""},
		{"no directory", true, "work:@7.%7", "", "", "", id, ""},
		{"no place", true, "", "", "", "src", id, ""},
		{"the root", true, "", "", "", "/", id, "cd / && claude --resume " + id},
		{"a space", true, "", "", "", "/home/ana/my src", id, "cd '/home/ana/my src' && claude --resume " + id},
		{"a command", true, "", "", "", "/x;$(reboot)'", id, `cd '/x;$(reboot)'\''' && claude --resume ` + id},
		{"an option", true, "", "", "", "/-p", id, "cd /-p && claude --resume " + id},
		{"a line end", true, "", "", "", "/x\ny", id, ""},
		{"a withheld one", true, "", "", "", "/x/[withheld: github-token]/y", id, ""},
		{"a backtick", true, "", "", "", "/x`y", id, ""},
		{"a long one", true, "", "", "", "/" + strings.Repeat("x", 300), id, ""},
		{"no id", true, "work:@7.%7", "", "", dir, "", ""},
		{"a process number", true, "", "", "", dir, "pid:7", ""},
		{"more than an id", true, "", "", "", dir, id + ";reboot", ""},
	}
	for _, tt := range tests {
		s := record.VerdictSession{Tmux: tt.tmux, JobID: tt.job, Account: tt.account, Cwd: tt.dir, SessionID: tt.id}
		if got := Command(s, tt.judged, ""); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	s := record.VerdictSession{Cwd: dir, SessionID: id}
	if got, want := Command(s, true, "ana@box"), "ssh -t ana@box 'cd /home/ana/src/checkout-api && claude --resume "+id+"'"; got != want {
		t.Errorf("on another machine: %q, want %q", got, want)
	}
}

// A session on another machine is reached through ssh, unless what leads there
// is more than a shell reads as it stands.
func TestCommand_there(t *testing.T) {
	s := record.VerdictSession{Tmux: "a b", Process: true}
	for via, want := range map[string]string{"": "tmux attach -t '=a b'", "ana@box": `ssh -t ana@box 'tmux attach -t '\''=a b'\'''`,
		"-F '/c d' box": `ssh -t -F '/c d' box 'tmux attach -t '\''=a b'\'''`, "box;id": "", "$(id)": "", "`id`": "", "a\nb": "", strings.Repeat("x", 300): ""} {
		if got := Command(s, true, via); got != want {
			t.Errorf("%q: %q, want %q", via, got, want)
		}
	}
	if got := Command(record.VerdictSession{Process: true}, true, "box"); got != "" {
		t.Errorf("%q", got)
	}
}

// What leads to a machine is what the configuration says, else what it was asked by.
func TestVia(t *testing.T) {
	tick := &record.Tick{Scope: "lamp", Host: "devbox", SSH: map[string]string{"attic": "ana@attic"}}
	for _, tt := range []struct {
		tick       *record.Tick
		asked      string
		host, want string
	}{
		{nil, "", "attic", ""}, {nil, "box", "attic", "box"}, {tick, "box", "attic", "ana@attic"}, {tick, "", "attic", "ana@attic"}, {tick, "box", "cellar", "box"}, {tick, "", "devbox", ""},
	} {
		set := new(record.Set)
		add := func(kind record.Kind, host, subject string, data any) {
			r, err := record.New(kind, record.Time{}, host, "x", subject, data)
			if err != nil {
				t.Fatal(err)
			}
			set.Add(record.Line{Record: r})
		}
		if tt.tick != nil {
			add(record.KindTick, "devbox", "lamp", tt.tick)
		}
		if tt.asked != "" {
			add(record.KindSurface, tt.host, "ssh", record.Surface{OK: true, Via: tt.asked})
		}
		if got := Via(set, tt.host); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
