package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// sessionFacts is all that a decision about a session of ours rests on that no
// list of agents names.
type sessionFacts struct {
	subject   string // session:<its subject>
	now       time.Time
	host      string
	blind     string // what was not read; "" when everything was
	rules     record.HealRules
	heal      record.Heal
	verdict   *record.Verdict
	session   *record.Session
	pause     *record.Time
	unjudged  string        // why nobody knows whether a usage limit holds; "" when that is known
	mail      time.Duration // between two messages to one session
	restarted time.Time
	paused    string       // the agent in whose workspace it is, when the owner paused that and not the session; "": not so
	upgraded  string       // that agent, when an upgrade has it
	nameless  string       // why that agent is not known; "": it is, or there is none
	began     *record.Time // when the process table says that its process began; nil: it does not
}

// sessionRule is one row of the table.
type sessionRule struct {
	id     string
	match  func(*sessionFacts) bool
	decide func(*sessionFacts) record.Decision
}

// sessionRules is the table of the sessions. The first row that matches decides.
var sessionRules = []sessionRule{
	{"blind", func(f *sessionFacts) bool { return f.blind != "" }, func(f *sessionFacts) record.Decision {
		return skip("nothing is decided: %s", f.blind).Decision
	}},
	{"paused", func(f *sessionFacts) bool { return f.heal.Paused || f.paused != "" }, func(f *sessionFacts) record.Decision {
		return skip("%s", pausedBy(f.paused)).Decision
	}},
	{"nameless", func(f *sessionFacts) bool { return f.nameless != "" }, func(f *sessionFacts) record.Decision {
		return skip("it is left to an agent that may be paused: %s", f.nameless).Decision
	}},
	{"maintenance", func(f *sessionFacts) bool { return f.upgraded != "" }, func(f *sessionFacts) record.Decision {
		return skip("an upgrade has %s, in whose workspace it is, so nobody else touches it", f.upgraded).Decision
	}},
	{"well", func(f *sessionFacts) bool { return !f.stopped() }, func(f *sessionFacts) record.Decision {
		return record.Decision{Decision: "OK", Detail: "it goes on: " + f.verdict.ClassName}
	}},
	{"finished", (*sessionFacts).finished, func(*sessionFacts) record.Decision {
		return skip("its work is done, or somebody stopped it: it is never resumed").Decision
	}},
	{"starting", (*sessionFacts).starting, func(*sessionFacts) record.Decision {
		return skip("something was done about it a moment ago").Decision
	}},
	{"limit", func(f *sessionFacts) bool { return atLimit(f.verdict, f.now) }, func(f *sessionFacts) record.Decision {
		d := skip("its usage limit has not ended")
		if f.verdict.ResetAt != nil {
			d.NextAt = record.TimeOf(f.verdict.ResetAt.Add(resetGrace))
		}
		return d.Decision
	}},
	{"not-transient", func(f *sessionFacts) bool { return f.verdict.Class == "4" && !transient(f.verdict.Cause) }, func(f *sessionFacts) record.Decision {
		return skip("an error that does not pass by itself: %s", f.verdict.Cause).told("not-transient", "it stopped on an error that does not pass by itself, so it is yours to resume: %s", f.verdict.Cause)
	}},
	{"cwd-gone", (*sessionFacts).cwdGone, func(f *sessionFacts) record.Decision {
		return skip("its directory is gone, so it is not resumed").told("cwd-gone", "it stopped, and its directory is gone, so it is not resumed")
	}},
	{"open-call", func(f *sessionFacts) bool { return len(f.calls()) > 0 && f.verdict.Class != "6" }, func(f *sessionFacts) record.Decision {
		calls := strings.Join(f.calls(), ", ")
		return skip("%s began and has not ended: it is not resumed by itself", calls).told("open-call", "it stopped while %s ran; look what became of that before it is resumed", calls)
	}},
	{"hung", func(f *sessionFacts) bool { return f.verdict.Class == "6" }, func(f *sessionFacts) record.Decision {
		return f.write("hung", HungText)
	}},
	{"stalled", func(f *sessionFacts) bool { return f.verdict.Class == "9" && f.verdict.Session.Process }, func(f *sessionFacts) record.Decision {
		return f.write("stalled", StalledText)
	}},
	{"stopped", func(*sessionFacts) bool { return true }, (*sessionFacts).resume},
}

