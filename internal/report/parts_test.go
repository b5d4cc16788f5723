package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

const (
	gh       = "fleet-observe-gh"
	paseo    = "fleet-observe-paseo"
	schedule = "fleet-observe-schedule"
)

// repo adds a repository and how its reading went.
func (s *stream) repo(slug string, edit func(*record.Repo, *record.Surface)) {
	p := record.Repo{CommonDir: "/home/ana/code/" + slug + "/.git", Slug: "acme/" + slug, OK: true, DefaultBranch: "main", Login: "environment",
		Rules: &record.Rules{PullRequest: true, DriverAllowed: true}, PRs: []record.PullRequest{}}
	how := record.Surface{OK: true}
	if edit != nil {
		edit(&p, &how)
	}
	s.add(record.KindRepo, gh, p.CommonDir, p)
	if !p.NotGitHub {
		s.add(record.KindSurface, gh, "gh/"+p.Slug, how)
	}
}

func TestRepos(t *testing.T) {
	s := newStream(t)
	s.repo("lamp", nil)
	s.repo("wick", func(p *record.Repo, _ *record.Surface) {
		p.DefaultBranch = "trunk"
		p.PRs = []record.PullRequest{{Number: 1, Draft: true, Hold: true}, {Number: 2, Checks: "failing"}, {Number: 3, Checks: "passing"}}
	})
	s.repo("open", func(p *record.Repo, _ *record.Surface) {
		*p.Rules = record.Rules{Flags: []string{"no pull_request rule", "no required status checks"}, Classic: "cannot tell"}
	})
	s.repo("exempt", func(p *record.Repo, _ *record.Surface) {
		*p.Rules = record.Rules{Flags: []string{"no pull_request rule"}, Classic: "admins exempt"}
		p.PRs, p.Truncated = nil, true
	})
	s.repo("forced", func(p *record.Repo, _ *record.Surface) {
		p.Rules.Flags = []string{"force-push to the default branch not blocked"}
	})
	s.repo("hidden", func(p *record.Repo, _ *record.Surface) {
		*p.Rules, p.PRs = record.Rules{CannotTell: "HTTP 404"}, nil
	})
	for _, name := range []string{"limited", "limited2"} {
		s.repo(name, func(p *record.Repo, how *record.Surface) {
			p.OK, p.Error, p.ResetAt, p.Rules, p.PRs = false, "rate limit", ago(-time.Hour), nil, nil
			how.OK, how.Error = false, "rate limit"
		})
	}
	s.repo("loggedout", func(p *record.Repo, how *record.Surface) {
		p.OK, p.Error, p.Rules, p.PRs, p.Login, how.Absent = false, "gh has no login", nil, nil, "none", true
	})
	s.repo("elsewhere", func(p *record.Repo, _ *record.Surface) {
		p.OK, p.NotGitHub, p.Slug, p.Rules, p.PRs = false, true, "", nil, nil
	})
	md := s.markdown()
	has(t, md, "## Repositories (10)\n\n"+
		"- **acme/limited**, **acme/limited2**: not observed: rate limit (resets 16:50 CET (15:50 UTC), in 1 h 00 min)\n"+
		"- **acme/exempt** (main, more PRs than are listed): no driver may work here: no pull_request rule; classic protection exempts admins\n"+
		"- **acme/open** (main, no open PR): no driver may work here: no pull_request rule; no required status checks; classic protection cannot be told\n"+
		"- **acme/hidden** (main, PRs not read): whether a driver may work here cannot be told: its rules were not shown: HTTP 404\n"+
		"- **acme/forced** (main, no open PR): a driver may work here: force-push to the default branch not blocked\n"+
		"- **acme/lamp** (main, no open PR), **acme/wick** (trunk, 3 open PRs (1 failing, 1 on hold, 1 draft)): a driver may work here\n"+
		"- **acme/loggedout**: not looked at: gh has no login\n"+
		"- **/home/ana/code/elsewhere/.git**: not on GitHub\n"+
		"\nThe login that gh used: environment.\n",
		"Not looked at: Paseo's schedules; launchd, systemd and run logs.\n")
}

