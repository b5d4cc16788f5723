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
	has(t, md, "# 4 sessions: 3 need you (1 answered), 1 unknown\n",
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
	hasNot(t, md, "about acked") // its session says it in full
}

// An answered question does not hide another one of the same session.
func TestAsksTwoOfOneSession(t *testing.T) {
	s := newStream(t)
	s.session("3", nil)
	for key, state := range map[string]string{"one": record.AskAcked, "two": record.AskOpen} {
		s.add(record.KindAsk, "fleet-asks", key, record.Ask{Key: key, State: state, Session: s.subject})
	}
	has(t, s.markdown(), "# 1 session: 1 needs you\n", "## Needs me (2)\n")
}
