package classify

import (
	"fmt"
	"slices"
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
	At     record.Time // when the session was looked at; all ages end here
	Host   string
	Bounds Bounds
	Zone   string // of the host, for times without a zone

	Whole      Reading // everything was read that says which sessions there are
	Scoped     bool    // a configuration says what is in scope
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

	Doing    *record.Time // newest trusted time of an entry that shows doing; null when there is none
	Activity *record.Time // Doing, else when a shell job ended, else the start; null when none is known
	Acted    Reading      // Activity is known

	S   *record.Session
	J   *record.Job        // null unless Job is Yes
	P   *record.Process    // null unless the process file was read
	T   *record.Transcript // null unless Transcript is Yes
	Row *record.Board      // null unless Board is Yes
}

// factsOf brings together what the stream says of a session.
func (st *stream) factsOf(r record.Record, s *record.Session, b Bounds) *Facts {
	f := &Facts{At: r.At, Host: r.Host, Bounds: b, S: s, Scoped: st.tick != nil, BoardName: "board/" + st.scope()}
	if h := st.hosts[r.Host]; h != nil {
		f.Zone = h.Zone
	}
	f.Whole = and(st.configured(), st.program(r.Host, claude), st.program(r.Host, claude+label(s)))
	part := func(name string, here bool) Reading { return st.surface(r.Host, name+label(s), here) }
	f.Listed = part("claude/listing", s.Listing != nil)
	f.process(part("claude/sessions", s.Process != nil))
	f.job(part("claude/jobs", s.Job != nil))
	f.stale(st.hosts[r.Host])
	f.live()
	f.status()
	f.state()
	f.transcript(part("claude/transcripts", s.Transcript != nil))
	f.Row, f.Board = st.boardOf(r.Host, ids(s))
	f.activity()
	f.Place = st.place(f)
	f.Ours, f.OursWhy = st.ours(f)
	f.NoPR = st.noPR(f)
	return f
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

// process keeps the process file if it was read. A file that is missing while
// the listing names a process was not read.
func (f *Facts) process(read Reading) {
	f.Raw = Word{What: "raw status", Source: "claude/sessions"}
	p := f.S.Process
	switch {
	case read.Truth != Yes:
		f.Raw.Unread = read
	case p != nil && p.Unread != "":
		f.Raw.Unread = unread("claude/sessions", "its process file: %s", p.Unread)
	case p != nil:
		f.P, f.Raw.Is = p, p.RawStatus
	case f.runs():
		f.Raw.Unread = unread("claude/sessions", "the listing names a process and its file is missing")
	}
}

// job keeps the job file if it was read.
func (f *Facts) job(read Reading) {
	s := f.S
	f.background()
	anonymous := f.listed() != nil && f.listed().ID == "" && (f.P == nil || f.P.JobID == "")
	switch {
	case f.Background.Truth != Yes:
		f.Job = f.Background
	case read.Truth != Yes:
		f.Job = read
	case s.Job == nil && anonymous:
		f.Job = no("claude/listing", "it names no job")
	case s.Job == nil:
		f.Job = unread("claude/jobs", "its job file is missing")
	case s.Job.Unread != "":
		f.Job = unread("claude/jobs", "its job file: %s", s.Job.Unread)
	default:
		f.J, f.Job = s.Job, Reading{Truth: Yes}
	}
	switch {
	case f.J == nil:
		f.Exec = f.Job
	case f.J.Exec:
		f.Exec = yes("claude/jobs", "a shell job")
	default:
		f.Exec = no("claude/jobs", "no shell job")
	}
}

// background answers whether the session is a job.
func (f *Facts) background() {
	s := f.S
	switch {
	case s.Kind == "background" || s.Kind == "bg":
		f.Background = yes("claude/listing", "kind %s", s.Kind)
	case s.Job != nil:
		f.Background = yes("claude/jobs", "it has a job file")
	case f.P != nil && f.P.JobID != "":
		f.Background = yes("claude/sessions", "its process names a job")
	case s.Kind == "" && f.Listed.Truth != Yes:
		f.Background = f.Listed
	default:
		f.Background = no("claude/listing", "kind %s", s.Kind)
	}
}

// stale answers whether the process began before the machine did. A process
// whose start time is that of its file cannot have.
func (f *Facts) stale(h *record.Host) {
	const source = "claude/processes"
	p := f.P
	switch {
	case p != nil && p.Start == "same":
		f.Stale = no(source, "its process is the one of its file")
	case p != nil && p.BeforeBoot:
		f.Stale = yes(source, "its process began before the machine did")
	case p == nil && !f.runs():
		f.Stale = no(source, "no process")
	case h == nil || h.BootAt == nil:
		f.Stale = no(source, "the boot time is not known")
		if p != nil && gone(p) {
			f.Stale = unread(source, "the boot time is not known")
		}
	case p != nil && p.StartedAt != nil && p.StartedAt.Before(h.BootAt.Time):
		f.Stale = yes(source, "its process began before the machine did (%s)", stamp(*h.BootAt))
	case p == nil && f.S.StartedAt != nil && f.S.StartedAt.Before(h.BootAt.Time):
		f.Stale = f.Raw.Unread
	default:
		f.Stale = no(source, "its process began after the machine did")
	}
}

// gone tells that the process table has no such process any more.
func gone(p *record.Process) bool {
	return p.Alive != nil && !*p.Alive || p.Start == "other" || p.Start == "gone"
}

// live answers whether a process lives. The process table was read after the
// listing, so a process that is gone from it is gone.
func (f *Facts) live() {
	p := f.P
	switch {
	case f.Stale.Truth == Yes:
		f.Live = no("claude/processes", "its process began before the machine did")
	case p != nil && gone(p):
		f.Live = no("claude/processes", "its process is gone")
	case p != nil && p.Alive != nil:
		f.Live = yes("claude/processes", "its process lives")
	case f.runs():
		f.Live = yes("claude/listing", "its process lives")
	case f.listed() != nil:
		f.Live = no("claude/listing", "it names no process")
	case p != nil:
		f.Live = unread("claude/processes", "it cannot tell whether the process lives")
	default:
		f.Live = f.Raw.among("")
		if f.Live.Truth == Yes {
			f.Live = no("claude/sessions", "no process file")
		}
	}
}

// status is the listing's word; where there is no row, the word that the
// listing would make of the process file.
func (f *Facts) status() {
	f.Status = Word{What: "status", Source: "claude/listing"}
	if l := f.listed(); l != nil {
		if f.Live.Truth != No || l.PID == 0 {
			f.Status.Is, f.WaitingFor = l.Status, l.WaitingFor
		} else {
			f.Status.Source = "claude/processes"
		}
		return
	}
	f.Status.Source = "claude/sessions"
	switch {
	case f.Live.Truth == Unread:
		f.Status.Unread = f.Live
	case f.Live.Truth == No:
	case f.Raw.Is == "idle" || f.Raw.Is == "":
		f.Status.Is = f.Raw.Is
	case f.Raw.Is == "waiting":
		f.Status.Is, f.WaitingFor = "waiting", f.P.WaitingFor
	default:
		f.Status.Is = "busy"
	}
}

// state is the listing's word; where there is no row, the word that the
// listing is known to make of the job file. Facts: Claude Code 2.1.280.
func (f *Facts) state() {
	f.State = Word{What: "state", Source: "claude/listing"}
	if l := f.listed(); l != nil {
		f.State.Is = l.State
		return
	}
	f.State.Source = "claude/jobs"
	j := f.J
	switch {
	case f.Job.Truth != Yes:
		f.State.Unread = f.Job
	case f.Status.Unread.Truth == Unread:
		f.State.Unread = f.Status.Unread
	case f.Status.Is == "busy":
		f.State.Is = "working"
	case slices.Contains([]string{"done", "failed", "stopped"}, j.State) && j.Tempo != "active":
		f.State.Is = j.State
	case f.Live.Truth == Yes && (j.Tempo == "blocked" || f.Status.Is == "waiting"):
		f.State.Is = "blocked"
	case f.Live.Truth == No && j.State == "blocked":
		f.State.Is = "blocked"
	case f.Live.Truth == Yes:
		f.State.Is = "working"
	default:
		f.State.Unread = unread("claude/listing", "only it tells whether a job without a process goes on")
	}
}

// transcript keeps the transcript if it was read. One that is missing is none
// only where there can be none: a shell job, a session that was never
// prompted, a job that was dispatched just now.
func (f *Facts) transcript(read Reading) {
	const source = "claude/transcripts"
	t := f.S.Transcript
	prompted := f.prompted()
	switch {
	case t != nil && t.Found && read.Truth == Yes && t.Unread == "":
		f.T, f.Transcript = t, Reading{Truth: Yes}
	case f.Exec.Truth == Yes:
		f.Transcript = no(source, "a shell job has none")
	case read.Truth != Yes:
		f.Transcript = read
	case t == nil && f.S.SessionID == "":
		f.Transcript = unread(source, "no session id, so it cannot be found")
	case t == nil:
		f.Transcript = unread(source, "was not read")
	case t.Unread != "":
		f.Transcript = unread(source, "%s", t.Unread)
	case f.fresh().Truth == Yes:
		f.Transcript = no(source, "none yet")
	case prompted.Truth == No:
		f.Transcript = no(source, "none; it was never prompted")
	default:
		f.Transcript = prompted
		f.Transcript.Truth = Unread
	}
}

// prompted answers whether the session ever got a prompt. A job's own file
// tells it of a job, history.jsonl of the others.
func (f *Facts) prompted() Reading {
	const source = "claude/transcripts"
	p := f.S.Prompted
	switch {
	case p != nil && *p, f.J != nil && f.J.Prompted:
		return yes(source, "its transcript is missing, and it was prompted")
	case f.Background.Truth == Yes && f.J == nil && f.Job.Truth == Unread:
		return f.Job
	case f.J != nil, p != nil:
		return no(source, "it was never prompted")
	}
	return unread(source, "its transcript is missing, and nothing tells whether it was prompted")
}

// fresh answers whether a job began a moment ago.
func (f *Facts) fresh() Reading {
	at := f.S.StartedAt
	if f.J != nil && f.J.CreatedAt != nil {
		at = f.J.CreatedAt
	}
	at = f.trust(at)
	age := no("claude/jobs", "no time of creation")
	switch {
	case at != nil && f.age(at) < f.Bounds.Fresh:
		age = yes("claude/jobs", "created %s ago", span(f.age(at)))
	case at != nil:
		age = no("claude/jobs", "created %s ago", span(f.age(at)))
	}
	return and(f.State.among("working"), silent(f.Status.among("")), age)
}

// trust is t unless it is later than the look by more than the grace.
func (f *Facts) trust(t *record.Time) *record.Time {
	if t == nil || t.Sub(f.At.Time) > f.Bounds.Grace {
		return nil
	}
	return t
}

// age is how long before the look t was.
func (f *Facts) age(t *record.Time) time.Duration { return f.At.Sub(t.Time) }

// activity finds the newest trusted time of doing.
func (f *Facts) activity() {
	if f.Transcript.Truth == Unread {
		f.Acted = f.Transcript
		return
	}
	if f.T != nil {
		f.Doing = f.trust(f.T.ActivityAt)
		if f.T.Subagents != nil {
			f.Doing = later(f.Doing, f.trust(f.T.Subagents.ActivityAt))
		}
	}
	const source = "claude/transcripts"
	f.Activity = f.Doing
	switch {
	case f.Doing != nil:
		f.Acted = yes(source, "last activity %s before", span(f.age(f.Doing)))
	case f.Exec.Truth == Yes && f.trust(f.J.TerminalAt) != nil:
		f.Activity = f.J.TerminalAt
		f.Acted = yes("claude/jobs", "ended %s before", span(f.age(f.Activity)))
	case f.trust(f.S.StartedAt) != nil:
		f.Activity = f.S.StartedAt
		f.Acted = yes(source, "no activity; started %s before", span(f.age(f.Activity)))
	default:
		f.Acted = unread(source, "no time of activity or start is known")
	}
}

// silentFor answers whether the newest doing is at least, or more than, d old.
func (f *Facts) silentFor(d time.Duration, orEqual bool) Reading {
	if f.Acted.Truth != Yes {
		return f.Acted
	}
	age := f.age(f.Activity)
	if age > d || orEqual && age == d {
		return f.Acted
	}
	return Reading{No, f.Acted.Says}
}

// later is the newer of two times, of which either may be null.
func later(a, b *record.Time) *record.Time {
	if a == nil || b != nil && b.After(a.Time) {
		return b
	}
	return a
}

// span is a length of time as a person reads it.
func span(d time.Duration) string {
	d = max(d, 0)
	switch days := d / (24 * time.Hour); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case days < 2:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%d days %d h", days, d%(24*time.Hour)/time.Hour)
	}
}
