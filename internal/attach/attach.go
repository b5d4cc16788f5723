// Package attach makes the command that leads a person to a session. It is pure.
//
// The commands are those of tmux (attach -t, of tmux 3.4) and of Claude Code (attach and
// --resume, of 2.1.280, which finds a session by its id and only from its directory).
package attach

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/shell"
)

// What is longer makes no command: a part of one leads somewhere else.
const (
	tmuxWidth = 80
	viaWidth  = 200
	dirWidth  = 200
)

// Command returns the command that leads to a session, "" when none is known. judged
// tells that the session could be judged: of one that could not nobody knows whether it
// has a process, so it is never started a second time. via are the words behind ssh -t
// that lead to its machine, "" when that is the reader's own. The command is never cut,
// and only made of what a shell reads as it stands.
func Command(s record.VerdictSession, judged bool, via string) string {
	there := command(s, judged)
	if there == "" || via == "" {
		return there
	}
	if len(via) > viaWidth || !shown(via) || strings.ContainsAny(via, "$&;|<>\"\\") {
		return ""
	}
	return "ssh -t " + via + " " + shell.Word(there)
}

// command is Command on the machine of the session itself. A pane is where a process
// lives: without one, what leads there starts the session again, a background session by
// its job.
func command(s record.VerdictSession, judged bool) string {
	gone := judged && !s.Process
	switch {
	case !gone && s.Tmux != "" && len(s.Tmux) <= tmuxWidth && shown(s.Tmux) && !strings.ContainsAny(s.Tmux[:1], "=$"): // tmux takes these for its own
		if !strings.Contains(s.Tmux, ":@") {
			return "tmux attach -t " + shell.Word("="+s.Tmux) // else the beginning of a name would do
		}
		return "tmux attach -t " + shell.Word(s.Tmux)
	case s.JobID != "" && len(s.JobID) <= IDWidth && shell.Plain(s.JobID):
		return "claude attach " + s.JobID
	case gone && s.JobID == "" && s.Account == "": // where another account is, no record says
		return resume(s.Cwd, s.SessionID)
	}
	return ""
}

// resume takes up a session that ended.
func resume(dir, id string) string {
	if len(id) != IDWidth || !BeginsWithID(id) || !path.IsAbs(dir) || len(dir) > dirWidth || !shown(dir) {
		return ""
	}
	return "cd " + shell.Word(dir) + " && claude --resume " + id
}

// shown tells a text that can be shown in a command without losing anything, in a
// terminal, in Markdown and on a page, and of which nothing was withheld or cut.
func shown(s string) bool {
	if !utf8.ValidString(s) || strings.ContainsAny(s, "`…") || strings.Contains(s, "[withheld: ") || strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		return false
	}
	for i, r := range s {
		const nonJoiner, joiner = 0x200C, 0x200D // emoji and several scripts need them
		if !unicode.IsPrint(r) && r != nonJoiner && r != joiner || i == 0 && unicode.In(r, unicode.M) {
			return false
		}
	}
	return true
}

// IDWidth is the length of a session id.
const IDWidth = 36

// BeginsWithID tells a text whose first IDWidth bytes are a session id.
func BeginsWithID(s string) bool {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(s) < len(form) {
		return false
	}
	for i, f := range form {
		c := s[i]
		if hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'; f == '0' && !hex || f == '-' && c != '-' {
			return false
		}
	}
	return true
}
