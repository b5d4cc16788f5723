package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Place is where sessions work that are out of scope.
type Place struct {
	Host  string `json:"host"`
	Path  string `json:"path"`  // of the repository, as repos would name it, else of the directory; "" when it is not known
	Count int    `json:"count"` // sessions
	Says  string `json:"says"`  // why they are out of scope, or what takes them in
}

// mostPlaces is how many places a report has at most. The JSON has so many; what the
// Markdown and the page show is less.
const (
	mostPlaces   = 200
	placesOfPage = 50
	placesOfText = 12
)

// places is where the sessions of a section work, most of them first.
func (r *Report) places(rows []*Row, set *record.Set) []Place {
	_, tick, _ := set.Tick()
	all := map[key]*Place{}
	for _, row := range rows {
		at := key{row.Host, placeOf(row)}
		if all[at] == nil {
			all[at] = &Place{Host: at.host, Path: at.subject, Says: outside(row, tick)}
		}
		all[at].Count++
	}
	ps := make([]Place, 0, len(all))
	for _, p := range all {
		ps = append(ps, *p)
	}
	slices.SortFunc(ps, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path))
	})
	return ps[:min(len(ps), mostPlaces)]
}

// placeOf is the main checkout of a session's repository, else its directory.
func placeOf(row *Row) string {
	if repo := row.Session.Repo; repo != "" {
		return strings.TrimSuffix(path.Clean(repo), "/.git")
	}
	return row.Session.Cwd
}

// outside says why the sessions of a place are out of scope, or what takes them in.
func outside(row *Row, tick *record.Tick) string {
	switch repo := row.Session.Repo; {
	case repo == "":
		for _, e := range row.Evidence {
			if e.Source == "git" { // as that its directory is gone
				return "in no scope: " + e.Says
			}
		}
		return "in no scope, and in no repository"
	case tick != nil && row.Host == tick.Host && slices.Contains(tick.Others, repo):
		return "another scope names it, or more than one does"
	case tick != nil && tick.There[row.Host] != nil:
		return "add it to repos of this machine in hosts, if it is yours"
	}
	return "add it to repos, if it is yours"
}

// sessionsThere writes how many sessions a place has, and what of it.
func (p Place) sessionsThere() string { return count(p.Count, "session", "sessions") + "; " + p.Says }

// elsewhere says what of a section is in none of the places that are shown; "" when all is.
func (s Section) elsewhere(shown int) string {
	rest := s.Count
	for _, p := range s.Places[:min(shown, len(s.Places))] {
		rest -= p.Count
	}
	if rest <= 0 {
		return ""
	}
	return fmt.Sprintf("and %s elsewhere", count(rest, "session", "sessions"))
}

// outOfScope writes where the sessions are that no line is about.
func (p *page) outOfScope(s Section) {
	if s.Count == 0 {
		return
	}
	p.heading(s.Title, s.Count)
	p.printf("%s of other scopes or of none:\n\n", count(s.Count, "session", "sessions"))
	for _, at := range s.Places[:min(len(s.Places), placesOfText)] {
		on := ""
		if p.many {
			on = " on " + label(at.Host)
		}
		p.printf("- **%s**%s: %s\n", cmp.Or(text(p.tilde(at.Host, at.Path), saysWidth), "no directory"), on, text(at.sessionsThere(), saysWidth))
	}
	if more := s.elsewhere(placesOfText); more != "" {
		p.printf("- %s\n", more)
	}
}

// Outside says how many sessions the table leaves out, Places where they are.
func (s *sheet) Outside() string {
	if out := s.outside(); out.Count > 0 {
		return count(out.Count, "session", "sessions") + " of other scopes or of none:"
	}
	return ""
}

// Places is where the sessions are that the table leaves out.
func (s *sheet) Places() []line {
	out := s.outside()
	var ls []line
	for _, at := range out.Places[:min(len(out.Places), placesOfPage)] {
		l := line{Name: cmp.Or(s.Text(s.tilde(at.Host, at.Path)), "no directory"), Says: s.Text(at.sessionsThere())}
		if s.many {
			l.On = clip(at.Host, 40)
		}
		ls = append(ls, l)
	}
	if more := out.elsewhere(placesOfPage); more != "" {
		ls = append(ls, line{Name: "…", Says: more})
	}
	return ls
}

// outside is the section out of scope.
func (s *sheet) outside() Section {
	for _, section := range s.Sections {
		if section.ID == outOfScope {
			return section
		}
	}
	return Section{}
}
