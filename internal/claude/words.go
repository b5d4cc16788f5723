package claude

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// questionOf is the question that an open call asks of the user, nil when it
// asks none.
func questionOf(c block, at time.Time) *record.Question {
	switch c.Name {
	case "AskUserQuestion":
		q := QuestionText(c.Asked)
		q.At = record.TimeOf(at)
		return &q
	case "ExitPlanMode":
		return &record.Question{At: record.TimeOf(at), Kind: "plan", Text: firstOf(strings.TrimSpace(c.Plan), "approve plan")}
	}
	return nil
}

// QuestionText joins the questions of one AskUserQuestion call; the options
// are those of the first. Several questions stand behind one another.
func QuestionText(asked []Asked) record.Question {
	q := record.Question{Kind: "question", Text: "(a question without text)"}
	var texts []string
	for i, a := range asked {
		if a.Question != "" {
			texts = append(texts, a.Question)
		}
		for _, o := range a.Options {
			if i == 0 && o.Label != "" {
				q.Options = append(q.Options, o.Label)
			}
		}
	}
	if len(texts) > 0 {
		q.Text = strings.Join(texts, " / ")
	}
	return q
}

// arcLine is a session's own last word: a line that begins with ARC-STATUS and
// a word in capitals.
var arcLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*\**ARC-STATUS:\**[ \t]*([A-Z][A-Z_-]*)\b.*$`)
})

// fence is a code block: what stands in one is quoted.
var fence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?ms)^[ \\t]*```.*?(^[ \\t]*```[ \\t]*$|\\z)") })

// arcStatus finds the last ARC-STATUS line of a text, outside of code blocks.
func arcStatus(text string, at time.Time) *record.ArcStatus {
	ms := arcLine().FindAllStringSubmatch(fence().ReplaceAllString(text, ""), -1)
	if ms == nil {
		return nil
	}
	last := ms[len(ms)-1]
	return &record.ArcStatus{At: record.TimeOf(at), Status: last[1], Line: strings.TrimSpace(last[0])}
}

// proseQuestion is the question that ends a text, nil when it does not end in
// one: the last sentence of the last line, an ARC-STATUS line left out.
func proseQuestion(text string, at time.Time) *record.Question {
	text = strings.TrimSpace(arcLine().ReplaceAllString(text, ""))
	line := text[strings.LastIndexByte(text, '\n')+1:]
	line = strings.TrimRight(strings.TrimSpace(line), "*_\"') ")
	if !strings.HasSuffix(line, "?") && !strings.HasSuffix(line, "？") {
		return nil
	}
	whole := guard.Withhold(line) != line // a part of a credential's line does not show any more that it is one
	for _, stop := range []string{". ", "! ", ": ", "。"} {
		if i := strings.LastIndex(line, stop); i >= 0 && !whole {
			line = line[i+len(stop):]
		}
	}
	return &record.Question{At: record.TimeOf(at), Kind: "prose", Text: strings.TrimSpace(line)}
}
