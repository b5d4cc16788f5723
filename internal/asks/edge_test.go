package asks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// What raises nothing: the ask is not there, and is resolved when it was.
func TestNotRaised(t *testing.T) {
	unexpected := func(product string) change {
		return ticked(func(tk *record.Tick) {
			tk.Surfaces = slices.DeleteFunc(slices.Clone(tk.Surfaces), func(s string) bool { return s == product })
		})
	}
	elsewhere := func(p *record.Repo) { p.OK, p.Rules = false, nil }
	for _, tt := range []struct {
		name string
		key  string
		w    *world
	}{
		{"a repository of another scope", "repo:else/other", newWorld(repo(2, elsewhere))},
		{"one that another scope names", "repo:acme/lamp", newWorld(repo(0, elsewhere), ticked(func(tk *record.Tick) { tk.Others = []string{lamp} }))},
		{"no agent may be of the repository that was not found", "records-without-process", newWorld(lost, agent(lamp, false), agent("/w/fan/.git", true),
			agent("/w/stove/.git", false), ticked(func(tk *record.Tick) { tk.Others = []string{"/w/stove/.git"} }))},
		{"an agent that nothing places, and every repository was found", "records-without-process", newWorld(agent("", false))},
		{"one that left the scope", "rules:acme/lamp:x", newWorld(leaves(lamp), repo(0, func(p *record.Repo) { p.Rules.Flags = []string{"x"} }))},
		{"one that is gone", "rules:acme/lamp:x", newWorld(leaves(lamp), func(w *world) { w.repos = w.repos[1:] })},
		{"one that moved from GitHub", "rules:acme/lamp:x", newWorld(repo(0, func(p *record.Repo) { p.NotGitHub, p.OK, p.Slug, p.Rules = true, false, "", nil }))},
		{"its slug is known now", "repo:" + lamp, newWorld()},
		{"GitHub neither used nor expected", "repo:acme/lamp", newWorld(unexpected("gh"), absent("devbox gh/acme/lamp", "devbox gh/acme/wick"), func(w *world) {
			w.repos[0] = &record.Repo{CommonDir: lamp, NotGitHub: true}
			w.repos[1] = &record.Repo{CommonDir: wick, NotGitHub: true}
		})},
		{"the listing is not expected", "listing", newWorld(unexpected("claude"), failed("devbox claude/listing"))},
		{"Paseo is not expected", "surface:paseo/agents", newWorld(unexpected("paseo"), failed("devbox paseo/agents"))},
		{"GitHub is not expected", "surface:gh", newWorld(unexpected("gh"), silent("devbox "+observer+"gh"))},
		{"the question is of another tick's configuration", "when:even", newWorld()},
		{"another question", "prompt:s1:00000000", newWorld(waits(devbox, "s1"))},
		{"a prompt became a block", "prompt:s1:" + promptTag, newWorld(stuck(devbox, "s1"))},
		{"an interactive session needs no job files", "blocked:s1:" + blockedTag, newWorld(failed("devbox claude/jobs"))},
		{"no board is expected", "blocked:s1:" + blockedTag, newWorld(unexpected("board"), silent("devbox "+observer+"board"))},
		{"another directory failed", "prompt:s1:" + promptTag, newWorld(failed("devbox claude/listing@work"))},
		{"another machine failed", "prompt:s1:" + promptTag, newWorld(failed("attic claude/listing"))},
		{"the session is out of the scope", "prompt:s1:" + promptTag, newWorld(judged(devbox, "s1", "1", ""))},
		{"the session is gone", "prompt:s1:" + promptTag, newWorld(gone(devbox, "s1"))},
	} {
		if got := tt.w.fold(t).state(tt.key); got != "" && got != record.AskResolved {
			t.Errorf("%s: %s is %s", tt.name, tt.key, got)
		}
		asks(tt.key, record.AskOpen)(tt.w)
		if f := tt.w.fold(t); f.state(tt.key) != record.AskResolved {
			t.Errorf("%s: %s was open and is %q: %q", tt.name, tt.key, f.state(tt.key), f.keys())
		}
	}
}

// A key of another release, or one that is no key, is never resolved.
func TestUnknownKeys(t *testing.T) {
	for _, key := range []string{"spend:home", "surface:queue/x", "surface:ledgers", "surface:attic/gh", "surface:paseo", "listing-cap", "listings", "drift:version 2@home",
		"core-compare", "x"} {
		f := newWorld(asks(key, record.AskOpen), silent(devbox+" "+observer+"paseo")).fold(t)
		if got := f.state(key); got != record.AskUnchecked {
			t.Errorf("%q is %q", key, got)
		}
	}
}

