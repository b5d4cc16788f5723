//go:build real

package real

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/rig/ghstub"
)

// ghRig is a stub of GitHub that the real gh reaches, and checkouts of its
// repositories.
type ghRig struct {
	t    *testing.T
	stub *ghstub.Stub
	box  *ghstub.Box
	dirs map[string]string // name → git common dir
}

// newGhRig serves the stub's library, with a checkout of each of its
// repositories.
func newGhRig(t *testing.T, stub *ghstub.Stub) *ghRig {
	t.Helper()
	if _, err := exec.LookPath("gh"); err != nil {
		t.Fatal("there is no gh: run tests/rig/install-gh.sh")
	}
	r := &ghRig{t: t, stub: stub, dirs: map[string]string{}}
	var err error
	if r.box, err = ghstub.Serve(stub); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.box.Close() })
	for _, repo := range stub.Repos {
		_, name, _ := strings.Cut(repo.Name, "/")
		r.checkout(name, "git@github.com:"+repo.Name+".git")
	}
	r.checkout("missing", "https://x-access-token:hunter2@github.com/acme/missing.git")
	r.checkout("elsewhere", "https://ana:hunter2@gitlab.com/acme/lamp.git")
	return r
}

func (r *ghRig) checkout(name, url string) {
	dir, err := r.box.Checkout(name, url)
	if err != nil {
		r.t.Fatal(err)
	}
	r.dirs[name] = dir
}

// ghRun is one run of the observer.
type ghRun struct {
	set         *record.Set
	out, stderr string
	status      int
	input       string
	host        string
	dirs        map[string]string
	t           *testing.T
}

