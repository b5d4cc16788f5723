package classify

import (
	"cmp"
	"strings"
)

// either is what an acting fleet does to a session of ours, or to another.
func (f *Facts) either(ours, other string) string {
	if f.Ours.Truth == Yes {
		return ours
	}
	return other
}

func (f *Facts) doNothing() string { return "nothing" }

func (f *Facts) doLimit() string {
	if f.Ours.Truth != Yes {
		return "report"
	}
	reset := f.reset()
	switch {
	case reset.at == nil:
		return "resume once the limit has ended"
	case reset.passed:
		return cmp.Or(f.doUnended(), "resume; the limit has ended")
	}
	return "resume after " + stamp(*reset.at)
}

func (f *Facts) doError() string {
	for _, e := range f.ends(false) {
		return f.either(map[bool]string{true: cmp.Or(f.doUnended(), "report, and resume once"), false: "report"}[e.transient], "report")
	}
	return "report"
}

// doUnended is what is done about a session that stopped while something that it began,
// or asked, had no end: a person looks first. "" of any other.
func (f *Facts) doUnended() string {
	switch {
	case f.T == nil || len(f.T.OpenCalls) == 0:
		return ""
	case f.Unanswered.Truth == Yes:
		return "report; nobody answered: " + f.open()
	}
	return "report; no end of " + strings.Join(f.T.OpenCalls, ", ")
}

func (f *Facts) doStalled() string {
	if says := f.doUnended(); says != "" {
		return says
	}
	if f.Live.Truth == Yes {
		return "mail it, once in 6 h"
	}
	return "resume once, with no flags"
}
