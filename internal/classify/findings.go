package classify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// finding is a finding with what its record bears.
type finding struct {
	host, subject string
	record.Finding
}

// findings are what can be said of more than one session, by name.
func findings(st *stream, sessions []*judged, now record.Time) []finding {
	fs := append(st.gaps(now), st.lost()...)
	fs = append(fs, clocks(sessions)...)
	fs = append(fs, reboots(st, sessions)...)
	fs = append(fs, st.counts(sessions)...)
	fs = append(fs, overlaps(sessions)...)
	fs = append(fs, pauses(sessions)...)
	return append(fs, strays(st, sessions)...)
}

// byKey groups sessions, and returns the keys in order. Sessions with an empty
// key are left out.
func byKey(sessions []*judged, key func(*judged) string) ([]string, map[string][]*judged) {
	groups := map[string][]*judged{}
	for _, s := range sessions {
		if k := key(s); k != "" {
			groups[k] = append(groups[k], s)
		}
	}
	return slices.Sorted(maps.Keys(groups)), groups
}

func subjects(sessions []*judged) []string {
	names := []string{}
	for _, s := range sessions {
		names = append(names, s.subject)
	}
	slices.Sort(names)
	return names
}

// reboots is one finding a host for all sessions that ended with the machine.
func reboots(st *stream, sessions []*judged) []finding {
	hosts, groups := byKey(sessions, func(s *judged) string {
		if s.stale == Yes {
			return "host " + s.host
		}
		return ""
	})
	var fs []finding
	for _, key := range hosts {
		host := groups[key][0].host
		says := count(len(groups[key]), "session") + " ended when the machine restarted"
		if h := st.hosts[host]; h != nil && h.BootAt != nil {
			says += " at " + stamp(*h.BootAt)
		}
		fs = append(fs, finding{host, "boot", record.Finding{Name: "boot", Says: says + "; they can be resumed", Sessions: subjects(groups[key])}})
	}
	return fs
}

// pauses is one finding an account while a usage limit holds: whatever the
// scope of the session that hit it, new ones would hit it too. It ends at the
// latest reset that is known.
func pauses(sessions []*judged) []finding {
	accounts, groups := byKey(sessions, func(s *judged) string {
		if s.limit != nil {
			return "pause" + s.label
		}
		return ""
	})
	var fs []finding
	for _, account := range accounts {
		var until *record.Time
		causes := map[string]bool{}
		for _, s := range groups[account] {
			until = later(until, s.limit.until)
			causes[s.limit.cause] = true
		}
		says := "start no new sessions"
		if until != nil {
			says += " before " + stamp(*until)
		}
		says += fmt.Sprintf(": %s stopped at a usage limit (%s)", count(len(groups[account]), "session"),
			strings.Join(slices.Sorted(maps.Keys(causes)), ", "))
		fs = append(fs, finding{"", account, record.Finding{Name: "pause", Says: says, Sessions: subjects(groups[account]), Until: until}})
	}
	return fs
}

// overlaps are live sessions of the scope that share a work tree, or claim one
// path.
func overlaps(sessions []*judged) []finding {
	live := slices.DeleteFunc(slices.Clone(sessions), func(s *judged) bool {
		return s.live != Yes || s.place != Yes
	})
	trees, groups := byKey(live, func(s *judged) string {
		if s.worktree == "" {
			return ""
		}
		return s.host + "\n" + s.worktree
	})
	var fs []finding
	for _, key := range trees {
		if g := groups[key]; len(g) > 1 {
			fs = append(fs, overlap(g, g[0].worktree, "share the work tree "+g[0].worktree))
		}
	}
	return append(fs, claims(live)...)
}

func overlap(g []*judged, what, says string) finding {
	return finding{g[0].host, "overlap:" + what, record.Finding{Name: "overlap",
		Says: fmt.Sprintf("%d live sessions %s", len(g), says), Sessions: subjects(g)}}
}

// claims are live sessions of one machine that claim the same path on the
// board.
func claims(live []*judged) []finding {
	type claim struct {
		host string
		record.BoardClaim
	}
	groups := map[claim][]*judged{}
	for _, s := range live {
		if s.row == nil {
			continue
		}
		for _, b := range s.row.Claims {
			c := claim{s.host, b}
			if !slices.ContainsFunc(groups[c], func(o *judged) bool { return o == s }) {
				groups[c] = append(groups[c], s)
			}
		}
	}
	var fs []finding
	for c, g := range groups {
		if len(g) > 1 {
			fs = append(fs, overlap(g, c.Repo+":"+c.Path, fmt.Sprintf("claim %s of %s", c.Path, c.Repo)))
		}
	}
	slices.SortFunc(fs, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.subject, b.subject), strings.Compare(a.host, b.host))
	})
	return fs
}

// strays is one finding a host for Claude Code processes that are no session
// of any record: one that waits at its trust dialog has no file yet.
func strays(st *stream, sessions []*judged) []finding {
	found := map[string]*finding{}
	dirs := map[string][]string{}
	add := func(host, subject, says, cwd string) {
		if found[host] == nil {
			found[host] = &finding{host, "process", record.Finding{Name: "process"}}
		}
		f := found[host]
		f.Sessions = append(f.Sessions, subject)
		f.Evidence = append(f.Evidence, record.Evidence{Source: "claude/processes", Says: strings.TrimSpace(says + " " + inDir(cwd))})
		if cwd != "" && !slices.Contains(dirs[host], cwd) {
			dirs[host] = append(dirs[host], cwd)
		}
	}
	for _, r := range st.set.Of(record.KindSurface) {
		if p, ok := record.Payload[record.Surface](r); ok {
			for _, u := range p.Untracked {
				add(r.Host, fmt.Sprintf("pid:%d", u.PID), fmt.Sprintf("pid %d: %s", u.PID, u.Exe), u.Cwd)
			}
		}
	}
	for _, s := range sessions {
		if s.anonymous {
			add(s.host, s.subject, "a session without an id", s.cwd)
		}
	}
	var fs []finding
	for _, host := range slices.Sorted(maps.Keys(found)) {
		f := found[host]
		f.Says = count(len(f.Sessions), "Claude Code process") + " that no record names"
		if where := inDir(some(dirs[host])); where != "" {
			f.Says += ", " + where
		}
		fs = append(fs, *f)
	}
	return fs
}

// some are the first three of a list, and how many there are besides.
func some(names []string) string {
	if more := len(names) - 3; more > 0 {
		return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

func inDir(cwd string) string {
	if cwd == "" {
		return ""
	}
	return "in " + cwd
}

// count is a number and its noun.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
