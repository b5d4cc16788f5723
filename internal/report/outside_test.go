package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// A session that no scope has does not vanish: where it works is named, with what
// would take it in.
func TestOutside(t *testing.T) {
	s := newStream(t)
	s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Scope: "lamp", Host: "devbox", Others: []string{"/home/ana/code/oven/.git"}})
	out := func(cwd, repo string, times int) {
		for range times {
			s.session("1", func(v *record.Verdict) { v.Session.Cwd, v.Session.Repo = cwd, repo })
		}
	}
	out("/home/ana/src/handbook/.claude/worktrees/a", "/home/ana/src/handbook/.git", 3)
	out("/home/ana/src/handbook", "/home/ana/src/handbook/.git", 4)
	out("/home/ana/code/oven", "/home/ana/code/oven/.git", 2)
	s.session("1", func(v *record.Verdict) {
		v.Session.Cwd, v.Session.Repo, v.Evidence = "/home/ana/notes", "", []record.Evidence{{Source: "git", Says: "its cwd is gone and nothing places it"}}
	})
	out("/home/ana/bare", "/srv/git/x.git", 1)
	s.session("5", nil)
	md := s.markdown()
	has(t, md, "## Out of scope (11)\n\n11 sessions of other scopes or of none:\n\n"+
		"- **~/src/handbook**: 7 sessions; add it to repos, if it is yours\n"+
		"- **~/code/oven**: 2 sessions; another scope names it, or more than one does\n"+
		"- **~/notes**: 1 session; in no scope: its cwd is gone and nothing places it\n"+
		"- **/srv/git/x.git**: 1 session; add it to repos, if it is yours\n")

	r := Build(setOf(s.b.Bytes()), look)
	var doc, html bytes.Buffer
	if err := JSON(&doc, r); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Sections []struct {
			ID     string
			Places []Place
		}
	}
	if err := json.Unmarshal(doc.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	for _, section := range d.Sections {
		want := 0
		if section.ID == outOfScope {
			want = 4
		}
		if len(section.Places) != want {
			t.Errorf("section %s: places %v, want %d", section.ID, section.Places, want)
		}
		if want > 0 && section.Places[0] != (Place{"devbox", "/home/ana/src/handbook", 7, "add it to repos, if it is yours"}) {
			t.Errorf("first place %+v", section.Places[0])
		}
	}
	if err := HTML(&html, r); err != nil {
		t.Fatal(err)
	}
	has(t, html.String(), "<li><b>~/src/handbook</b>: 7 sessions; add it to repos, if it is yours</li>")
}

// What a machine of hosts would take in is said in its own list, and many places
// are counted, not listed.
func TestOutside_many(t *testing.T) {
	s := newStream(t)
	s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Scope: "lamp", Host: "elsewhere", Others: []string{"/code/d5/.git"},
		There: map[string][]string{"devbox": {"/x/.git"}}})
	for i := range mostPlaces + 20 {
		s.session("1", func(v *record.Verdict) { v.Session.Repo = fmt.Sprintf("/code/d%d/.git", i) })
	}
	md := s.markdown()
	_, list, _ := strings.Cut(md, "## Out of scope")
	if n := strings.Count(list, "\n- "); n != placesOfText+1 {
		t.Errorf("%d lines", n)
	}
	has(t, md, "- **/code/d0**: 1 session; add it to repos of this machine in hosts, if it is yours\n", fmt.Sprintf("- and %d sessions elsewhere\n", mostPlaces+20-placesOfText))
	if strings.Contains(md, "another scope names") {
		t.Error("the repositories of other scopes are this machine's")
	}
	r := Build(setOf(s.b.Bytes()), look)
	if n := len(r.Sections[len(r.Sections)-1].Places); n != mostPlaces {
		t.Errorf("%d places", n)
	}
	if ls := newSheet(r).Places(); len(ls) != placesOfPage+1 || ls[placesOfPage].Says != fmt.Sprintf("and %d sessions elsewhere", mostPlaces+20-placesOfPage) {
		t.Errorf("the page has %d places, the last %+v", len(ls), ls[len(ls)-1])
	}
}
