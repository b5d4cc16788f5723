package classify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// asked is what a session asks, with its options; "" when it asks nothing.
func (f *Facts) asked(class string) string {
	switch class {
	case "3":
		if f.Unanswered.Truth == Yes {
			return cmp.Or(f.approval(), f.open())
		}
		return cmp.Or(f.approval(), f.answer(), f.WaitingFor)
	case "7":
		if q := f.Question; q.Truth == Yes {
			return cmp.Or(f.answer(), f.J.Detail, f.open())
		}
		return f.blockedOn()
	case "1", "2", "4":
		return ""
	}
	return f.open()
}

// approval is what a permission prompt asks to approve; "" when the listing
// shows none, or no source tells.
func (f *Facts) approval() string {
	if f.J != nil && f.Status.Is == "waiting" && strings.HasPrefix(f.J.Needs, "approve ") {
		return f.J.Needs
	}
	if f.WaitingFor != "permission prompt" || f.T == nil {
		return ""
	}
	if f.Unanswered.Truth == Yes {
		return f.open()
	}
	// A subagent's call waits in the transcript of the subagent.
	calls := slices.DeleteFunc(slices.Clone(f.T.OpenCalls), func(call string) bool {
		tool, _, _ := strings.Cut(call, ":")
		return tool == "Agent" || tool == "Task"
	})
	if len(calls) == 0 {
		return ""
	}
	return "approve " + strings.Join(calls, ", ")
}

// open is the question that ends the transcript.
func (f *Facts) open() string {
	if f.T == nil || f.T.Question == nil {
		return ""
	}
	q := f.T.Question
	if q.Kind == "plan" {
		return prefixed("approve plan", q.Text)
	}
	return withOptions(*q)
}

// answer is the question that a job file holds.
func (f *Facts) answer() string {
	if f.J == nil {
		return ""
	}
	if len(f.J.Questions) > 0 {
		var all []string
		for _, q := range f.J.Questions {
			all = append(all, withOptions(q))
		}
		return strings.Join(all, " ")
	}
	return strings.TrimPrefix(f.J.Needs, "answer: ")
}

// blockedOn is the line of a current ARC-STATUS: BLOCKED.
func (f *Facts) blockedOn() string {
	if f.T != nil && f.arcIn("", f.T.ArcStatus, []string{"BLOCKED"}).Truth == Yes {
		return f.T.ArcStatus.Line
	}
	if f.Row != nil && f.arcIn("", f.Row.Arc, []string{"BLOCKED"}).Truth == Yes {
		return f.Row.Arc.Line
	}
	return ""
}

// withOptions is a question's text and its options.
func withOptions(q record.Question) string {
	if len(q.Options) == 0 {
		return q.Text
	}
	return strings.TrimSpace(q.Text + " (" + strings.Join(q.Options, " · ") + ")")
}

func prefixed(prefix, text string) string {
	if text == "" || text == prefix {
		return prefix
	}
	return prefix + ": " + text
}

// since is when the present situation began, null when it cannot be told.
func (f *Facts) since(class string) *record.Time {
	switch class {
	case "2":
		return firstTime(f.ends(true))
	case "4":
		return firstTime(f.ends(false))
	case "3":
		if f.Status.Is == "waiting" {
			return f.statusSince("waiting")
		}
		return f.questionAt()
	case "5":
		return f.statusSince("busy")
	case "7":
		if f.Question.Truth == Yes {
			return later(f.questionAt(), f.trust(f.J.UpdatedAt))
		}
		return f.wordAt("BLOCKED")
	case "8":
		return f.wordAt("MERGED", "CLOSED", "DONE")
	case "6", "9", "9a", "10":
		return f.Activity
	}
	return nil
}

func firstTime(ends []end) *record.Time {
	for _, e := range ends {
		if e.at != nil {
			return e.at
		}
	}
	return nil
}

// statusSince is when the process file's status began, if it is word.
func (f *Facts) statusSince(word string) *record.Time {
	if f.P == nil || f.P.RawStatus != word {
		return nil
	}
	return f.trust(f.P.StatusSince)
}

func (f *Facts) questionAt() *record.Time {
	if f.T == nil || f.T.Question == nil {
		return nil
	}
	return f.trust(f.T.Question.At)
}

// wordAt is when the current ARC-STATUS was said.
func (f *Facts) wordAt(words ...string) *record.Time {
	if f.T != nil && f.arcIn("", f.T.ArcStatus, words).Truth == Yes {
		return f.T.ArcStatus.At
	}
	if f.Row != nil && f.arcIn("", f.Row.Arc, words).Truth == Yes {
		return f.Row.Arc.At
	}
	return nil
}
