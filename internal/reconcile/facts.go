package reconcile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/record"
)

// Facts is all that a decision about one agent rests on.
type Facts struct {
	Now   time.Time
	Rules record.HealRules
	Want  desired.Agent
	Host  string // the machine that keeps it

	Blind     string            // what was not read of all that follows; "" when everything was
	Unjudged  string            // why nobody knows whether a usage limit holds; "" when fleet-classify, and what it rests on, was read
	Twin      string            // another workspace that says that it is this agent's, when no list says which counts; "": none
	Secret    bool              // the list has for it what looks like a credential, which was withheld
	Namesake  bool              // another workspace has an agent of its name: what macf keeps by name may be that one's
	Workspace *record.Workspace // nil: nothing has its configuration there
	Unfit     string            // what is wrong in the configuration there, when Workspace is nil; "": none was found
	Health    *record.Health    // nil: no registry lists it
	Heal      record.Heal       // what the ledger remembers
	PausedAs  string            // the session of Process, or without one a session in its workspace, when the owner paused that and not the agent; "": not so
	Process   *record.AgentProc // the Claude Code process in its workspace; nil: none
	Elsewhere *record.AgentProc // a process that says that it is the agent, and runs elsewhere; nil: none
	Verdict   *record.Verdict   // about the session of Process; nil: none was judged
	Session   string            // subject of the session of Process; "": no record of a live one has it
	Foreign   bool              // another scope, or more than one, names the repository that it is in
	OpenCalls []string          // tools that the session began to use and did not end
	Fleet     int               // agents at a limit that do not answer
	Pause     *record.Time      // until when nothing new is started, after a usage limit; nil: no such time
	Running   int               // agents with a process, and those that this sweep starts
	Cap       int               // how many of them there may be
	Starts    int               // starts that this sweep has decided before this
	Restarted time.Time         // when the last restart in the fleet began, this sweep's included; zero: none
}

// reachable tells that the agent answers, as the instance that its registry lists.
func (f *Facts) reachable() bool { return f.Health != nil && f.Health.Online && !f.stale() }

// lost says why its workspace is not known.
func (f *Facts) lost() string {
	if f.Unfit != "" {
		return f.Unfit
	}
	return fmt.Sprintf("no root of workspace_roots leads to %s, or it has no %s, or its path has a link in it", f.Want.Workspace, macf.Marker)
}

// unfit says what is wrong in the configuration of a workspace, in the words of
// who looked for it; "" when none was found there.
func (w *world) unfit(dir string) string {
	r, _ := w.set.Get(record.Identity{Host: w.host, Kind: record.KindSurface, Subject: "macf/workspaces"})
	s, ok := record.Payload[record.Surface](r)
	if !ok || s == nil {
		return ""
	}
	file := path.Join(dir, macf.Marker)
	for _, note := range s.Notes {
		if strings.HasPrefix(note, file+": ") {
			return note
		}
	}
	if slices.Contains(s.Notes, claude.MoreDrift) { // its note may be one of those that were left out
		return file + ": it is not there, or one of those that were not understood and are not named"
	}
	return ""
}

// unstartable says why the launcher of its workspace cannot be started, "" when nothing
// is known against it, or a command of the list starts the agent.
func (f *Facts) unstartable() string {
	if f.Want.Command != nil || f.Workspace == nil || f.Workspace.Unstartable == "" {
		return ""
	}
	return f.Want.Workspace + "/" + f.Workspace.Unstartable
}

// stale tells that what answers is another instance than the registry sends others to.
func (f *Facts) stale() bool {
	return f.Health.Online && f.Health.Listed != "" && f.Health.Instance != "" && f.Health.Listed != f.Health.Instance
}

// unknown says why nobody knows what its session does, in words that follow "and".
func (f *Facts) unknown() string {
	const known = "what its session does is not known: "
	switch v := f.Verdict; {
	case f.class() == outside && f.Foreign:
		return "its session is in a repository of another scope: a workspace belongs to one"
	case f.class() == outside && v.Session.Repo == "":
		return fmt.Sprintf("its session is outside the scope's repos, and in no repository that is known: make %s one, and add it", f.Want.Workspace)
	case f.class() == outside:
		return "its session is outside the scope's repos: add " + f.Want.Workspace
	case v != nil:
		return known + cmp.Or(v.Why, judges+" does not say why")
	case f.Unjudged != "":
		return known + f.Unjudged
	case f.Session == "":
		return fmt.Sprintf(known+"no record of a session has its process %d", f.Process.PID)
	}
	return known + judges + " says nothing of it"
}

// outside is the class of a session that is outside the scope's repos.
const outside = "1"

// class is that of the verdict, "" when nobody judged.
func (f *Facts) class() string {
	if f.Verdict == nil {
		return ""
	}
	return f.Verdict.Class
}

// throttled tells that the agent stopped at a usage limit that has not ended.
// A limit of which nobody knows the end holds for as long as its verdict does.
func (f *Facts) throttled() bool { return atLimit(f.Verdict, f.Now) }

func atLimit(v *record.Verdict, now time.Time) bool {
	return v != nil && v.Class == "2" && (v.ResetAt == nil || now.Before(v.ResetAt.Add(resetGrace)))
}

// resetGrace is how long after a reset nothing is tried yet: clocks differ.
const resetGrace = 2 * time.Minute

// startGrace is how long a new process is given before it counts as deaf, and
// before one that was launched counts as gone.
const startGrace = 2 * time.Minute

