package asks

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// waits and stuck are a session that asks a question, "Go?", of the two kinds.
func waits(host, subject string, changes ...func(*seat)) change {
	return judged(host, subject, "3", "Go?", append([]func(*seat){func(s *seat) { s.session.Listing.WaitingFor = "input needed" }}, changes...)...)
}

func stuck(host, subject string, changes ...func(*seat)) change {
	return judged(host, subject, "7", "Go?", changes...)
}

var (
	promptTag  = tag("input needed\x00Go?")
	blockedTag = tag("\x00Go?")
)

func drifted(name string, words ...string) change {
	return surface(record.Surface{OK: true, Drift: words}, name)
}

func kind(k string) func(*seat) { return func(s *seat) { s.session.Kind = k } }

// keyCase is a key: what raises it, and each want of a reading that must keep
// it from being resolved when it is not raised.
type keyCase struct {
	key   string
	raise change
	blind map[string]change
}

// sessionBlind is what keeps a prompt of a directory of devbox unchecked.
func sessionBlind(host, subject, label string, more map[string]change) map[string]change {
	program := host + " " + observer + "claude"
	m := map[string]change{
		"listing failed":   failed(host + " claude/listing" + label),
		"listing absent":   absent(host + " claude/listing" + label),
		"observer cut":     cut(program + label),
		"observer not run": silent(program),
		"session unknown":  judged(host, subject, "unknown", ""),
		"not judged":       judged(host, subject, "", ""),
		"session cut":      all(gone(host, subject), cut(program+label)),
		"judge cut":        cut(" " + judge),
		"config cut":       cut(devbox + " " + config),
		"ledger cut":       cut(devbox + " " + ledger),
		"gone, and one has no name": all(gone(host, subject), judged(host, "pid:9"+label, "unknown", "", func(s *seat) {
			s.session.SessionID, s.session.Process = "", &record.Process{PID: 9, Unread: "torn"}
		})),
		"gone, and a job has no name": all(gone(host, subject), judged(host, "job:a1"+label, "unknown", "", func(s *seat) {
			s.session.SessionID, s.session.Job = "", &record.Job{ID: "a1", Unread: "torn"}
		})),
		"gone, and files failed": all(gone(host, subject), failed(host+" claude/sessions"+label)),
		"gone, and jobs failed":  all(gone(host, subject), failed(host+" claude/jobs"+label)),
		"question unworded":      judged(host, subject, "3", "input needed", func(s *seat) { s.session.Transcript = nil }),
	}
	for k, c := range more {
		m[k] = c
	}
	return m
}

func boardBlind(host, subject, label string) map[string]change {
	return sessionBlind(host, subject, label, map[string]change{
		"board failed":           failed(host + " board/home"),
		"board absent":           absent(host + " board/home"),
		"board cut":              cut(host + " " + observer + "board"),
		"board not run":          silent(host + " " + observer + "board"),
		"jobs of a background":   all(judged(host, subject, "5", "", kind("background")), failed(host+" claude/jobs"+label)),
		"jobs, session is gone":  all(gone(host, subject), failed(host+" claude/jobs"+label)),
		"jobs gone with session": all(gone(host, subject), absent(host+" claude/jobs"+label)),
	})
}

