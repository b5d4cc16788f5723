package classify

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// noon is when the worlds of the tests are looked at.
var noon = record.NewTime(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))

// ago is d before noon.
func ago(d time.Duration) *record.Time {
	t := record.NewTime(noon.Add(-d))
	return &t
}

func ptr[T any](v T) *T { return &v }

const (
	devbox = "devbox"
	lamp   = "/w/lamp/.git" // in the scope of every configured world
	stove  = "/w/stove/.git"
	branch = "b1b1b1b1"
)

// world is a stream in the making: what each program says of one machine. A
// part that is null or a name in unread was not read.
type world struct {
	tick     *record.Tick // null: without a configuration
	boot     *record.Time
	zone     string
	sessions []*record.Session
	boards   []*record.Board
	agents   []*record.Agent
	owned    []*record.Owned
	repos    []*record.Repo
	unread   map[string]string // surface: error
	silent   map[string]bool   // programs that were not run
	at       record.Time
	extra    []record.Record
}

// local is the world of a machine without a configuration.
func local(ss ...*record.Session) *world {
	return &world{boot: ago(48 * time.Hour), zone: "UTC", sessions: ss, unread: map[string]string{}, at: noon,
		silent: map[string]bool{paseo: true, github: true, board: true, ledgers: true}}
}

// scoped is the world of a scope that holds lamp and expects every product.
func scoped(ss ...*record.Session) *world {
	w := local(ss...)
	w.silent = map[string]bool{}
	w.tick = &record.Tick{Tick: ptr(7), Scope: "home", Host: devbox, Repos: []string{lamp}, Others: []string{stove},
		Surfaces: []string{"claude", "paseo", "gh", "board", "ledger"}}
	w.repos = []*record.Repo{{CommonDir: lamp, Slug: "acme/lamp", OK: true, PRs: []record.PullRequest{}}}
	return w
}

// adopt makes sessions ours by the configuration.
func (w *world) adopt(ids ...string) *world {
	for _, id := range ids {
		w.tick.Adopted = append(w.tick.Adopted, record.Adopted{SessionID: id})
	}
	return w
}

// row gives the board a row of a session.
func (w *world) row(b *record.Board) *world {
	w.boards = append(w.boards, b)
	return w
}

// cannot marks a surface as not read.
func (w *world) cannot(surface string) *world {
	w.unread[surface] = "permission denied"
	return w
}

// forget leaves a program out.
func (w *world) forget(program string) *world {
	w.silent[program] = true
	return w
}

// records are the lines of the world, program by program.
func (w *world) records() []record.Record {
	var rs []record.Record
	n := 0
	add := func(kind record.Kind, by, subject string, data any) {
		r, err := record.New(kind, w.at, devbox, by, subject, data)
		if err != nil {
			panic(err)
		}
		rs, n = append(rs, r), n+1
	}
	surfaces := func(by string, names ...string) {
		for _, name := range names {
			add(record.KindSurface, by, name, record.Surface{OK: w.unread[name] == "", Error: w.unread[name]})
		}
	}
	closing := func(by string) {
		records := n
		add(record.KindSurface, by, by, record.Surface{OK: true, Records: &records})
		n = 0
	}
	if w.tick != nil {
		add(record.KindTick, config, w.tick.Scope, w.tick)
		closing(config)
	}
	add(record.KindHost, claude, devbox, record.Host{OS: "linux", Zone: w.zone, BootAt: w.boot})
	surfaces(claude, "claude/version", "claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts", "claude/processes")
	for i, s := range w.sessions {
		subject := s.SessionID
		if subject == "" {
			subject = fmt.Sprintf("pid:%d", 900+i)
		}
		add(record.KindSession, claude, subject, s)
	}
	closing(claude)
	if !w.silent[paseo] {
		surfaces(paseo, "paseo/agents")
		for _, a := range w.agents {
			add(record.KindAgent, paseo, a.ID, a)
		}
		closing(paseo)
	}
	if !w.silent[github] {
		for _, r := range w.repos {
			surfaces(github, "gh/"+r.Slug)
			add(record.KindRepo, github, r.CommonDir, r)
		}
		closing(github)
	}
	if !w.silent[board] {
		name := "board/" + Local
		if w.tick != nil {
			name = "board/" + w.tick.Scope
		}
		surfaces(board, name)
		for _, b := range w.boards {
			add(record.KindBoard, board, b.SessionID, b)
		}
		closing(board)
	}
	if !w.silent[ledgers] {
		surfaces(ledgers, "ledger")
		for _, o := range w.owned {
			add(record.KindOwned, ledgers, "session:"+o.SessionID+o.PaseoAgentID+o.JobID, o)
		}
		closing(ledgers)
	}
	return append(rs, w.extra...)
}

// set is the stream of records.
func setOf(rs []record.Record) *record.Set {
	set := new(record.Set)
	for _, r := range rs {
		raw, err := r.Line()
		if err != nil {
			panic(err)
		}
		set.Add(record.Line{Raw: raw, Record: r})
	}
	return set
}

// verdicts judges the world: the verdict of each session by subject.
func (w *world) verdicts(j judge) map[string]record.Verdict {
	vs := map[string]record.Verdict{}
	for _, s := range j.sessions(newStream(setOf(w.records()))) {
		vs[s.record.Subject] = s.verdict
	}
	return vs
}

// verdict judges the first session of the world.
func (w *world) verdict(j judge) record.Verdict { return w.verdicts(j)[w.sessions[0].SessionID] }

// standard is the table that the program uses.
func standard() judge { return judge{Rules(), Standard} }

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
