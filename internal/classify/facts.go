package classify

import (
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Bounds are the spans of time that the rules measure with.
type Bounds struct {
	Running time.Duration // busy and silent for longer is hung
	Stall   time.Duration // idle for at least this is stalled
	Grace   time.Duration // a death or a word counts until something happened this much later; a later clock is distrusted by it
	Fresh   time.Duration // a job younger than this may have no transcript yet
	Assumed time.Duration // a limit that names no reset ends this long after it was hit
}

// Standard is the bounds that verdicts are made with.
var Standard = Bounds{Running: 2 * time.Hour, Stall: time.Hour, Grace: 120 * time.Second, Fresh: 2 * time.Minute, Assumed: 5 * time.Hour}

// Facts is what the rules see of a session: what its sources say, brought
// together, each answer with what it rests on. No source is read twice, and
// none is judged here.
type Facts struct {
	At      record.Time // when the session was looked at; all ages end here
	Host    string
	Subject string // of the session
	Bounds  Bounds
	Zone    string // of the host, for times without a zone
	Waking  waking // how long the host was awake

	Whole      Reading // everything was read that says which sessions there are
	Scoped     bool    // a configuration says what is in scope
	Repo       string  // git common dir; "" when none, or not placed
	Place      Reading // in the scope
	Ours       Reading
	OursWhy    string
	Live       Reading // a process lives
	Stale      Reading // its process is older than the machine's boot
	Listed     Reading // the listing was read
	Background Reading
	Job        Reading // it has a job file, and it was read
	Exec       Reading // a shell job: no model, no transcript, never a process
	Transcript Reading // found and read; No when it has none by its nature
	Board      Reading // it has a row
	BoardName  string  // surface of the board
	NoPR       Reading // no open pull request on its branch

	Status     Word // busy, idle, waiting
	Raw        Word // busy, shell, idle, waiting
	State      Word // of a job: working, blocked, done, failed, stopped
	WaitingFor string

	Unanswered Reading // a question or a plan without an answer ends the transcript
	Question   Reading // a job waits for an answer of its user, which is no prompt to approve

	Doing    *record.Time // newest trusted time of an entry that shows doing; null when there is none
	Activity *record.Time // Doing, else when a shell job ended, else the start; null when none is known
	Acted    Reading      // Activity is known

	S   *record.Session
	J   *record.Job        // null unless Job is Yes
	P   *record.Process    // null unless the process file was read
	T   *record.Transcript // null unless Transcript is Yes
	Row *record.Board      // null unless Board is Yes

	bad    endings     // worked out when they are first asked for
	limits []limitText // what was asked of limit
}

// factsOf brings together what the stream says of a session.
func (st *stream) factsOf(r record.Record, s *record.Session, b Bounds) *Facts {
	f := new(Facts)
	st.gather(f, r, s, b)
	return f
}

// gather is factsOf in a place that is used again: facts of 100,000 sessions are
// as much memory as their records.
func (st *stream) gather(f *Facts, r record.Record, s *record.Session, b Bounds) {
	*f = Facts{At: r.At, Host: r.Host, Subject: r.Subject, Bounds: b, S: s, Scoped: st.tick != nil, BoardName: "board/" + st.scope(), limits: f.limits[:0]}
	if h := st.hosts[r.Host]; h != nil {
		f.Zone = h.Zone
	}
	f.Waking = st.waking[r.Host]
	f.Whole = and(st.config, st.program(r.Host, claude), st.program(r.Host, claude+label(s)))
	part := func(name string, here bool) Reading { return st.surface(r.Host, name+label(s), here) }
	f.Listed = part("claude/listing", s.Listing != nil)
	f.process(part("claude/sessions", s.Process != nil))
	f.job(part("claude/jobs", s.Job != nil))
	f.stale(st.hosts[r.Host])
	f.live()
	f.status()
	f.state()
	f.transcript(part("claude/transcripts", s.Transcript != nil))
	f.Unanswered = f.unanswered()
	f.Row, f.Board = st.boardOf(r.Host, ids(s))
	f.activity()
	f.Place = st.place(f)
	f.Ours, f.OursWhy = st.ours(f)
	f.NoPR = st.noPR(f)
	f.Question = f.question()
}

// listed is the session's row, null when there is none or it was not read.
func (f *Facts) listed() *record.Listing {
	if f.Listed.Truth != Yes {
		return nil
	}
	return f.S.Listing
}

// runs tells whether the listing names a process.
func (f *Facts) runs() bool { return f.listed() != nil && f.listed().PID > 0 }
