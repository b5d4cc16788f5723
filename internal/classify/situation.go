package classify

import "strings"

// idle is the one definition of idle. A background job's rests on its job
// file.
func (f *Facts) idle() Reading {
	job := Reading{Truth: Yes}
	if f.Job.Truth == Unread {
		job = f.Job
	}
	ended := and(f.Background, yesIf(f.Live, No), f.State.among("done", "stopped"))
	shell := and(f.Status.among("busy"), f.Raw.among("shell"), f.silentFor(f.Bounds.Running, false))
	left := and(silent(not(f.Background)), yesIf(f.Live, No), f.Raw.among("idle", "shell"))
	open := or(f.Status.among("idle"), ended, shell, left)
	return and(job, or(f.Stale, and(open, silent(not(f.Unanswered)))))
}

// question answers whether a job waits for an answer of its user, which is no
// prompt to approve.
func (f *Facts) question() Reading {
	const source = "claude/jobs"
	blocked := f.State.among("blocked")
	switch {
	case f.Background.Truth != Yes:
		return f.Background
	case blocked.Truth == No:
		return blocked
	case f.WaitingFor == "permission prompt" || f.WaitingFor == "dialog open":
		return no(f.Status.Source, "status waiting: %s", f.WaitingFor)
	case f.Job.Truth != Yes:
		return f.Job
	case f.jobError().Truth == Yes:
		return no(source, "it stopped on an API error")
	}
	return and(blocked, f.wants())
}

// wants answers whether a job file names something that its user must say.
func (f *Facts) wants() Reading {
	const source = "claude/jobs"
	j := f.J
	detail := strings.TrimSpace(j.Detail)
	switch {
	case j.Needs == "send a prompt to start":
		return no(source, "it waits for its first prompt")
	case strings.HasPrefix(j.Needs, "approve ") && (f.Status.Is == "waiting" || f.Listed.Truth != Yes):
		return no(source, "needs: %s", j.Needs)
	case j.Needs != "":
		return yes(source, "needs: %s", j.Needs)
	case len(j.Questions) > 0:
		return yes(source, "asks: %s", j.Questions[0].Text)
	case j.SuggestedReply:
		return yes(source, "it suggests a reply: %s", detail)
	case strings.HasSuffix(detail, "?") || strings.HasPrefix(strings.ToLower(detail), "awaiting user"):
		return yes(source, "%s", detail)
	}
	return no(source, "it names no question")
}
