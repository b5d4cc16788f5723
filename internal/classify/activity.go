package classify

import (
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

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
	return and(f.State.among("working"), silent(f.Status.among("", "busy")), age)
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
		f.Acted = yes(source, "last activity %s before%s", span(f.age(f.Doing)), f.awake(*f.Doing))
	case f.Exec.Truth == Yes && f.trust(f.J.TerminalAt) != nil:
		f.Activity = f.J.TerminalAt
		f.Acted = yes("claude/jobs", "ended %s before%s", span(f.age(f.Activity)), f.awake(*f.Activity))
	case f.trust(f.S.StartedAt) != nil:
		f.Activity = f.S.StartedAt
		f.Acted = yes(source, "no activity; started %s before%s", span(f.age(f.Activity)), f.awake(*f.Activity))
	default:
		f.Acted = unread(source, "no time of activity or start is known")
	}
}

// silentFor answers whether the newest doing is at least, or more than, d old,
// in time that the machine was awake. What lies ahead may be newer.
func (f *Facts) silentFor(d time.Duration, orEqual bool) Reading {
	if f.Acted.Truth != Yes {
		return f.Acted
	}
	silent := f.longer(*f.Activity, d, orEqual, f.Acted, Reading{No, f.Acted.Says})
	if silent.Truth == Yes && f.ahead() {
		return unread("claude/transcripts", "something is noted of a time later than the clock, which may have been set back: how long it has been silent cannot be told")
	}
	return silent
}

// ahead tells that something is noted of a time that has not come yet: of before
// the clock was set back, or of another clock.
func (f *Facts) ahead() bool {
	if f.P != nil && f.P.StatusSince != nil && f.trust(f.P.StatusSince) == nil {
		return true
	}
	if f.T == nil {
		return false
	}
	s := f.T.Subagents
	return f.T.Ahead || f.T.ActivityAt != nil && f.trust(f.T.ActivityAt) == nil ||
		s != nil && (s.Ahead || s.ActivityAt != nil && f.trust(s.ActivityAt) == nil)
}

// quiet answers whether a busy session has been silent for too long, and busy
// for as long: one that was idle for hours and got a prompt just now shows no
// activity before its first answer. A background shell runs after the turn, so
// its status began with nothing.
func (f *Facts) quiet() Reading {
	silent := f.silentFor(f.Bounds.Running, false)
	if silent.Truth != Yes || f.Raw.among("shell").Truth == Yes {
		return silent
	}
	if f.P == nil && f.Raw.Unread.Truth == Unread {
		return f.Raw.Unread
	}
	if f.P != nil {
		if since := f.trust(f.P.StatusSince); since != nil {
			return f.longer(*since, f.Bounds.Running, false, silent, no("claude/sessions", "busy for %s%s", span(f.age(since)), f.awake(*since)))
		}
	}
	return silent
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
