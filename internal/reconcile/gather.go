package reconcile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// The programs that a decision rests on.
const (
	configs    = "fleet-config"
	workspaces = "fleet-observe-workspaces"
	healths    = "fleet-observe-health"
	judges     = "fleet-classify"
	ledgers    = "fleet-ledger"
	sessions   = "fleet-observe-claude"
)

// world is a stream with what deciding looks up, and what the sweep has decided.
type world struct {
	set   *record.Set
	at    record.Time
	host  string
	tick  *record.Tick // nil: no configuration
	rules record.HealRules

	places   map[string]*record.Workspace // by path
	order    []*record.Workspace          // of agents, by path
	spaces   map[string]*record.Workspace // by path, also those whose agent is not known
	healths  map[string]*record.Health    // by project/agent
	heals    map[string]record.Heal       // by agent
	verdicts map[string]*record.Verdict   // by subject of the session
	byPID    map[int]string               // subject of the session of a live process
	records  map[string]*record.Session   // by subject
	pause    *record.Time
	kept     map[string]bool   // subjects of sessions that belong to an agent of the list
	wanted   map[string]bool   // paths of the list
	secret   map[string]bool   // agents of which the list has what no record may hold
	twins    map[string]string // by agent, a second workspace that says that it is the agent's, when no list says which counts
	named    map[string]int    // workspaces of each name: two projects may have one
	blindAll string            // what was not read of what every decision rests on
	unjudged string            // why nobody knows whether a usage limit holds

	running   int
	limited   int
	starts    int
	restarted time.Time
}

func gather(set *record.Set, o Options) *world {
	w := &world{set: set, at: set.Now(o.Now), rules: record.DefaultHealRules(), places: map[string]*record.Workspace{}, spaces: map[string]*record.Workspace{}, healths: map[string]*record.Health{},
		heals: map[string]record.Heal{}, verdicts: map[string]*record.Verdict{}, byPID: map[int]string{}, records: map[string]*record.Session{}, kept: map[string]bool{},
		wanted: map[string]bool{}, secret: map[string]bool{}, twins: map[string]string{}, named: map[string]int{}}
	_, w.tick, _ = set.Tick()
	if w.tick != nil {
		w.host = w.tick.Host
		if w.tick.Heal != nil {
			w.rules = *w.tick.Heal
		}
	} else if hosts := set.Hosts(); len(hosts) == 1 {
		w.host = hosts[0]
	}
	w.workspaces()
	for _, h := range here[record.Health](w, record.KindHealth) {
		w.healths[h.Project+"/"+h.Agent] = h
	}
	for _, h := range here[record.Heal](w, record.KindHeal) {
		w.heals[h.Agent] = *h
		for _, a := range h.Acts {
			if a.Verb != "launch" && record.ActVerbs[a.Verb] && a.At.After(w.restarted) && a.At.Sub(w.at.Time) < ahead {
				w.restarted = a.At.Time
			}
		}
	}
	w.judged()
	w.blindAll = w.unread(true)
	return w
}

// here returns the payloads of a kind of the world's machine.
func here[T any](w *world, kind record.Kind) []*T {
	var ps []*T
	for _, r := range w.set.Of(kind) {
		if p, ok := record.Payload[T](r); ok && r.Host == w.host {
			ps = append(ps, p)
		}
	}
	return ps
}

// workspaces reads those of the machine.
func (w *world) workspaces() {
	for _, p := range here[record.Workspace](w, record.KindWorkspace) {
		if p.Agent != "" || p.Unread != "" {
			w.spaces[p.Path] = p
		}
		if p.Agent == "" {
			continue
		}
		w.places[p.Path] = p
		w.order = append(w.order, p)
		if w.named[p.Agent]++; Claude(p) != nil {
			w.running++
		}
	}
	slices.SortFunc(w.order, func(a, b *record.Workspace) int { return strings.Compare(a.Path, b.Path) })
}

// unread says what was not read of what every decision rests on, "" when all was:
// of decisions about agents, or else about sessions, which nobody asks for their
// health, and which are where no agent is.
func (w *world) unread(agents bool) string {
	if w.host == "" {
		return "no record says which machine this is about"
	}
	programs := []string{workspaces, ledgers}
	if agents {
		programs = append(programs, healths)
	}
	if w.tick != nil || slices.Contains(w.set.By(w.host), configs) {
		programs = append(programs, configs)
	}
	for _, name := range programs {
		if err := w.set.Closed(w.host, name); err != nil {
			return err.Error()
		}
	}
	for _, name := range []string{"macf/workspaces", "macf/processes", "ledger"} {
		if says := w.surface(name, !agents || name == "ledger"); says != "" {
			return says
		}
	}
	return ""
}

// agentless tells that no agent is to be kept alive: the list names none, or there is no
// list, all was read, and no workspace is one's, nor was of late.
func (w *world) agentless(list []desired.Agent) bool {
	if list != nil {
		return len(list) == 0
	}
	return len(w.spaces) == 0 && len(w.vanished(list)) == 0 && w.unread(false) == ""
}

// surface says why a part was not read, "" when it was. absent says whether it
// may be that there is none.
func (w *world) surface(name string, absent bool) string {
	r, ok := w.set.Get(record.Identity{Host: w.host, Kind: record.KindSurface, Subject: name})
	s, _ := record.Payload[record.Surface](r)
	switch {
	case !ok || s == nil:
		return name + ": not read"
	case !s.OK:
		return name + ": " + s.Error
	case s.Absent && !absent:
		return name + ": there is none"
	}
	return ""
}

