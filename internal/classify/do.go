package classify

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
		return "resume; the limit has ended"
	}
	return "resume after " + stamp(*reset.at)
}

func (f *Facts) doError() string {
	for _, e := range f.ends(false) {
		return f.either(map[bool]string{true: "report, and resume once", false: "report"}[e.transient], "report")
	}
	return "report"
}

func (f *Facts) doStalled() string {
	if f.Live.Truth == Yes {
		return "mail it, once in 6 h"
	}
	return "resume once, with no flags"
}
