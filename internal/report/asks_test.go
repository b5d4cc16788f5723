package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestAsks(t *testing.T) {
	s := newStream(t)
	ask := func(key, state string, batch int, seen bool, since time.Duration, session string) {
		s.add(record.KindAsk, "fleet-asks", key, record.Ask{Key: key, ID: "a1", Batch: batch, State: state, Seen: seen,
			Question: "about " + key, Since: ago(since), Session: session})
	}
	s.session("3", func(v *record.Verdict) { v.Session.Since = ago(3 * time.Hour); v.Question = "which one?" })
	ask("acked", record.AskAcked, 10, true, 3*time.Hour, s.subject)
	s.session("3", func(v *record.Verdict) { v.Session.Since = ago(time.Hour) })
	ask("open", record.AskOpen, 12, true, time.Hour, s.subject)
	s.session("7", func(v *record.Verdict) { v.Session.Since = ago(2 * time.Hour) }) // nobody asked
	s.session("unknown", func(v *record.Verdict) { v.Session.Name = "hidden" })
	ask("unchecked", record.AskUnchecked, 11, false, 4*time.Hour, s.subject)
	ask("listing", record.AskNew, 13, false, 0, "")
	ask("gone", record.AskResolved, 9, true, 9*time.Hour, "nobody")

	md := s.markdown()
	has(t, md, "# 4 sessions: 3 need you (1 answered), 1 unknown; 1 question about another session, 1 question about no session\n",
		"3 batches unanswered, 2 of them unseen; the oldest is batch 11, 11:50.",
		"Resolved since the last tick: about gone.",
		"a1 of batch 11, open, not re-checked: what it rests on was not read",
		"a1 of batch 10, answered, and still true", "a1 of batch 13, new\n")
	order := []string{"**hidden** ", "**session 3** ", "**session 2** ", "**about listing**", "**session 1** "}
	last := -1
	for _, name := range order {
		i := strings.Index(md, "- "+name)
		if i < last || i < 0 {
			t.Errorf("%s is out of place in\n%s", name, md)
		}
		last = i
	}
	for _, q := range []string{"about open", "about unchecked", "about listing", "which one?"} {
		if n := strings.Count(md, q); n != 1 {
			t.Errorf("%q stands %d times", q, n)
		}
	}
	has(t, md, "  - asks: about acked\n  - asks now: which one?\n")
	cards := newSheet(Build(setOf(s.bytes()), look)).Cards()
	if last := cards[len(cards)-1]; last.Question != "about acked" || last.Now != "which one?" {
		t.Errorf("card %+v", last)
	}
}

// A question that the session still asks stands once, without its name.
func TestAsks_sameQuestion(t *testing.T) {
	s := newStream(t)
	s.session("3", func(v *record.Verdict) { v.Question = "which one?" })
	s.add(record.KindAsk, "fleet-asks", "k", record.Ask{Key: "k", ID: "a1", Batch: 2, Question: "session 1: which one?", Session: s.subject})
	md := s.markdown()
	has(t, md, "  - asks: which one?\n")
	hasNot(t, md, "asks now", "session 1: which")
}

// The first line, the section and the tab count the same.
func TestNeeds_oneNumber(t *testing.T) {
	s := newStream(t)
	ask := func(key, state, session string) {
		s.add(record.KindAsk, "fleet-asks", key, record.Ask{Key: key, State: state, Session: session})
	}
	ask("about none", record.AskOpen, "")
	s.session("3", nil)
	ask("first", record.AskAcked, s.subject)
	ask("second", record.AskOpen, s.subject)
	s.session("3", nil)
	ask("done", record.AskAcked, s.subject)
	s.session("5", nil)
	ask("works again", record.AskUnchecked, s.subject)
	has(t, s.markdown(), "# 3 sessions: 2 need you (1 answered), 1 running; 1 more question about them (1 answered), "+
		"1 question about another session, 1 question about no session\n", "## Needs me (5)\n")
	page := newSheet(Build(setOf(s.bytes()), look))
	if got, want := page.Title(), "5 for you (2 answered) · fleet local"; got != want {
		t.Errorf("tab %q, want %q", got, want)
	}
	if got, want := page.Headline(), "3 sessions, 2 need you (1 answered), 1 more question about them (1 answered), "+
		"1 question about another session, 1 question about no session"; got != want {
		t.Errorf("headline %q, want %q", got, want)
	}

	s = newStream(t)
	ask("about none", record.AskOpen, "")
	ask("about none too", record.AskOpen, "nobody")
	has(t, s.markdown(), "# No sessions; 2 questions about no session\n", "## Needs me (2)\n")
}

// An answered question does not hide another one of the same session.
func TestAsksTwoOfOneSession(t *testing.T) {
	s := newStream(t)
	s.session("3", nil)
	for key, state := range map[string]string{"one": record.AskAcked, "two": record.AskOpen} {
		s.add(record.KindAsk, "fleet-asks", key, record.Ask{Key: key, State: state, Session: s.subject})
	}
	has(t, s.markdown(), "# 1 session: 1 needs you; 1 more question about them (1 answered)\n", "## Needs me (2)\n")
}