// A tick shows the repositories of its scope: gh looks at all of the machine.
func TestRepos_scope(t *testing.T) {
	for scope, want := range map[string]string{"lamp": "acme/mine", LocalScope: "acme/foreign acme/mine acme/shared"} {
		s := newStream(t)
		of := func(name string) string { return "/home/ana/code/" + name + "/.git" }
		s.add(record.KindTick, "fleet-config", scope, record.Tick{Scope: scope, Host: "devbox", Repos: []string{of("mine"), of("shared")}, Others: []string{of("shared")}})
		for _, name := range []string{"mine", "shared", "foreign"} {
			s.repo(name, nil)
		}
		set := setOf(s.bytes())
		var names []string
		for _, r := range Build(set, look).Repos.Rows {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("scope %s shows %q, want %q", scope, got, want)
		}
	}
}

// A session that says it is closed is believed; whether somebody looked at its
// pull requests is said.
func TestPRsUnread(t *testing.T) {
	closed := func(s *stream, name string) {
		s.session("8", func(v *record.Verdict) { v.Session.Name, v.Session.Repo = name, "/home/ana/code/"+name+"/.git" })
	}
	tests := []struct {
		name string
		gh   func(*stream)
		want string
	}{
		{"nobody looked", func(*stream) {}, "By their own word alone, no pull request was looked at: all of them.\n"},
		{"both were looked at", func(s *stream) {
			s.repo("lamp", nil)
			s.repo("wick", func(p *record.Repo, _ *record.Surface) { p.OK, p.NotGitHub, p.PRs = false, true, nil })
		}, ""},
		{"one was not read", func(s *stream) {
			s.repo("lamp", nil)
			s.repo("wick", func(p *record.Repo, _ *record.Surface) { p.PRs = nil })
		}, "By their own word alone, no pull request was looked at: wick `00000002`.\n"},
		{"one failed", func(s *stream) {
			s.repo("wick", func(p *record.Repo, _ *record.Surface) { p.OK = false })
			s.repo("lamp", nil)
		}, "By their own word alone, no pull request was looked at: wick `00000002`.\n"},
	}
	for _, tt := range tests {
		s := newStream(t)
		closed(s, "lamp")
		closed(s, "wick")
		tt.gh(s)
		if got := lineWith(s.markdown(), "By their own word") + "\n"; strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// None is said only of what somebody looked at, and read.
func TestLooked(t *testing.T) {
	tests := []struct {
		name                   string
		add                    func(*stream)
		repos, schedules, past string
		says                   string // of the schedules
	}{
		{"nobody", func(*stream) {}, LookedNot, LookedNot, LookedNot, "not looked at: Paseo's schedules; launchd, systemd and run logs"},
		{"all", func(s *stream) {
			for name, by := range map[string]string{"gh/acme/lamp": gh, "paseo/schedules": paseo, "schedule/systemd": schedule, "ledger": "fleet-ledger"} {
				s.add(record.KindSurface, by, name, record.Surface{OK: true, Absent: name == "paseo/schedules"})
			}
		}, LookedAll, LookedAll, LookedAll, ""},
		{"half", func(s *stream) {
			s.add(record.KindSurface, paseo, "paseo/schedules", record.Surface{OK: true})
		}, LookedNot, LookedPart, LookedNot, "not looked at: launchd, systemd and run logs"},
		{"failed", func(s *stream) {
			s.add(record.KindSurface, paseo, "paseo/schedules", record.Surface{OK: true})
			s.add(record.KindSurface, schedule, "schedule/systemd", record.Surface{Error: "no bus"})
			s.add(record.KindSurface, gh, "gh/acme/lamp", record.Surface{Error: "HTTP 502"})
		}, LookedPart, LookedPart, LookedNot, "not read whole: launchd, systemd and run logs"},
		{"cut", func(s *stream) {
			s.add(record.KindSurface, paseo, "paseo/schedules", record.Surface{OK: true})
			s.wrote[paseo]++
			s.add(record.KindSurface, "fleet-ledger", "ledger", record.Surface{OK: true})
			s.wrote["fleet-ledger"]++
		}, LookedNot, LookedPart, LookedPart, "not looked at: launchd, systemd and run logs; not read whole: Paseo's schedules"},
	}
	for _, tt := range tests {
		s := newStream(t)
		tt.add(s)
		_, doc := render(t, s.bytes(), time.Time{})
		var d map[string]struct {
			Looked, Says string
			Rows         []any
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(doc, &all); err != nil {
			t.Fatal(err)
		}
		for k := range all {
			if k != "repos" && k != "schedules" && k != "past" {
				delete(all, k)
			}
		}
		if err := json.Unmarshal(mustJSON(t, all), &d); err != nil {
			t.Fatal(err)
		}
		if d["repos"].Looked != tt.repos || d["schedules"].Looked != tt.schedules || d["past"].Looked != tt.past || d["schedules"].Says != tt.says {
			t.Errorf("%s: %+v", tt.name, d)
		}
		for k, part := range d {
			if part.Rows == nil || (part.Says == "") != (part.Looked == LookedAll) {
				t.Errorf("%s: %s: %+v", tt.name, k, part)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	zero, one := 0, 1
	pasts := func(ps ...record.Past) []record.Past { return ps }
	good := record.Past{Tick: 3, FireAt: ago(time.Hour), ExitAt: ago(time.Hour), Exit: &zero}
	bad := record.Past{Tick: 4, FireAt: ago(50 * time.Minute), ExitAt: ago(50 * time.Minute), Exit: &one}
	cut := record.Past{Tick: 5, FireAt: ago(40 * time.Minute)}
	now := record.Past{Tick: 14, FireAt: ago(0)}
	lost := record.Past{Tick: 2, Exit: &zero}
	tests := []struct {
		past []record.Past
		want string
	}{
		{nil, ""},
		{pasts(now), ""},
		{pasts(good, now), "The last tick did not fail."},
		{pasts(bad, now), "The last tick failed; not one was good."},
		{pasts(good, bad, cut, now), "Of the last 3 ticks 1 failed and 1 never ended; the last good one was tick 3, 14:50 CET (13:50 UTC)."},
		{pasts(bad, cut), "Of the last 2 ticks 1 failed and 1 never ended; not one was good."},
		{pasts(lost, bad), "Of the last 2 ticks 1 failed; the last good one was tick 2."},
	}
	for _, tt := range tests {
		s := newStream(t)
		n := 14
		s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
		for _, p := range tt.past {
			s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", p.Tick), p)
		}
		if got := cmp.Or(lineWith(s.markdown(), "Of the last "), lineWith(s.markdown(), "The last tick ")); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// The last 48, in the order of their numbers and not of their names.
func TestTicks_many(t *testing.T) {
	s := newStream(t)
	zero := 0
	for n := range 100 {
		s.add(record.KindPast, "fleet-ledger", fmt.Sprintf("tick:%d", n), record.Past{Tick: n, Exit: &zero})
	}
	rows := Build(setOf(s.bytes()), look).Past.Rows
	if len(rows) != 48 || rows[0].Tick != 52 || rows[47].Tick != 99 {
		t.Errorf("%d ticks from %d to %d", len(rows), rows[0].Tick, rows[len(rows)-1].Tick)
	}
}

// Time that was missed stands before everything that was seen in the rest.
func TestGap(t *testing.T) {
	s := newStream(t)
	s.session("3", nil)
	s.session("5", nil)
	s.add(record.KindFinding, "fleet-classify", "gap", record.Finding{Name: gap, Says: "no tick for 3 h"})
	s.add(record.KindFinding, "fleet-classify", "count", record.Finding{Name: "count", Says: "2 sessions"})
	md := s.markdown()
	has(t, md, "\n## Missed time (1)\n\n- **gap**: no tick for 3 h\n\n## Needs me", "\n## Findings (1)\n\n- **count**: 2 sessions\n")
}
