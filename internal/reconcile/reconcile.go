// Package reconcile judges what should run against what runs: for each agent
// that is wanted, and for each session of ours that stopped, it decides what
// would be done, and says why nothing else. It does nothing.
//
// What it knows of earlier sweeps comes from the ledger, as heal records. It is
// pure: the same records and flags give the same decisions.
package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// Options are what the caller wants.
type Options struct {
	Desired []desired.Agent   // agents that should run; nil: those of every workspace
	Left    map[string]string // of an upgrade: agents that it passes by, and why
	Stopped string            // of an upgrade: the agent at which this run stopped, whatever it runs by now; "": none
	Now     time.Time         // the present; zero: the tick record's at, else the newest of the stream
}

// Judgement is what Judge concludes.
type Judgement struct {
	At        record.Time
	Host      string   // the machine that the decisions are about
	Decisions []Judged // in the order of the list, then of the sessions
	Undecided []string // about what nothing is decided, and why; of RC 2 at least one
	RC        int      // as the reference counts: 0 all is well, 1 something is to be done, 2 something was not read
	Notes     []string // what a person should know of the judging
}

// Judged is a decision and its subject.
type Judged struct {
	Subject  string
	Decision record.Decision
}

// Judge decides about all agents, and, where the scope lets fleet act, about the
// sessions of ours that stopped.
func Judge(set *record.Set, o Options) Judgement {
	w := gather(set, o)
	j := Judgement{At: w.at, Host: w.host}
	if w.at.IsZero() { // an empty stream has no present, and nothing to be decided at it
		j.undecided(theAgents, "the stream is empty")
		j.undecided(theSessions, "the stream is empty")
		return j
	}
	var names, dirs []string
	for _, want := range w.desired(o.Desired) {
		f := w.facts(want)
		if f.class() == outside && !f.Foreign {
			names, dirs = append(names, f.Want.Agent), append(dirs, f.Want.Workspace)
		}
		d := Decide(f)
		w.note(d)
		j.add(want.Agent, d)
	}
	if len(names) > 0 {
		j.Notes = append(j.Notes, fmt.Sprintf("the sessions of %s are outside the scope's repos, so what they do is not judged: add %s", strings.Join(names, ", "), strings.Join(dirs, ", ")))
	}
	if o.Desired == nil && w.blindAll == "" { // what it is called would be in what was not read
		for _, dir := range slices.Sorted(maps.Keys(w.spaces)) {
			if p := w.spaces[dir]; misread(p) {
				j.undecided(dir, cmp.Or(strings.TrimPrefix(w.unfit(dir), dir+"/"), p.Unread))
			}
		}
	}
	for _, d := range w.unlisted(o.Desired) {
		j.add(d.Agent, d)
	}
	j.absent(w, o.Desired)
	if w.tick != nil && w.tick.Mode == "act" && w.tick.Heal != nil {
		for _, s := range w.sessions() {
			s.restarted = w.restarted // what this sweep has decided counts
			d := decideSession(s)
			w.note(d)
			j.add(s.subject, d)
		}
		if why := w.unseen(); why != "" {
			j.undecided(theSessions, why)
		}
	} else {
		j.Notes = append(j.Notes, "sessions that no list names are left alone: "+alone(w.tick))
	}
	return j
}

// absent says which agents nothing is decided about, since they are not there, are another
// scope's, or nobody knows whether there are any.
func (j *Judgement) absent(w *world, list []desired.Agent) {
	switch {
	case w.agentless(list):
		j.Notes = append(j.Notes, "no agent is to be kept alive: no list names one, and no workspace is one's")
	case len(j.Decisions) == 0 && w.blindAll != "":
		j.undecided(theAgents, w.blindAll)
	case len(w.order) == 0:
		for _, name := range w.vanished(list) { // whose roots may be out of sight
			j.undecided(name, "no workspace of any agent is there any more")
		}
	default:
		for _, name := range w.vanished(list) {
			j.Notes = append(j.Notes, name+" is not kept alive any more: no workspace is its")
		}
	}
	for _, p := range w.order {
		if list == nil && w.foreign(p) {
			j.Notes = append(j.Notes, fmt.Sprintf("%s is left to another scope, which names its repository, or more than one does: %s", p.Agent, p.Path))
		}
	}
}

// What an undecided text is about when it is about all of them.
const (
	theAgents   = "agents"
	theSessions = "sessions"
)

// alone is why nothing is decided about sessions.
func alone(tick *record.Tick) string {
	switch {
	case tick == nil:
		return "the stream has no tick record"
	case tick.Heal == nil:
		return "the scope's heal is null"
	}
	return "the scope's mode is not act"
}

// misnamed are the reasons to leave an agent alone that are a mistake of the list
// or of a workspace: all is not well then.
var misnamed = []string{"secret", "no-workspace", "mislabelled", "ambiguous", "no-launcher"}

func (j *Judgement) add(subject string, d record.Decision) {
	d.Order = len(j.Decisions) + 1
	j.Decisions = append(j.Decisions, Judged{subject, d})
	switch {
	case d.Reason == "blind":
		j.undecided(subject, strings.TrimPrefix(d.Detail, blindly))
	case d.Decision != "OK" && d.Decision != "SKIP", slices.Contains(misnamed, d.Reason):
		j.RC = max(j.RC, 1)
	}
}

// blindly begins the detail of a decision that is none, as something was not read.
const blindly = "nothing is decided: "

// undecided notes that something was not read, and so nothing is decided about what.
// Those of one reason are one text.
func (j *Judgement) undecided(what, why string) {
	j.RC = 2
	for i, says := range j.Undecided {
		if names, ok := strings.CutSuffix(says, ": "+why); ok {
			j.Undecided[i] = names + ", " + what + ": " + why
			return
		}
	}
	j.Undecided = append(j.Undecided, what+": "+why)
}

// Decisions returns the decisions of a stream, in the order in which they were made.
func Decisions(set *record.Set) []record.Record {
	rs := slices.Clone(set.Of(record.KindDecision))
	slices.SortStableFunc(rs, func(a, b record.Record) int {
		p, _ := record.Payload[record.Decision](a)
		q, _ := record.Payload[record.Decision](b)
		return cmp.Compare(p.Order, q.Order)
	})
	return rs
}
