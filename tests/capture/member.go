package main

import (
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

// kind says how a session is started.
type kind string

const (
	interactive kind = "interactive" // in a terminal
	printing    kind = "print"       // claude -p, which the listing calls interactive
	background  kind = "background"
	shellJob    kind = "shell job"   // claude --bg --exec
	attached    kind = "attached"    // background, with a viewer in a terminal
	worktree    kind = "in worktree" // background, in a worktree that Claude Code makes
)

// A member is one session of the fleet: how it comes into its situation, and what is true of it then.
type member struct {
	key    string // names the scenario and the terminal
	kind   kind
	dir    string // under the repositories' directory
	name   string // given by the user; empty: Claude Code makes one
	prompt string // for a shell job: the command
	args   []string

	label   string // what "the model" calls a background job
	verdict *stubapi.Verdict
	steps   []stubapi.Step

	ready condition // holds when the situation has come
	last  action    // done when every member is ready
	shift time.Duration

	situation string // for truth.tsv
	class     string // by the class table under scope local
}

// A condition reports whether a session has come into its situation.
type condition func(b *claudebox.Box, s session) bool

// session is what a member has become.
type session struct {
	member
	pid   int // of the live process; 0: none
	jobID string
	id    string // session id
}

// status holds while the session's process says so. A session that was prompted must have been
// answered, too: before it is, its status is of no interest.
func status(want string) condition {
	return func(b *claudebox.Box, s session) bool {
		file, err := b.Session(s.pid)
		return err == nil && file.Status == want && (s.prompt == "" || b.Says(s.id, `"type":"assistant"`))
	}
}

// busy holds while the session works on its prompt, answered or not.
func busy(b *claudebox.Box, s session) bool {
	file, err := b.Session(s.pid)
	return err == nil && file.Status == "busy" && b.Says(s.id, `"type":"user"`)
}

// says holds when text stands in the transcript and the turn is over.
func says(text string) condition {
	return func(b *claudebox.Box, s session) bool { return status("idle")(b, s) && b.Says(s.id, text) }
}

// failed holds when the turn ended in an error line of Claude Code.
var failed = says(`"isApiErrorMessage":true`)

// subagentBusy holds while a subagent of a busy session works.
func subagentBusy(b *claudebox.Box, s session) bool {
	return busy(b, s) && b.SubagentSays(s.id, `"type":"user"`)
}

// job holds when the job's file says state and tempo, and its process, if it has one, is idle.
func job(state, tempo string) condition {
	return func(b *claudebox.Box, s session) bool {
		j, err := b.Job(s.jobID)
		if err != nil || j.State != state || j.Tempo != tempo {
			return false
		}
		file, err := b.Session(s.pid)
		return s.kind == shellJob || err == nil && file.Status == "idle"
	}
}

// jobWaiting holds while a prompt of the job is open.
func jobWaiting(b *claudebox.Box, s session) bool {
	j, err := b.Job(s.jobID)
	return err == nil && j.Tempo == "blocked" && status("waiting")(b, s)
}

// all holds when every condition does.
func all(conditions ...condition) condition {
	return func(b *claudebox.Box, s session) bool {
		for _, holds := range conditions {
			if !holds(b, s) {
				return false
			}
		}
		return true
	}
}

// transcriptSays holds when text stands in the transcript.
func transcriptSays(text string) condition {
	return func(b *claudebox.Box, s session) bool { return b.Says(s.id, text) }
}
