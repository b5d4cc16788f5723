package classify

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
