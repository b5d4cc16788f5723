package claude

import (
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// The widths to which foreign text is clipped, in columns of a terminal.
const (
	wordWidth = 80
	nameWidth = 120
	textWidth = 500
)

// Clean makes every foreign string of a session safe: flattened, clipped,
// credentials withheld. What is compared, a branch, has its hash already.
func Clean(s *record.Session) {
	s.SessionID = guard.Text(s.SessionID, wordWidth)
	for i, a := range s.Aliases {
		s.Aliases[i] = guard.Text(a, wordWidth)
	}
	s.Kind, s.Name, s.Branch = guard.Text(s.Kind, wordWidth), guard.Text(s.Name, nameWidth), guard.Text(s.Branch, nameWidth)
	s.Cwd, s.Repo, s.Worktree = guard.Path(s.Cwd), guard.Path(s.Repo), guard.Path(s.Worktree)
	for i, c := range s.Cwds {
		s.Cwds[i] = guard.Path(c)
	}
	if l := s.Listing; l != nil {
		l.State, l.Status, l.WaitingFor, l.ID = guard.Text(l.State, wordWidth), guard.Text(l.Status, wordWidth), guard.Text(l.WaitingFor, wordWidth), guard.Text(l.ID, wordWidth)
	}
	if p := s.Process; p != nil {
		p.RawStatus, p.WaitingFor, p.Tmux = guard.Text(p.RawStatus, wordWidth), guard.Text(p.WaitingFor, wordWidth), guard.Text(p.Tmux, nameWidth)
		p.Entrypoint, p.Version, p.JobID = guard.Text(p.Entrypoint, wordWidth), guard.Text(p.Version, wordWidth), guard.Text(p.JobID, wordWidth)
	}
	cleanJob(s.Job)
	cleanTranscript(s.Transcript)
}

func cleanJob(j *record.Job) {
	if j == nil {
		return
	}
	j.ID, j.State, j.Tempo = guard.Text(j.ID, wordWidth), guard.Text(j.State, wordWidth), guard.Text(j.Tempo, wordWidth)
	j.Detail, j.Needs, j.Result = guard.Text(j.Detail, textWidth), guard.Text(j.Needs, textWidth), guard.Text(j.Result, textWidth)
	j.WorktreePath, j.WorktreeBranch = guard.Path(j.WorktreePath), guard.Text(j.WorktreeBranch, nameWidth)
	j.Version = guard.Text(j.Version, wordWidth)
	for i, k := range j.TaskKinds {
		j.TaskKinds[i] = guard.Text(k, wordWidth)
	}
	for i := range j.Questions {
		cleanQuestion(&j.Questions[i])
	}
}

func cleanTranscript(t *record.Transcript) {
	if t == nil {
		return
	}
	for i, c := range t.OpenCalls {
		t.OpenCalls[i] = guard.Text(c, nameWidth)
	}
	if e := t.Error; e != nil {
		e.Kind, e.Text = guard.Text(e.Kind, wordWidth), guard.Text(e.Text, textWidth)
	}
	if l := t.Limit; l != nil {
		l.Kind, l.Text = guard.Text(l.Kind, wordWidth), guard.Text(l.Text, textWidth)
	}
	if a := t.ArcStatus; a != nil {
		a.Status, a.Line = guard.Text(a.Status, wordWidth), guard.Text(a.Line, textWidth)
	}
	cleanQuestion(t.Question)
}

func cleanQuestion(q *record.Question) {
	if q == nil {
		return
	}
	q.Text = guard.Text(q.Text, textWidth)
	for i, o := range q.Options {
		q.Options[i] = guard.Text(o, nameWidth)
	}
}
