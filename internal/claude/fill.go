package claude

import (
	"cmp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// fill writes the record of a draft from what was joined.
func (j *joiner) fill(d *Draft) {
	s := &d.Session
	if d.row != nil {
		r := d.row
		s.Kind, s.Name, s.Cwd, s.StartedAt = r.Kind, r.Name, r.Cwd, record.TimeOf(r.StartedAt)
		s.Listing = &record.Listing{State: r.State, Status: r.Status, WaitingFor: r.WaitingFor, PID: r.PID, ID: r.ID}
	}
	s.Unlisted = d.row == nil && j.ListingRead
	j.fillProcess(d)
	j.fillJob(d)
	s.Kind = cmp.Or(s.Kind, "interactive")
	s.Prompted = j.prompted(d)
	d.TranscriptIDs = append([]string{}, s.SessionID)
	for _, a := range s.Aliases {
		if len(a) == 36 {
			d.TranscriptIDs = append(d.TranscriptIDs, a)
		}
	}
}

func (j *joiner) fillProcess(d *Draft) {
	s := &d.Session
	if d.file == nil {
		if u := d.unread; u != nil && u.pid != 0 {
			s.Process = &record.Process{PID: u.pid, Unread: u.why, Start: "cannot tell"}
		}
		if s.Listing != nil && s.Listing.PID != 0 {
			if why := j.FileErrors[s.Listing.PID]; why != "" {
				s.Process = &record.Process{PID: s.Listing.PID, Unread: why, Start: "cannot tell"}
			}
		}
		return
	}
	f := d.file
	s.Kind = cmp.Or(s.Kind, map[string]string{"bg": "background"}[f.Kind], f.Kind)
	s.Name, s.Cwd = cmp.Or(s.Name, f.Name), cmp.Or(s.Cwd, f.Cwd)
	if s.StartedAt == nil {
		s.StartedAt = record.TimeOf(f.StartedAt)
	}
	alive, start := j.liveness(f)
	s.Process = &record.Process{PID: f.PID, Alive: alive, Start: start, RawStatus: f.Status, WaitingFor: f.WaitingFor,
		StatusSince: record.TimeOf(f.StatusSince), Tmux: f.Tmux, StartedAt: record.TimeOf(f.StartedAt), Entrypoint: f.Entrypoint,
		Version: f.Version, JobID: f.JobID, StatusKnown: IsRawStatus(f.Status),
		BeforeBoot: !j.BootAt.IsZero() && !f.UpdatedAt.IsZero() && f.UpdatedAt.Before(j.BootAt)}
}

// liveness compares a process file with the process table. A pid with another
// start time is another process; one of another program may be.
func (j *joiner) liveness(f *ProcessFile) (alive *bool, start string) {
	yes, no := true, false
	if !j.TableRead {
		return nil, "cannot tell"
	}
	p, ok := j.table[f.PID]
	if !ok {
		return &no, "gone"
	}
	switch start = SameStart(f.ProcStart, p.Start); {
	case start == "other":
		return &no, start
	case start == "cannot tell" && (f.ProcStart != "" || p.Exe != "" && !IsProgram(p.Exe)):
		return nil, start
	}
	return &yes, start
}

func (j *joiner) fillJob(d *Draft) {
	s := &d.Session
	if d.job == nil {
		if u := d.unread; u != nil && u.job != "" {
			s.Kind, s.Job = "background", &record.Job{ID: u.job, Unread: u.why}
		}
		if s.Listing != nil && s.Listing.ID != "" {
			s.Job = &record.Job{ID: s.Listing.ID, Unread: cmp.Or(j.JobErrors[s.Listing.ID], "there is no job file")}
		}
		return
	}
	f := d.job
	s.Kind = cmp.Or(s.Kind, "background")
	s.Name, s.Cwd = cmp.Or(s.Name, f.Name, f.Intent), cmp.Or(s.Cwd, f.Cwd)
	if s.StartedAt == nil {
		s.StartedAt = record.TimeOf(f.CreatedAt)
	}
	d.OriginCwd, d.WorktreePath, d.WorktreeBranch = f.OriginCwd, f.WorktreePath, f.WorktreeBranch
	job := &record.Job{ID: f.ID, State: f.State, Tempo: f.Tempo, Detail: f.Detail, DetailIsPrompt: f.DetailIsPrompt(), Needs: f.Needs,
		SuggestedReply: f.SuggestedReply != "", Result: f.Result, Exec: f.Exec, Prompted: f.Intent != "", Schedule: f.Recurring,
		Tasks: f.Tasks, TaskKinds: f.TaskKinds, CreatedAt: record.TimeOf(f.CreatedAt), UpdatedAt: record.TimeOf(f.UpdatedAt),
		TerminalAt: record.TimeOf(f.TerminalAt), WorktreePath: f.WorktreePath, WorktreeBranch: f.WorktreeBranch, Version: f.Version}
	if job.DetailIsPrompt {
		job.Detail = ""
	}
	for _, a := range f.Questions {
		q := QuestionText([]Asked{a})
		q.At = job.UpdatedAt
		job.Questions = append(job.Questions, q)
	}
	s.Job = job
}

// prompted tells whether a session ever got a prompt, nil when that cannot be
// told: by its job, else by history.jsonl, which names what was typed; what
// another program drives is prompted by it.
func (j *joiner) prompted(d *Draft) *bool {
	var p bool
	switch {
	case d.job != nil:
		p = d.job.Intent != ""
	case d.file != nil && d.file.Entrypoint != "" && d.file.Entrypoint != "cli":
		p = true
	case d.unread != nil, j.Prompted == nil || d.row != nil && d.row.Kind == "background":
		return nil
	default:
		p = j.Prompted[d.SessionID] || slices.ContainsFunc(d.Aliases, func(a string) bool { return j.Prompted[a] })
	}
	return &p
}
