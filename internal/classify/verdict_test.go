package classify

import (
	"fmt"
	"slices"
	"strings"
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

// TestVerdict_fields checks what stands beside the class.
func TestVerdict_fields(t *testing.T) {
	asked := func(s *record.Session) {
		state("blocked", "blocked", "answer: Which one? (A · B)", "Which one?")(s)
		s.Job.Questions = []record.Question{{Text: "Which one?", Options: []string{"A", "B"}}}
	}
	tests := []struct {
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
				does("resume after 2026-11-29 13:00 UTC; start nothing new until then"))},
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
		{"busy", one(session("s", status("busy"))), "5", all(does("nothing"), since(ago(10*time.Minute)))},
		{"background shell", one(session("s", status("shell"))), "5", since(nil)},
		{"stalled", one(session("s", active(2*hour))), "9", all(does("mail it, once in 6 h"), since(ago(2*hour)))},
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
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, tt.world().class(t, tt.class)) })
	}
}

// listingUnread is a world whose listing was not read.
func listingUnread(s *record.Session, more ...func(*world)) *world {
	s.Listing = nil
	w := mine(s, more...)()
	return w.cannot("claude/listing")
}

// TestWithoutListing checks that 2, 4 and 7 stand on their own file, and
// nothing else does.
func TestWithoutListing(t *testing.T) {
	question := state("blocked", "blocked", "the password", "the password")
	tests := []struct {
		name  string
		world *world
		class string
	}{
		{"limit in the transcript", listingUnread(session("s", limited(hitLimit, nil))), "2"},
		{"limit in the job file", listingUnread(job("s", state("blocked", "blocked", "rate limited — wait and retry · "+hitLimit, hitLimit))), "2"},
		{"limit on the board", listingUnread(session("s"), died("rate_limit", ago(9*minute))), "2"},
		{"error in the transcript", listingUnread(session("s", fails("server_error", 500, "API Error: 500"))), "4"},
		{"error in the job file", listingUnread(job("s", state("blocked", "blocked", "API unavailable — retry", ""))), "4"},
		{"failed job", listingUnread(job("s", state("failed", "idle", "", "no tests"))), "4"},
		{"death on the board", listingUnread(session("s"), died("server_error", ago(9*minute))), "4"},
		{"process gone", listingUnread(session("s", status("busy"), killed)), "4"},
		{"question in the job file", listingUnread(job("s", question)), "7"},
		{"question in the job file, no process", listingUnread(job("s", question, dead)), "7"},
		{"question in the job file, prompt open", listingUnread(job("s", status("waiting", "input needed"), state("working", "blocked", "answer: Which?", "Which?"))), "7"},
		{"BLOCKED", listingUnread(session("s", word("BLOCKED"))), "7"},
		{"prompt", listingUnread(session("s", status("waiting", "permission prompt"))), Unknown},
		{"approval", listingUnread(job("s", status("waiting", "permission prompt"), state("working", "blocked", "approve Bash: make", ""))), Unknown},
		{"approval, no process", listingUnread(job("s", dead, state("blocked", "blocked", "approve Bash: make", ""))), Unknown},
		{"question in the transcript", listingUnread(session("s", asking("question", "Which?"))), Unknown},
		{"busy", listingUnread(session("s", status("busy"))), Unknown},
		{"error, and a prompt open", listingUnread(session("s", fails("server_error", 500, "API Error: 500"), status("waiting", "dialog open"))), Unknown},
		{"error, and the process file not read", listingUnread(session("s", fails("server_error", 500, "API Error: 500")), func(w *world) { w.cannot("claude/sessions") }), Unknown},
		{"busy job whose file says blocked", listingUnread(job("s", status("busy"), question)), Unknown},
		{"job without a process that works", listingUnread(job("s", dead, state("working", "active", "", ""))), Unknown},
		{"hung", listingUnread(session("s", status("busy"), active(3*hour))), Unknown},
		{"DONE", listingUnread(session("s", word("DONE"))), Unknown},
		{"idle", listingUnread(session("s")), Unknown},
		{"not ours", func() *world { s := session("s"); s.Listing = nil; return scoped(s).cannot("claude/listing") }(), Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.world.class(t, tt.class) })
	}
}

// cut takes the closing record of a program out.
func cut(rs []record.Record, by string) []record.Record {
	return slices.DeleteFunc(rs, func(r record.Record) bool { return r.Subject == by })
}