var keyCases = []keyCase{
	{"prompt:s1:" + promptTag, waits(devbox, "s1"), sessionBlind(devbox, "s1", "", nil)},
	{"prompt:s2@work:" + promptTag, waits(devbox, "s2@work"), sessionBlind(devbox, "s2@work", "@work", map[string]change{
		"directory not read at all": withoutWork,
	})},
	{"prompt:attic/s3:" + promptTag, waits(attic, "s3"), sessionBlind(attic, "s3", "", nil)},
	{"blocked:s1:" + blockedTag, stuck(devbox, "s1"), boardBlind(devbox, "s1", "")},
	{"blocked:attic/s3:" + blockedTag, stuck(attic, "s3"), sessionBlind(attic, "s3", "", map[string]change{
		"jobs, session is gone": all(gone(attic, "s3"), failed("attic claude/jobs")), "not answered": silent("attic " + observer + "claude")})},
	{"listing", failed("devbox claude/listing"), map[string]change{"judge cut": cut(" " + judge), "config cut": cut("devbox " + config)}},
	{"listing@work", failed("devbox claude/listing@work"), map[string]change{"directory not read at all": withoutWork}},
	{"listing:attic", absent("attic claude/listing"), map[string]change{"judge cut": cut(" " + judge)}},
	{"surface:claude/jobs", failed("devbox claude/jobs"), map[string]change{"absent": absent("devbox claude/jobs"), "cut": cut("devbox " + observer + "claude")}},
	{"surface:claude/jobs@work", failed("devbox claude/jobs@work"), map[string]change{"directory not read at all": withoutWork}},
	{"surface:attic/claude/sessions", failed("attic claude/sessions"), map[string]change{"cut": cut("attic " + observer + "claude")}},
	{"surface:paseo/agents", absent("devbox paseo/agents"), map[string]change{}},
	{"surface:paseo/daemon", failed("devbox paseo/daemon"), map[string]change{"cut": cut("devbox " + observer + "paseo")}},
	{"surface:board:home", absent("devbox board/home"), map[string]change{}},
	{"surface:gh", cut("devbox " + observer + "gh"), map[string]change{}},
	{"surface:jobs-unparsed", surface(record.Surface{OK: true, Unparsed: 2}, "devbox claude/jobs"), map[string]change{"jobs failed": failed("devbox claude/jobs")}},
	{"surface:attic/jobs-unparsed", surface(record.Surface{OK: true, Unparsed: 2}, "attic claude/jobs"), map[string]change{"jobs failed": failed("attic claude/jobs")}},
	{"surface:ledger-corrupt", surface(record.Surface{OK: true, Unparsed: 1}, "devbox ledger"), map[string]change{"ledger cut": cut("devbox " + ledger)}},
	{"drift:version 2.2.0", drifted("devbox claude/version", "version 2.2.0"), map[string]change{
		"version": failed("devbox claude/version"), "jobs": failed("devbox claude/jobs"), "listing": failed("devbox claude/listing"),
		"elsewhere": failed("attic claude/version"), "sessions": failed("devbox claude/sessions"), "transcripts": failed("devbox claude/transcripts")}},
	{"drift:listing field x@work", drifted("devbox claude/listing@work", "listing field x"), map[string]change{
		"jobs": failed("devbox claude/jobs@work"), "listing": failed("devbox claude/listing@work"), "version": failed("devbox claude/version"),
		"sessions": failed("devbox claude/sessions@work"), "directory not read at all": withoutWork}},
	{"drift:paseo status odd", drifted("devbox paseo/agents", "status odd"), map[string]change{
		"agents": failed("devbox paseo/agents"), "schedules": failed("devbox paseo/schedules"), "cut": cut("devbox " + observer + "paseo"),
		"absent": absent("devbox paseo/agents")}},
	{"drift:gh state odd", drifted("devbox gh/acme/lamp", "state odd"), map[string]change{"a repository": failed("devbox gh/acme/lamp"), "cut": cut("devbox " + observer + "gh")}},
	{"drift:ledger kind note", drifted("devbox ledger", "ledger kind note"), map[string]change{"ledger failed": failed("devbox ledger")}},
	{"records-without-process", found("records-without-process", "records-without-process"), map[string]change{
		"listing": failed("devbox claude/listing"), "listing elsewhere": failed("attic claude/listing"), "agents": failed("devbox paseo/agents"),
		"one of a repository that two scopes name": all(agent(lamp, false), shares(lamp)), "one may be of a repository that was not found": all(agent("/w/fan/.git", false), lost),
		"one that nothing places may be, too": all(agent("", false), lost),
		"agents absent":                       absent("devbox paseo/agents"), "processes": failed("devbox claude/processes"), "process files": failed("devbox claude/sessions@work")}},
	{"fleet-shaped-unledgered", found("fleet-shaped-unledgered", "fleet-shaped-unledgered"), map[string]change{
		"listing": failed("devbox claude/listing@work"), "one may be": judged(devbox, "s1", "unknown", "", func(s *seat) { s.verdict.Session.Name = "home-lamp-pr4" })}},
	{"spawn-duplicate:home-lamp-pr4", found("spawn-duplicate", "spawn-duplicate:home-lamp-pr4"), map[string]change{
		"listing": failed("attic claude/listing"), "one may be": judged(devbox, "s1", "unknown", "", func(s *seat) { s.verdict.Session.Name = "home-lamp-pr4" })}},
	{"repo:acme/lamp", repo(0, func(p *record.Repo) { p.OK = false }), map[string]change{
		"gh cut": cut("devbox " + observer + "gh"), "gh not run": silent("devbox " + observer + "gh"),
		"gone, a slug unread":        all(leaves(lamp), repo(1, func(p *record.Repo) { p.Slug, p.OK = "", false })),
		"gone, one not found":        all(leaves(lamp), lost),
		"another scope names it too": shares(lamp),
		"gone, one not seen":         all(leaves(lamp), func(w *world) { w.repos = w.repos[:1] })}},
	{"repo:" + wick, repo(1, func(p *record.Repo) { p.Slug, p.OK = "", false }), map[string]change{"gh cut": cut("devbox " + observer + "gh")}},
	{"rules:acme/lamp:no pull_request rule;x", repo(0, func(p *record.Repo) { p.Rules.Flags = []string{"no pull_request rule", "x"} }), map[string]change{
		"repository failed": repo(0, func(p *record.Repo) { p.OK, p.Rules = false, nil }),
		"rules not shown":   repo(0, func(p *record.Repo) { p.Rules.CannotTell = "no rights" }),
		"no rules":          repo(0, func(p *record.Repo) { p.Rules = nil }),
		"gh cut":            cut("devbox " + observer + "gh"),
		"shared":            shares(lamp),
		"slug unread":       repo(0, func(p *record.Repo) { p.Slug, p.OK, p.Rules = "", false, nil })}},
	{"heal:code-agent:stuck", healed("code-agent", "stuck", "held"), map[string]change{"ledger cut": cut("devbox " + ledger), "ledger failed": failed("devbox ledger"),
		"config cut": cut("devbox " + config)}},
	{"heal:undecided", func(w *world) { sweeps(-time.Minute, 0)(w); undecided(-time.Hour)(w) }, map[string]change{"ledger cut": cut("devbox " + ledger), "ledger failed": failed("devbox ledger")}},
	{"heal:sweep", sweeps(0, 0), map[string]change{"ledger cut": cut("devbox " + ledger), "ledger failed": failed("devbox ledger")}},
	{"when:odd", judged(devbox, "s1", "5", "", kind("")), map[string]change{
		"listing failed": failed("devbox claude/listing"), "listing absent": absent("attic claude/listing"), "anything failed": failed("attic claude/transcripts"),
		"directory cut": cut("devbox " + observer + "claude@work"), "paseo not run": silent("devbox " + observer + "paseo"), "board absent": absent("devbox board/home"),
		"it fails": judged(devbox, "s1", "5", "", kind("shell")), "a repository": repo(0, func(p *record.Repo) { p.OK = false }),
		"one not found": lost,
		"more failed":   failed("devbox schedule/systemd"), "more cut": all(surface(record.Surface{OK: true}, "devbox schedule/systemd"), cut("devbox "+observer+"schedule"))}},
}

