package classify

import (
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// change alters a session.
type change func(*record.Session)

// session is an interactive session in lamp, idle since ten minutes, with a
// live process, and the changes.
func session(id string, changes ...change) *record.Session {
	s := &record.Session{SessionID: id, Kind: "interactive", Name: "n-" + id, Cwd: "/w/lamp", Repo: lamp, Branch: "fix", BranchID: branch,
		Worktree: "/w/lamp-" + id, Placement: record.PlacedByCwd, StartedAt: ago(5 * time.Hour), Prompted: ptr(true),
		Listing: &record.Listing{Status: "idle", PID: 31},
		Process: &record.Process{PID: 31, Alive: ptr(true), RawStatus: "idle", StatusSince: ago(10 * time.Minute), Start: "same",
			StartedAt: ago(5 * time.Hour), StatusKnown: true},
		Transcript: &record.Transcript{Found: true, ActivityAt: ago(10 * time.Minute), LastTurn: "ended", LastTurnAt: ago(10 * time.Minute)},
	}
	for _, c := range changes {
		c(s)
	}
	return s
}

// job is a background session with a live process, as session is.
func job(id string, changes ...change) *record.Session {
	s := session(id)
	s.Kind, s.Listing.ID, s.Listing.State = "background", id, "done"
	s.Process.JobID = id
	s.Job = &record.Job{ID: id, State: "done", Tempo: "idle", Detail: "fixed the lamp", Prompted: true, CreatedAt: ago(5 * time.Hour),
		UpdatedAt: ago(10 * time.Minute), TerminalAt: ago(10 * time.Minute)}
	for _, c := range changes {
		c(s)
	}
	return s
}

// shell is a background shell job: never a pid, a status or a transcript.
func shell(id, state, detail string) *record.Session {
	return job(id, dead, func(s *record.Session) {
		s.Listing.State, s.Process, s.Transcript = state, nil, &record.Transcript{}
		s.Job.Exec, s.Job.State, s.Job.Detail = true, state, detail
	})
}

// status sets what listing and process file say.
func status(word string, waitingFor ...string) change {
	return func(s *record.Session) {
		s.Process.RawStatus = word
		if word == "busy" {
			s.Process.StatusSince = ago(4 * hour)
		}
		if word == "shell" {
			word = "busy"
		}
		s.Listing.Status = word
		if len(waitingFor) > 0 {
			s.Listing.WaitingFor, s.Process.WaitingFor = waitingFor[0], waitingFor[0]
		}
	}
}

// active sets the newest activity.
func active(d time.Duration) change {
	return func(s *record.Session) {
		s.Transcript.ActivityAt, s.Transcript.LastTurnAt = ago(d), ago(d)
	}
}

// dead takes the process away, as Claude Code takes its file away.
func dead(s *record.Session) {
	s.Process = nil
	if s.Listing != nil {
		s.Listing.PID, s.Listing.Status, s.Listing.WaitingFor = 0, "", ""
	}
}

// killed leaves the process file behind, and the listing without a row.
func killed(s *record.Session) {
	s.Process.Alive, s.Process.Start = ptr(false), "gone"
	s.Listing, s.Unlisted = nil, true
}

// state sets what listing and job file say of a job.
func state(word, tempo, needs, detail string) change {
	return func(s *record.Session) {
		s.Listing.State, s.Job.State, s.Job.Tempo, s.Job.Needs, s.Job.Detail = word, word, tempo, needs, detail
	}
}

// fails ends the transcript in an API error.
func fails(kind string, status int, text string) change {
	return func(s *record.Session) {
		s.Transcript.LastTurn = "error"
		s.Transcript.Error = &record.TurnError{At: s.Transcript.ActivityAt, Kind: kind, Status: status, Text: text}
	}
}

// limited ends the transcript at a usage limit.
func limited(text string, reset *record.Time) change {
	return func(s *record.Session) {
		fails("rate_limit", 429, text)(s)
		s.Transcript.Limit = &record.TurnLimit{Kind: "five_hour", ResetAt: reset, Text: text}
	}
}

// asking ends the transcript in an open call.
func asking(kind, text string, options ...string) change {
	return func(s *record.Session) {
		s.Transcript.LastTurn = "open"
		s.Transcript.Question = &record.Question{At: s.Transcript.ActivityAt, Kind: kind, Text: text, Options: options}
	}
}

// word is the session's own ARC-STATUS.
func word(w string) change {
	return func(s *record.Session) {
		s.Transcript.ArcStatus = &record.ArcStatus{At: s.Transcript.ActivityAt, Status: w, Line: "ARC-STATUS: " + w}
	}
}

// missing takes the transcript away.
func missing(s *record.Session) { s.Transcript = &record.Transcript{} }

func unprompted(s *record.Session) {
	missing(s)
	s.Prompted = ptr(false)
	if s.Job != nil {
		s.Job.Prompted = false
	}
}

// class checks the class of the first session.
func (w *world) class(t *testing.T, want string) record.Verdict {
	t.Helper()
	v := w.verdict(standard())
	if v.Class != want {
		t.Errorf("class %s (%s%s), want %s; matched %v, evidence %v", v.Class, v.ClassName, v.Why, want, v.Matched, v.Evidence)
	}
	return v
}
