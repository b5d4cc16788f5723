package classify

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// end is a turn or a job that ended badly, as one source tells it. It is Yes
// only while nothing happened after it.
type end struct {
	Reading
	source    string
	at        *record.Time // null when the source has no time
	text      string
	cause     string
	transient bool         // to try again may be enough
	limit     bool         // a usage limit
	quota     *record.Time // its reset, when a machine field tells it
}

// as is whether e is a limit, or is none, as asked.
func (e *end) as(limit bool) Reading {
	switch {
	case e.Truth != Yes || e.limit == limit:
		return e.Reading
	case limit:
		return no(e.source, "an error, and no usage limit: %s", e.cause)
	}
	return no(e.source, "a usage limit: %s", e.cause)
}

// endings are what each source tells of a bad end, the surest first.
type endings struct {
	known                                    bool
	transcript, job, board, listing, process end
}

// endings are worked out once: several rules and findings ask for them.
func (f *Facts) endings() *endings {
	if !f.bad.known {
		f.bad = endings{true, f.transcriptEnd(), f.jobEnd(), f.boardEnd(), f.listingEnd(), f.processEnd()}
	}
	return &f.bad
}

// ends are the ends that hold, the surest source first.
func (f *Facts) ends(limit bool) []end {
	e := f.endings()
	var hold []end
	for _, e := range []*end{&e.transcript, &e.job, &e.board, &e.listing, &e.process} {
		if e.as(limit).Truth == Yes {
			hold = append(hold, *e)
		}
	}
	return hold
}

// causeOf is the cause that the surest source names.
func causeOf(ends []end) string {
	for _, e := range ends {
		if e.cause != "" {
			return e.cause
		}
	}
	return ""
}

// lasting answers whether nothing happened more than the grace after at.
func (f *Facts) lasting(at *record.Time) Reading {
	switch {
	case f.Transcript.Truth == Unread:
		return f.Transcript
	case f.trust(at) == nil || f.Doing == nil || f.Doing.Sub(at.Time) <= f.Bounds.Grace:
		return Reading{Truth: Yes}
	}
	return no("claude/transcripts", "activity %s after it", span(f.Doing.Sub(at.Time)))
}

// transcriptEnd is the API error that ended the last turn.
func (f *Facts) transcriptEnd() end {
	const source = "claude/transcripts"
	e := end{source: source}
	switch {
	case f.Transcript.Truth == Unread && f.prompts().Truth == Yes:
		e.Reading = no(source, "a prompt of an open turn is shown")
	case f.Transcript.Truth != Yes:
		e.Reading = f.Transcript
	case f.T.Error == nil:
		e.Reading = no(source, "its last turn ended in no error")
	case f.T.Error.Kind == "max_output_tokens":
		e.Reading = no(source, "its last turn ended at the output limit, which is no error")
	default:
		t := f.T.Error
		e.at, e.text = f.trust(t.At), t.Text
		e.limit = f.T.Limit != nil || f.isLimit(t.Text)
		e.cause, e.transient = errorCause(t)
		if f.T.Limit != nil {
			e.quota = f.T.Limit.ResetAt
		}
		if e.limit {
			e.cause, e.transient = f.limitCause(t.Text, f.quota()), false
		}
		e.Reading = and(yes(source, "its last turn ended in an API error: %s", t.Text), f.lasting(t.At))
	}
	return e
}

// jobEnd is the API error that a job file names.
func (f *Facts) jobEnd() end {
	const source = "claude/jobs"
	e := end{source: source}
	ended := f.State.among("blocked", "failed")
	switch {
	case ended.Truth == No:
		e.Reading = ended
	case f.Job.Truth != Yes:
		e.Reading = f.Job
	case ended.Truth == Unread:
		e.Reading = ended
	default:
		e = f.jobError()
		e.Reading = and(e.Reading, f.lasting(f.J.UpdatedAt))
	}
	return e
}