// While the words of a question are not read, the question that is asked stays
// as it is; when none is, the session is asked about in the words that are
// there.
func TestUnworded(t *testing.T) {
	was := "prompt:s1:" + promptTag
	waiting := func(s *seat) { s.session.Listing.WaitingFor = "permission prompt" }
	unworded := map[string]change{
		"transcript not read":   judged(devbox, "s1", "3", "permission prompt", waiting, func(s *seat) { s.session.Transcript = nil }),
		"transcript unreadable": judged(devbox, "s1", "3", "permission prompt", waiting, func(s *seat) { s.session.Transcript.Unread = "no rights" }),
		"job file unreadable":   judged(devbox, "s1", "3", "permission prompt", waiting, func(s *seat) { s.session.Job = &record.Job{Unread: "torn"} }),
		"job files not read":    all(failed("devbox claude/jobs"), judged(devbox, "s1", "3", "permission prompt", waiting, kind("background"))),
		"listing not read":      all(failed("devbox claude/listing"), judged(devbox, "s1", "3", "Go?", func(s *seat) { s.session.Listing = nil })),
	}
	for why, c := range unworded {
		if f := newWorld(c, asks(was, record.AskOpen)).fold(t); f.state(was) != record.AskUnchecked || slices.ContainsFunc(f.raised(), aboutS1) {
			t.Errorf("%s: %q", why, f.keys())
		}
		if f := newWorld(c, asks(was, record.AskAcked)).fold(t); f.state(was) != record.AskAcked || slices.ContainsFunc(f.raised(), aboutS1) {
			t.Errorf("%s, answered: %q", why, f.keys())
		}
		if f := newWorld(c, asks("prompt:s1:x:"+promptTag, record.AskOpen)).fold(t); !slices.ContainsFunc(f.raised(), aboutS1) {
			t.Errorf("%s, not asked: %q", why, f.keys())
		}
	}
}

func aboutS1(key string) bool { return strings.HasPrefix(key, "prompt:s1:") }

// The tag is of what is asked, not of who asks or how it is known.
func TestTag(t *testing.T) {
	if got := tag("input needed\x00Go?"); got != "862d66c2" {
		t.Errorf("the tag of a question changed to %s: every open prompt would be asked again", got)
	}
	key := func(c change) string { return newWorld(c).fold(t).raised()[0] }
	base := key(waits(devbox, "s1"))
	noise := func(s *seat) {
		s.verdict.Evidence = []record.Evidence{{Source: "claude/listing", Says: "since 3 min"}}
		s.verdict.Session.Name, s.verdict.WouldDo, s.session.Listing.PID = "other", "ask", 77
	}
	if got := key(waits(devbox, "s1", noise)); got != base {
		t.Errorf("%s became %s", base, got)
	}
	if got := key(judged(devbox, "s1", "3", "Stop?", func(s *seat) { s.session.Listing.WaitingFor = "input needed" })); got == base {
		t.Error("another question has the same key")
	}
	if got := key(judged(devbox, "s1", "3", "Go?", func(s *seat) { s.session.Listing.WaitingFor = "dialog open" })); got == base {
		t.Error("another wait has the same key")
	}
}

// Records of programs that are not the judge raise nothing, nor do records of
// machines that are not expected.
func TestStrangers(t *testing.T) {
	w := newWorld()
	n := 0
	w.findings = []record.Record{
		must(record.New(record.KindVerdict, noon, devbox, "somebody", "s9", record.Verdict{Class: "3", Question: "Go?"})),
		must(record.New(record.KindFinding, noon, "", "somebody", "records-without-process", record.Finding{Name: "records-without-process"})),
		must(record.New(record.KindSurface, noon, "cellar", observer+"claude", "claude/jobs", record.Surface{Error: "gone", Drift: []string{"x"}, Unparsed: 3})),
		must(record.New(record.KindAsked, noon, "cellar", ledger, "listing", record.Asked{Key: "listing", State: record.AskOpen})),
		must(record.New(record.KindRepo, noon, "cellar", observer+"gh", lamp, record.Repo{CommonDir: lamp, Slug: "acme/lamp"})),
	}
	rs := w.records()
	n = len(w.sessions)
	rs[len(rs)-1] = must(record.New(record.KindSurface, noon, "", judge, judge, record.Surface{OK: true, Records: &n}))
	if f, err := Of(setOf(rs), noon, odd); err != nil || len(f.Asks) > 0 {
		t.Errorf("%v %q", err, f.keys())
	}
}