// desired returns what should run: the list, or the agent of every workspace,
// each once. Whoever is at a limit and does not answer is counted before anything is decided. What looks
// like a credential in the list is withheld here: nothing further on has it.
func (w *world) desired(list []desired.Agent) []desired.Agent {
	if list = slices.Clone(list); list == nil {
		seen := map[string]bool{}
		for _, p := range w.order {
			if w.foreign(p) {
				w.wanted[p.Path] = true // what runs there is left alone too
				continue
			}
			if seen[p.Agent] {
				w.twins[p.Agent], w.wanted[p.Path] = p.Path, true // what runs there is left alone too
				continue
			}
			seen[p.Agent] = true
			list = append(list, desired.Agent{Agent: p.Agent, Project: p.Project, Workspace: p.Path})
		}
	}
	for i, d := range list {
		d, w.secret[d.Agent] = cleaned(d)
		list[i] = d
		w.wanted[d.Workspace] = true
		if p := w.places[d.Workspace]; p != nil && atLimit(w.verdict(Claude(p)), w.at.Time) && !(&Facts{Health: w.healths[p.Project+"/"+d.Agent]}).reachable() {
			w.limited++
		}
	}
	return list
}

// foreign tells that a workspace is in a repository that another scope names, or more than
// one does: its agent is that scope's to keep alive, unless a list gives it to this one.
func (w *world) foreign(p *record.Workspace) bool {
	return p.Repo != "" && w.theirs(p.Repo)
}

// theirs tells that another scope names a repository, also when this one does.
func (w *world) theirs(repo string) bool {
	return w.tick != nil && (slices.Contains(w.tick.Others, repo) || w.tick.Clash(repo) != "")
}

// Claude is the Claude Code process of a workspace, the newest of several; nil
// when none runs there.
func Claude(p *record.Workspace) *record.AgentProc {
	var newest *record.AgentProc
	for i, proc := range p.Processes {
		if proc.Kind == "claude" && (newest == nil || proc.Start != nil && (newest.Start == nil || proc.Start.After(newest.Start.Time))) {
			newest = &p.Processes[i]
		}
	}
	return newest
}

// verdict is that about the session of a process, nil when there is none.
func (w *world) verdict(proc *record.AgentProc) *record.Verdict {
	if proc == nil {
		return nil
	}
	return w.verdicts[w.byPID[proc.PID]]
}

// facts are those about one agent.
func (w *world) facts(want desired.Agent) *Facts {
	f := &Facts{Now: w.at.Time, Rules: w.rules, Want: want, Host: w.host, Blind: w.blindAll, Workspace: w.places[want.Workspace], Heal: w.heals[want.Agent],
		Unjudged: w.unjudged, Twin: w.twins[want.Agent], Secret: w.secret[want.Agent], Namesake: w.named[want.Agent] > 1, Fleet: w.limited, Pause: w.pause, Running: w.running, Cap: 1 << 20, Starts: w.starts, Restarted: w.restarted}
	if w.tick != nil {
		f.Cap = w.tick.Caps.FleetSessions
	}
	if f.Workspace == nil {
		f.Unfit = w.unfit(want.Workspace)
		return f
	}
	project := f.Workspace.Project
	if says := w.surface("macf/roster:"+project, false); f.Blind == "" {
		f.Blind = says
	}
	f.Health = w.healths[project+"/"+want.Agent]
	if f.Process = Claude(f.Workspace); f.Process == nil {
		f.PausedAs = w.pausedIn(f.Workspace)
		f.Heal.Paused = f.Heal.Paused || f.PausedAs != ""
		if f.Elsewhere = w.elsewhere(want); f.Elsewhere != nil {
			w.kept[w.byPID[f.Elsewhere.PID]] = true
		}
	} else if subject := w.byPID[f.Process.PID]; subject != "" {
		w.kept[subject] = true
		if paused := w.heals["session:"+subject]; paused.Paused && !f.Heal.Paused {
			f.Heal.Paused, f.PausedAs = true, paused.Agent
		}
		f.Session, f.Verdict = subject, w.verdicts[subject]
		f.Foreign = f.Verdict != nil && w.theirs(f.Verdict.Session.Repo)
		if t := w.records[subject].Transcript; t != nil {
			f.OpenCalls = t.OpenCalls
		}
	}
	return f
}

// pausedIn is the key of a session in a workspace that the owner paused, "" when there is none:
// who said hands off is not to find another one begun in its place when it ends.
func (w *world) pausedIn(p *record.Workspace) string {
	for _, key := range slices.Sorted(maps.Keys(w.heals)) {
		subject, ok := strings.CutPrefix(key, "session:")
		if !ok || !w.heals[key].Paused {
			continue
		}
		s := w.records[subject]
		if s == nil { // Claude Code takes its file away when it ends well
			s = &record.Session{Cwd: w.heals[key].PausedIn}
		}
		if w.owner(s) == p {
			return key
		}
	}
	return ""
}

// elsewhere is a process that says that it is the agent, in a directory that is
// no workspace or another agent's.
func (w *world) elsewhere(want desired.Agent) *record.AgentProc {
	for _, p := range here[record.Workspace](w, record.KindWorkspace) {
		for i, proc := range p.Processes {
			if proc.Kind == "claude" && proc.Agent == want.Agent && p.Agent != want.Agent {
				return &p.Processes[i]
			}
		}
	}
	return nil
}
