package classify

import (
	"fmt"

	"github.com/fleet-tools/fleet/internal/limit"
	"github.com/fleet-tools/fleet/internal/record"
)

// reset is the end of a usage limit and how it is known.
type reset struct {
	at     *record.Time // null when it cannot be told
	passed bool         // it was over when the session was looked at
	says   record.Evidence
}

// reset is the end of the limit that the session stopped at: what a machine
// field says, else what a text says, else a time assumed after it stopped. A
// text that names a time which cannot be understood leaves it untold.
func (f *Facts) reset() reset {
	ends := f.ends(true)
	for _, e := range ends {
		if e.quota != nil {
			return f.resetAt(*e.quota, e.source, "quotaLimits")
		}
	}
	var unclear *reset
	for _, e := range ends {
		r, named := f.resetIn(e)
		if r.at != nil {
			return r
		}
		if named && unclear == nil {
			unclear = &r
		}
	}
	if unclear != nil {
		return *unclear
	}
	for _, e := range ends {
		if e.at != nil {
			return f.resetAt(record.NewTime(e.at.Add(f.Bounds.Assumed)), e.source,
				"assumed, "+span(f.Bounds.Assumed)+" after it stopped")
		}
	}
	return reset{says: record.Evidence{Source: "claude/transcripts", Says: "the reset cannot be told"}}
}

// resetAt is a known reset. A time that cannot be written is none.
func (f *Facts) resetAt(at record.Time, source, how string) reset {
	if at.Year() > 9999 {
		return reset{says: record.Evidence{Source: source, Says: "the reset cannot be told: " + how}}
	}
	r := reset{at: &at, passed: !at.After(f.At.Time)}
	verb := "resets"
	if r.passed {
		verb = "reset passed:"
	}
	r.says = record.Evidence{Source: source, Says: fmt.Sprintf("%s %s (%s)", verb, stamp(at), how)}
	return r
}

// resetIn is the reset that a limit's text names, and whether it names one. A
// spend limit ends when somebody raises it; the time that its line names is the
// next at which anything can change.
func (f *Facts) resetIn(e end) (reset, bool) {
	seen := f.At
	if e.at != nil {
		seen = *e.at
	}
	l, ok := limit.Parse(e.text, seen.Time, f.Zone)
	if !ok {
		return reset{}, false
	}
	w := l.Reset
	if w.At.IsZero() && !l.Session.At.IsZero() {
		w = l.Session
	}
	switch {
	case w.At.IsZero() && w.Why == "not named":
		return reset{}, false
	case w.At.IsZero():
		return reset{says: record.Evidence{Source: e.source, Says: "the reset cannot be told: " + w.Why}}, true
	case !w.Certain:
		return f.resetAt(record.NewTime(w.At), e.source, "its text, uncertain: "+w.Why), true
	}
	return f.resetAt(record.NewTime(w.At), e.source, "its text"), true
}

// quota is quotaLimits.rateLimitType of the last turn.
func (f *Facts) quota() string {
	if f.T == nil || f.T.Limit == nil {
		return ""
	}
	return f.T.Limit.Kind
}
