package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
)

// takes is how many words an option takes after itself.
type takes int

const (
	none     takes = iota
	one            // the next word, whatever it is
	optional       // the next word, unless it is an option
	several        // all words up to the next option
)

// fate is what becomes of an option when its session is resumed.
type fate int

const (
	kept    fate = iota
	dropped      // it says which conversation, or where, at the first start
	refused      // a session with it is none that can be resumed
)

type option struct {
	takes takes
	fate  fate
}

// options are those of claude --help, 2.1.280. One that is not here may take a
// word or not: what follows could be its value or the first prompt.
var options = map[string]option{
	"--add-dir": {several, kept}, "--agent": {one, kept}, "--agents": {one, kept}, "--allow-dangerously-skip-permissions": {none, kept},
	"--allowedTools": {several, kept}, "--allowed-tools": {several, kept}, "--append-system-prompt": {one, kept}, "--autocompact": {one, kept},
	"--ax-screen-reader": {none, kept}, "--bare": {none, kept}, "--betas": {several, kept}, "--brief": {none, kept}, "--chrome": {none, kept},
	"--dangerously-skip-permissions": {none, kept}, "-d": {optional, kept}, "--debug": {optional, kept}, "--debug-file": {one, kept},
	"--disable-slash-commands": {none, kept}, "--disallowedTools": {several, kept}, "--disallowed-tools": {several, kept}, "--effort": {one, kept},
	"--exclude-dynamic-system-prompt-sections": {none, kept}, "--fallback-model": {one, kept}, "--ide": {none, kept}, "--mcp-config": {several, kept},
	"--model": {one, kept}, "-n": {one, kept}, "--name": {one, kept}, "--no-chrome": {none, kept}, "--permission-mode": {one, kept},
	"--plugin-dir": {one, kept}, "--plugin-url": {one, kept}, "--prompt-suggestions": {optional, kept}, "--remote-control": {optional, kept},
	"--remote-control-session-name-prefix": {one, kept}, "--restricted": {none, kept}, "--safe-mode": {none, kept}, "--setting-sources": {one, kept},
	"--settings": {one, kept}, "--strict-mcp-config": {none, kept}, "--system-prompt": {one, kept}, "--system-prompt-snapshot": {one, kept},
	"--tools": {several, kept}, "--verbose": {none, kept},

	"--bg": {none, dropped}, "--background": {none, dropped}, "-c": {none, dropped}, "--continue": {none, dropped}, "--file": {several, dropped},
	"--fork-session": {none, dropped}, "--from-pr": {optional, dropped}, "-r": {optional, dropped}, "--resume": {optional, dropped},
	"--session-id": {one, dropped}, "-w": {optional, dropped}, "--worktree": {optional, dropped},

	"-p": {none, refused}, "--print": {none, refused}, "--cloud": {optional, refused}, "--environment": {one, refused}, "--teleport": {optional, refused},
	"--tmux": {none, refused}, "--no-session-persistence": {none, refused}, "-h": {none, refused}, "--help": {none, refused},
	"-v": {none, refused}, "--version": {none, refused}, "--exec": {several, refused},
}

// Resume returns the command that continues a session which argv once started:
// with the same options, without its first prompt, and with text as the next
// one, none when it is empty. It is for a session in a terminal: a background one
// is woken. The error says why it cannot be told what argv meant; then nothing is
// guessed.
func Resume(argv []string, sessionID, text string) ([]string, error) {
	if len(argv) == 0 || !(claude.Process{Args: claude.Argv(argv)}).Session() {
		return nil, fmt.Errorf("resuming %s: %q starts no session", sessionID, first(argv, 2))
	}
	next, err := continued(sessionID, text)
	if err != nil {
		return nil, err
	}
	flags, err := flagsOf(argv[1:])
	if err != nil {
		return nil, fmt.Errorf("resuming %s: %w", sessionID, err)
	}
	// The text stands before the options: one that takes several words would swallow it.
	return append(append([]string{argv[0]}, next...), flags...), nil
}

// Wake is the command that continues a background session which is stopped, with
// text as the next prompt, none when it is empty. It has no option: Claude Code
// keeps those of the session itself, and with any that it is given it begins a
// copy.
func Wake(sessionID, text string) ([]string, error) {
	next, err := continued(sessionID, text)
	if err != nil {
		return nil, err
	}
	return append([]string{"claude", "--bg"}, next...), nil
}

// continued are the words that say which session goes on, and with what.
func continued(sessionID, text string) ([]string, error) {
	if sessionID == "" || strings.HasPrefix(sessionID, "-") || strings.HasPrefix(text, "-") {
		return nil, fmt.Errorf("resuming %q: the id or the text is none", sessionID)
	}
	if text == "" {
		return []string{"--resume", sessionID}, nil
	}
	return []string{"--resume", sessionID, text}, nil
}

// flagsOf returns the options that are kept, with their words. What belongs to
// none is the first prompt.
func flagsOf(words []string) ([]string, error) {
	var out []string
	for i := 0; i < len(words); {
		word := words[i]
		if word == "--" {
			break
		}
		if !strings.HasPrefix(word, "-") {
			i++
			continue
		}
		name, _, inside := strings.Cut(word, "=")
		opt, known := options[name]
		end := i + 1
		switch {
		case !known:
			return nil, fmt.Errorf("the option %s is not known", name)
		case opt.fate == refused:
			return nil, fmt.Errorf("a session with %s is not one to resume", name)
		case inside:
		case opt.takes == one && end == len(words):
			return nil, fmt.Errorf("the option %s lacks its value", name)
		case opt.takes == one, opt.takes == optional && end < len(words) && !strings.HasPrefix(words[end], "-"):
			end++
		case opt.takes == several:
			for end < len(words) && !strings.HasPrefix(words[end], "-") {
				end++
			}
		}
		if opt.fate == kept {
			out = append(out, words[i:end]...)
		}
		i = end
	}
	return out, nil
}

// Respawn is the command that starts a background session again, to wait for a
// prompt, with the options that Claude Code itself noted.
func Respawn(id string) []string { return []string{"claude", "respawn", id} }

func first(words []string, n int) []string { return slices.Clone(words[:min(n, len(words))]) }