// An expression that fails says so and resolves nothing; one that does not
// compile is an error that names its question.
func TestAskWhen(t *testing.T) {
	shell := judged(devbox, "s1", "5", "", kind("shell"))
	f := newWorld(shell).fold(t)
	if want := []string{"ask_when odd: session s1: a shell is not odd"}; !slices.Equal(f.Broken, want) || len(f.Asks) > 0 {
		t.Errorf("%q %q", f.Broken, f.keys())
	}
	if f := newWorld(shell, judged(devbox, "s2@work", "5", "", kind(""))).fold(t); f.state("when:odd") != record.AskNew || len(f.Broken) > 0 {
		t.Errorf("another record meets it: %q %q", f.keys(), f.Broken)
	}
	bad := newWorld(ticked(func(tk *record.Tick) { tk.AskWhen = []record.AskWhen{{Key: "x", When: "]"}} }))
	if f, err := Of(setOf(bad.records()), noon, odd); err == nil || err.Error() != "ask_when x: column 1: no such thing" || len(f.Asks) > 0 {
		t.Errorf("%v %q", err, f.keys())
	}
	lines := newWorld(judged(devbox, "s1", "5", "", kind("")), ticked(func(tk *record.Tick) { tk.AskWhen[0].Question = "Odd?\n\x1b[2J\tReally?" }))
	if got := lines.fold(t).Asks[0].Question; got != "Odd? [2J Really?" {
		t.Errorf("%q", got)
	}
}

// Repositories that nobody looked at.
func TestUnseenRepos(t *testing.T) {
	f := newWorld(func(w *world) { w.repos = w.repos[:1] }, ticked(func(tk *record.Tick) { tk.Unfound = []string{"~/mantle: is not there: x"} })).fold(t)
	if want := []string{"new repo:" + wick, "new repo:~/mantle"}; !slices.Equal(f.keys(), want) {
		t.Errorf("%q, want %q", f.keys(), want)
	}
	f = newWorld(shares(lamp)).fold(t)
	if want := []string{"new repo:" + lamp}; !slices.Equal(f.keys(), want) || f.Asks[0].Question != lamp+": two scopes name it: home, lamp" {
		t.Errorf("%q, want %q: %+v", f.keys(), want, f.Asks)
	}
	if f := newWorld(absent("devbox gh/acme/lamp"), repo(0, func(p *record.Repo) { p.OK = false })).fold(t); !slices.Equal(f.keys(), []string{"new repo:acme/lamp"}) {
		t.Errorf("no login, and GitHub is expected: %q", f.keys())
	}
	schedule := func(tk *record.Tick) { tk.Surfaces = append(slices.Clone(tk.Surfaces), "schedule") }
	if f := newWorld(ticked(schedule), ticked(func(tk *record.Tick) { tk.Hosts = nil }), gone(attic, "s3")).fold(t); !slices.Equal(f.keys(), []string{"new surface:schedule"}) {
		t.Errorf("one machine, schedules expected: %q", f.keys())
	}
}

// The same question asked again after the answer is a new ask; one that goes on
// is not, whatever else its session writes meanwhile.
func TestRenewed(t *testing.T) {
	at := func(h int) *record.Time {
		return ptr(record.NewTime(time.Date(2026, 11, 29, h, 0, 0, 0, time.UTC)))
	}
	process := func(h int) func(*seat) {
		return func(s *seat) { s.session.Process = &record.Process{RawStatus: "waiting", StatusSince: at(h)} }
	}
	call := func(h int) func(*seat) {
		return func(s *seat) {
			s.session.Transcript.Question = &record.Question{At: at(h), Kind: "question", Text: "which?"}
		}
	}
	wrote := func(s *seat) { s.session.Transcript.ActivityAt = at(11) }
	tests := []struct {
		name  string
		state string
		seat  []func(*seat)
		want  string
	}{
		{"goes on", record.AskAcked, []func(*seat){process(8), call(8), wrote}, record.AskAcked},
		{"began to wait again", record.AskAcked, []func(*seat){process(10), wrote}, record.AskNew},
		{"asked again", record.AskAcked, []func(*seat){call(10)}, record.AskNew},
		{"nobody knows since when", record.AskAcked, []func(*seat){wrote}, record.AskAcked},
		{"asked again, and not answered before", record.AskOpen, []func(*seat){process(10)}, record.AskOpen},
	}
	for _, tt := range tests {
		w := newWorld()
		w.seat(devbox, "s1", "3", "which?", tt.seat...)
		key := "prompt:s1:" + tag("\x00which?")
		w.asked = []record.Asked{{Key: key, ID: "a1", Batch: 7, Intent: "7-2", State: tt.state, FirstTick: 7, Since: &dawn, AnsweredAt: at(9)}}
		f := w.fold(t)
		got := ""
		for _, a := range f.Asks {
			if a.Key == key {
				got = a.State
			}
		}
		if got != tt.want || (len(f.Entries) > 0) != (tt.want == record.AskNew) {
			t.Errorf("%s: %q with %d entries, want %q", tt.name, got, len(f.Entries), tt.want)
		}
	}
}