// jobError is the API error that the job file names, current or not; No when it
// names none. Without a transcript it cannot be told whether it is current.
func (f *Facts) jobError() end {
	const source = "claude/jobs"
	j, e := f.J, end{source: source, at: f.trust(f.J.UpdatedAt), text: f.J.Detail}
	known := needsCause(j.Needs)
	switch {
	case j.Exec:
		e.Reading = no(source, "a shell job")
		return e
	case known != nil:
		e.cause, e.transient = known.cause, known.transient
		if e.text == "" || f.isLimit(j.Needs) && !f.isLimit(j.Detail) {
			e.text = j.Needs
		}
	case j.Needs == "" && f.isLimit(j.Detail):
	case strings.HasPrefix(j.Detail, "API Error"):
		e.cause, e.transient = textCause(j.Detail)
	default:
		e.Reading = no(source, "it names no API error")
		return e
	}
	if e.limit = f.isLimit(e.text); e.limit {
		e.cause, e.transient = f.limitCause(e.text, ""), false
	}
	e.Reading = yes(source, "stopped on an API error: %s", e.text)
	return e
}

// boardEnd is the death that the board tells. A board that was not read may
// hold one only of a session whose turn is over.
func (f *Facts) boardEnd() end {
	e := end{source: f.BoardName}
	switch {
	case f.Board.Truth == Unread && or(f.turns(), f.Exec).Truth == Yes:
		e.Reading = no(e.source, "a turn is open, which a death ends")
	case f.Board.Truth != Yes:
		e.Reading = f.Board
	case f.Row.Died == nil:
		e.Reading = no(e.source, "no death")
	case f.trust(&f.Row.Died.At) == nil:
		e.Reading = no(e.source, "a death in the future, which is distrusted")
	default:
		d := f.Row.Died
		e.at, e.text, e.limit = &d.At, d.Text, d.Class == "rate_limit"
		e.cause, e.transient = boardCause(d.Class)
		if e.limit {
			e.cause = f.limitCause(d.Text, "")
		}
		last := Reading{Truth: Yes}
		if at := f.trust(f.Row.LastAt); at != nil && at.Sub(d.At.Time) > f.Bounds.Grace {
			last = no(e.source, "%s %s after its death", f.Row.LastType, span(at.Sub(d.At.Time)))
		}
		e.Reading = and(yes(e.source, "died: %s", d.Class), last, f.lasting(&d.At))
	}
	return e
}

// listingEnd is a job that the listing calls failed.
func (f *Facts) listingEnd() end {
	e := end{source: f.State.Source, Reading: f.State.among("failed"), cause: "failed"}
	if f.J == nil {
		return e
	}
	e.text = f.J.Detail
	e.at = f.trust(f.J.TerminalAt)
	switch {
	case f.J.Exec:
		word, _, _ := strings.Cut(f.J.Detail, " — ")
		e.cause = strings.TrimSpace("shell " + word)
	case f.J.State != "failed":
		e.cause = "process gone"
	}
	if e.Truth == Yes && e.text != "" {
		e.Says = append(slices.Clone(e.Says), record.Evidence{Source: "claude/jobs", Says: e.text})
	}
	return e
}

// processEnd is a process that went in the middle of a turn. Of a job the
// listing tells what became of it.
func (f *Facts) processEnd() end {
	e := end{source: "claude/processes", cause: "process gone"}
	busy := f.Raw.among("busy", "waiting")
	open := f.Transcript
	if f.T != nil {
		open = no("claude/transcripts", "its last turn is not open")
		if f.T.LastTurn == "open" {
			open = yes("claude/transcripts", "it ends inside a turn")
		}
	}
	if f.P != nil {
		e.at = f.trust(f.P.StatusSince)
	}
	e.Reading = and(silent(not(f.Background)), yesIf(f.Live, No), silent(not(f.Stale)), or(busy, open))
	return e
}