// TestClosing checks that a program that was cut was not read.
func TestClosing(t *testing.T) {
	w := mine(session("s"), boardRow(record.Board{}))()
	w.agents, w.owned = []*record.Agent{{ID: "a", Sessions: []string{"x"}}}, []*record.Owned{{PaseoAgentID: "a"}}
	whole := w.records()
	if got := judgedClasses(whole)["s"]; got != "9a" {
		t.Fatalf("class %s", got)
	}
	for by, want := range map[string]string{claude: Unknown, board: Unknown, config: "9a", paseo: "9a", github: "9a", ledgers: "9a"} {
		if got := judgedClasses(cut(slices.Clone(whole), by))["s"]; got != want {
			t.Errorf("without the closing record of %s: class %s, want %s", by, got, want)
		}
	}
	tickless := slices.DeleteFunc(slices.Clone(whole), func(r record.Record) bool { return r.Kind == record.KindTick })
	for _, s := range standard().sessions(newStream(setOf(tickless))) {
		if v := s.verdict; v.Class != Unknown || !strings.HasPrefix(v.Why, config+": ") || len(v.Matched) > 0 {
			t.Errorf("without the tick: class %s, why %q", v.Class, v.Why)
		}
	}
	hostless := slices.DeleteFunc(slices.Clone(whole), func(r record.Record) bool { return r.Kind == record.KindHost })
	if got := judgedClasses(hostless)["s"]; got != Unknown {
		t.Errorf("without the host: class %s", got)
	}
	if v := standard().sessions(newStream(setOf(hostless)))[0].verdict; v.Why != claude+": closing record counts 8, 7 are here" {
		t.Errorf("why %q", v.Why)
	}
}

// TestHosts checks that each session is judged by what its own machine tells.
func TestHosts(t *testing.T) {
	w := scoped(session("s"), session("r")).adopt("*")
	far := w.records()
	for i := range far {
		far[i].Host = "farbox"
	}
	rs := slices.Concat(w.records(), far)
	got := map[string]string{}
	for _, s := range standard().sessions(newStream(setOf(cut(rs, "")))) {
		got[s.record.Host+" "+s.record.Subject] = s.verdict.Class
	}
	rs = slices.DeleteFunc(rs, func(r record.Record) bool { return r.Host == "farbox" && r.Subject == "claude/listing" })
	for _, s := range standard().sessions(newStream(setOf(rs))) {
		got["cut: "+s.record.Host+" "+s.record.Subject] = s.verdict.Class
	}
	for key, want := range map[string]string{"devbox s": "9a", "farbox s": "9a", "farbox r": "9a", "cut: devbox s": "9a", "cut: farbox s": Unknown} {
		if got[key] != want {
			t.Errorf("%s: class %s, want %s", key, got[key], want)
		}
	}
}

// TestAccounts checks that a session of a further Claude directory rests on
// the surfaces of that directory.
func TestAccounts(t *testing.T) {
	w := local(session("s"))
	rs := w.records()
	work := session("w@work")
	work.SessionID, work.Account = "w", "work"
	labelled := local(work).records()
	n := 0
	for _, r := range labelled {
		switch {
		case r.Subject == claude, r.Kind == record.KindHost, r.Subject == "claude/version", r.Subject == "claude/processes":
			continue
		case r.Kind == record.KindSession:
			r.Subject = "w@work"
		default:
			r.Subject += "@work"
		}
		rs, n = append(rs, r), n+1
	}
	closing, err := record.New(record.KindSurface, noon, devbox, claude, claude+"@work", record.Surface{OK: true, Records: &n})
	if err != nil {
		t.Fatal(err)
	}
	rs = append(rs, closing)
	if got := fmt.Sprint(judgedClasses(rs)); got != "map[s:9a w@work:9a]" {
		t.Errorf("classes %s", got)
	}
	for subject, want := range map[string]string{"claude/listing@work": "map[s:9a w@work:unknown]", "claude/listing": "map[s:unknown w@work:9a]"} {
		broken := slices.Clone(rs)
		for i, r := range broken {
			if r.Subject == subject {
				broken[i], err = record.New(record.KindSurface, noon, devbox, claude, subject, record.Surface{Error: "timed out"})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := fmt.Sprint(judgedClasses(broken)); got != want {
			t.Errorf("without %s: classes %s, want %s", subject, got, want)
		}
	}
}

// TestJudge_recordsOfOwn checks subject, host, at and by of what is added.
func TestJudge_recordsOfOwn(t *testing.T) {
	w := local(session("s"), session("r", limited(hitLimit, ago(-hour))))
	later := record.NewTime(noon.Add(time.Hour))
	out, err := Judge(setOf(w.records()), "judge", later)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out {
		got = append(got, fmt.Sprintf("%s %s host=%s by=%s at=%s", r.Kind, r.Subject, r.Host, r.By, r.At.Format("15:04")))
	}
	want := []string{
		"verdict r host=devbox by=judge at=12:00",
		"verdict s host=devbox by=judge at=12:00",
		"finding count host= by=judge at=13:00",
		"finding pause host= by=judge at=13:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
