package reconcile

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/record"
)

// beside adds the workspace of an agent, as changed, and what the ledger has of that.
func beside(path string, changes ...func(*record.Workspace, *record.Heal)) func(*scene) {
	return func(s *scene) {
		p, h := &record.Workspace{Agent: "docs", Project: "p", Registry: &record.Registry{Kind: "local", ID: "/r"}, Path: path, Processes: []record.AgentProc{}}, &record.Heal{Agent: "docs"}
		for _, c := range changes {
			c(p, h)
		}
		s.places, s.heals = append(s.places, p), append(s.heals, h)
	}
}

func pausedDocs(_ *record.Workspace, h *record.Heal) { h.Paused = true }

func lockedDocs(p *record.Workspace, _ *record.Heal) {
	p.Maintenance = &record.Maintenance{HeartbeatAt: *ago(time.Minute)}
}

func upgradedDocs(_ *record.Workspace, h *record.Heal) { h.Open = []record.OpenAct{{Verb: "upgrade"}} }

func unreadDocs(p *record.Workspace, _ *record.Heal) {
	*p = record.Workspace{Path: p.Path, Unread: "not JSON at byte 7", Processes: []record.AgentProc{}}
}

func runsDocs(p *record.Workspace, _ *record.Heal) {
	p.Processes = []record.AgentProc{{PID: 500, Kind: "claude", Cwd: p.Path}}
}

// What holds hands off an agent that no list names holds for the sessions in its workspace.
var ownedTable = []sessionScene{
	{"in a workspace of no list", "9", "stalled", "HEAL stalled mail", nil, beside("/src/s")},
	{"its agent is paused", "9", "paused", "SKIP paused", nil, beside("/src/s", pausedDocs)},
	{"its agent is paused, and its workspace lies above", "4", "paused", "SKIP paused", []change{ended, cause("network")}, beside("/src", pausedDocs)},
	{"another is paused", "9", "stalled", "HEAL stalled mail", nil, beside("/src/sx", pausedDocs)},
	{"its agent is being upgraded", "9", "maintenance", "SKIP maintenance", nil, beside("/src", lockedDocs)},
	{"its agent is being upgraded by fleet", "9", "maintenance", "SKIP maintenance", nil, beside("/src", upgradedDocs)},
	{"it goes on, and its agent is being upgraded", "5", "maintenance", "SKIP maintenance", []change{toldOf("hung")}, beside("/src", lockedDocs)},
	{"nobody knows its agent", "9", "nameless", "SKIP nameless", nil, beside("/src/s", unreadDocs)},
	{"nobody knows its agent, and it is paused", "9", "paused", "SKIP paused", []change{pausedSession}, beside("/src/s", unreadDocs)},
}

