package report

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// How much of a part was looked at. That a part has no rows means that there
// are none only with LookedAll.
const (
	LookedAll  = "all"
	LookedPart = "part" // some of its sources: says names the others; or not all of it is here
	LookedNot  = "no"
)

// Part is what is known beside the sessions, of one kind.
type Part[T any] struct {
	Looked string `json:"looked"` // a Looked… word
	Says   string `json:"says"`   // what was not looked at, and what was not read whole; "" when all was
	Rows   []T    `json:"rows"`

	missing []string // what was not looked at
}

// source is a program that adds to a part, what it looks at, and the surfaces
// by which it says how that went.
type source struct{ program, what, surfaces string }

var (
	repoSources     = []source{{observers["gh"], "GitHub's repositories, rules and pull requests", "gh/"}}
	scheduleSources = []source{
		{observers["paseo"], "Paseo's schedules", "paseo/schedules"},
		{observers["schedule"], "launchd, systemd and run logs", "schedule/"},
	}
	pastSources = []source{{observers["ledger"], "the ledger", "ledger"}}
)

// reach fills how much of a part was looked at. A source of which no line is
// here was not; one that is cut or could not read something is in NotRead too.
// writers is where each program looked.
func (p *Part[T]) reach(set *input, writers map[string][]string, sources []source) {
	var broken, says []string
	for _, s := range sources {
		cut := func(host string) bool { return set.Closed(host, s.program) != nil }
		switch hosts := writers[s.program]; {
		case len(hosts) == 0:
			p.missing = append(p.missing, s.what)
		case slices.ContainsFunc(hosts, cut) || failed(set, s.surfaces):
			broken = append(broken, s.what)
		}
	}
	if len(p.missing) > 0 {
		says = append(says, "not looked at: "+strings.Join(p.missing, "; "))
	}
	if len(broken) > 0 {
		says = append(says, "not read whole: "+strings.Join(broken, "; "))
	}
	p.Says = strings.Join(says, "; ")
	switch {
	case len(p.missing) == len(sources):
		p.Looked = LookedNot
	case p.Says != "":
		p.Looked = LookedPart
	default:
		p.Looked = LookedAll
	}
}

// writersOf is the hosts of which a program wrote anything, by program.
func writersOf(set *input) map[string][]string {
	writers := map[string][]string{}
	for _, rec := range set.All() {
		if hosts := writers[rec.By]; !slices.Contains(hosts, rec.Host) {
			writers[rec.By] = append(hosts, rec.Host)
		}
	}
	return writers
}

// failed tells whether a surface whose name begins with prefix was not read.
func failed(set *input, prefix string) bool {
	return slices.ContainsFunc(set.Of(record.KindSurface), func(rec record.Record) bool {
		s, ok := record.Payload[record.Surface](rec)
		return ok && s.Records == nil && !s.OK && strings.HasPrefix(rec.Subject, prefix)
	})
}

// addParts takes what is known beside the sessions.
func (r *Report) addParts(set *input) {
	writers := writersOf(set)
	r.Surfaces = surfaces(set)
	r.Repos = Part[Repo]{Rows: repos(set)}
	r.Schedules = Part[Schedule]{Rows: schedules(set)}
	r.Past = Part[Past]{Rows: past(set, r.Tick)}
	r.Repos.reach(set, writers, repoSources)
	r.Schedules.reach(set, writers, scheduleSources)
	r.Past.reach(set, writers, pastSources)
}

// unlooked writes in one line what nobody looked at, so that a section that
// is not there is not taken for nothing to say.
func (p *page) unlooked() {
	if parts := slices.Concat(p.Repos.missing, p.Schedules.missing); len(parts) > 0 {
		p.gap()
		p.printf("Not looked at: %s.\n", strings.Join(parts, "; "))
	}
}