// What a session is told. The words are fixed: nothing that another session or a
// file says gets into a prompt.
const (
	HungText    = "[fleet] Nothing has come from this session for over two hours. If you wait for something that will not come, please stop it and say where you are."
	StalledText = "[fleet] This session has been idle for a while and has not said that its work is done. Please go on, or say in one line what it waits for."
	ResumeText  = "[fleet] This session stopped on an error or a usage limit that is over now. Please go on where you were."
)

// stopped tells a class in which something may be done.
func (f *sessionFacts) stopped() bool {
	return slices.Contains([]string{"2", "4", "6", "9"}, f.verdict.Class)
}

func transient(cause string) bool {
	return slices.Contains([]string{"rate limited", "overloaded", "server", "network"}, cause)
}

// finished tells a job whose work is over, whatever its class.
func (f *sessionFacts) finished() bool {
	j, l := f.session.Job, f.session.Listing
	return j != nil && slices.Contains([]string{"done", "stopped"}, j.State) && !f.verdict.Session.Process ||
		l != nil && slices.Contains([]string{"done", "stopped"}, l.State) && !f.verdict.Session.Process
}

func (f *sessionFacts) starting() bool {
	return f.heal.LastAct != nil && within(f.now, f.heal.LastAct.Time, startGrace)
}

func (f *sessionFacts) cwdGone() bool {
	return slices.Contains([]string{record.PlacedByWorktree, record.PlacedAbove, record.PlacedByBoard, record.PlacedGone}, f.session.Placement)
}

func (f *sessionFacts) calls() []string {
	if f.session.Transcript == nil {
		return nil
	}
	return f.session.Transcript.OpenCalls
}

// driver is what reaches the session: its pane, or Claude Code's own daemon.
func (f *sessionFacts) driver() string {
	if f.verdict.Session.Tmux != "" {
		return "tmux"
	}
	return "claude"
}

// write has one message written to a session whose process lives.
func (f *sessionFacts) write(reason, text string) record.Decision {
	d := draft{record.Decision{Decision: "HEAL", Tier: 1, Reason: reason, Detail: "it is " + f.verdict.ClassName}}
	if f.driver() != "tmux" {
		return d.not("no-terminal", "mail", "it runs in no pane of tmux, so nothing can be typed").told("no-terminal", "it is %s, and runs in no pane of tmux: nothing reaches it but you", f.verdict.ClassName)
	}
	for _, a := range slices.Backward(f.heal.Acts) {
		if !record.ActVerbs[a.Verb] && within(f.now, a.At.Time, f.mail) {
			d.NextAt = record.TimeOf(a.At.Add(f.mail))
			d = d.not("mail-interval", "mail", "one was written less than %v ago", f.mail)
			if f.heal.LastVerb == a.Verb && f.heal.LastEnd != record.EntryDone {
				return d.told(reason, "it is still %s, and a message did not reach it: %s", f.verdict.ClassName, cmp.Or(f.heal.LastEnd, "what became of it is not known"))
			}
			return d.told(reason, "it is still %s after a message", f.verdict.ClassName)
		}
	}
	d.Action = &record.Action{Verb: "mail", Driver: "tmux", Text: text}
	return d.Decision
}

// resume has a session that stopped taken up once. One that stopped at a limit is
// tried again, later each time: the limit may come back.
func (f *sessionFacts) resume() record.Decision {
	d := draft{record.Decision{Decision: "RESUME", Tier: 2, Detail: "it stopped: " + cmp.Or(f.verdict.Cause, f.verdict.ClassName), Attempt: f.heal.Attempts + f.heal.Injects + 1}}
	d.Reason = map[string]string{"2": "after-limit", "4": "transient"}[f.verdict.Class]
	tries := 1
	if f.verdict.Class == "2" {
		tries = f.rules.MaxAttempts
	}
	h := &Facts{Now: f.now, Rules: f.rules, Heal: f.heal, Pause: f.pause, Unjudged: f.unjudged}
	h.Rules.MaxAttempts, h.Heal.Attempts = tries, f.heal.Attempts+f.heal.Injects
	d.Detail += h.lastTry()
	verb := "resume"
	if f.verdict.Session.Process {
		verb = "inject"
	}
	if verb == "resume" && f.verdict.Session.JobID == "" {
		return d.not("no-terminal", verb, "its process has ended, and it is no background session").
			told("no-terminal", "it stopped, its process has ended, and it is no background session: nobody but you can take it up, with claude --resume in its directory")
	}
	if held, ok := d.attempts(h, verb); ok {
		return held
	}
	switch {
	case verb == "resume":
		if gap := time.Duration(f.rules.FleetGapS) * time.Second; within(f.now, f.restarted, gap) {
			d.NextAt = record.TimeOf(f.restarted.Add(gap))
			return d.not("fleet-gap", verb, "another was started less than %v ago: the next may come at %s", gap, stamp(d.NextAt)).Decision
		}
		d.Action = &record.Action{Verb: verb, Driver: "claude", Text: ResumeText}
	case f.driver() != "tmux":
		return d.not("no-terminal", verb, "its process lives and runs in no pane of tmux").told("no-terminal", "it stopped, and its process runs in no pane of tmux: nothing reaches it but you")
	default:
		d.Tier = 1
		d.Action = &record.Action{Verb: verb, Driver: "tmux", Text: ResumeText}
	}
	return d.Decision
}