// A session belongs to the nearest workspace at or above its directory, however that is
// written, or to that in which its process is; a further work tree is another checkout.
func TestOwner(t *testing.T) {
	in := func(cwd string, cwds ...string) change {
		return func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Cwd, p.Cwds = cwd, cwds }
	}
	tree := func(top, repo string) change {
		return func(p *record.Session, _ *record.Verdict, _ *record.Heal) { p.Worktree, p.Repo = top, repo }
	}
	for name, tt := range map[string]struct {
		around  []func(*scene)
		changes []change
		want    string
	}{
		"none":                              {nil, []change{in("/w/docs")}, "-"},
		"at it":                             {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs")}, "/w/docs"},
		"below it":                          {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/a/b")}, "/w/docs"},
		"beside it":                         {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs-2")}, "-"},
		"above it":                          {[]func(*scene){beside("/w/docs")}, []change{in("/w")}, "-"},
		"everything lies in it":             {[]func(*scene){beside("/")}, []change{in("/w/x")}, "/"},
		"the nearer of two":                 {[]func(*scene){beside("/w/docs"), beside("/w/docs/a", unreadDocs)}, []change{in("/w/docs/a/b")}, "/w/docs/a"},
		"written in another way":            {[]func(*scene){beside("/w/docs")}, []change{in("/link/a", "/w/docs/a")}, "/w/docs"},
		"no directory is known":             {[]func(*scene){beside("/")}, []change{in("")}, "-"},
		"no directory is known, a process":  {[]func(*scene){beside("/w/docs", runsDocs)}, []change{in("")}, "/w/docs"},
		"its process is in another":         {[]func(*scene){beside("/w/docs", runsDocs), beside("/src")}, nil, "/w/docs"},
		"its process has ended":             {[]func(*scene){beside("/w/docs", runsDocs)}, []change{ended}, "-"},
		"its process is in no workspace":    {[]func(*scene){beside("/src/s", unreadDocs, runsDocs, func(p *record.Workspace, _ *record.Heal) { p.Unread = "" })}, nil, "-"},
		"a further work tree":               {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/t/x"), tree("/w/docs/t", "/w/docs/.git")}, "-"},
		"a further work tree, of all there": {[]func(*scene){beside("/")}, []change{in("/t/x"), tree("/t", "/w/docs/.git")}, "-"},
		"a module":                          {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/m"), tree("/w/docs/m", "/w/docs/.git/modules/m")}, "/w/docs"},
		"a repository in it":                {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/m"), tree("/w/docs/m", "/w/docs/m/.git")}, "/w/docs"},
		"its own repository":                {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/m"), tree("/w/docs", "/w/docs/.git")}, "/w/docs"},
		"a work tree that is a workspace":   {[]func(*scene){beside("/w/docs/t")}, []change{in("/w/docs/t"), tree("/w/docs/t", "/w/docs/.git")}, "/w/docs/t"},
		"a work tree around it":             {[]func(*scene){beside("/w/t/docs")}, []change{in("/w/t/docs"), tree("/w/t", "/w/r/.git")}, "/w/t/docs"},
		"a work tree, nobody knows of what": {[]func(*scene){beside("/w/docs")}, []change{in("/w/docs/t"), tree("/w/docs/t", "")}, "/w/docs"},
	} {
		s := newScene().session("s", "9", tt.changes...)
		for _, c := range tt.around {
			c(s)
		}
		got := "-"
		if p := gather(setOf(t, s.records(t)), Options{}).owner(s.sessions[0]); p != nil {
			got = p.Path
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A session below a workspace of the list is left to its agent, also when nothing was
// found there, or nobody knows whose it is.
func TestOwner_listed(t *testing.T) {
	for name, around := range map[string]func(*scene){"found": beside("/src"), "not read": beside("/src", unreadDocs), "lost": func(*scene) {}} {
		s := newScene().session("s", "4", ended, cause("network")).with(around).with(list(desired.Agent{Agent: "docs", Workspace: "/src"}))
		for _, d := range s.judge(t).Decisions {
			if d.Subject != "docs" {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
}

// A pause of the session that an agent works in holds for what is done to the agent.
func TestPaused_session(t *testing.T) {
	for _, session := range []string{"s-a", "s-b"} {
		s := solo(deaf).with(func(s *scene) { s.heals = append(s.heals, &record.Heal{Agent: "session:" + session, Paused: true}) })
		for name, judge := range bothJudges {
			d := judge(setOf(t, s.records(t)), Options{}).of(t, "a")
			if held := d.Reason == "paused" && d.Action == nil && strings.HasSuffix(d.Detail, "unpause session:"+session); held != (session == "s-a") {
				t.Errorf("%s, %s: %s %s", name, session, brief(d), d.Detail)
			}
		}
	}
}

// It holds as well when the session has ended: nothing is begun in its place, in the workspace or below.
func TestPaused_sessionThatEnded(t *testing.T) {
	for cwd, held := range map[string]bool{"/w/a": true, "/w/a/sub": true, "/w/ab": false, "": false} {
		for _, paused := range []bool{true, false} {
			s := solo(gone).session("s", "10", ended, func(p *record.Session, _ *record.Verdict, h *record.Heal) { p.Cwd, h.Paused = cwd, paused })
			d := s.judge(t).of(t, "a")
			if got := d.Reason == "paused" && d.Action == nil && strings.HasSuffix(d.Detail, "unpause session:s"); got != (held && paused) || !got && d.Reason != "gone" {
				t.Errorf("%q, paused %t: %s %s", cwd, paused, brief(d), d.Detail)
			}
		}
	}
	for in, want := range map[string]string{"": "gone", "/w/a": "paused", "/w/a/sub": "paused", "/w/ab": "gone"} { // no record of it is left
		s := solo(gone).with(func(s *scene) {
			s.heals = append(s.heals, &record.Heal{Agent: "session:s", Paused: true, PausedIn: in})
		})
		if d := s.judge(t).of(t, "a"); d.Reason != want {
			t.Errorf("paused in %q: %s", in, brief(d))
		}
	}
}

// What is said of a session names whom the owner paused, and why nobody knows the agent.
func TestOwner_says(t *testing.T) {
	for want, around := range map[string]func(*scene){
		"the owner paused docs, which has it: it is left as it is until fleet-ledger unpause docs":                                 beside("/src", pausedDocs),
		"it is left to an agent that may be paused: /src is the workspace of an agent whose name is not known: not JSON at byte 7": beside("/src", unreadDocs),
		"an upgrade has docs, in whose workspace it is, so nobody else touches it":                                                 beside("/src", lockedDocs),
	} {
		s := newScene().session("s", "9").with(around).with(list(desired.Agent{Agent: "x", Workspace: "/w/x"}))
		if d := s.judge(t).of(t, "session:s"); d.Detail != want {
			t.Errorf("%+v", d)
		}
	}
}
