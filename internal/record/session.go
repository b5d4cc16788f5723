package record

// Session is one Claude Code session: what each source says of it, side by
// side and unjudged. Subject: the session id, pid:<n> when there is none; a
// session of a further Claude directory ends in @<label>. A part is null when
// its source has nothing. Facts: Claude Code 2.1.280.
type Session struct {
	SessionID  string      `json:"session_id"`          // "" when no source names one
	Aliases    []string    `json:"aliases,omitempty"`   // other ids of the same session: job ids, former session ids
	Account    string      `json:"account,omitempty"`   // label of a further Claude directory
	Kind       string      `json:"kind"`                // interactive, background, or what the source says
	Name       string      `json:"name"`                // shown name; never a key
	Cwd        string      `json:"cwd"`                 //
	Cwds       []string    `json:"cwds,omitempty"`      // other spellings of the same directory
	Repo       string      `json:"repo"`                // git common dir, symlinks resolved; "" when none
	Branch     string      `json:"branch"`              // as shown; detached@<12 hex> without a branch; "" when not known
	BranchID   string      `json:"branch_id,omitempty"` // hash of the raw branch name; absent when detached or not known
	Worktree   string      `json:"worktree,omitempty"`  // top of the work tree, symlinks resolved
	Placement  string      `json:"placement"`           // a Placed… word
	StartedAt  *Time       `json:"started_at"`          //
	Prompted   *bool       `json:"prompted"`            // whether it ever got a prompt; null when that cannot be told
	Unlisted   bool        `json:"unlisted,omitempty"`  // files name it and a listing that was read does not
	Listing    *Listing    `json:"listing"`             // claude agents --json --all
	Process    *Process    `json:"process"`             // sessions/<pid>.json and the process table
	Job        *Job        `json:"job"`                 // jobs/<id>/state.json
	Transcript *Transcript `json:"transcript"`          // projects/*/<session id>.jsonl; null when the transcripts were not read
}

// How a session was placed in a repository.
const (
	PlacedByCwd      = "cwd"           // the cwd is in a repository
	PlacedByWorktree = "worktree_path" // the cwd is gone; the job's work tree path is in one
	PlacedAbove      = "above"         // the cwd is gone; the nearest directory above it, or above its job's work tree, is in one
	PlacedByBoard    = "board"         // the cwd is gone; the board row names one
	PlacedNone       = "none"          // the cwd is there and in no repository
	PlacedGone       = "gone"          // the cwd is gone and nothing places it
	PlacedUnreadable = "unreadable"    // it could not be looked at
	PlacedUnknown    = "unknown"       // no source names a cwd
)

// Listing is the session's row of claude agents --json --all.
type Listing struct {
	State      string `json:"state"`         // background: working, blocked, done, failed, stopped; "" otherwise
	Status     string `json:"status"`        // busy, idle, waiting; "" without a live process
	WaitingFor string `json:"waiting_for"`   // permission prompt, input needed, dialog open …
	PID        int    `json:"pid,omitempty"` // absent without a live process
	ID         string `json:"id,omitempty"`  // job id of a background session, as the job has it
}

// Process is what the process file and the process table say.
type Process struct {
	PID         int    `json:"pid"`
	Alive       *bool  `json:"alive"`                  // null when it cannot be told
	RawStatus   string `json:"raw_status"`             // busy, shell, idle, waiting; "" when the file has none
	WaitingFor  string `json:"waiting_for,omitempty"`  //
	StatusSince *Time  `json:"status_since"`           // when the present status began (statusUpdatedAt)
	Tmux        string `json:"tmux,omitempty"`         // session:@window.%pane; absent outside tmux, and of a name that no record can hold whole
	Start       string `json:"start"`                  // start time of the file against the process's: same, other, gone, cannot tell
	StartedAt   *Time  `json:"started_at"`             //
	Entrypoint  string `json:"entrypoint,omitempty"`   // cli, sdk-cli, claude-vscode …
	Version     string `json:"version,omitempty"`      // Claude Code version of the process
	JobID       string `json:"job_id,omitempty"`       // id of its job; "?" and what is left of it when no record can hold it whole
	BeforeBoot  bool   `json:"before_boot,omitempty"`  // its file is older than the machine's boot
	Unread      string `json:"unread,omitempty"`       // why the process file was not understood
	FormerID    string `json:"former_id,omitempty"`    // the session id that the file named before
	PaneAttach  bool   `json:"pane_attach,omitempty"`  // a pane is attached to it
	StatusKnown bool   `json:"status_known,omitempty"` // raw_status is a word of this release
}

