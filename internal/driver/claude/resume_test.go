package claude

import (
	"slices"
	"strings"
	"testing"
)

func TestResume(t *testing.T) {
	tests := []struct{ name, argv, text, want string }{
		{"case heal-flags-kept", "claude --permission-mode plan --mcp-config m.json --settings s.json", "", "claude --resume ID --permission-mode plan --mcp-config m.json --settings s.json"},
		{"case heal-prompt-swallowed", "claude --dangerously-skip-permissions build --model m", "", "claude --resume ID --dangerously-skip-permissions --model m"},
		{"nothing is added", "claude", "", "claude --resume ID"},
		{"a prompt", "claude build", "", "claude --resume ID"},
		{"a prompt behind the end of options", "claude --model m -- --build now", "", "claude --resume ID --model m"},
		{"an option that takes several words", "claude build --allowedTools Bash(a) Read --model m", "", "claude --resume ID --allowedTools Bash(a) Read --model m"},
		{"a value inside", "claude --model=m --debug=api --resume=x build", "", "claude --resume ID --model=m --debug=api"},
		{"an optional value", "claude -d api build --remote-control --verbose", "", "claude --resume ID -d api --remote-control --verbose"},
		{"what says which conversation", "claude --continue --session-id x --fork-session -r y --worktree z -w", "", "claude --resume ID"},
		{"a value like an option", "claude --append-system-prompt --bg --model m", "", "claude --resume ID --append-system-prompt --bg --model m"},
		{"with a next prompt", "claude build --add-dir /a", "Go_on", "claude --resume ID Go_on --add-dir /a"},
		{"from the background", "claude --bg build --model m", "Go_on", "claude --resume ID Go_on --model m"},
		{"an unknown option", "claude --new-thing build", "", "error: the option --new-thing is not known"},
		{"letters together", "claude -dc", "", "error: the option -dc is not known"},
		{"a value that is missing", "claude --model", "", "error: the option --model lacks its value"},
		{"a session that prints", "claude -p build", "", "error: a session with -p is not one to resume"},
		{"a helper", "claude attach 1234abcd", "", "error: starts no session"},
		{"a spare of the daemon", "claude --bg-spare /x", "", "error: starts no session"},
		{"nothing", "", "", "error: starts no session"},
		{"a text like an option", "claude", "--help", "error: the id or the text is none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Resume(strings.Fields(tt.argv), "ID", tt.text)
			if msg, bad := strings.CutPrefix(tt.want, "error: "); bad {
				if err == nil || !strings.Contains(err.Error(), msg) || got != nil {
					t.Errorf("%q, %v", got, err)
				}
			} else if err != nil || strings.Join(got, " ") != tt.want {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestWake(t *testing.T) {
	for text, want := range map[string]string{"": "claude --bg --resume ID", "Go on": "claude --bg --resume ID Go on"} {
		if got, err := Wake("ID", text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, bad := range [][2]string{{"", "x"}, {"--all", "x"}, {"ID", "--model"}} {
		if got, err := Wake(bad[0], bad[1]); err == nil {
			t.Errorf("%q", got)
		}
	}
}

// No bypass of permissions comes into a command that had none.
func FuzzResume(f *testing.F) {
	f.Add("claude --permission-mode plan build", "Go on")
	f.Add("claude --model --dangerously-skip-permissions x", "")
	f.Fuzz(func(t *testing.T, argv, text string) {
		words := strings.Fields(argv)
		got, err := Resume(words, "ID", text)
		if err != nil {
			return
		}
		if got[1] != "--resume" || got[2] != "ID" {
			t.Fatalf("%q", got)
		}
		rest := got[3:]
		if text != "" {
			rest = rest[1:]
		}
		for at := 0; len(rest) > 0; rest = rest[1:] { // what is kept stands in argv, in this order
			n := slices.Index(words[at:], rest[0])
			if n < 0 {
				t.Fatalf("%q is not of %q", rest[0], words)
			}
			at += n + 1
		}
		if flags, err := flagsOf(got[3:]); text == "" && (err != nil || !slices.Equal(flags, got[3:])) {
			t.Fatalf("resumed again: %q, %v", flags, err)
		}
	})
}
