package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A repoCell is a repository as the page shows it.
type repoCell struct {
	On, Name, Branch, State, Mark, Says, Pulls string
	Open                                       []pull
}

// A pull is an open pull request. Link is "" when no address can be made that
// is sure to be GitHub's.
type pull struct {
	Number                int
	Title, Branch, Author string
	Link                  string
	Marks                 []string
}

// RepoRows is the repositories of the scope.
func (s *sheet) RepoRows() []repoCell {
	var cells []repoCell
	for _, r := range s.Repos.Rows {
		c := repoCell{Name: s.Name(r.Name), Branch: clip(r.DefaultBranch, 60), State: r.State, Mark: "dim", Says: s.Text(r.Says), Pulls: r.pulls()}
		if s.many {
			c.On = clip(r.Host, 40)
		}
		switch r.State {
		case RepoEligible:
			c.State, c.Mark = "a driver may work here", "good"
		case RepoIneligible:
			c.State, c.Mark = "no driver may work here", "warn"
		case RepoUntold:
			c.State, c.Mark = "cannot be told", "warn"
		case RepoUnread:
			c.Mark, c.Pulls = "bad", ""
		default:
			c.Pulls = ""
		}
		if r.ResetAt != nil {
			c.Says += " (" + s.reset(r.ResetAt.Time) + ")"
		}
		for _, pr := range r.PRs {
			p := pull{Number: pr.Number, Title: s.Name(pr.Title), Branch: clip(pr.Head, 60), Author: clip(pr.Author, 40), Link: pullLink(r.Slug, pr.Number)}
			for _, m := range []struct {
				word string
				is   bool
			}{{"draft", pr.Draft}, {"hold", pr.Hold}, {"checks failing", pr.Checks == "failing"}, {"checks pending", pr.Checks == "pending"}} {
				if m.is {
					p.Marks = append(p.Marks, m.word)
				}
			}
			c.Open = append(c.Open, p)
		}
		cells = append(cells, c)
	}
	return cells
}

var slug = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`) })

// pullLink is the address of a pull request, made of nothing but the name of
// its repository and its number: an address that somebody wrote may lead
// anywhere.
func pullLink(name string, number int) string {
	if !slug().MatchString(name) || strings.Contains(name, "..") || number <= 0 {
		return ""
	}
	return fmt.Sprintf("https://github.com/%s/pull/%d", name, number)
}

// Login says which login gh used.
func (s *sheet) Login() string { return s.Text(strings.Join(s.logins(), ", ")) }

// A workCell is scheduled work as the page shows it.
type workCell struct {
	Name, Source, Cadence, Last, Next, State, Mark, Status, Detail string
}

// Work is the scheduled work, stale first.
func (s *sheet) Work() []workCell {
	marks := map[string]string{ScheduleStale: "bad", ScheduleFailed: "bad", ScheduleHidden: "bad", ScheduleFine: "good", ScheduleOff: "dim"}
	var cells []workCell
	for i := range s.Schedules.Rows {
		r := &s.Schedules.Rows[i]
		c := workCell{
			Name: s.Name(r.title()), Source: clip(r.Source, 40), Cadence: s.Name(r.Cadence), Last: s.Name(s.lastRun(r)), Next: s.nextRun(r),
			State: r.State, Mark: marks[r.State], Status: clip(r.Status, 40), Detail: s.Text(r.Detail),
		}
		if s.many {
			c.Source += " on " + clip(r.Host, 40)
		}
		cells = append(cells, c)
	}
	return cells
}

// RepoNone and WorkNone say why a part has no rows, or which it may lack; only
// when all of it was looked at are there none.
func (s *sheet) RepoNone() string { return none(s.Repos, "No repository") }
func (s *sheet) WorkNone() string { return none(s.Schedules, "No scheduled work") }

func none[T any](p Part[T], nothing string) string {
	switch {
	case p.Looked == LookedAll:
		return nothing + "."
	case p.Looked == LookedPart && len(p.Rows) == 0:
		return nothing + " in what was read; " + clip(p.Says, saysWidth) + "."
	}
	return capital(clip(p.Says, saysWidth)) + "."
}

// capital begins a sentence of our own words.
func capital(says string) string { return strings.ToUpper(says[:1]) + says[1:] }

// A surfaceCell is the surfaces of one state.
type surfaceCell struct {
	State, Mark string
	Rows        []line
}

// Read is how the reading of each surface went, failures first.
func (s *sheet) Read() []surfaceCell {
	cells := []surfaceCell{{State: SurfaceFailed, Mark: "bad"}, {State: SurfacePart, Mark: "warn"}, {State: SurfaceRead, Mark: "good"}, {State: SurfaceAbsent, Mark: "dim"}}
	for _, f := range s.Surfaces {
		for i := range cells {
			if cells[i].State == f.State {
				l := line{Name: s.Name(f.Name), Says: s.Text(f.Says)}
				if s.many {
					l.On = clip(f.Host, 40)
				}
				if f.State == SurfaceRead {
					l.Says = cmp.Or(l.Says, fmt.Sprint(f.Rows))
				}
				cells[i].Rows = append(cells[i].Rows, l)
			}
		}
	}
	return slices.DeleteFunc(cells, func(c surfaceCell) bool { return len(c.Rows) == 0 })
}
