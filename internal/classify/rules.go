package classify

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Unknown is the class of a session that no rule matches, or that a source
// which was not read might put elsewhere.
const Unknown = "unknown"

// Way is one kind of evidence for a class.
type Way struct {
	Name  string
	Match func(*Facts) Reading
}

// Rule is a class. It matches when any of its ways does.
type Rule struct {
	ID      string
	Name    string
	Ways    []Way
	WouldDo func(*Facts) string
}

// Match answers whether the rule matches.
func (r Rule) Match(f *Facts) Reading {
	var few [8]Reading
	rs := few[:0]
	for _, w := range r.Ways {
		rs = append(rs, w.Match(f))
	}
	if !slices.ContainsFunc(rs, func(r Reading) bool { return r.Truth != No }) {
		return Reading{} // of a rule that does not match nobody asks why not
	}
	return or(rs...)
}

// Rules is the table of classes. The first that matches decides; one that
// cannot tell stops the search, because it might have matched. Pairs whose
// order is meaning: 1 before all; 2 before all but 1; 3 before 4 7 8 10; 4
// before 5 to 10; 5 before 7 8 10; 6 before 7 8 10; 7 before 8 9 9a 10; 8
// before 10.
func Rules() []Rule {
	return []Rule{
		{"1", "out of scope", []Way{
			{"placed elsewhere", (*Facts).elsewhere},
		}, (*Facts).doNothing},
		{"2", "dead: limit", []Way{
			{"usage limit in the transcript", func(f *Facts) Reading { return f.endings().transcript.as(true) }},
			{"usage limit in the job file", func(f *Facts) Reading { return f.endings().job.as(true) }},
			{"usage limit on the board", func(f *Facts) Reading { return f.endings().board.as(true) }},
		}, (*Facts).doLimit},
		{"3", "waiting at a prompt", []Way{
			{"the listing says waiting", (*Facts).waits},
			{"an unanswered call ends the transcript", (*Facts).asks},
		}, func(*Facts) string { return "ask the owner; never approve" }},
		{"4", "error", []Way{
			{"API error in the transcript", func(f *Facts) Reading { return f.endings().transcript.as(false) }},
			{"API error in the job file", func(f *Facts) Reading { return f.endings().job.as(false) }},
			{"death on the board", func(f *Facts) Reading { return f.endings().board.as(false) }},
			{"the listing says failed", func(f *Facts) Reading { return f.endings().listing.as(false) }},
			{"its process went inside a turn", func(f *Facts) Reading { return f.endings().process.as(false) }},
		}, (*Facts).doError},
		{"5", "running", []Way{
			{"busy, with activity", (*Facts).works},
			{"a job that began just now", func(f *Facts) Reading { return and(f.Listed, f.fresh(), f.untranscribed()) }},
			{"a shell job that works", func(f *Facts) Reading { return and(f.Listed, f.Exec, f.State.among("working")) }},
			{"a job that is started again", (*Facts).respawns},
		}, (*Facts).doNothing},
		{"6", "hung", []Way{
			{"busy, without activity", (*Facts).hangs},
		}, func(f *Facts) string { return f.either("report, and mail it once", "report") }},
		{"7", "blocked on the owner", []Way{
			{"ARC-STATUS: BLOCKED", func(f *Facts) Reading { return f.arc("BLOCKED") }},
			{"a background question", (*Facts).question},
		}, func(*Facts) string { return "carry the ask forward" }},
		{"8", "closed", []Way{
			{"a last word, and no open PR", (*Facts).closed},
		}, func(f *Facts) string { return f.either("report what a janitor would remove", "report") }},
		{"9", "stalled", []Way{
			{"ours, idle, silent", func(f *Facts) Reading { return and(f.rests(), f.silentFor(f.Bounds.Stall, true)) }},
		}, (*Facts).doStalled},
		{"9a", "idle, recent", []Way{
			{"ours, idle, not silent for long", func(f *Facts) Reading { return and(f.rests(), not(f.silentFor(f.Bounds.Stall, true)), f.Acted) }},
		}, (*Facts).doNothing},
		{"10", "unmanaged", []Way{
			{"not ours", func(f *Facts) Reading { return and(silent(f.Listed), notWith(f.Ours)) }},
		}, func(*Facts) string { return "report" }},
	}
}

// notWith is not, keeping what speaks against r as what shows it.
func notWith(r Reading) Reading {
	n := not(r)
	if n.Truth == Yes {
		n.Says = r.Says
	}
	return n
}

// elsewhere is rule 1.
func (f *Facts) elsewhere() Reading {
	if !f.Scoped {
		return no("config", "without a configuration everything is in scope")
	}
	return and(silent(f.Listed), notWith(f.Place))
}

// prompts answers whether the listing shows a prompt of an open turn. A dialog
// that is open may be the menu of a usage limit.
func (f *Facts) prompts() Reading {
	waiting := f.Status.among("waiting")
	if waiting.Truth == Yes && (f.WaitingFor == "" || f.WaitingFor == "dialog open") {
		return no(f.Status.Source, "no prompt of an open turn")
	}
	return waiting
}

// turns answers whether a turn is open.
func (f *Facts) turns() Reading {
	return or(f.Status.among("busy"), f.prompts(), and(f.State.among("working"), f.Status.among("")))
}

