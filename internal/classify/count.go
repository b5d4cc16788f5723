package classify

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
)

// counts is the count check: whether the sessions, Paseo's records and the
// ledger speak of the same things.
func (st *stream) counts(sessions []*judged) []finding {
	if len(sessions) == 0 && len(st.agents) == 0 {
		return nil
	}
	if r := st.counted(sessions); r.Truth != Yes {
		return []finding{{"", "count", record.Finding{Name: "count", Says: "not counted: " + complaint(r), Sessions: []string{},
			Evidence: r.Says}}}
	}
	var scope []*judged
	live := 0
	for _, s := range sessions {
		if s.place == Yes {
			scope = append(scope, s)
			if s.live == Yes {
				live++
			}
		}
	}
	c := record.Finding{Name: "count", Sessions: []string{}}
	says := []string{fmt.Sprintf("%s, %d with a live process", count(len(scope), "session"), live)}
	if out := len(sessions) - len(scope); out > 0 {
		says = append(says, fmt.Sprintf("%d more outside the scope or not placed", out))
	}
	var more []finding
	if st.expects(paseo) {
		var paseoSays []string
		paseoSays, c.Sessions, more = st.countAgents(scope, sessions)
		says = append(says, paseoSays...)
	}
	c.Says = strings.Join(says, "; ")
	fs := append([]finding{{"", "count", c}}, more...)
	return append(fs, st.names(scope)...)
}

// counted answers whether every session is known, on every machine that is expected: of
// a machine where nobody looked there is none that could say so.
func (st *stream) counted(sessions []*judged) Reading {
	for _, s := range sessions {
		if s.counted.Truth != Yes {
			return s.counted
		}
	}
	hosts := st.looked()
	if len(hosts) == 0 {
		return unread(claude, "no closing record")
	}
	for _, host := range hosts {
		names := []string{"claude/listing"}
		for id := range st.surfaces {
			if id.Host == host && strings.HasPrefix(id.Subject, "claude/listing@") {
				names = append(names, id.Subject)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			r := st.program(host, claude+strings.TrimPrefix(name, "claude/listing"))
			if r.Truth == Yes {
				r = st.surface(host, name, false)
			}
			if r.Truth == Yes {
				continue
			}
			if len(hosts) > 1 {
				r.Says[0].Says += " on " + host
			}
			return r
		}
	}
	return Reading{Truth: Yes}
}

// looked are the machines on which Claude Code must be looked at; without a
// configuration those on which it was.
func (st *stream) looked() []string {
	switch {
	case st.tick == nil:
		return st.wrote[claude]
	case len(st.tick.Hosts) == 0:
		return []string{st.tick.Host}
	}
	return st.tick.Hosts
}

// countAgents compares Paseo's open records with the sessions. It returns what
// to say of it, the sessions that neither Paseo nor a fleet name accounts for,
// and a finding for records that have no process.
func (st *stream) countAgents(scope, sessions []*judged) ([]string, []string, []finding) {
	if r := st.everywhere(paseo); r.Truth != Yes {
		return []string{"Paseo's records were not read: " + complaint(r)}, []string{}, nil
	}
	unplaced, open := 0, 0
	known := map[string]bool{}
	lost := record.Finding{Name: "records-without-process", Sessions: []string{}}
	for _, r := range st.agents {
		a, ok := record.Payload[record.Agent](r)
		if !ok {
			continue
		}
		for _, id := range a.Sessions {
			known[id] = true
		}
		if a.Archived {
			continue
		}
		switch in, placed := st.holds(a.Repo, a.Placement); {
		case !placed:
			unplaced++
		case in:
			open++
			if why := lacks(a, r.Host, sessions); why != "" {
				lost.Sessions = append(lost.Sessions, a.ID)
				lost.Evidence = append(lost.Evidence, record.Evidence{Source: "paseo/agents", Says: strings.TrimSpace(a.ID+" "+a.Title) + ": " + why})
			}
		}
	}
	says := []string{fmt.Sprintf("%s, %d without a process", count(open, "open Paseo record"), len(lost.Sessions))}
	if unplaced > 0 {
		says = append(says, count(unplaced, "Paseo record")+" not placed")
	}
	strange := []string{}
	for _, s := range scope {
		if !slices.ContainsFunc(s.ids, func(id string) bool { return known[id] }) && !st.fleetName(s.name) {
			strange = append(strange, s.subject)
		}
	}
	says = append(says, fmt.Sprintf("%s with neither a Paseo record nor a fleet name", count(len(strange), "session")))
	if len(lost.Sessions) == 0 {
		return says, strange, nil
	}
	have := " have no live process"
	if len(lost.Sessions) == 1 {
		have = " has no live process"
	}
	lost.Says = count(len(lost.Sessions), "open Paseo record") + have
	return says, strange, []finding{{"", lost.Name, lost}}
}

// holds tells whether the scope holds a repository, and whether it is placed.
func (st *stream) holds(repo, placement string) (in, placed bool) {
	switch {
	case st.tick == nil:
		return true, true
	case slices.Contains(st.tick.Others, repo):
		return false, true
	case st.tick.Clash(repo) != "":
		return false, false
	case slices.Contains(st.tick.Repos, repo):
		return true, true
	}
	found := len(st.tick.Unfound) == 0
	return false, found && (repo != "" || placement == record.PlacedNone)
}

// lacks says why an agent has no live process; "" when it has one, or that
// cannot be told.
func lacks(a *record.Agent, host string, sessions []*judged) string {
	if len(a.Sessions) == 0 {
		return "it names no session"
	}
	why := "no session of it is known"
	for _, s := range sessions {
		if s.host != host || !oneOf(a.Sessions, s.ids) {
			continue
		}
		if s.live != No {
			return ""
		}
		why = "session " + s.subject + " has no process"
	}
	return why
}

// fleetShape is the end of a name that the fleet gives: the pull request that
// a session drives, or the branch that a janitor cleans.
var fleetShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[^/]+-pr[0-9]+|jan-[0-9a-f]+)$`) })

// fleetName tells a name of the fleet's own making.
func (st *stream) fleetName(name string) bool {
	rest, ok := strings.CutPrefix(name, st.scope()+"-")
	return ok && st.tick != nil && fleetShape().MatchString(rest)
}

// names are the findings about fleet names: borne by a session that the ledger
// lacks, or by two.
func (st *stream) names(scope []*judged) []finding {
	if st.tick == nil || !st.expects(ledgers) || st.remembered().Truth != Yes {
		return nil
	}
	bearers := map[string][]*judged{}
	var lacking []*judged
	for _, s := range scope {
		name := s.name
		if !st.fleetName(name) {
			continue
		}
		bearers[name] = append(bearers[name], s)
		if !slices.ContainsFunc(s.ids, func(id string) bool { return st.ledger[id] }) {
			lacking = append(lacking, s)
		}
	}
	var fs []finding
	if len(lacking) > 0 {
		fs = append(fs, finding{"", "fleet-shaped-unledgered", record.Finding{Name: "fleet-shaped-unledgered",
			Says: count(len(lacking), "session") + " with a name of the fleet's that the ledger lacks", Sessions: subjects(lacking)}})
	}
	for _, name := range slices.Sorted(maps.Keys(bearers)) {
		if g := bearers[name]; len(g) > 1 {
			fs = append(fs, finding{"", "spawn-duplicate:" + name, record.Finding{Name: "spawn-duplicate",
				Says: fmt.Sprintf("%d sessions are called %s", len(g), name), Sessions: subjects(g)}})
		}
	}
	return fs
}
