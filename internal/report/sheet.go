package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Title is the page's name in a tab: what needs the owner, before all else.
func (s *sheet) Title() string {
	scope := s.Name(s.Scope)
	switch n := s.openNeeds(); {
	case s.Alarm != "":
		alarm, _, _ := strings.Cut(s.Alarm, ":")
		return alarm + " · fleet " + scope
	case n > 0:
		return fmt.Sprintf("%d for you%s · fleet %s", len(s.Needs), answeredOf(len(s.Needs)-n), scope)
	}
	return "fleet " + scope
}

// openNeeds counts what needs the owner and is not answered.
func (s *sheet) openNeeds() int {
	n := 0
	for _, need := range s.Needs {
		if need.rank() == open {
			n++
		}
	}
	return n
}

// Name and Text are foreign text on one line, Text a long one.
func (s *sheet) Name(text string) string { return clip(text, 160) }
func (s *sheet) Text(text string) string { return clip(text, 1000) }

// Headline counts the sessions, and those that wait for the owner; the tallies
// count the rest.
func (s *sheet) Headline() string {
	if s.Total == 0 {
		return (&page{Report: s.Report, clock: s.clock}).summary()
	}
	says := count(s.Total, "session", "sessions")
	for _, t := range s.tallies() {
		if t.ID == needsMe {
			says += ", " + count(t.Count, kinds[0].one, kinds[0].many)
			if t.Note != "" {
				says += " (" + t.Note + ")"
			}
		}
	}
	for _, q := range s.questions() {
		says += ", " + q
	}
	return says
}

// Where says what the picture is of: the scope, its machines, the tick.
func (s *sheet) Where() string {
	says := "Scope " + s.Name(s.Scope)
	if len(s.Hosts) > 0 {
		var hs []string
		for _, h := range s.Hosts[:min(len(s.Hosts), 8)] {
			hs = append(hs, clip(h, nameWidth))
		}
		if n := len(s.Hosts) - 8; n > 0 {
			hs = append(hs, fmt.Sprintf("%d more", n))
		}
		says += " on " + strings.Join(hs, ", ")
	}
	if s.Tick != nil {
		says += fmt.Sprintf(", tick %d", *s.Tick)
	}
	return says
}

// Picture says when the sessions were looked at.
func (s *sheet) Picture() string {
	p := &page{Report: s.Report, clock: s.clock}
	return strings.TrimRight(p.picture()+" "+p.due(), " ")
}

// Stamp is the present of the report, from which the page's script computes its age.
func (s *sheet) Stamp() string { return s.At.UTC().Format(time.RFC3339) }

// LateStamp and LateSays are when a tick's page is outdated.
func (s *sheet) LateStamp() string { return s.Outdated.UTC().Format(time.RFC3339) }
func (s *sheet) LateSays() string  { return s.both(s.Outdated.Time) }

// Alarms are the word of the alarm and what it says.
func (s *sheet) Alarms() []string {
	if s.Alarm == "" {
		return nil
	}
	word, says, _ := strings.Cut(s.Alarm, ": ")
	return []string{word, s.Text(says)}
}

// A tally is how many sessions a section has.
type tally struct {
	ID, Title string
	Count     int
	Note      string // how many of them need less attention
}

// Tallies is what needs the owner, questions about no session too, and every other
// section with sessions.
func (s *sheet) Tallies() []tally {
	ts := slices.DeleteFunc(s.tallies(), func(t tally) bool { return t.ID == needsMe })
	if n := len(s.Needs); n > 0 {
		ts = slices.Insert(ts, 0, tally{needsMe, kinds[0].title, n, strings.Trim(answeredOf(n-s.openNeeds()), " ()")})
	}
	return ts
}

// tallies is every section with sessions.
func (s *sheet) tallies() []tally {
	p := &page{Report: s.Report, clock: s.clock}
	var ts []tally
	for _, section := range s.Sections {
		if section.Count > 0 {
			ts = append(ts, tally{section.ID, section.Title, section.Count, strings.Trim(p.of(section), " ()")})
		}
	}
	return ts
}

// Chips is the tallies of the sections whose sessions the table has.
func (s *sheet) Chips() []tally {
	ts := slices.DeleteFunc(s.tallies(), func(t tally) bool { return t.ID == outOfScope })
	for i := range ts {
		if ts[i].ID == needsMe {
			ts[i].Title = "Waiting for me" // of what needs the owner the table has sessions alone
		}
	}
	return ts
}

// Listed is how many sessions the table has.
func (s *sheet) Listed() int {
	n := 0
	for _, section := range s.Sections {
		n += len(section.Rows)
	}
	return n
}

// ByOwnWord says which closed sessions nobody checked against pull requests.
func (s *sheet) ByOwnWord() string {
	n := 0
	for _, section := range s.Sections {
		for _, row := range section.Rows {
			if row.PRsUnread {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return "Closed by their own word alone, no pull request was looked at: " + count(n, "session", "sessions") + "."
}

// A line is one fact about the reading, or about several sessions.
type line struct {
	Name, On, Says string
	Sessions       []string
}

// Missing is what was not read, worst first.
func (s *sheet) Missing() []line {
	var ls []line
	for _, n := range s.NotRead {
		l := line{Name: s.Name(n.Name), Says: s.Text(n.Says), Sessions: s.named(n.Host, n.Sessions, 12)}
		if n.Host != n.Name {
			l.On = s.Name(n.Host)
		}
		if n.ResetAt != nil {
			l.Says += " (" + s.reset(n.ResetAt.Time) + ")"
		}
		ls = append(ls, l)
	}
	return ls
}

// Gaps and Others are the findings: time that was missed, and the rest.
func (s *sheet) Gaps() []line   { return s.found(func(f Finding) bool { return f.Name == gap }) }
func (s *sheet) Others() []line { return s.found(func(f Finding) bool { return f.Name != gap }) }

func (s *sheet) found(is func(Finding) bool) []line {
	var ls []line
	for _, f := range s.Findings {
		if !is(f) {
			continue
		}
		l := line{Name: s.Name(cmp.Or(f.Name, f.Subject)), Says: s.Text(f.Says), Sessions: s.named(f.Host, f.Sessions, 12)}
		if f.Until != nil {
			l.Says += " (until " + s.both(f.Until.Time) + ")"
		}
		ls = append(ls, l)
	}
	return ls
}

// Said is what the observers add about their reading.
func (s *sheet) Said() []line {
	var ls []line
	for _, n := range s.Notes {
		ls = append(ls, line{Name: s.Name(n.Name), Says: s.Text(n.Says)})
	}
	return ls
}

// named is the names of sessions, the first most of them.
func (s *sheet) named(host string, subjects []string, most int) []string {
	var names []string
	for _, subject := range subjects[:min(len(subjects), most)] {
		row := s.join(&Ask{Host: host, Ask: record.Ask{Session: subject}}).row
		if row == nil {
			row = cmp.Or(s.unjudged[key{host, subject}], &Row{Host: host, Subject: subject})
		}
		names = append(names, strings.TrimSpace(s.Name(row.Session.Name)+" "+s.short(row)))
	}
	if n := len(subjects) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return names
}

// short is the id of a session as far as it tells it apart.
func (s *sheet) short(row *Row) string {
	return clip(cmp.Or(row.short, shortID(row.Subject)), idWidth)
}