// Job is a background session's jobs/<id>/state.json.
type Job struct {
	ID             string     `json:"id"`                         // 8 hex; "?" and what is left of it when no record can hold it whole
	Unread         string     `json:"unread,omitempty"`           // why the file was not understood; the rest is then empty
	State          string     `json:"state"`                      // raw: working, running, blocked, done, failed, stopped, crashed, resuming …
	Tempo          string     `json:"tempo"`                      // active, idle, blocked
	Detail         string     `json:"detail,omitempty"`           // one line; absent when it only repeats the prompt
	DetailIsPrompt bool       `json:"detail_is_prompt,omitempty"` //
	Needs          string     `json:"needs,omitempty"`            // what the user must do
	Questions      []Question `json:"questions,omitempty"`        // block.questions
	SuggestedReply bool       `json:"suggested_reply,omitempty"`  // it offers an answer
	Result         string     `json:"result,omitempty"`           // output.result
	Exec           bool       `json:"exec,omitempty"`             // a shell job: no model, no transcript, no pid ever
	Prompted       bool       `json:"prompted"`                   // intent is not empty
	Schedule       bool       `json:"schedule,omitempty"`         // a loop, cron or routine job
	Tasks          int        `json:"tasks,omitempty"`            // background tasks in flight
	TaskKinds      []string   `json:"task_kinds,omitempty"`       // local_bash, local_agent, session_cron …
	CreatedAt      *Time      `json:"created_at"`                 //
	UpdatedAt      *Time      `json:"updated_at"`                 //
	TerminalAt     *Time      `json:"terminal_at,omitempty"`      // when it last became done, failed or stopped
	WorktreePath   string     `json:"worktree_path,omitempty"`
	WorktreeBranch string     `json:"worktree_branch,omitempty"`
	Version        string     `json:"version,omitempty"` // Claude Code version that wrote it
}

// Question is what a session asks of its user.
type Question struct {
	At      *Time    `json:"at"`                // when it was asked; null when the source has no time
	Kind    string   `json:"kind"`              // question, plan, prose
	Text    string   `json:"text"`              //
	Options []string `json:"options,omitempty"` // labels
}

// Transcript is what the end of the session's transcript says.
type Transcript struct {
	Found      bool       `json:"found"`                   // a transcript file exists
	Unread     string     `json:"unread,omitempty"`        // why its end could not be read; the rest is then not to be trusted
	ActivityAt *Time      `json:"activity_at"`             // newest assistant entry or tool result, subagents' included; null when there is none
	LastTurn   string     `json:"last_turn"`               // ended, open, error, interrupted, none
	LastTurnAt *Time      `json:"last_turn_at"`            // of the entry that decides last_turn
	OpenCalls  []string   `json:"open_calls,omitempty"`    // tools whose call has no result yet, in order
	Error      *TurnError `json:"error"`                   // the last turn ended in an API error; null otherwise
	Limit      *TurnLimit `json:"limit"`                   // that error is a usage limit; null otherwise
	Question   *Question  `json:"question"`                // open at the end; null otherwise
	ArcStatus  *ArcStatus `json:"arc_status"`              // in the last assistant text; null otherwise
	Subagents  *Subagents `json:"subagents"`               // null when it has none
	BadLines   int        `json:"bad_lines,omitempty"`     // lines of the tail that did not parse
	Skipped    int        `json:"skipped_lines,omitempty"` // lines too long to hold
	Ahead      bool       `json:"ahead,omitempty"`         // an entry, of activity of a subagent too, is later than the look by over 120 s; activity_at is the newest of the others
	ModelWakes *Time      `json:"wakes_at,omitempty"`      // a wake-up that the session scheduled for itself
	Unknown    []string   `json:"unknown_types,omitempty"` // line types that this release does not know
}

// TurnError is an API error that ended the last turn.
type TurnError struct {
	At     *Time  `json:"at"`
	Kind   string `json:"kind"`             // Claude Code's word: rate_limit, server_error, authentication_failed …
	Status int    `json:"status,omitempty"` // HTTP status; absent for a connection error
	Text   string `json:"text"`
}

// TurnLimit is the usage-limit part of a TurnError.
type TurnLimit struct {
	Kind    string `json:"kind"`     // quotaLimits.rateLimitType: five_hour, seven_day …; "" when only the text tells. It is the window, not the limit that was hit: that is the cause of the verdict, by the text
	ResetAt *Time  `json:"reset_at"` // quotaLimits.resetsAt; null when only the text may tell
	Text    string `json:"text"`
}

// ArcStatus is a session's own last word about its work.
type ArcStatus struct {
	At     *Time  `json:"at"`
	Status string `json:"status"` // DONE, BLOCKED, MERGED, CLOSED …
	Line   string `json:"line"`   // the whole line
}

// Subagents sums up the session's subagent transcripts.
type Subagents struct {
	Count      int   `json:"count"`
	Open       int   `json:"open"`            // whose last turn has not ended
	ActivityAt *Time `json:"activity_at"`     // newest of all
	Ahead      bool  `json:"ahead,omitempty"` // one has activity later than the look by over 120 s
}
