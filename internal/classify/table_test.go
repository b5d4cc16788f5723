package classify

import (
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// situation is a world whose first session must get a class.
type situation struct {
	name  string
	world func() *world
	class string
}

func one(s *record.Session) func() *world { return func() *world { return local(s) } }

// mine is a session that a configured scope has adopted.
func mine(s *record.Session, more ...func(*world)) func() *world {
	return func() *world {
		w := scoped(s).adopt(s.SessionID)
		for _, m := range more {
			m(w)
		}
		return w
	}
}

func boardRow(b record.Board) func(*world) {
	return func(w *world) {
		b.SessionID = w.sessions[0].SessionID
		w.row(&b)
	}
}

func died(class string, at *record.Time) func(*world) {
	return boardRow(record.Board{Died: &record.BoardDeath{At: *at, Class: class}, LastAt: at, LastType: "session.died"})
}

func openPR(cross bool) func(*world) {
	return func(w *world) { w.repos[0].PRs = []record.PullRequest{{Number: 4, HeadID: branch, Cross: cross}} }
}

const (
	minute   = time.Minute
	hour     = time.Hour
	hitLimit = "You've hit your session limit · resets 2pm (UTC)"
	busy529  = "API Error: 529 Overloaded. This is a server-side issue, usually temporary"
)

// elsewhere moves a session.
func elsewhere(repo, placement string) change {
	return func(s *record.Session) { s.Repo, s.Placement = repo, placement }
}

// ahead is of a clock that was set back.
func ahead(s *record.Session) { s.Transcript.Ahead = true }

// unfound has a repository of the scope that is not where the configuration
// says.
func unfound(w *world) { w.tick.Unfound = []string{"/w/moved: is not there"} }

// shared has another scope name the repository of ours, too.
func shared(w *world) {
	w.tick.Repos, w.tick.Shared = nil, map[string][]string{lamp: {"home", "stove"}}
}

// asksAbout has the scope have a question about a session.
func asksAbout(session, state string) func(*world) {
	return func(w *world) {
		w.asked = append(w.asked, &record.Asked{Key: "prompt:" + session + ":1", Session: session, State: state, FirstTick: 3})
	}
}

// noID is a session of which nobody knows which one it is.
func noID(s *record.Session) { s.SessionID = "" }

// noJob takes the job file away.
func noJob(s *record.Session) { s.Job = &record.Job{ID: "s", Unread: "there is no job file"} }

// table holds a session of every kind that a rule tells apart. It is what
// kills the mutants of the rules.
var table = []situation{
	{"in another scope's repository", mine(session("s", elsewhere(stove, record.PlacedByCwd))), "1"},
	{"in a repository of no scope", mine(session("s", elsewhere("/w/fan/.git", record.PlacedByCwd))), "1"},
	{"in no repository", mine(session("s", elsewhere("", record.PlacedNone))), "1"},
	{"cwd gone, nothing places it", mine(session("s", elsewhere("", record.PlacedGone))), "1"},
	{"cwd gone, the board places it", mine(session("s", elsewhere("", record.PlacedGone)), boardRow(record.Board{Repo: lamp})), "9a"},
	{"cwd gone, and the scope asks about it", mine(session("s", elsewhere("", record.PlacedGone)), asksAbout("s", record.AskOpen)), "9a"},
	{"cwd gone, and what was asked about it is answered, and still true", mine(session("s", elsewhere("", record.PlacedGone)), asksAbout("s", record.AskAcked)), "9a"},
	{"cwd gone, and what was asked about it is over", mine(session("s", elsewhere("", record.PlacedGone)), asksAbout("s", record.AskResolved)), "1"},
	{"cwd gone, and the scope asks about another machine's", mine(session("s", elsewhere("", record.PlacedGone)), asksAbout("attic/s", record.AskOpen)), "1"},
	{"cwd gone, the ledger not read", mine(session("s", elsewhere("", record.PlacedGone)), func(w *world) { w.cannot("ledger") }), Unknown},
	{"cwd gone, above it is another repository, and the scope asks about it", mine(session("s", elsewhere("/w/fan/.git", record.PlacedAbove)), asksAbout("s", record.AskOpen)), "9a"},
	{"cwd gone, above it is another repository", mine(session("s", elsewhere("/w/fan/.git", record.PlacedAbove))), "1"},
	{"a process file that is not understood, and no row", one(session("s", noID, func(s *record.Session) { s.Process.Unread, s.Listing = "torn", nil })), Unknown},
	{"a job file that is not understood, and no row", one(job("s", noID, func(s *record.Session) { s.Job.Unread, s.Listing = "torn", nil })), Unknown},
	{"in no repository, and the scope asks about it", mine(session("s", elsewhere("", record.PlacedNone)), asksAbout("s", record.AskOpen)), "1"},
	{"cwd gone, the board places it elsewhere, and the scope asks about it", mine(session("s", elsewhere("", record.PlacedGone)), boardRow(record.Board{Repo: stove}), asksAbout("s", record.AskOpen)), "1"},
	{"cwd gone, the board's word goes before the path's", mine(session("s", elsewhere(lamp, record.PlacedAbove)), boardRow(record.Board{Repo: stove})), "1"},
	{"in a repository of no scope, and one of ours was not found", mine(session("s", elsewhere("/w/fan/.git", record.PlacedByCwd)), unfound), Unknown},
	{"in no repository, and one of ours was not found", mine(session("s", elsewhere("", record.PlacedNone)), unfound), Unknown},
	{"cwd gone, and a repository of ours was not found", mine(session("s", elsewhere("", record.PlacedGone)), unfound), Unknown},
	{"in another scope's repository, and one of ours was not found", mine(session("s", elsewhere(stove, record.PlacedByCwd)), unfound), "1"},
	{"in the scope, and another repository was not found", mine(session("s"), unfound), "9a"},
	{"in a repository that two scopes name", mine(session("s"), shared), Unknown},
	{"in another scope's repository, and ours is named by two", mine(session("s", elsewhere(stove, record.PlacedByCwd)), shared), "1"},
	{"in a repository of no scope, and ours is named by two", mine(session("s", elsewhere("/w/fan/.git", record.PlacedByCwd)), shared), "1"},
	{"cwd gone, the board places it in one that two scopes name", mine(session("s", elsewhere("", record.PlacedGone)), boardRow(record.Board{Repo: lamp}), shared), Unknown},
	{"in no repository, without a configuration", one(session("s", elsewhere("", record.PlacedNone))), "9a"},

	{"transcript at a limit", one(session("s", limited(hitLimit, ago(-hour)))), "2"},
	{"limit text without quotaLimits", one(session("s", fails("rate_limit", 429, hitLimit))), "2"},
	{"limit without a reset", one(session("s", fails("rate_limit", 429, "You've hit your session limit"))), "2"},
	{"limit menu open", one(session("s", limited(hitLimit, ago(-hour)), status("waiting", "dialog open"))), "2"},
	{"limit, then 120 s of activity", one(session("s", limited(hitLimit, ago(-hour)), func(s *record.Session) { s.Transcript.Error.At = ago(12 * minute) })), "2"},
	{"limit, then 121 s of activity", one(session("s", limited(hitLimit, ago(-hour)), func(s *record.Session) { s.Transcript.Error.At = ago(12*minute + time.Second) })), "9a"},
	{"job blocked on a limit", one(job("s", state("blocked", "blocked", "rate limited — wait and retry · "+hitLimit, hitLimit))), "2"},
	{"job blocked on a limit, without needs", one(job("s", state("blocked", "blocked", "", hitLimit))), "2"},
	{"job failed at an API key's cap", one(job("s", state("failed", "idle", "", "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."))), "2"},
	{"board death at a limit", mine(session("s"), died("rate_limit", ago(9*minute))), "2"},
	{"board death, then activity", mine(session("s"), died("rate_limit", ago(13*minute))), "9a"},
	{"board death, then a later stop", mine(session("s"), boardRow(record.Board{Died: &record.BoardDeath{At: *ago(10 * minute), Class: "rate_limit"}, LastAt: ago(7 * minute), LastType: "session.stop"})), "9a"},
	{"board death in the future", mine(session("s"), died("rate_limit", ago(-121*time.Second))), "9a"},

	{"permission prompt", one(session("s", status("waiting", "permission prompt"))), "3"},
	{"permission prompt of a job", one(job("s", status("waiting", "permission prompt"), state("blocked", "blocked", "approve Bash: make clean", "Clean"))), "3"},
	{"dialog open", one(session("s", status("waiting", "dialog open"))), "3"},
	{"a word that is not known", one(session("s", status("waiting", "goal proposal"))), "3"},
	{"sandbox request of a job", one(job("s", status("waiting", "sandbox request"), state("blocked", "blocked", "approve network: example.test", "Fetch"))), "3"},
	{"prompt without a transcript", one(session("s", status("waiting", "permission prompt"), missing)), "3"},
	{"prompt without the board", mine(session("s", status("waiting", "permission prompt")), func(w *world) { w.cannot("board/home") }), "3"},
	{"waiting, and not for what", one(session("s", status("waiting"))), Unknown},
	{"question in the transcript, listing idle", one(session("s", asking("question", "Which one?", "A", "B"))), "3"},
	{"plan in the transcript, listing idle", one(session("s", asking("plan", "1. Do it"))), "3"},
	{"plan in the transcript, tempo blocked", one(job("s", status(""), state("working", "blocked", "approve plan", ""), asking("plan", "1. Do it"))), "3"},
	{"plan of a job in the transcript, listing idle", one(job("s", state("blocked", "blocked", "approve plan", ""), asking("plan", "1. Do it"))), "3"},
	{"question of a job in the transcript, listing idle", one(job("s", state("blocked", "blocked", "answer: Which?", "Which?"), asking("question", "Which?"))), "7"},
	{"question in prose", one(session("s", func(s *record.Session) {
		s.Transcript.Question = &record.Question{Kind: "prose", Text: "Shall I go on?"}
	})), "9a"},
	{"waiting, older than the boot", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Process.BeforeBoot, s.Process.Start = true, "cannot tell" })), "10"},

	{"overloaded", one(session("s", fails("server_error", 529, busy529))), "4"},
	{"429 that is no quota", one(session("s", fails("rate_limit", 429, "API Error: Request rejected (429) · too many"))), "4"},
	{"error, then activity", one(session("s", fails("server_error", 529, busy529), func(s *record.Session) { s.Transcript.Error.At = ago(13 * minute) })), "9a"},
	{"output limit", one(session("s", fails("max_output_tokens", 0, "the output is too long"))), "9a"},
	{"job stopped on an API error", one(job("s", state("blocked", "blocked", "API unavailable — retry · "+busy529, busy529))), "4"},
	{"job that names an API error and went on", one(job("s", state("blocked", "blocked", "API unavailable — retry · "+busy529, busy529),
		func(s *record.Session) { s.Job.UpdatedAt = ago(13 * minute) })), "9a"},
	{"failed by its own word", one(job("s", state("failed", "idle", "", "the repository has no tests"))), "4"},
	{"shell job that failed", one(shell("s", "failed", "exit 3 — oops")), "4"},
	{"board death of another kind", mine(session("s"), died("authentication_failed", ago(9*minute))), "4"},
	{"process gone while busy", one(session("s", status("busy"), killed)), "4"},
	{"process gone at a prompt", one(session("s", status("waiting", "permission prompt"), killed)), "4"},
	{"process gone, transcript inside a call", one(session("s", killed, func(s *record.Session) { s.Transcript.LastTurn = "open" })), "4"},
	{"transcript inside a call, no process at all", one(session("s", dead, func(s *record.Session) { s.Listing, s.Unlisted, s.Transcript.LastTurn = nil, true, "open" })), "4"},
	{"listed as busy, and gone since", one(session("s", status("busy"), func(s *record.Session) { s.Process.Alive, s.Process.Start = ptr(false), "gone" })), "4"},
	{"job stopped by its owner inside a call", one(job("s", state("stopped", "idle", "", "stopped"), dead, func(s *record.Session) { s.Transcript.LastTurn = "open" })), "10"},

	{"busy", one(session("s", status("busy"))), "5"},
	{"busy, silent for 2 h", one(session("s", status("busy"), active(2*hour))), "5"},
	{"busy, subagents active", one(session("s", status("busy"), active(3*hour), func(s *record.Session) {
		s.Transcript.Subagents = &record.Subagents{Count: 1, Open: 1, ActivityAt: ago(5 * time.Second)}
	})), "5"},
	{"busy with an open question", one(session("s", status("busy"), asking("question", "Which one?"))), "5"},
	{"busy, began just now", one(session("s", status("busy"), unprompted, func(s *record.Session) { s.StartedAt = ago(minute) })), "5"},
	{"busy inside a turn, without a process file", one(session("s", status("busy"), func(s *record.Session) { s.Process, s.Transcript.LastTurn = nil, "open" })), "5"},
	{"background shell", one(session("s", status("shell"))), "5"},
	{"job that began just now", one(job("s", dead, missing, state("working", "active", "", "starting…"), func(s *record.Session) { s.Job.CreatedAt = ago(119 * time.Second) })), "5"},
	{"job that began 2 min ago, without a transcript", one(job("s", dead, missing, state("working", "active", "", "starting…"), func(s *record.Session) { s.Job.CreatedAt = ago(2 * minute) })), Unknown},
	{"busy job that began just now", one(job("s", missing, status("busy"), state("working", "active", "", "starting…"), func(s *record.Session) { s.Job.CreatedAt, s.StartedAt = ago(time.Second), ago(time.Second) })), "5"},
	{"shell job that works", one(shell("s", "working", "building")), "5"},
	{"job that the daemon starts again", one(job("s", dead, state("working", "active", "", "SIGKILL (137); respawning"))), "5"},
	{"job started again after a long sleep", one(job("s", dead, active(3*hour), state("working", "active", "", ""), func(s *record.Session) { s.Job.State, s.Job.UpdatedAt = "crashed", ago(time.Second) })), "5"},
	{"job that works without a process, silent", one(job("s", dead, active(3*hour), state("working", "idle", "", ""))), "10"},

	{"busy, silent for more than 2 h", one(session("s", status("busy"), active(2*hour+time.Millisecond))), "6"},
	{"idle for hours, prompted just now", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process.StatusSince = ago(2 * hour) })), "5"},
	{"busy and silent, for more than 2 h", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process.StatusSince = ago(2*hour + time.Millisecond) })), "6"},
	{"silent, busy since the future", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process.StatusSince = ago(-hour) })), Unknown},
	{"silent, busy since nobody knows when", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process.StatusSince = nil })), "6"},
	{"busy, without any time", one(session("s", status("busy"), func(s *record.Session) { s.Transcript.ActivityAt = nil })), "6"},
	{"busy, activity in the future", one(session("s", status("busy"), active(-121*time.Second))), Unknown},
	{"busy and silent, and something lies ahead", one(session("s", status("busy"), active(3*hour), ahead)), Unknown},
	{"busy and silent, and a subagent is ahead", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Transcript.Subagents = &record.Subagents{Count: 1, Ahead: true} })), Unknown},
	{"busy and silent, and a subagent's activity is", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Transcript.Subagents = &record.Subagents{Count: 1, ActivityAt: ago(-hour)} })), Unknown},
	{"busy, and something lies ahead", one(session("s", status("busy"), active(minute), ahead)), "5"},
	{"busy, activity 120 s ahead", one(session("s", status("busy"), active(-120*time.Second))), "5"},
	{"busy, silent, without a process file", one(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process = nil })), Unknown},

	{"BLOCKED in the transcript", mine(session("s", word("BLOCKED"))), "7"},
	{"BLOCKED on the board", mine(session("s"), boardRow(record.Board{Arc: &record.ArcStatus{At: ago(10 * minute), Status: "BLOCKED"}})), "7"},
	{"BLOCKED on the board, then activity", mine(session("s"), boardRow(record.Board{Arc: &record.ArcStatus{At: ago(13 * minute), Status: "BLOCKED"}})), "9a"},
	{"job with a question", one(job("s", status("waiting", "input needed"), state("blocked", "blocked", "answer: Which one? (A · B)", "Which one?"))), "7"},
	{"job that ended on a question", one(job("s", state("blocked", "blocked", "", "Should I use the queue?"))), "7"},
	{"job that awaits its user", one(job("s", state("blocked", "blocked", "", "Awaiting user input"))), "7"},
	{"job that suggests a reply", one(job("s", state("blocked", "blocked", "", "the password"), func(s *record.Session) { s.Job.SuggestedReply = true })), "7"},
	{"job with a question and no needs", one(job("s", state("blocked", "blocked", "", "a choice"), func(s *record.Session) { s.Job.Questions = []record.Question{{Text: "Which?"}} })), "7"},
	{"blocked job without a process", one(job("s", dead, state("blocked", "blocked", "the password", "the password"))), "7"},
	{"job that waits for its first prompt", one(job("s", unprompted, state("blocked", "blocked", "send a prompt to start", "(idle — send a prompt to start)"))), "9"},
	{"blocked job that names nothing", one(job("s", state("blocked", "blocked", "", "hm"))), "9a"},

	{"MERGED, no open PR", mine(session("s", word("MERGED"))), "8"},
	{"DONE on the board", mine(session("s"), boardRow(record.Board{Arc: &record.ArcStatus{At: ago(10 * minute), Status: "DONE"}})), "8"},
	{"CLOSED, the PR is a fork's", mine(session("s", word("CLOSED")), openPR(true)), "8"},
	{"DONE, without gh", one(session("s", word("DONE"))), "8"},
	{"DONE, its PR is open", mine(session("s", word("DONE")), openPR(false)), Unknown},
	{"DONE, its PR is open, not ours", func() *world { w := scoped(session("s", word("DONE"))); openPR(false)(w); return w }, "10"},
	{"DONE, on no branch", mine(session("s", word("DONE"), func(s *record.Session) { s.BranchID = "" })), Unknown},
	{"DONE, placed by the board", mine(session("s", word("DONE"), elsewhere("", record.PlacedGone)), boardRow(record.Board{Repo: lamp})), "8"},
	{"DONE, on the board's branch", mine(session("s", word("DONE"), func(s *record.Session) { s.BranchID = "" }), boardRow(record.Board{BranchID: branch})), "8"},
	{"DONE, repository not observed", mine(session("s", word("DONE")), func(w *world) { w.repos[0].OK, w.repos[0].Error = false, "HTTP 502" }), Unknown},
	{"DONE, pull requests not read", mine(session("s", word("DONE")), func(w *world) { w.repos[0].PRs = nil }), Unknown},
	{"DONE, not on GitHub", mine(session("s", word("DONE")), func(w *world) { w.repos[0] = &record.Repo{CommonDir: lamp, NotGitHub: true} }), "8"},
	{"a word of no ending", mine(session("s", word("WORKING"))), "9a"},

	{"idle for 1 h", one(session("s", active(hour))), "9"},
	{"idle for less", one(session("s", active(hour-time.Millisecond))), "9a"},
	{"idle for 1 h, and something lies ahead", one(session("s", active(hour), ahead)), Unknown},
	{"idle for less, and something lies ahead", one(session("s", active(minute), ahead)), "9a"},
	{"never prompted", one(session("s", unprompted)), "9"},
	{"ours in the ledger, done, without a process", func() *world { w := scoped(job("s", dead)); w.owned = []*record.Owned{{SessionID: "s"}}; return w }, "9a"},
	{"ours through its Paseo agent", func() *world {
		w := scoped(session("s"))
		w.owned, w.agents = []*record.Owned{{PaseoAgentID: "a"}}, []*record.Agent{{ID: "a", Sessions: []string{"r", "s"}}}
		return w
	}, "9a"},
	{"background shell, silent for more than 2 h", one(session("s", status("shell"), active(2*hour+time.Millisecond))), "9"},
	{"interrupted", one(session("s", func(s *record.Session) { s.Transcript.LastTurn = "interrupted" })), "9a"},
	{"killed while idle, ours", mine(session("s", killed)), "9a"},
	{"ended with the machine, ours", mine(session("s", status("busy"), killed, func(s *record.Session) { s.Process.BeforeBoot = true })), "9a"},

	{"not adopted", func() *world { return scoped(session("s")) }, "10"},
	{"done, without a process", one(job("s", dead)), "10"},
	{"stopped, without a process", one(job("s", dead, state("stopped", "idle", "", "stopped"))), "10"},
	{"shell job that is done", one(shell("s", "done", "all good")), "10"},
	{"everything adopted, a finished job", func() *world { return scoped(job("s", dead)).adopt("*") }, "10"},
	{"everything adopted, a live job", func() *world { return scoped(job("s")).adopt("*") }, "9a"},
	{"everything adopted, a session", func() *world { return scoped(session("s")).adopt("*") }, "9a"},
	{"ended with the machine", one(session("s", status("busy"), killed, func(s *record.Session) { s.Process.BeforeBoot = true })), "10"},
	{"ended with the machine, by its start", one(session("s", status("busy"), killed, func(s *record.Session) { s.Process.StartedAt, s.Process.StatusSince = ago(50*hour), nil })), "10"},
	{"waiting, its pid another's since the restart", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Process.StartedAt, s.Process.StatusSince = ago(50*hour), ago(49*hour) })), "10"},
	{"started before the boot by a wrong clock", one(session("s", status("busy"), func(s *record.Session) { s.StartedAt, s.Process.StartedAt = ago(50*hour), ago(50*hour) })), "5"},

	{"where it stands cannot be looked at", mine(session("s", elsewhere("", record.PlacedUnreadable))), Unknown},
	{"no source names a cwd", mine(session("s", elsewhere("", record.PlacedUnknown))), Unknown},
	{"cwd gone, the board not read", mine(session("s", elsewhere("", record.PlacedGone)), func(w *world) { w.cannot("board/home") }), Unknown},
	{"dialog open, the transcript missing", one(session("s", status("waiting", "dialog open"), missing)), Unknown},
	{"waiting, and not for what, not ours", func() *world { return scoped(session("s", status("waiting"))) }, Unknown},
	{"process gone while busy, the boot not known", func() *world { w := local(session("s", status("busy"), killed)); w.boot = nil; return w }, Unknown},
	{"works without a process, its job file missing", one(job("s", dead, active(3*hour), state("working", "idle", "", ""), noJob)), Unknown},
	{"busy, silent, without a process file, not ours", func() *world {
		return scoped(session("s", status("busy"), active(3*hour), func(s *record.Session) { s.Process = nil }))
	}, Unknown},
	{"works without a process, the board not read", func() *world {
		w := scoped(job("s", dead, active(3*hour), state("working", "idle", "", ""))).cannot("board/home")
		openPR(false)(w)
		return w
	}, Unknown},
	{"DONE, repository not observed, not ours", func() *world { w := scoped(session("s", word("DONE"))); w.repos[0].OK = false; return w }, Unknown},
	{"idle, ledger not readable", func() *world { return scoped(session("s")).cannot("ledger") }, Unknown},
	{"idle, no ledger yet", func() *world { return scoped(session("s")).lacks("ledger", "ledger", true) }, "10"},
	{"idle, ledger not read", func() *world { return scoped(session("s")).forget(ledgers) }, Unknown},
	{"without a status, ledger not read", func() *world { return scoped(session("s", status(""))).forget(ledgers) }, Unknown},
	{"busy after a turn, without a process file", one(session("s", status("busy"), func(s *record.Session) { s.Process = nil })), Unknown},
	{"stalled job, its file missing", one(job("s", active(2*hour), noJob)), Unknown},
	{"no time at all", one(session("s", func(s *record.Session) { s.Transcript.ActivityAt, s.StartedAt = nil, nil })), Unknown},
	{"no kind, the listing not read", func() *world {
		return listingUnread(session("s", fails("server_error", 500, "API Error: 500"), func(s *record.Session) { s.Kind = "" }))
	}, Unknown},
	{"idle job, its file missing", one(job("s", noJob)), Unknown},
	{"live, without a status", one(session("s", status(""))), Unknown},
	{"transcript missing", one(session("s", missing)), Unknown},
	{"transcript missing, and nobody knows whether it was prompted", one(session("s", missing, func(s *record.Session) { s.Prompted = nil })), Unknown},
	{"blocked job, its file missing", one(job("s", state("blocked", "blocked", "the password", ""), noJob)), Unknown},
}

func TestTable(t *testing.T) {
	fired := map[string]bool{}
	for _, s := range table {
		t.Run(s.name, func(t *testing.T) { fired[s.world().class(t, s.class).Class] = true })
	}
	for _, r := range Rules() {
		if !fired[r.ID] {
			t.Errorf("no situation is of class %s", r.ID)
		}
	}
}