// waits is rule 3 by the listing.
func (f *Facts) waits() Reading {
	waiting := f.Status.among("waiting")
	switch {
	case waiting.Truth == Yes && f.WaitingFor == "":
		waiting = unread(f.Status.Source, "it says waiting, and not for what")
	case waiting.Truth == Yes:
		waiting = yes(f.Status.Source, "status waiting: %s", f.WaitingFor)
	}
	return and(waiting, not(f.Stale), not(f.Question), silent(f.Listed))
}

// asks is rule 3 by the transcript, which overrules a listing that says idle.
func (f *Facts) asks() Reading {
	idle := f.Status.among("idle")
	if idle.Truth == Yes {
		idle.Says = []record.Evidence{{Source: f.Status.Source, Says: f.Status.String() + ", overruled by the transcript"}}
	}
	// A prompt makes a job blocked before its status says so.
	blocked := f.Job
	if f.J != nil {
		blocked = and(when(f.J.Tempo == "blocked", "claude/jobs", strings.TrimSpace("tempo "+f.J.Tempo)), f.Status.among(""))
	}
	// A job's question is for its user; a plan is for whoever approves.
	answer := f.Question
	if f.T != nil && f.T.Question != nil && f.T.Question.Kind == "plan" {
		answer = Reading{}
	}
	live := f.Live
	if f.P == nil && f.Listed.Truth != Yes {
		live = f.Listed
	}
	return and(f.Unanswered, or(idle, blocked), silent(live), not(f.Stale), not(answer), silent(f.Listed))
}

// unanswered answers whether a question or a plan without an answer ends the
// transcript.
func (f *Facts) unanswered() Reading {
	const source = "claude/transcripts"
	switch {
	case f.T == nil:
		return f.Transcript
	case f.T.Question == nil || f.T.Question.Kind == "prose":
		return no(source, "no unanswered call")
	case f.T.Question.Kind == "plan":
		return yes(source, "a plan that nobody approved ends it")
	}
	return yes(source, "an unanswered question ends it: %s", f.T.Question.Text)
}

// works is rule 5 by the listing. A background shell counts: its session goes
// on when it ends. The listing also says busy for raw words that it doesn't
// know, so after the end of a turn only the process file tells what goes on.
func (f *Facts) works() Reading {
	told := Reading{Truth: Yes}
	if f.T != nil && f.T.LastTurn == "ended" && f.Raw.Unread.Truth == Unread {
		told = f.Raw.Unread
	}
	return and(f.Status.among("busy"), not(f.Stale), not(f.quiet()), told, f.Acted, silent(f.Listed))
}

// untranscribed answers whether there is no transcript.
func (f *Facts) untranscribed() Reading {
	if f.T != nil {
		return no("claude/transcripts", "it has a transcript")
	}
	return not(f.Transcript)
}

// respawns is rule 5 of a job whose process the daemon starts again.
func (f *Facts) respawns() Reading {
	again := f.Job
	if f.J != nil {
		at := f.trust(f.J.UpdatedAt)
		raw := slices.Contains([]string{"crashed", "resuming", "starting", "adopted"}, f.J.State)
		again = when(raw && at != nil && f.age(at) < f.Bounds.Fresh, "claude/jobs", "raw state "+f.J.State)
	}
	active := and(f.Transcript, not(f.silentFor(f.Bounds.Running, false)), f.Acted)
	return and(f.State.among("working"), f.Status.among(""), silent(not(f.Exec)), not(f.Stale), or(active, again), silent(f.Listed))
}

// hangs is rule 6. With raw status shell the turn is over, so nothing hangs.
func (f *Facts) hangs() Reading {
	return and(f.Status.among("busy"), silent(not(f.Raw.among("shell"))), not(f.Stale), silent(f.Transcript),
		f.quiet(), silent(f.Listed))
}

// arc answers whether a current ARC-STATUS is one of words.
func (f *Facts) arc(words ...string) Reading {
	own, row := f.Transcript, f.Board
	if f.T != nil {
		own = f.arcIn("claude/transcripts", f.T.ArcStatus, words)
	}
	if f.Row != nil {
		row = f.arcIn(f.BoardName, f.Row.Arc, words)
	}
	return or(own, row)
}

func (f *Facts) arcIn(source string, a *record.ArcStatus, words []string) Reading {
	switch {
	case a == nil:
		return no(source, "no ARC-STATUS")
	case !slices.Contains(words, a.Status):
		return no(source, "ARC-STATUS: %s", a.Status)
	case a.At != nil && f.trust(a.At) == nil:
		return no(source, "an ARC-STATUS in the future, which is distrusted")
	}
	return and(yes(source, "ARC-STATUS: %s", a.Status), f.lasting(a.At))
}

// ended answers whether the session's last word says that it is done.
func (f *Facts) ended() Reading { return f.arc("MERGED", "CLOSED", "DONE") }

// closed is rule 8.
func (f *Facts) closed() Reading {
	branch := Reading{Truth: Yes}
	if f.branch() == "" {
		branch = unread("git", "its branch is not known")
	}
	return and(f.ended(), branch, f.NoPR, silent(f.Listed))
}

// rests answers whether the session is ours, idle, and has not said that it is
// done.
func (f *Facts) rests() Reading {
	return and(silent(f.Ours), f.idle(), silent(not(f.ended())), silent(f.Listed))
}
