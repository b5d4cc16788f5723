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

// product is what a tick calls it.
func (s source) product() string {
	product, _, _ := strings.Cut(s.surfaces, "/")
	return product
}

var (
	repoSources     = []source{{observers["gh"], "GitHub's repositories, rules and pull requests", "gh/"}}
	scheduleSources = []source{
		{observers["paseo"], "Paseo's schedules", "paseo/schedules"},
		{observers["schedule"], "launchd, systemd and run logs", "schedule/"},
	}
	pastSources = []source{{observers["ledger"], "the ledger", "ledger"}}
)

// reach fills how much of a part was looked at. A source of which no line is
// here was not; one that is cut or could not read something is in NotRead too,
// as one is that is not installed where it is expected. writers is where each
// program looked, unseen what nobody could look at.
func (p *Part[T]) reach(set *record.Set, writers map[string][]string, sources []source, unseen []string) {
	broken, says := slices.Clone(unseen), []string{}
	expected := expectedSurfaces(set)
	for _, s := range sources {
		cut := func(host string) bool { return set.Closed(host, s.program) != nil }
		switch hosts := writers[s.program]; {
		case len(hosts) == 0:
			p.missing = append(p.missing, s.what)
		case slices.ContainsFunc(hosts, cut) || unread(set, s, expected):
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
func writersOf(set *record.Set) map[string][]string {
	writers := map[string][]string{}
	for rec := range set.Each() {
		if hosts := writers[rec.By]; !slices.Contains(hosts, rec.Host) {
			writers[rec.By] = append(hosts, rec.Host)
		}
	}
	return writers
}

// unread tells whether a surface of a source was not read, not understood whole,
// or is absent and expected.
func unread(set *record.Set, from source, expected func(host string) []string) bool {
	return slices.ContainsFunc(set.Of(record.KindSurface), func(rec record.Record) bool {
		s, ok := record.Payload[record.Surface](rec)
		if !ok || s.Records != nil || !strings.HasPrefix(rec.Subject, from.surfaces) {
			return false
		}
		return !s.OK || s.Unparsed > 0 ||
			s.Absent && slices.Contains(expected(rec.Host), from.product()) && !anotherRead(set, rec.Host, from.product())
	})
}

// silent is the machines that a tick expects and that sent nothing.
func silent(set *record.Set) []string {
	var hosts []string
	for _, host := range expectedHosts(ticksOf(set)) {
		if !observed(set, host) {
			hosts = append(hosts, "the machine "+host)
		}
	}
	return hosts
}

// addParts takes what is known beside the sessions.
func (r *Report) addParts(set *record.Set) {
	writers := writersOf(set)
	r.Surfaces = surfaces(set)
	r.Repos = Part[Repo]{Rows: repos(set)}
	r.Schedules = Part[Schedule]{Rows: schedules(set)}
	r.Past = Part[Past]{Rows: past(set, r.Tick)}
	hosts := silent(set)
	unfound := slices.Clone(hosts)
	if _, tick, ok := set.Tick(); ok && len(tick.Unfound) > 0 {
		unfound = append(unfound, count(len(tick.Unfound), "repository that was not found", "repositories that were not found"))
	}
	if _, tick, ok := set.Tick(); ok && len(tick.Shared) > 0 {
		unfound = append(unfound, count(len(tick.Shared), "repository", "repositories")+" that another scope names too")
	}
	r.Repos.reach(set, writers, repoSources, unfound)
	r.Schedules.reach(set, writers, scheduleSources, hosts)
	r.Past.reach(set, writers, pastSources, nil)
}

// unlooked writes in one line what nobody looked at, so that a section that
// is not there is not taken for nothing to say.
func (p *page) unlooked() {
	parts := slices.Concat(p.Repos.missing, p.Schedules.missing)
	if p.Tick != nil {
		parts = append(parts, p.Past.missing...)
	}
	if len(parts) > 0 {
		p.gap()
		p.printf("Not looked at: %s.\n", strings.Join(parts, "; "))
	}
}