// starting tells that the agent was started, or launched, a moment ago.
func (f *Facts) starting() bool {
	if p := f.Process; p != nil && p.Start != nil && within(f.Now, p.Start.Time, startGrace) {
		return true
	}
	h := f.Heal
	return h.LastAct != nil && record.ActVerbs[h.LastVerb] && (h.LastEnd == "" || h.LastEnd == record.EntryDone) && within(f.Now, h.LastAct.Time, startGrace)
}

// ahead is how far a moment may lie behind the present of a sweep: that is when
// its tick began, and observers look later.
const ahead = 2 * time.Minute

// within tells that a moment is less than d before now. One that lies far ahead,
// as after a clock was set back, is not.
func within(now, at time.Time, d time.Duration) bool {
	age := now.Sub(at)
	return d > 0 && age > -ahead && age < d
}

// leftClean tells that the session was left on purpose: it ended with status 0
// after it was last seen well, and that is not fleet's own doing.
func (f *Facts) leftClean() bool {
	xs := f.exits()
	return len(xs) > 0 && xs[0].Code == 0 && !f.ours(xs[0]) && f.since(xs[0].At)
}

// since tells that an end is not of before the agent was last seen well. The ledger
// forgets such an end by itself, so one without a time is none; and when it was seen
// well by a clock that was ahead, the order of the ledger is what is left.
func (f *Facts) since(at *record.Time) bool {
	alive := f.Heal.AliveAt
	return at == nil || alive == nil || f.future(alive) || at.After(alive.Time)
}

// future tells that a moment was noted by a clock that was ahead.
func (f *Facts) future(at *record.Time) bool { return at.Sub(f.Now) >= ahead }

// ours tells that an end is of a session that fleet ended, as the first half of a restart,
// or of a start of fleet's that gave up: what starts it may end with 0 then.
func (f *Facts) ours(x record.AgentExit) bool {
	return x.At != nil && slices.ContainsFunc(f.Heal.Ends, func(in record.Ended) bool {
		return !x.At.Before(in.From.Time) && (in.Until == nil || !x.At.After(in.Until.Time))
	})
}

// exits are the known ends of its session, the newest first: of the ledger, and
// of what macf's own launcher left when the ledger says nothing. What that left stays
// where it is, so it says nothing when nobody knows whether it is of this life: it is of
// a time that has not come, or the agent was last seen well at such a time.
func (f *Facts) exits() []record.AgentExit {
	var xs []record.AgentExit
	if f.Heal.LastExit != nil {
		xs = append(xs, *f.Heal.LastExit)
	}
	if f.Workspace != nil && !f.Namesake && (f.Heal.AliveAt == nil || !f.future(f.Heal.AliveAt)) {
		if x := f.Workspace.LastExit; x != nil && x.At != nil && !f.future(x.At) {
			xs = append(xs, *x)
		}
	}
	slices.SortStableFunc(xs, func(a, b record.AgentExit) int { return timeOf(b.At).Compare(timeOf(a.At)) })
	return xs
}

func timeOf(t *record.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// held is Held of the agent.
func (f *Facts) held() time.Time { return Held(f.Heal, f.Rules, f.Now) }

// Held returns when the next attempt may come, zero when at once. A last attempt
// that lies further ahead than the longest wait was noted by a clock that was
// wrong: it holds nothing back.
func Held(h record.Heal, r record.HealRules, now time.Time) time.Time {
	if h.LastAct == nil || h.Attempts == 0 {
		return time.Time{}
	}
	longest := time.Duration(r.BackoffMaxMin) * time.Minute
	until := h.LastAct.Add(Backoff(h.Attempts, time.Duration(r.BackoffMin)*time.Minute, longest))
	if now.Before(until) && h.LastAct.Sub(now) <= longest {
		return until
	}
	return time.Time{}
}

// Backoff is how long after the n-th attempt the next may come: base, then twice
// as long each time, limit at most; nothing before the first.
func Backoff(n int, base, limit time.Duration) time.Duration {
	if n <= 0 || base <= 0 {
		return 0
	}
	wait := base
	for i := 1; i < n; i++ {
		if wait > limit/2 { // twice as long could be more than a Duration holds
			return limit
		}
		wait *= 2
	}
	return min(wait, limit)
}

// seen is what a decision rests on.
func (f *Facts) seen() *record.Seen {
	s := &record.Seen{Host: f.Host, Project: f.Want.Project, Workspace: f.Want.Workspace, Class: f.class()}
	if w := f.Workspace; w != nil {
		s.Project, s.Tmux = w.Project, w.Session
	}
	if p := f.Process; p != nil {
		s.PID, s.Start, s.SessionID = p.PID, p.Start, p.Session
	}
	if h := f.Health; h != nil {
		s.Address, s.Instance, s.Version = h.Address, h.Instance, h.Version
	}
	return s
}

// Told is a command as a record may hold it: itself, or, when it has what looks
// like a credential, one text without that, which starts nothing.
func Told(argv []string) []string {
	for _, text := range append([]string{strings.Join(argv, " ")}, argv...) {
		if guard.Withhold(text) != text {
			return []string{guard.Text(strings.Join(argv, " "), 500)}
		}
	}
	return argv
}

// withheld is said of an agent that the list names with what no record may hold.
const withheld = "what the list has as its workspace or project looks like a credential, which no plan and no ledger may have; give the directory another name"

// cleaned is what the list says of an agent as a record may hold it. secret tells that
// it had what looks like a credential.
func cleaned(d desired.Agent) (clean desired.Agent, secret bool) {
	secret = guard.Withhold(d.Workspace) != d.Workspace || guard.Withhold(d.Project) != d.Project
	if d.Workspace = guard.Path(d.Workspace); !path.IsAbs(d.Workspace) {
		d.Workspace = "" // nothing of it is told
	}
	d.Project = guard.Withhold(d.Project)
	return d, secret
}
