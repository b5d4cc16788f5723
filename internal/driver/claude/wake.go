package claude

import (
	"fmt"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
)

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
		return nil, fmt.Errorf("resuming %s: the id or the text is none", guard.Quote(sessionID))
	}
	if text == "" {
		return []string{"--resume", sessionID}, nil
	}
	return []string{"--resume", sessionID, text}, nil
}

// Respawn is the command that starts a background session again, to wait for a
// prompt, with the options that Claude Code itself noted.
func Respawn(id string) []string { return []string{"claude", "respawn", id} }
