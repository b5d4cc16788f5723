package claude

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Reading is what one Claude directory and the process table said.
type Reading struct {
	ListingRead bool // the listing was read whole; Rows is what it said
	Rows        []Row
	Files       []ProcessFile
	FileErrors  map[int]string // process files that are there and were not understood, by pid
	Jobs        []JobFile
	JobErrors   map[string]string // job files that are there and were not understood, by id
	TableRead   bool              // the process table was read
	Table       []Process
	Prompted    map[string]bool // session ids of history.jsonl; nil when it could not be read
	BootAt      time.Time       // zero when it cannot be told
}

// Draft is a session of a Reading: its record, without transcript and
// placement, its strings raw.
type Draft struct {
	record.Session
	Subject        string   // session id; pid:<n> or job:<id> when no source names that
	TranscriptIDs  []string // ids under which its transcript may be found
	OriginCwd      string   // cwd of the job before it moved into a work tree
	WorktreePath   string
	WorktreeBranch string

	row  *Row
	file *ProcessFile
	job  *JobFile

	unread *unread // the only file that names it, when that was not understood
}

// unread is a process file or job file that was not understood.
type unread struct {
	pid int    // 0: a job file
	job string // id
	why string
}

// Join makes the union of the sources: one draft a session, by session id. A
// session that only files name is marked as unlisted.
func Join(r Reading) []Draft {
	j := joiner{Reading: r, bySession: map[string]*Draft{}, table: map[int]Process{}, fileOf: map[int]*ProcessFile{}, listed: map[int][]*Draft{}}
	for _, p := range r.Table {
		j.table[p.PID] = p
	}
	for i := range r.Files {
		j.fileOf[r.Files[i].PID] = &r.Files[i]
	}
	for i := range r.Rows {
		j.addRow(&r.Rows[i])
	}
	for _, d := range j.bySession {
		j.listed[d.row.PID] = append(j.listed[d.row.PID], d)
	}
	for i := range r.Files {
		j.addFile(&r.Files[i])
	}
	for i := range r.Jobs {
		j.addJob(&r.Jobs[i])
	}
	j.addUnread()
	drafts := make([]Draft, 0, len(j.bySession))
	for _, subject := range slices.Sorted(maps.Keys(j.bySession)) {
		d := j.bySession[subject]
		j.fill(d)
		drafts = append(drafts, *d)
	}
	return drafts
}

type joiner struct {
	Reading
	bySession map[string]*Draft
	table     map[int]Process
	fileOf    map[int]*ProcessFile
	listed    map[int][]*Draft // by the pid of their row
}

func (j *joiner) draft(sessionID string, pid int) *Draft {
	subject := sessionID
	if subject == "" {
		subject = "pid:" + strconv.Itoa(pid)
	}
	d := j.bySession[subject]
	if d == nil {
		d = &Draft{Subject: subject}
		d.SessionID = sessionID
		j.bySession[subject] = d
	}
	return d
}

// addRow takes a row of the listing. Of two rows of one session the one that
// needs its user, then the busy one, then the younger one counts; the other is
// an alias.
func (j *joiner) addRow(r *Row) {
	sid := r.SessionID
	if f := j.fileOf[r.PID]; f != nil && r.Kind != "background" && f.SessionID != "" {
		sid = f.SessionID // the listing is older than the files: the id was rotated in between
	}
	d := j.draft(sid, r.PID)
	if sid != r.SessionID {
		d.alias(r.SessionID)
	}
	if d.row != nil {
		loser := r
		if rank(*r) > rank(*d.row) || rank(*r) == rank(*d.row) && r.StartedAt.After(d.row.StartedAt) {
			loser, d.row = d.row, r
		}
		d.aliasRow(*loser)
		return
	}
	d.row = r
}

func rank(r Row) int {
	return map[string]int{"waiting": 3, "busy": 2, "idle": 1}[r.Status]
}

func (d *Draft) alias(id string) {
	if id != "" && id != d.SessionID && !slices.Contains(d.Aliases, id) {
		d.Aliases = append(d.Aliases, id)
	}
}

