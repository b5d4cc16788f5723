package classify

import (
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func since(want *record.Time) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if got := v.Session.Since; (got == nil) != (want == nil) || got != nil && !got.Equal(want.Time) {
			t.Errorf("since %v, want %v", got, want)
		}
	}
}

func why(want string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if v.Why != want {
			t.Errorf("why %q, want %q", v.Why, want)
		}
	}
}

// asked is a job that asks a question with options.
func asked(s *record.Session) {
	state("blocked", "blocked", "answer: Which one? (A · B)", "Which one?")(s)
	s.Job.Questions = []record.Question{{Text: "Which one?", Options: []string{"A", "B"}}}
}

// fields are situations and what stands beside their class.
var fields = []struct {
	name  string
	world func() *world
	class string
	check func(*testing.T, record.Verdict)
}{
	{"approval that the job names", one(job("s", status("waiting", "permission prompt"), state("blocked", "blocked", "approve Bash: make clean", "Clean"))), "3",
		all(asks("approve Bash: make clean"), does("ask the owner; never approve"), since(ago(10*time.Minute)))},
	{"approval that the transcript names", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Transcript.OpenCalls = []string{"Bash: make", "Write: a"} })), "3",
		asks("approve Bash: make, Write: a")},
	{"approval that nothing names", one(session("s", status("waiting", "permission prompt"))), "3", asks("permission prompt")},
	{"approval without a transcript", one(session("s", status("waiting", "permission prompt"), missing)), "3", asks("permission prompt")},
	{"plan", one(session("s", status("waiting", "permission prompt"), asking("plan", "1. Do it"))), "3", asks("approve plan: 1. Do it")},
	{"plan without text", one(session("s", status("waiting", "permission prompt"), asking("plan", "approve plan"))), "3", asks("approve plan")},
	{"approval of a subagent's call", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Transcript.OpenCalls = []string{"Agent"} })), "3", asks("permission prompt")},
	{"dialog after a question in prose", one(session("s", status("waiting", "dialog open"), func(s *record.Session) { s.Transcript.Question = &record.Question{Kind: "prose", Text: "Go on?"} })), "3", asks("dialog open")},
	{"dialog of a job", one(job("s", status("waiting", "dialog open"), state("blocked", "blocked", "choose: theme", ""))), "3", asks("choose: theme")},
	{"request of another kind", one(session("s", status("waiting", "worker request"), func(s *record.Session) { s.Transcript.OpenCalls = []string{"Bash: make"} })), "3", asks("worker request")},
	{"dialog", one(session("s", status("waiting", "dialog open"))), "3", asks("dialog open")},
	{"question of an interactive session", one(session("s", status("waiting", "input needed"), asking("question", "Which one?", "A", "B"))), "3",
		all(asks("Which one? (A · B)"), since(ago(10*time.Minute)))},
	{"question that overrules the listing", one(session("s", asking("question", "Which one?"))), "3",
		all(asks("Which one?"), shows("claude/listing", "overruled"), since(ago(10*time.Minute)))},
	{"prompt of unknown age", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Process = nil })), "3", since(nil)},
	{"prompt in the future", one(session("s", status("waiting", "permission prompt"), func(s *record.Session) { s.Process.StatusSince = ago(-time.Hour) })), "3", since(nil)},
	{"question of a job", one(job("s", status("waiting", "input needed"), asked)), "7", all(asks("Which one? (A · B)"), does("carry the ask forward"), since(ago(10*time.Minute)))},
	{"two questions of a job", one(job("s", asked, func(s *record.Session) { s.Job.Questions = append(s.Job.Questions, record.Question{Text: "And how?"}) })), "7", asks("Which one? (A · B) And how?")},
	{"question in a job's words", one(job("s", state("blocked", "blocked", "answer: the password", "the password"))), "7", asks("the password")},
	{"question in a job's detail", one(job("s", state("blocked", "blocked", "", "Should I go on?"))), "7", asks("Should I go on?")},
	{"BLOCKED", mine(session("s", word("BLOCKED"))), "7", all(asks("ARC-STATUS: BLOCKED"), since(ago(10*time.Minute)))},
	{"BLOCKED on the board", mine(session("s"), boardRow(record.Board{Arc: &record.ArcStatus{At: ago(9 * minute), Status: "BLOCKED", Line: "ARC-STATUS: BLOCKED on a key"}})), "7",
		all(asks("ARC-STATUS: BLOCKED on a key"), since(ago(9*time.Minute)), shows("board/home", "BLOCKED"))},
	{"DONE, without gh", one(session("s", word("DONE"))), "8", all(shows("gh", "PRs not looked at"), does("report what a janitor would remove"), since(ago(10*time.Minute)))},
	{"DONE, not ours", func() *world { return scoped(session("s", word("DONE"))) }, "8", all(shows("gh/acme/lamp", "no open PR"), does("report"))},
	{"DONE on the board", mine(session("s"), boardRow(record.Board{Arc: &record.ArcStatus{At: ago(9 * minute), Status: "DONE"}})), "8", since(ago(9 * time.Minute))},

	{"limit, by quotaLimits", one(session("s", limited("You've hit your session limit · resets 5pm (UTC)", ago(-time.Hour)))), "2",
		all(resets("2026-11-29T13:00:00Z"), shows("claude/transcripts", "quotaLimits"), causes("session limit"), since(ago(10*time.Minute)), asks(""),
			does("resume after 2026-11-29 13:00 UTC"))},
	{"limit, by its text", one(session("s", fails("rate_limit", 429, hitLimit))), "2", all(resets("2026-11-29T14:00:00Z"), shows("claude/transcripts", "its text"))},
	{"limit, by the job's text", one(job("s", state("blocked", "blocked", "rate limited — wait and retry · "+hitLimit, ""))), "2",
		all(resets("2026-11-29T14:00:00Z"), shows("claude/jobs", "its text"), causes("session limit"), since(ago(10*time.Minute)))},
	{"limit, assumed", mine(session("s"), died("rate_limit", ago(9*minute))), "2",
		all(resets("2026-11-29T16:51:00Z"), shows("board/home", "assumed, 5 h 0 min after it stopped"), causes("usage limit"), since(ago(9*minute)))},
	{"limit, by the board's text", mine(session("s"), boardRow(record.Board{Died: &record.BoardDeath{At: *ago(9 * minute), Class: "rate_limit", Text: hitLimit}})), "2",
		all(resets("2026-11-29T14:00:00Z"), causes("session limit"))},
	{"limit of unknown time", one(session("s", fails("rate_limit", 429, "You've hit your session limit"), func(s *record.Session) { s.Transcript.Error.At = nil })), "2",
		all(resets(""), since(nil), shows("claude/transcripts", "cannot be told"))},
	{"limit, passed", one(session("s", limited(hitLimit, ago(time.Second)))), "2", all(shows("claude/transcripts", "reset passed: 2026-11-29 11:59"), does("resume; the limit has ended"))},
	{"limit, not ours", func() *world { return scoped(session("s", limited(hitLimit, ago(-hour)))) }, "2", does("report")},
	{"spend limit", one(session("s", limited("You've hit your org's monthly spend limit · ask your admin to raise it at claude.ai/admin-settings/usage · your session limit resets 4:58pm (UTC)", nil))), "2",
		all(causes("spend limit"), resets("2026-11-29T16:58:00Z"))},
	{"API key's cap", one(job("s", state("failed", "idle", "", "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."))), "2",
		all(causes("API key limit"), resets("2026-12-01T00:00:00Z"))},

	{"refusal", one(session("s", fails("invalid_request", 0, "API Error: Opus's safeguards flagged this message"))), "4", all(causes("refusal"), does("report"))},
	{"invalid request", one(session("s", fails("invalid_request", 400, "API Error: 400 messages.1: wrong"))), "4", causes("invalid request")},
	{"server", one(session("s", fails("server_error", 500, "API Error: 500 Internal server error"))), "4", all(causes("server"), does("report, and resume once"), since(ago(10*time.Minute)))},
	{"server, not ours", func() *world {
		return scoped(session("s", fails("server_error", 500, "API Error: 500 Internal server error")))
	}, "4", does("report")},
	{"unknown error, by its status", one(session("s", fails("novel", 502, "bad gateway"))), "4", causes("server")},
	{"shell", one(shell("s", "failed", "exit 3 — oops")), "4", all(causes("shell exit 3"), shows("claude/jobs", "exit 3 — oops"))},
	{"job killed with its daemon", one(job("s", dead, state("failed", "idle", "", "building"), func(s *record.Session) { s.Job.State = "working" })), "4", causes("process gone")},
	{"job's own word", one(job("s", state("failed", "idle", "", "no tests"))), "4", all(causes("failed"), does("report"))},
	{"job's login", one(job("s", state("blocked", "blocked", "login required — run /login", ""))), "4", all(causes("login"), since(ago(10*time.Minute)))},
	{"job's overload", one(job("s", state("blocked", "blocked", "API unavailable — retry · "+busy529, busy529))), "4", all(causes("overloaded"), does("report, and resume once"))},
	{"board death", mine(session("s"), died("network_error", ago(9*minute))), "4", all(causes("network"), does("report, and resume once"), shows("board/home", "died: network_error"))},

	{"hung", one(session("s", status("busy"), active(3*hour))), "6", all(does("report, and mail it once"), since(ago(3*hour)))},
	{"hung, not ours", func() *world { return scoped(session("s", status("busy"), active(3*hour))) }, "6", does("report")},
	{"busy", one(session("s", status("busy"))), "5", all(does("nothing"), since(ago(4*hour)))},
	{"background shell", one(session("s", status("shell"))), "5", since(nil)},
	{"stalled", one(session("s", active(2*hour))), "9", all(does("mail it, once in 6 h"), since(ago(2*hour)))},
	{"stalled while something ran", mine(job("s", dead, active(2*hour), func(s *record.Session) { s.Transcript.OpenCalls = []string{"Bash: make", "Read: lamp.go"} })), "9", does("report; no end of Bash: make, Read: lamp.go")},
	{"stalled at a question", mine(session("s", status("waiting", "permission prompt"), killed, active(2*hour), asking("question", "Replace or append?"), func(s *record.Session) {
		s.Process.BeforeBoot, s.Transcript.OpenCalls = true, []string{"AskUserQuestion"}
	})), "9", does("report; nobody answered: Replace or append?")},
	{"stalled, without a process", mine(job("s", dead, active(2*hour))), "9", does("resume once, with no flags")},
	{"recent", one(session("s")), "9a", all(does("nothing"), since(ago(10*time.Minute)))},
	{"unmanaged", func() *world { return scoped(session("s")) }, "10", all(does("report"), shows("ledger", "not in the ledger"))},
	{"out of scope", mine(session("s", elsewhere(stove, record.PlacedByCwd))), "1", all(does("nothing"), shows("git", "another scope"))},
	{"out of scope, listing not read", mine(session("s", elsewhere(stove, record.PlacedByCwd)), func(w *world) { w.cannot("claude/listing") }), Unknown,
		why("claude/listing: could not be read: permission denied")},

	{"unknown: transcript", one(session("s", missing)), Unknown, all(why("claude/transcripts: its transcript is missing, and it was prompted"), does("report"), asks(""))},
	{"unknown: transcript unread", one(session("s", func(s *record.Session) { s.Transcript = &record.Transcript{Found: true, Unread: "permission denied"} })), Unknown,
		why("claude/transcripts: permission denied")},
	{"unknown: transcripts unread", one(session("s", func(s *record.Session) { s.Transcript = nil })), Unknown, why("claude/transcripts: was not read")},
	{"unknown: job file", one(job("s", noJob)), Unknown, why("claude/jobs: its job file: there is no job file")},
	{"unknown: board", mine(session("s"), func(w *world) { w.cannot("board/home") }), Unknown, why("board/home: could not be read: permission denied")},
	{"unknown: repository", mine(session("s", word("DONE")), func(w *world) { w.repos[0].OK, w.repos[0].Error = false, "HTTP 502" }), Unknown, why("gh/acme/lamp: HTTP 502")},
	{"unknown: branch", mine(session("s", word("DONE"), func(s *record.Session) { s.BranchID = "" })), Unknown, why("git: its branch is not known")},
	{"unknown: paseo", func() *world {
		w := scoped(session("s")).cannot("paseo/agents")
		w.owned = []*record.Owned{{PaseoAgentID: "a"}}
		return w
	}, Unknown, why("paseo/agents: could not be read: permission denied")},
	{"unknown: ledger", func() *world { return scoped(session("s")).forget(ledgers) }, Unknown, why("ledger: fleet-ledger: no closing record")},
	{"unknown: nothing matched", one(session("s", status(""))), Unknown, why("nothing matched")},
}

func TestVerdict_fields(t *testing.T) {
	for _, tt := range fields {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, tt.world().class(t, tt.class)) })
	}
}