// lost is a repository of the scope that is not where the configuration says.
var lost = ticked(func(t *record.Tick) { t.Unfound = []string{"/w/mantle: is not there"} })

// agent adds an agent of Paseo's in a repository.
func agent(repo string, archived bool) change {
	return func(w *world) {
		w.agents = append(w.agents, &record.Agent{ID: "p" + repo, Repo: repo, Archived: archived})
	}
}

// withoutWork takes the further directory away, as a stream does that ends
// behind the first one's closing record.
func withoutWork(w *world) {
	w.labels = nil
	gone(devbox, "s2@work")(w)
}

// leaves takes a repository out of the scope.
func leaves(dir string) change {
	return ticked(func(t *record.Tick) {
		t.Repos = slices.DeleteFunc(slices.Clone(t.Repos), func(d string) bool { return d == dir })
	})
}

// shares has another scope name a repository, too.
func shares(dir string) change {
	return all(leaves(dir), ticked(func(t *record.Tick) { t.Shared = map[string][]string{dir: {"home", "lamp"}} }))
}

// check runs a case and returns what is wrong.
func (c keyCase) check(t testing.TB) (wrong []string) {
	expect := func(what string, w *world, want string, raised, resolved bool) {
		f := w.fold(t)
		got := f.state(c.key)
		isNew, isOver := slices.Contains(f.raised(), c.key), slices.Contains(f.resolved(), c.key)
		if got != want || isNew != raised || isOver != resolved {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %q, raised %v, resolved %v; want %q, %v, %v", c.key, what, got, isNew, isOver, want, raised, resolved))
		}
	}
	expect("nothing", newWorld(), "", false, false)
	expect("raised", newWorld(c.raise), record.AskNew, true, false)
	expect("raised again", newWorld(c.raise, asks(c.key, record.AskOpen)), record.AskOpen, false, false)
	expect("raised, answered", newWorld(c.raise, asks(c.key, record.AskAcked)), record.AskAcked, false, false)
	expect("raised after it was resolved", newWorld(c.raise, asks(c.key, record.AskResolved)), record.AskNew, true, false)
	expect("raised, the judge cut", newWorld(c.raise, asks(c.key, record.AskOpen), cut(" "+judge)), record.AskUnchecked, false, false)
	expect("over", newWorld(asks(c.key, record.AskOpen)), record.AskResolved, false, true)
	expect("over, answered", newWorld(asks(c.key, record.AskAcked)), record.AskResolved, false, true)
	for why, blind := range c.blind {
		expect("not read: "+why, newWorld(blind, asks(c.key, record.AskOpen)), record.AskUnchecked, false, false)
		expect("not read, answered: "+why, newWorld(blind, asks(c.key, record.AskAcked)), record.AskAcked, false, false)
	}
	return wrong
}

