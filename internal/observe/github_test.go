package observe

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/record"
)

// What fails is that repository, whatever fails and wherever; nothing of it
// reads as no pull requests.
func TestGitHubNotObserved(t *testing.T) {
	tests := []struct {
		name  string
		fault func(r *recording)
		error string
	}{
		{"repository missing", func(r *recording) { r.api("repos/acme/lamp", 404, `{"message":"Not Found"}`) }, "HTTP 404: Not Found"},
		{"bad credentials", func(r *recording) { r.api("repos/acme/lamp", 401, `{"message":"Bad credentials"}`) }, "HTTP 401: Bad credentials"},
		{"sso", func(r *recording) {
			r.api("repos/acme/lamp", 403, `{"message":"Resource protected by organization SAML enforcement."}`)
		}, "HTTP 403: Resource protected"},
		{"html with status 0", func(r *recording) { r.api("repos/acme/lamp", 200, "<html>") }, "the answer to repos/… is not the JSON"},
		{"no HTTP head", func(r *recording) {
			r.command(0, "{}", "", "api", "--include", "--hostname", "github.com", "repos/acme/lamp")
		}, "gh api: no HTTP answer"},
		{"no login was sent", func(r *recording) {
			r.api("repos/acme/lamp", 200, `{"id":1,"full_name":"acme/lamp","default_branch":"main"}`, "X-RateLimit-Limit: 60")
		}, "gh sent no login"},
		{"rules 500", func(r *recording) { r.rules("acme/lamp", 500, "") }, "gh: HTTP 500"},
		{"rules forbidden", func(r *recording) {
			r.rules("acme/lamp", 403, `{"message":"Resource not accessible by personal access token"}`)
		}, "HTTP 403: Resource not accessible"},
		{"rules cut", func(r *recording) { r.rules("acme/lamp", 200, `[{"type":"deletion"`) }, "the answer to rules/branches/… is not a JSON list"},
		{"rules an object", func(r *recording) { r.rules("acme/lamp", 200, `{}`) }, "the answer to rules/branches/… is not a JSON list"},
		{"pulls junk with status 0", func(r *recording) { r.pulls("acme/lamp", 0, "no open pull requests\n", "") }, "gh pr list printed no JSON list"},
		{"pulls empty with status 0", func(r *recording) { r.pulls("acme/lamp", 0, "", "") }, "gh pr list printed no JSON list"},
		{"pulls fail with a list on stdout", func(r *recording) { r.pulls("acme/lamp", 1, "[]\n", "GraphQL: Resource not accessible (x)") }, "GraphQL: Resource not accessible"},
		{"pulls 403", func(r *recording) {
			r.pulls("acme/lamp", 1, "", "HTTP 403: x (https://api.github.com/graphql)\nmore\n")
		}, "HTTP 403: x (https://api.github.com/graphql)"},
		{"pulls too heavy, twice", func(r *recording) {
			r.pulls("acme/lamp", 1, "", "HTTP 502: 502 Bad Gateway (https://api.github.com/graphql)")
			r.list("acme/lamp", "200", github.PullFieldsBare, 1, "", "HTTP 504: x")
		}, "HTTP 504: x"},
		{"cancelled", func(r *recording) { r.pulls("acme/lamp", 2, "", "") }, "gh: exit status 2"},
	}
	for _, tt := range tests {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.repo("desk", "https://github.com/acme/desk")
		r.fine("acme/lamp")
		r.fine("acme/desk")
		tt.fault(r)
		got := r.observe("lamp", "desk")
		repo, s := got.repo("lamp"), got.surface("acme/lamp")
		if repo.OK || repo.PRs != nil || s.OK || s.Absent || !strings.HasPrefix(repo.Error, tt.error) || s.Error != repo.Error {
			t.Errorf("%s: %+v %+v", tt.name, repo, s)
		}
		if desk := got.repo("desk"); !desk.OK || desk.PRs == nil || !got.surface("acme/desk").OK || len(got.unread) != 1 {
			t.Errorf("%s: another repository: %+v, %q", tt.name, desk, got.unread)
		}
	}
}