// sessions are the facts about the sessions of ours that no list names, and that
// stopped, or did so before; by subject. One in the workspace of an agent is the
// agent's, also when it is in a directory below: of the list, what is launched there
// takes it up; of another, what holds hands off that holds them off the session.
func (w *world) sessions() []*sessionFacts {
	var fs []*sessionFacts
	blind := w.unread(false)
	for _, subject := range slices.Sorted(maps.Keys(w.verdicts)) {
		v, s := w.verdicts[subject], w.records[subject]
		if s == nil || w.kept[subject] || !v.Session.Ours || v.Class == "unknown" {
			continue
		}
		f := &sessionFacts{subject: "session:" + subject, now: w.at.Time, host: w.host, blind: blind, rules: w.rules, heal: w.heals["session:"+subject], verdict: v, session: s,
			pause: w.pause, unjudged: w.unjudged, mail: time.Duration(w.tick.Caps.MailIntervalHour) * time.Hour, restarted: w.restarted}
		owner := w.owner(s)
		if owner != nil && w.wanted[owner.Path] {
			continue
		}
		if w.agents(f, owner); s.Process != nil {
			f.began = w.began(s.Process.PID)
		}
		tried := f.heal.Attempts+f.heal.Injects+len(f.heal.Alerts) > 0
		if f.stopped() || tried {
			fs = append(fs, f)
		}
	}
	return fs
}

// unseen says why sessions may have stopped of which nobody knows, "" when all were seen
// and judged: where that is so, those that are not here are no sign that all is well.
func (w *world) unseen() string {
	if why := cmp.Or(w.unread(false), w.unjudged); why != "" {
		return why
	}
	n := 0
	for subject := range w.records {
		if w.verdicts[subject] == nil {
			n++
		}
	}
	if n > 0 {
		return fmt.Sprintf("%s: no verdict about %d of %d", judges, n, len(w.records))
	}
	return ""
}

// began is when a process began, by the process table; nil when that was not told.
func (w *world) began(pid int) *record.Time {
	for _, p := range here[record.Workspace](w, record.KindWorkspace) {
		for _, proc := range p.Processes {
			if proc.PID == pid {
				return proc.Start
			}
		}
	}
	return nil
}

// decideSession returns what the first row that matches says.
func decideSession(f *sessionFacts) record.Decision {
	i := slices.IndexFunc(sessionRules, func(r sessionRule) bool { return r.match(f) })
	d := sessionRules[i].decide(f)
	d.Agent, d.Reason = f.subject, cmp.Or(d.Reason, sessionRules[i].id)
	s := f.session
	d.Seen = &record.Seen{Host: f.host, Workspace: s.Cwd, Tmux: f.verdict.Session.Tmux, SessionID: s.SessionID, JobID: f.verdict.Session.JobID, Class: f.verdict.Class}
	if p := s.Process; p != nil && p.Alive != nil && *p.Alive {
		d.Seen.PID, d.Seen.Start = p.PID, f.began // what its own file says is when Claude Code got so far
	}
	if d.Alert != nil && f.heal.Told(d.Alert.Severity) {
		d.Not, d.Alert = append(d.Not, record.NotDone{Verb: "alert", Why: "somebody was told in this episode"}), nil
	}
	return d
}
