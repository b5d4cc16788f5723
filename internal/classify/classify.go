// Package classify judges sessions. It reads a record set and nothing else:
// the same set gives the same verdicts for ever.
//
// The rules are one ordered table over Facts. Each answers yes, no, or that it
// cannot tell because a source was not read; the first that doesn't say no
// decides, and if it cannot tell, the verdict is unknown and names the source.
// So a verdict never rests on what was not looked at: to read less can make a
// verdict unknown, and cannot make it another class. Facts about the sources:
// Claude Code 2.1.280.
package classify

import (
	"iter"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Judge yields a verdict for every session of the set, in its order, and then
// the findings about more than one. by is the name of the program that adds
// them, now the time that findings bear; a verdict bears its session's. It ends
// with the first record that cannot be written.
func Judge(set *record.Set, by string, now record.Time) iter.Seq2[record.Record, error] {
	return judge{Rules(), Standard}.all(set, by, now)
}

// judge is a table of rules and the bounds they measure with.
type judge struct {
	rules  []Rule
	bounds Bounds
}

// judged is what the findings need of a session: little, because there may be
// 100,000.
type judged struct {
	host, subject      string
	class              string
	name, label        string
	anonymous          bool     // it has no session id
	cwd                string   // of such a one
	worktree           string   // of one with a process
	ids                []string // where findings compare them
	row                *record.Board
	place, live, stale Truth
	counted            Reading // not Yes: why it can't be counted
	limit              *limitHeld
	slept              time.Duration // how much its machine may have slept, when that alone makes it running or idle; else 0
}

// limitHeld is a usage limit that holds.
type limitHeld struct {
	until *record.Time // null when it cannot be told
	cause string
}

func (j judge) all(set *record.Set, by string, now record.Time) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		st := newStream(set)
		var sessions []*judged
		f := new(Facts)
		for _, r := range set.Of(record.KindSession) {
			s, ok := record.Payload[record.Session](r)
			if !ok {
				continue
			}
			st.gather(f, r, s, j.bounds)
			v := j.verdict(st, f)
			sessions = append(sessions, f.judged(st, r.Subject, v))
			out, err := record.New(record.KindVerdict, r.At, r.Host, by, r.Subject, v)
			if !yield(out, err) || err != nil {
				return
			}
		}
		for _, f := range findings(st, sessions, now) {
			out, err := record.New(record.KindFinding, now, f.host, by, f.subject, f.Finding)
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// judged keeps of a session and its verdict what the findings need.
func (f *Facts) judged(st *stream, subject string, v record.Verdict) *judged {
	s := &judged{host: f.Host, subject: subject, class: v.Class, name: f.S.Name, label: label(f.S), row: f.Row,
		place: f.Place.Truth, live: f.Live.Truth, stale: f.Stale.Truth, counted: and(f.Whole, f.Listed)}
	if f.S.SessionID == "" {
		s.anonymous, s.cwd = true, f.S.Cwd
	}
	if s.live == Yes {
		s.worktree = f.S.Worktree
	}
	if st.expects(paseo) || st.expects(ledgers) {
		s.ids = ids(f.S)
	}
	if slices.Contains(v.Matched, "2") {
		if r := f.reset(); !r.passed {
			s.limit = &limitHeld{r.at, causeOf(f.ends(true))}
		}
	}
	if f.mayBeSilent(v.Class) {
		s.slept = asleep(*f.Waking.now)
	}
	return s
}

// decide returns the rule that decides, null for unknown; what it rests on, or
// why there is none; and the ids of every rule that matches.
func (j judge) decide(f *Facts) (*Rule, Reading, []string) {
	if f.Whole.Truth != Yes {
		return nil, f.Whole, nil
	}
	if r := f.nameless(); r.Truth == Unread {
		return nil, r, nil
	}
	var decided *Rule
	rests := Reading{Truth: Unread}
	var matched []string
	open := true
	for i := range j.rules {
		m := j.rules[i].Match(f)
		if m.Truth == Yes {
			matched = append(matched, j.rules[i].ID)
		}
		if open && m.Truth != No {
			open, rests = false, m
			if m.Truth == Yes {
				decided = &j.rules[i]
			}
		}
	}
	return decided, rests, matched
}

// verdict judges one session.
func (j judge) verdict(st *stream, f *Facts) record.Verdict {
	rule, rests, matched := j.decide(f)
	v := record.Verdict{Class: Unknown, ClassName: Unknown, Evidence: rests.Says, Notes: f.notes(), Matched: matched,
		WouldDo: "report", Session: f.session(st)}
	if rule == nil {
		if v.Why = complaint(rests); v.Why == "" {
			v.Why = "nothing matched"
			v.Evidence = f.shown()
		}
		return fill(v)
	}
	v.Class, v.ClassName, v.WouldDo = rule.ID, rule.Name, rule.WouldDo(f)
	v.Question = f.asked(rule.ID)
	v.Session.Since = f.since(rule.ID)
	switch rule.ID {
	case "2":
		r := f.reset()
		v.ResetAt = r.at
		v.Evidence = append(slices.Clone(v.Evidence), r.says)
		v.Cause = causeOf(f.ends(true))
	case "4":
		v.Cause = causeOf(f.ends(false))
	}
	return fill(v)
}

// fill makes lists that are null empty, so that a reader need not ask.
func fill(v record.Verdict) record.Verdict {
	if v.Evidence == nil {
		v.Evidence = []record.Evidence{}
	}
	if v.Notes == nil {
		v.Notes = []record.Evidence{}
	}
	if v.Matched == nil {
		v.Matched = []string{}
	}
	return v
}

// session is what a verdict repeats of its session.
func (f *Facts) session(st *stream) record.VerdictSession {
	s := f.S
	vs := record.VerdictSession{Name: s.Name, Kind: s.Kind, Cwd: s.Cwd, Repo: f.Repo, Branch: s.Branch, Scope: st.scope(),
		Ours: f.Ours.Truth == Yes, OursWhy: f.OursWhy, ActivityAt: f.Doing, Process: f.Live.Truth == Yes,
		Account: s.Account, SessionID: s.SessionID, ObservedAt: f.At, Worktree: s.Worktree}
	if s.Process != nil {
		vs.Tmux = s.Process.Tmux
	}
	if l := f.listed(); l != nil {
		vs.JobID = l.ID
	}
	if f.J != nil {
		vs.JobID = f.J.ID
		if !f.J.DetailIsPrompt {
			vs.Progress = f.J.Detail
		}
	}
	return vs
}

// notes are facts beside the class.
func (f *Facts) notes() []record.Evidence {
	var ns []record.Evidence
	if f.Raw.Unread.Truth == No && f.Raw.Is == "shell" && f.Live.Truth == Yes {
		ns = append(ns, record.Evidence{Source: "claude/sessions", Says: "the turn is over and a background shell runs"})
	}
	if f.T != nil && f.T.Question != nil && f.T.Question.Kind == "prose" {
		ns = append(ns, record.Evidence{Source: "claude/transcripts", Says: "its last words ask: " + f.T.Question.Text})
	} else if r := f.Unanswered; r.Truth == Yes {
		ns = append(ns, r.Says...)
	}
	if f.T != nil && f.T.ModelWakes != nil {
		ns = append(ns, record.Evidence{Source: "claude/transcripts", Says: "it wakes at " + stamp(*f.T.ModelWakes)})
	}
	if f.Stale.Truth == Yes {
		ns = append(ns, record.Evidence{Source: "claude/processes", Says: "its process ended with the machine; it can be resumed"})
	}
	if f.S.Unlisted && f.Listed.Truth == Yes {
		ns = append(ns, record.Evidence{Source: "claude/listing", Says: "files name it and the listing doesn't"})
	}
	return ns
}

// shown is what the sources say of a session that no rule matches.
func (f *Facts) shown() []record.Evidence {
	var es []record.Evidence
	for _, w := range []Word{f.Status, f.State} {
		if w.Unread.Truth == No && w.Is != "" {
			es = append(es, record.Evidence{Source: w.Source, Says: w.String()})
		}
	}
	return append(es, f.Acted.Says...)
}
