// Package driver is the edge at which fleet changes other programs' sessions:
// it starts, stops and speaks to them. Nothing above it knows a runtime; only
// fleet-act links it.
//
// A driver does one thing and says what it saw. Whether the thing may be done,
// and whether it helped, is for its caller to tell: from the ledger, from the
// transcript, from what the agent answers.
package driver

import (
	"context"
	"errors"
	"time"
)

// Driver acts on the sessions of one runtime. Every error of a method names the
// session. A method that returns an error has changed nothing, unless the error
// is ErrUnsubmitted, ErrEnded, ErrGone, ErrUnseen or ErrContradicts, or Stop was on its way.
type Driver interface {
	// Name is the word for the runtime in a decision: tmux, claude.
	Name() string
	// Look tells how the session is now. A session that is not there is a State
	// that is not Alive, and no error; a runtime that could not be asked is an
	// error, since then nothing is known.
	Look(ctx context.Context, t Target) (State, error)
	// Say types text and submits it, once, as it is: no word of it is a key or a
	// flag. It looks first, and refuses with ErrDialog, ErrDraft, ErrAttached,
	// ErrMode, ErrBusy, ErrNoPrompt, ErrChanged or ErrAbsent; of a text that no prompt takes as it is with
	// ErrText. ErrUnsubmitted: the text was typed, and may still be in the prompt. Nil: the prompt took it,
	// which is no proof that it was read.
	Say(ctx context.Context, t Target, text string) error
	// Start begins a session in t.Cwd and returns when its process runs, with it.
	// ErrRuns: one of that name is there already. ErrGone: it ended at once; the
	// error tells what it said. ErrUnseen: it was started, and no Claude Code
	// process was seen in it in time. ErrContradicts: the runtime says that the
	// session runs, and no process of it is there.
	Start(ctx context.Context, t Target, how Launch) (State, error)
	// Stop ends the session and returns when its process is gone. The process gets
	// TERM, and KILL after the grace. ErrChanged: another process has its place.
	// ErrAbsent: the target's process is not in the session. ErrRuns: something else
	// runs in the session, which is not ours to end. ErrEnded: the process was ended, and
	// its session stays, for a reason such as these.
	Stop(ctx context.Context, t Target, grace time.Duration) error
}

// Target names a session, and what must be true of it when it is acted on.
type Target struct {
	Agent     string    // for messages
	Session   string    // the runtime's name for it: a tmux session, a job id
	Place     string    // tmux: the id of its pane, such as %7; "": the pane of the session that holds PID, or else a Claude Code process
	Socket    string    // tmux: the server's socket; the default server when empty
	Cwd       string    // its working directory, or the workspace that this is in; canonical
	PID       int       // of the Claude Code process; 0 when none is known
	Start     time.Time // of that process; with the pid it tells the process from a later one; zero when not known
	SessionID string    // Claude Code's; "" when not known
}

// Launch is how a session is started.
type Launch struct {
	Argv []string // the program and its arguments
	Env  []string // NAME=value: the environment that the session has, whatever the runtime's server has
	Then []string // a command that is run with the exit status of Argv as its last argument, when Argv ends; none when empty
	Text string   // the prompt that a resumed session begins with; none when empty
}

// State is how a session is at one moment.
type State struct {
	Alive    bool      // the session is there, and a process runs in it
	PID      int       // of the Claude Code process in it; 0 when there is none
	Start    time.Time // of that process
	Place    string    // where it is shown: a tmux pane id, a job id; "" when nowhere
	Attached bool      // a person has it before them
	Mode     bool      // the pane is in a mode of the runtime (copy mode): keys would not reach the session
	Viewer   bool      // it shows its transcript or another view in place of the prompt: nothing can be told, nothing may be typed
	Dialog   string    // the words of the dialog that is open; "" when there is none
	Prompt   bool      // a prompt that takes text is shown
	Draft    bool      // somebody's text stands in it
	Moving   bool      // what it shows changed while it was looked at, which is evidence of work, and no proof
	Over     string    // done or stopped: a session without a process whose work is over, by the runtime; "" when it is not, or the runtime keeps no such word
	Stall    string    // the id of the stall signature that stands next to the prompt; "" when none does
}

// Why a driver refused, or what became of what it did.
var (
	ErrAbsent      = errors.New("no such session")
	ErrRuns        = errors.New("a session of that name is there")
	ErrChanged     = errors.New("another process has its place")
	ErrDialog      = errors.New("a dialog is open")
	ErrDraft       = errors.New("somebody's text is in the prompt")
	ErrAttached    = errors.New("a person is attached")
	ErrMode        = errors.New("the pane is in copy mode")
	ErrBusy        = errors.New("it works")
	ErrNoPrompt    = errors.New("no prompt is shown")
	ErrUnsubmitted = errors.New("typed, and not submitted")
	ErrEnded       = errors.New("its process was ended")
	ErrGone        = errors.New("it ended at once")
	ErrUnseen      = errors.New("started, and no process of it is seen")
	ErrContradicts = errors.New("it is said to run, and no process of it is there")
	ErrBeside      = errors.New("another process works there")
	ErrText        = errors.New("a text that cannot be typed as it is")
)

// Signature is what a stalled session shows next to its prompt. Source: the
// configuration's allowlist.
type Signature struct {
	ID      string // what a decision calls it
	Pattern string // a regular expression, matched without regard to case within one line
}
