package record

// Verdict is the class of one session and what it rests on. Subject and host
// are the session's.
type Verdict struct {
	Class     string         `json:"class"`      // 1 … 10, 9a, unknown
	ClassName string         `json:"class_name"` //
	Why       string         `json:"why"`        // unknown: which surface was not read, or that nothing matched; "" otherwise
	Evidence  []Evidence     `json:"evidence"`   // what decided, and what was overruled
	Notes     []Evidence     `json:"notes"`      // facts beside the class: a background shell, an open question in prose
	Question  string         `json:"question"`   // what the session asks, with its options; "" when nothing
	ResetAt   *Time          `json:"reset_at"`   // end of the usage limit; null when there is none or it cannot be told
	WouldDo   string         `json:"would_do"`   // what an acting fleet would do
	Matched   []string       `json:"matched"`    // every rule that matches, in order; the first decided
	Cause     string         `json:"cause"`      // 2 and 4: the kind in a word or two, by what Claude Code wrote (session limit, weekly limit, login, network …); "" otherwise
	Session   VerdictSession `json:"session"`    //
}

// Evidence is one reading and where it was read.
type Evidence struct {
	Source string `json:"source"` // surface name: claude/listing, claude/transcripts …
	Says   string `json:"says"`
}

// VerdictSession is enough of the session for a reader without a join.
type VerdictSession struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Cwd        string `json:"cwd"`
	Repo       string `json:"repo"`
	Branch     string `json:"branch"`
	Scope      string `json:"scope"`                 // scope that judged it
	Ours       bool   `json:"ours"`                  //
	OursWhy    string `json:"ours_why,omitempty"`    //
	ActivityAt *Time  `json:"activity_at"`           // null when none is known
	Since      *Time  `json:"since"`                 // when the present situation began; null when it cannot be told
	Process    bool   `json:"process"`               // it has a live process
	Tmux       string `json:"tmux,omitempty"`        // where to find it
	Account    string `json:"account,omitempty"`     //
	SessionID  string `json:"session_id"`            //
	JobID      string `json:"job_id,omitempty"`      //
	Progress   string `json:"progress,omitempty"`    // its own last line of progress
	ObservedAt Time   `json:"observed_at,omitempty"` // when the session was looked at
	Worktree   string `json:"worktree,omitempty"`
}

// Finding is something about more than one session.
type Finding struct {
	Name     string     `json:"name"`     // count, pause, overlap, process, boot …
	Says     string     `json:"says"`     // one sentence
	Sessions []string   `json:"sessions"` // subjects concerned
	Until    *Time      `json:"until,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
}

// The states of an ask.
const (
	AskNew       = "new"       // raised in this tick
	AskOpen      = "open"      // raised earlier, still true
	AskUnchecked = "unchecked" // open; its surface was not read in this tick
	AskAcked     = "acked"     // answered, and still true
	AskResolved  = "resolved"  // no longer true
)

// Ask is a question for the owner. Subject: its key.
type Ask struct {
	Key       string   `json:"key"`
	ID        string   `json:"id"`                // a1 … within its batch; "" before it is in one
	Batch     int      `json:"batch"`             // tick number of the batch
	State     string   `json:"state"`             // an Ask… word
	Seen      bool     `json:"seen"`              // its batch was seen by the owner
	Unshown   *Unshown `json:"unshown,omitempty"` // new, open, unchecked: that its batch could not be shown; absent when it was shown since, nobody tried, or owner_channel is none by now
	Class     string   `json:"class"`             // class of the session it is about; "" when it is about none
	Question  string   `json:"question"`          // one line
	FirstTick int      `json:"first_tick"`        //
	Since     *Time    `json:"since"`             // when the batch was written
	Session   string   `json:"session,omitempty"`
	Go        string   `json:"go,omitempty"` // the command that leads to the session; absent when none is known
}