func TestKeys(t *testing.T) {
	used := map[string]bool{}
	for _, c := range keyCases {
		for _, wrong := range c.check(t) {
			t.Error(wrong)
		}
		for _, n := range needs {
			if len(c.key) >= len(n.prefix) && c.key[:len(n.prefix)] == n.prefix {
				used[n.prefix] = true
				break
			}
		}
	}
	for _, n := range needs {
		if !used[n.prefix] {
			t.Errorf("no case has a key %s", n.prefix)
		}
	}
}

// A session whose file was not understood keeps open what was asked of one that is gone
// on its machine and in its directory, and of no other.
func TestKeys_nameless(t *testing.T) {
	key := "prompt:s1:" + promptTag
	torn := func(host, subject, id, why string) change {
		return judged(host, subject, "unknown", "", func(s *seat) {
			s.session.SessionID, s.session.Process = id, &record.Process{PID: 9, Unread: why}
		})
	}
	for name, tt := range map[string]struct {
		other change
		want  string
	}{
		"here":                 {torn(devbox, "pid:9", "", "torn"), record.AskUnchecked},
		"another directory":    {torn(devbox, "pid:9@work", "", "torn"), record.AskResolved},
		"another machine":      {torn(attic, "pid:9", "", "torn"), record.AskResolved},
		"its id is known":      {torn(devbox, "s9", "s9", "torn"), record.AskResolved},
		"its file says so":     {torn(devbox, "pid:9", "", ""), record.AskResolved},
		"here, and it is back": {all(torn(devbox, "pid:9", "", "torn"), judged(devbox, "s1", "5", "")), record.AskResolved},
	} {
		if got := newWorld(gone(devbox, "s1"), tt.other, asks(key, record.AskOpen)).fold(t).state(key); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
