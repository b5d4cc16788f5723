package classify

import (
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// stale answers whether the process began before the machine did. A start time
// that agrees proves nothing: Linux counts it from the boot, so that a process
// of another boot may have the same. A file that was written since the boot is
// of a process of this one, whatever the clock said when it started.
func (f *Facts) stale(h *record.Host) {
	const source = "claude/processes"
	p := f.P
	switch {
	case p != nil && p.BeforeBoot:
		f.Stale = yes(source, "its process began before the machine did")
	case p == nil && !f.runs():
		f.Stale = no(source, "no process")
	case h == nil || h.BootAt == nil:
		f.Stale = no(source, "the boot time is not known")
		if p != nil && gone(p) {
			f.Stale = unread(source, "the boot time is not known")
		}
	case p != nil && before(p.StartedAt, h.BootAt) && (p.StatusSince == nil || before(p.StatusSince, h.BootAt)):
		f.Stale = yes(source, "its process began before the machine did (%s)", stamp(*h.BootAt))
	case p == nil && before(f.S.StartedAt, h.BootAt):
		f.Stale = f.Raw.Unread
	default:
		f.Stale = no(source, "its process began after the machine did")
	}
}

// before tells whether a is known and earlier than b.
func before(a, b *record.Time) bool { return a != nil && a.Before(b.Time) }

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

// nameless is Unread of a session of which all that is known is a file that was not
// understood.
func (f *Facts) nameless() Reading {
	switch s := f.S; {
	case s.SessionID != "" || s.Listing != nil:
	case s.Process != nil && s.Process.Unread != "":
		return unread("claude/sessions", "the file of process %d, which no row of the listing is about: %s", s.Process.PID, s.Process.Unread)
	case s.Job != nil && s.Job.Unread != "":
		return unread("claude/jobs", "the file of job %s, which no row of the listing is about: %s", s.Job.ID, s.Job.Unread)
	}
	return Reading{Truth: Yes}
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
	case f.Job.Truth == No:
	case f.Job.Truth == Unread:
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