func (d *Draft) aliasRow(r Row) {
	if r.ID != "" && (d.row == nil || d.row.ID != r.ID) {
		d.alias("job:" + r.ID)
	}
	if r.PID != 0 && (d.row == nil || d.row.PID != r.PID) {
		d.alias("pid:" + strconv.Itoa(r.PID))
	}
}

// rowOf is the draft whose row names the process of f, nil when there is none.
// Of several it is the one of the same session, else of the same job.
func (j *joiner) rowOf(f *ProcessFile) *Draft {
	found := j.listed[f.PID]
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b *Draft) int {
		return cmp.Or(first(a.SessionID == f.SessionID, b.SessionID == f.SessionID),
			first(a.row.ID == f.JobID, b.row.ID == f.JobID), cmp.Compare(a.Subject, b.Subject))
	})
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// addFile takes a process file. Daemons, spares and sessions that were parked
// as a job are no sessions of their own.
func (j *joiner) addFile(f *ProcessFile) {
	if !f.Session() || f.Parked || f.Spare {
		return
	}
	if d := j.rowOf(f); d != nil {
		d.file = f
		d.alias(f.SessionID)
		d.alias(f.HostID)
		return
	}
	d := j.draft(f.SessionID, f.PID)
	switch {
	case d.row != nil && d.row.PID != 0: // another process of a listed session, mostly one that is gone
		d.alias("pid:" + strconv.Itoa(f.PID))
	case d.file == nil || f.UpdatedAt.After(d.file.UpdatedAt):
		d.file = f
	}
}

// addJob takes a job file. Two jobs of one session are one session; the one
// that the listing shows, else the later one, counts.
func (j *joiner) addJob(f *JobFile) {
	d := j.draft(f.SessionID, 0)
	if d.job == nil {
		d.job = f
		d.alias(f.ResumeSessionID)
		return
	}
	loser := f
	listed := d.row != nil && d.row.ID == f.ID
	if listed || (d.row == nil || d.row.ID != d.job.ID) && f.UpdatedAt.After(d.job.UpdatedAt) {
		loser, d.job = d.job, f
	}
	d.alias("job:" + loser.ID)
	d.alias(f.ResumeSessionID)
}

// addUnread adds a session for each file that was not understood and that no row of the
// listing is about: Claude Code leaves one out whose file it cannot read. Of which session
// it is nobody knows. The file of a process that has ended is only left over.
func (j *joiner) addUnread() {
	for pid, why := range j.FileErrors {
		p, runs := j.table[pid]
		if len(j.listed[pid]) > 0 || j.TableRead && (!runs || p.Exe != "" && (!IsProgram(p.Exe) || !p.Session())) {
			continue
		}
		d := j.draft("", pid)
		d.Cwd, d.unread = p.Cwd, &unread{pid: pid, why: why}
	}
	listed := map[string]bool{}
	for _, r := range j.Rows {
		listed[r.ID] = true
	}
	for id, why := range j.JobErrors {
		if !listed[id] {
			subject := "job:" + id
			j.bySession[subject] = &Draft{Subject: subject, unread: &unread{job: id, why: why}}
		}
	}
}

// Untracked returns the session processes of the table that nothing names:
// neither a process file of any directory nor a row of a listing.
func Untracked(table []Process, readings ...Reading) []Process {
	named := map[int]bool{}
	for _, r := range readings {
		for _, f := range r.Files {
			named[f.PID] = true
		}
		for pid := range r.FileErrors {
			named[pid] = true
		}
		for _, row := range r.Rows {
			named[row.PID] = true
		}
	}
	var ps []Process
	for _, p := range table {
		if IsProgram(p.Exe) && p.Session() && !named[p.PID] {
			ps = append(ps, p)
		}
	}
	return ps
}

// Complete says whether a listing of listingCap rows or more is proved whole
// by the job directories: each of them must be in it.
func Complete(rows []Row, jobIDs []string, listingCap int) error {
	if len(rows) < listingCap {
		return nil
	}
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r.ID] = true
	}
	for _, id := range jobIDs {
		if !listed[id] {
			return fmt.Errorf("%d rows, as many as a cut list could have, and job %s is not among them", len(rows), id)
		}
	}
	return nil
}