// No gh, or none that knows a login, is absent and no failure.
func TestGitHubAbsent(t *testing.T) {
	for name, record := range map[string]func(*recording){
		"not installed": func(*recording) {},
		"no login": func(r *recording) {
			r.command(4, "", "To get started …", "api", "--include", "--hostname", "github.com", "repos/acme/lamp")
		},
	} {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		record(r)
		got := r.observe("lamp")
		repo, s := got.repo("lamp"), got.surface("acme/lamp")
		if repo.OK || repo.Error == "" || repo.PRs != nil || repo.Login != loginNone || !s.OK || !s.Absent || len(s.Notes) != 1 || len(got.unread) > 0 {
			t.Errorf("%s: %+v %+v %q", name, repo, s, got.unread)
		}
	}
}

// What origin leads to decides before gh is asked.
func TestGitHubOrigins(t *testing.T) {
	r := newRecording(t)
	r.repo("shorthand", "gh:acme/lamp")
	r.write("root/home/ana/.gitconfig", "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n")
	r.repo("xdg", "hub:acme/lamp")
	r.write("root/home/ana/.config/git/config", "[url \"https://github.com/\"]\n\tinsteadOf = hub:\n")
	r.repo("https", "https://ana:hunter2@github.com/acme/lamp.git")
	r.repo("Case", "git@github.com:Acme/Lamp")
	r.repo("alias", "git@github-work:acme/lamp.git")
	r.repo("elsewhere", "https://ana:hunter2@gitlab.com/acme/lamp.git")
	r.write("root/r/broken/dot-git/config", "<<<<<<< hunter2\n")
	r.fine("acme/lamp")
	r.meta("Acme/Lamp", "acme/lamp", pushOnly) // the first spelling stands for all
	got := r.observe("shorthand", "xdg", "https", "Case", "alias", "elsewhere", "broken", "gone")
	for _, name := range []string{"shorthand", "xdg", "https", "Case"} {
		if repo := got.repo(name); !repo.OK || repo.Slug != "Acme/Lamp" || repo.FullName != "" {
			t.Errorf("%+v", repo)
		}
	}
	for name, want := range map[string]string{"alias": "no GitHub remote that can be told", "broken": "git configuration: config: 1:1", "gone": "there is no git repository any more"} {
		repo, s := got.repo(name), got.surface("/r/"+name+"/.git")
		if repo.OK || repo.NotGitHub || !strings.HasPrefix(repo.Error, want) || s.OK {
			t.Errorf("%s: %+v %+v", name, repo, s)
		}
	}
	if repo, s := got.repo("elsewhere"), got.surface("/r/elsewhere/.git"); repo.OK || !repo.NotGitHub || !s.OK || !s.Absent {
		t.Errorf("%+v %+v", repo, s)
	}
	if strings.Contains(got.out+fmt.Sprint(got.unread), "hunter2") {
		t.Errorf("userinfo is shown: %s", got.out)
	}
	if n := len(got.Of(record.KindSurface)); n != 6 { // one a slug, one a path without, the closing record
		t.Errorf("%d surfaces", n)
	}
}

