package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

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

// What needs the owner is one list in every format: as many, in one order, each with what
// a script has to know of it.
func TestNeeds_list(t *testing.T) {
	s := newStream(t)
	tick := 9
	s.add(record.KindTick, "fleet-config", "tick", record.Tick{Tick: &tick, Scope: "lamp", Host: "devbox", Hosts: []string{"devbox"}, Surfaces: []string{"claude"}})
	ask := func(key, state, session string, since time.Duration, question string) {
		s.add(record.KindAsk, "fleet-asks", key, record.Ask{Key: key, ID: "a1", Batch: 4, State: state, Session: session, Since: ago(since), Question: question})
	}
	s.session("3", func(v *record.Verdict) {
		v.Question, v.Session.Since, v.Session.Tmux = "which one?", ago(2*time.Hour), "w"
	})
	ask("acked", record.AskAcked, s.subject, time.Hour, "session 1: which one?")
	s.session("7", func(v *record.Verdict) { v.Session.Since = ago(3 * time.Hour); v.Question = "now this" }) // nobody asked
	s.session("3", func(v *record.Verdict) { v.Session.Since = ago(90 * time.Minute); v.Question = "or that?" })
	ask("open", record.AskOpen, s.subject, time.Hour, "session 3: this?")
	s.session("6", func(v *record.Verdict) { v.Session.Since = ago(9 * time.Hour); v.Session.Tmux = "h" })
	ask("heal:session:"+s.subject+":unreachable", record.AskNew, s.subject, 4*time.Hour, "session 4: it hangs")
	ask("listing", record.AskUnchecked, "", 5*time.Hour, "the listing was not read")
	ask("heal:code-agent:held", record.AskOpen, "", 8*time.Hour, "")
	ask("over", record.AskResolved, "", 9*time.Hour, "never mind")

	set := setOf(s.bytes())
	r := Build(set, look)
	short := func(n Need) string {
		since := "-"
		if n.Since != nil {
			since = look.Sub(n.Since.Time).String()
		}
		return strings.Join([]string{n.Host, n.Name, n.Class, n.Question, n.Now, since, n.Go, n.Ack, map[bool]string{true: "answered"}[n.Answered]}, "|")
	}
	const ack = "fleet-asks ack 4 --scope lamp --ask a1"
	want := []string{
		"|||heal:code-agent:held||8h0m0s||" + ack + "|",
		"|||the listing was not read||5h0m0s||" + ack + "|",
		"devbox|session 4|6|it hangs||4h0m0s|tmux attach -t '=h'|" + ack + "|",
		"devbox|session 2|7|now this||3h0m0s|||",
		"devbox|session 3|3|this?|or that?|1h30m0s||" + ack + "|",
		"devbox|session 1|3|which one?||2h0m0s|tmux attach -t '=w'||answered",
	}
	var got []string
	for _, n := range r.Needs {
		got = append(got, short(n))
		if (n.Session == "") != (n.Name == "") {
			t.Errorf("session %q is called %q", n.Session, n.Name)
		}
	}
	if d := pretty.Diff(got, want); len(d) > 0 {
		t.Errorf("%s\n%s", strings.Join(got, "\n"), strings.Join(d, "\n"))
	}
	md, last := s.markdown(), -1
	for _, n := range r.Needs {
		i := strings.Index(md, n.Question)
		if i < last || i < 0 {
			t.Errorf("%s is out of place in\n%s", n.Question, md)
		}
		last = i
	}
	page := newSheet(r)
	has(t, md, "## Needs me (6)\n")
	if got := page.Tallies()[0]; got != (tally{needsMe, "Needs me", 6, "1 answered"}) {
		t.Errorf("the head of the page counts %+v", got)
	}
	if got := page.Chips()[0]; got != (tally{needsMe, "Waiting for me", 3, "1 answered"}) {
		t.Errorf("the filter of the page counts %+v", got)
	}
}