// run observes the named checkouts, which a tick record names.
func (r *ghRig) run(names []string, env []string, args ...string) *ghRun {
	r.t.Helper()
	host, err := os.Hostname()
	if err != nil {
		r.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	var tick record.Tick
	for _, n := range names {
		tick.Repos = append(tick.Repos, r.dirs[n])
	}
	rec, err := record.New(record.KindTick, record.NewTime(ghstub.Reset.Add(-time.Hour)), host, "fleet-config", "lamp", tick)
	if err != nil {
		r.t.Fatal(err)
	}
	line, _ := rec.Line()
	got := &ghRun{set: new(record.Set), host: host, dirs: r.dirs, t: r.t, input: "\n" + string(line)}
	cmd := exec.Command(filepath.Join(bin, "fleet-observe-gh"), append([]string{"--now", "2026-11-29T15:10:00Z", "--timeout", "20s"}, args...)...)
	cmd.Env = append([]string{"HOME=" + r.box.Home, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.Stdin = strings.NewReader(got.input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run() // the status tells
	got.out, got.stderr, got.status = stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	for line, err := range record.All(&stdout) {
		if err != nil {
			r.t.Fatal(err)
		}
		got.set.Add(line)
	}
	if err := got.set.Closed(host, "fleet-observe-gh"); err != nil {
		r.t.Errorf("%v: %s", err, got.stderr)
	}
	return got
}

// repo returns the record of a checkout and the surface of its slug.
func (g *ghRun) repo(name string) (*record.Repo, *record.Surface) {
	rec, _ := g.set.Get(record.Identity{Host: g.host, Kind: record.KindRepo, Subject: g.dirs[name]})
	repo, ok := record.Payload[record.Repo](rec)
	if !ok {
		g.t.Fatalf("no record of %s: %s%s", name, g.stderr, g.out)
	}
	subject := "gh/" + repo.Slug
	if repo.Slug == "" {
		subject += g.dirs[name]
	}
	rec, _ = g.set.Get(record.Identity{Host: g.host, Kind: record.KindSurface, Subject: subject})
	s, ok := record.Payload[record.Surface](rec)
	if !ok {
		g.t.Fatalf("no surface %s", subject)
	}
	return repo, s
}

// ghCount counts what was tried and what came out as it should.
type ghCount struct {
	t         *testing.T
	good, all int
}

func (s *ghCount) check(name string, ok bool, format string, args ...any) {
	s.t.Helper()
	s.all++
	if ok {
		s.good++
		return
	}
	s.t.Errorf("%s: "+format, append([]any{name}, args...)...)
}

// The real gh, asked by the built observer, against every situation of the
// stub's library.
func TestGh(t *testing.T) {
	rig := newGhRig(t, ghstub.Library())
	s := &ghCount{t: t}
	all := []string{"missing", "elsewhere"}
	for _, repo := range rig.stub.Repos {
		all = append(all, strings.TrimPrefix(repo.Name, "acme/"))
	}
	hangs := []string{"hang", "hang-later", "hang-last"}
	all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(hangs, name) })
	got, hung := rig.run(all, []string{"GH_TOKEN=good"}), rig.run(hangs, []string{"GH_TOKEN=good"}, "--timeout", "8s")
	s.check("status 3", got.status == 3, "status %d: %s", got.status, got.stderr)
	s.check("input copied", strings.HasPrefix(got.out, got.input), "%.200s", got.out)
	s.check("no password shown", !strings.Contains(got.out+got.stderr, "hunter2"), "%s", got.stderr)
	observedWell(s, got)
	notObserved(s, got, hung)
	s.check("no writes", len(rig.stub.Writes()) == 0, "%q", rig.stub.Writes())
	hosts := map[string]int{}
	for _, r := range rig.stub.Requests() {
		hosts[r.Host]++
	}
	s.check("one host", len(hosts) == 1 && hosts["api.github.com"] > 0, "%v", hosts)
	// A page of 100 a list, gh's own second try of what was dropped or redirected, and one question for the limit.
	s.check("calls bounded", hosts["api.github.com"] <= 6*len(all), "%v for %d repositories", hosts, len(all))
	logins(s, rig)
	fmt.Printf("gh: %d/%d situations\n", s.good, s.all)
}

// observedWell checks the repositories that can be observed.
func observedWell(s *ghCount, got *ghRun) {
	check := func(name string, want func(*record.Repo, *record.Surface) bool) {
		repo, surface := got.repo(name)
		s.check(name, repo.OK && surface.OK && !surface.Absent && repo.Error == "" && repo.PRs != nil && surface.Rows == len(repo.PRs) && want(repo, surface),
			"%+v\n%+v\n%+v", repo, repo.Rules, surface)
	}
	flags := func(r *record.Repo) string { return strings.Join(r.Rules.Flags, "; ") }
	none := strings.Join([]string{github.FlagNoPullRequest, github.FlagNoChecks, github.FlagForcePush}, "; ")
	pulls := func(n int) func(*record.Repo, *record.Surface) bool {
		return func(r *record.Repo, _ *record.Surface) bool {
			return len(r.PRs) == n && !r.Truncated && r.PRs[0].Number == n && r.PRs[n-1].HeadID == gitrepo.BranchID("b1")
		}
	}
	check("pinned", func(r *record.Repo, _ *record.Surface) bool {
		if len(r.PRs) != 3 || !r.Rules.DriverAllowed || flags(r) != "" || r.Rules.Approvals != 1 || r.Rules.Classic != github.ClassicUnseen || r.Login != "environment" {
			return false
		}
		lamp, deps, fork := r.PRs[0], r.PRs[1], r.PRs[2]
		return lamp.Checks == github.ChecksPending && lamp.Hold && lamp.HeadID == gitrepo.BranchID("feat/lamp") && lamp.Author == "ana" &&
			deps.Author == "app/dependabot" && deps.Draft && deps.Checks == github.ChecksNone && deps.Mergeable == "UNKNOWN" &&
			fork.Cross && fork.Checks == github.ChecksFailing && !strings.ContainsAny(fork.Title, "\x1b\u202e")
	})
	check("unpinned", func(r *record.Repo, _ *record.Surface) bool {
		return r.DefaultBranch == "trunk" && flags(r) == github.FlagUnpinned && !r.Rules.DriverAllowed && len(r.Rules.Checks) == 4 && len(r.PRs) == 0
	})
	check("norules", func(r *record.Repo, _ *record.Surface) bool { return flags(r) == none && r.Rules.CannotTell == "" })
	check("slash", func(r *record.Repo, _ *record.Surface) bool {
		return r.DefaultBranch == "release/1.x" && len(r.Rules.Types) == 1
	})
	check("pages", func(r *record.Repo, _ *record.Surface) bool { return r.Rules.PullRequest && len(r.Rules.Types) == 2 })
	for _, n := range []int{31, 101, 199} {
		check(fmt.Sprint("pulls", n), pulls(n))
	}
	check("classic", func(r *record.Repo, _ *record.Surface) bool {
		return r.Rules.Classic == github.ClassicYes && flags(r) == "" && r.Rules.DriverAllowed
	})
	check("unprotected", func(r *record.Repo, _ *record.Surface) bool {
		return r.Rules.Classic == github.ClassicNo && flags(r) == none
	})
	check("hidden", func(r *record.Repo, _ *record.Surface) bool { return r.Rules.CannotTell != "" && flags(r) == "" })
	check("heavy", func(r *record.Repo, surface *record.Surface) bool {
		return len(r.PRs) == 2 && r.PRs[0].Checks == "" && len(surface.Notes) == 1
	})
	pinned, _ := got.repo("pinned")
	check("moved", func(r *record.Repo, _ *record.Surface) bool {
		return r.Slug == "acme/moved" && r.FullName == "acme/pinned" && r.ID == pinned.ID && len(r.PRs) == 3
	})
}

// notObserved checks the repositories that cannot be observed.
func notObserved(s *ghCount, got, hung *ghRun) {
	check := func(name, says string, limited bool) {
		from := got
		if strings.HasPrefix(name, "hang") {
			from = hung
		}
		repo, surface := from.repo(name)
		ok := !repo.OK && !surface.OK && repo.PRs == nil && strings.Contains(repo.Error, says) && surface.Error == repo.Error
		s.check(name, ok && (repo.ResetAt != nil) == limited && strings.HasPrefix(repo.Error, "rate limited: ") == limited,
			"%+v\n%+v\nwant %q", repo, surface, says)
	}
	says := map[string]string{"forbidden": "Resource not accessible", "ratelimit": "API rate limit exceeded", "secondary": "secondary rate limit",
		"sso": "SAML enforcement", "html502": "HTTP 502", "drop": "EOF", "notjson": "JSON", "empty": "JSON", "hang": "no answer within"}
	for fault := range ghstub.Faults() {
		for _, when := range []string{"", "-later", "-last"} {
			check(fault+when, says[fault], fault == "ratelimit" || fault == "secondary")
		}
	}
	check("gqlrate", "GraphQL: API rate limit exceeded", true)
	check("gqlpartial", "GraphQL: Resource not accessible", false)
	check("missing", "HTTP 404", false)
	check("pulls201", "200: as many open pull requests as were asked for", false)
	for _, name := range []string{"ratelimit", "ratelimit-last", "gqlrate"} {
		repo, _ := got.repo(name)
		s.check(name+" until", repo.ResetAt != nil && repo.ResetAt.Equal(ghstub.Reset), "%v", repo.ResetAt)
	}
	cut, _ := got.repo("pulls201")
	s.check("pulls201 cut", cut.Truncated, "%+v", cut)
	repo, surface := got.repo("elsewhere")
	s.check("elsewhere", !repo.OK && repo.NotGitHub && repo.Slug == "" && surface.OK && surface.Absent, "%+v %+v", repo, surface)
}

// logins checks whose login gh uses, and what becomes of a missing one.
func logins(s *ghCount, rig *ghRig) {
	names := []string{"norules"}
	used := func() string {
		calls := rig.stub.Requests()
		return calls[len(calls)-1].Token
	}
	check := func(name, login, says string, status int, absent bool, env []string, args ...string) {
		got := rig.run(names, env, args...)
		repo, surface := got.repo("norules")
		s.check(name, repo.OK == (says == "") && strings.Contains(repo.Error, says) && got.status == status && surface.Absent == absent && repo.Login == login,
			"status %d\n%+v\n%+v", got.status, repo, surface)
	}
	before := len(rig.stub.Requests())
	check("nobody logged in", "none", "gh has no login", 0, true, nil)
	s.check("no call without a login", len(rig.stub.Requests()) == before, "%d calls", len(rig.stub.Requests())-before)
	check("gh is not installed", "none", "gh is not installed", 0, true, nil, "--gh", "/nowhere/gh")
	rig.stub.Token = "good"
	check("bad token", "environment", "HTTP 401: Bad credentials", 3, false, []string{"GH_TOKEN=bad"})
	check("GITHUB_TOKEN", "environment", "", 0, false, []string{"GITHUB_TOKEN=good"})
	check("a hostile environment", "environment", "", 0, false, []string{"GH_TOKEN=good", "GH_HOST=example.com", "GH_REPO=acme/pinned", "GH_DEBUG=api", "CLICOLOR_FORCE=1", "GH_FORCE_TTY=80", "PAGER=false"})
	file := filepath.Join(rig.box.Home, "token")
	if err := os.WriteFile(file, []byte("good\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	check("token file", "token file", "", 0, false, []string{"GH_TOKEN=bad"}, "--token-file", file)
	s.check("token file sent", used() == "good", "%q", used())
	if err := rig.box.LogIn("good"); err != nil {
		s.t.Fatal(err)
	}
	check("gh's own login", "gh's own", "", 0, false, nil)
	if err := os.Chmod(file, 0o644); err != nil {
		s.t.Fatal(err)
	}
	check("token file open to others", "gh's own", "", 0, false, nil, "--token-file", file)
	one, two := rig.run([]string{"pinned", "norules", "unpinned", "moved"}, nil), rig.run([]string{"moved", "unpinned", "pinned", "norules"}, nil)
	s.check("one order", strings.TrimPrefix(one.out, one.input) == strings.TrimPrefix(two.out, two.input), "%s\n%s", one.out, two.out)
	if err := rig.box.LogIn(""); err != nil {
		s.t.Fatal(err)
	}
	check("a keyring that stays shut", "none", "gh sent no login", 3, false, nil)
	rig.box.Stop()
	check("out of reach", "environment", "dial unix", 3, false, []string{"GH_TOKEN=good"})
}