// The repositories are those of the sessions of this host and of the tick; the
// tick says how many pull requests are asked for and which app pins.
func TestGitHubInput(t *testing.T) {
	r := newRecording(t)
	for _, name := range []string{"desk", "lamp", "work"} {
		r.repo(name, "https://github.com/acme/"+name)
		r.fine("acme/" + name)
		r.list("acme/"+name, "2", github.PullFields, 0, pullRows(1, ""), "")
	}
	r.rules("acme/lamp", 200, `[{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"gate","integration_id":7}]}}]`)
	session := func(host, id, repo string) string {
		rec, err := record.New(record.KindSession, record.NewTime(hubTime), host, "fleet-observe-claude", id, record.Session{Repo: repo})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := rec.Line()
		return string(b)
	}
	tick, err := record.New(record.KindTick, record.NewTime(hubTime), "devbox", "fleet-config", "x", record.Tick{Repos: commonDirs("lamp"), PRCap: 2, Actions: 7})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := tick.Line()
	in := session("devbox", "s1", "/r/desk/.git") + "\n \n" + `{"v":1,"kind":"novel","at":"2026-11-29T15:00:00Z","by":"x","subject":"y","data":7}` + "\n" + session("devbox", "s2", "/r/desk/.git") +
		session("devbox", "s3", "") + session("devbox", "s4", "[withheld: crm path]") + session("laptop", "s5", "/r/work/.git") + string(b)
	passed := ""
	g := GitHub{Binary: "gh"}
	set, err := g.Read(strings.NewReader(strings.TrimSuffix(in, "\n")), func(raw []byte) error { passed += string(raw); return nil })
	if err != nil || passed != in {
		t.Errorf("%v: %q is passed on as %q", err, in, passed)
	}
	got := observeHub(t, r.world(), g, set)
	if n := len(got.Of(record.KindRepo)); n != 2 || !got.repo("desk").OK {
		t.Errorf("%d repositories in %s", n, got.out)
	}
	if repo := got.repo("lamp"); !repo.OK || len(repo.PRs) != 1 || !repo.Rules.Checks[0].Pinned {
		t.Errorf("%+v %+v", repo, repo.Rules)
	}
	if again := observeHub(t, r.world(), g, set); again.out != got.out {
		t.Errorf("another order:\n%s%s", got.out, again.out)
	}
	if _, err := g.Read(strings.NewReader(in+"{}\n"), func([]byte) error { return nil }); err == nil {
		t.Error("a line that is no record is passed on")
	}
	full := errors.New("full")
	if _, err := g.Read(strings.NewReader(in), func([]byte) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
}

// With paths the input is not read; a path that leads to no repository is not
// observed.
func TestGitHubPaths(t *testing.T) {
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.write("root/r/lamp/src/a.go", "")
	r.fine("acme/lamp")
	g := GitHub{Binary: "gh", Paths: []string{"/r/lamp", "/r/lamp/src", "/r/lamp/.git", "/home/ana", "/nowhere"}}
	set, err := g.Read(failing{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := observeHub(t, r.world(), g, set)
	if repo := got.repo("lamp"); !repo.OK || len(got.Of(record.KindRepo)) != 3 || len(got.unread) != 2 {
		t.Errorf("%q %s", got.unread, got.out)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Where GitHub gives up on the list with its checks, the list without them is
// read.
func TestGitHubHeavy(t *testing.T) {
	for _, stderr := range []string{"HTTP 502: 502 Bad Gateway (https://api.github.com/graphql)", "GraphQL: Something went wrong. This may be the result of a timeout"} {
		r := newRecording(t)
		r.repo("lamp", "https://github.com/acme/lamp")
		r.fine("acme/lamp")
		r.pulls("acme/lamp", 1, "", stderr)
		r.list("acme/lamp", "200", github.PullFieldsBare, 0, pullRows(2, ""), "")
		got := r.observe("lamp")
		repo, s := got.repo("lamp"), got.surface("acme/lamp")
		if !repo.OK || len(repo.PRs) != 2 || repo.PRs[0].Checks != "" || len(s.Notes) != 1 {
			t.Errorf("%+v %+v", repo, s)
		}
	}
}

// A limit is told once: a hundred repositories cost one question for its end.
func TestGitHubLimitOfManyRepos(t *testing.T) {
	r := newRecording(t)
	var names []string
	for i := range 9 {
		name := fmt.Sprint("lamp", i)
		names = append(names, name)
		r.repo(name, "https://github.com/acme/"+name)
		r.fine("acme/" + name)
		r.pulls("acme/"+name, 1, "", "GraphQL: API rate limit exceeded")
	}
	r.api("rate_limit", 200, `{"resources":{"graphql":{"remaining":0,"reset":1795968000}}}`)
	got := r.observe(names...)
	for _, n := range names {
		if repo := got.repo(n); repo.ResetAt == nil || repo.ResetAt.Unix() != 1795968000 {
			t.Errorf("%+v", repo)
		}
	}
	r.api("rate_limit", 403, `{"message":"You have exceeded a secondary rate limit."}`)
	if repo := r.observe(names...).repo("lamp0"); repo.ResetAt != nil || repo.OK {
		t.Errorf("%+v", repo)
	}
}
