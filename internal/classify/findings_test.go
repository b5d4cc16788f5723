package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// findingsOf are the findings of a world, a line each: host, subject, what it
// says, sessions.
func findingsOf(t *testing.T, w *world) string {
	t.Helper()
	out, err := judgeAll(setOf(w.records()), "fleet-classify", noon)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range out {
		if f, ok := record.Payload[record.Finding](r); ok {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s %v", r.Host, r.Subject, f.Says, f.Sessions)))
		}
	}
	return strings.Join(lines, "\n")
}

func booted(s *record.Session) { s.Process.BeforeBoot = true }

func in(tree string) change { return func(s *record.Session) { s.Worktree = tree } }

func TestFindings(t *testing.T) {
	tests := []struct {
		name  string
		world func() *world
		want  string
	}{
		{"an empty machine", func() *world { return local() }, ""},
		{"one session", one(session("s")), "count: 1 session, 1 with a live process []"},
		{"listing not read", func() *world { return local(session("s")).cannot("claude/listing") },
			"count: not counted: claude/listing: could not be read: permission denied []"},

		{"two limits", func() *world {
			return local(session("a", limited(hitLimit, ago(-hour))), session("b", limited("You've hit your weekly limit", ago(-30*hour))), session("c", limited(hitLimit, ago(hour))))
		}, "count: 3 sessions, 3 with a live process []\n" +
			"pause: start no new sessions before 2026-11-30 18:00 UTC: 2 sessions stopped at a usage limit (session limit, weekly limit) [a b]"},
		{"limit out of scope", mine(session("s", limited(hitLimit, ago(-hour)), elsewhere(stove, record.PlacedByCwd))),
			"count: 0 sessions, 0 with a live process; 1 more outside the scope or not placed; 0 open Paseo records, 0 without a process; 0 sessions with neither a Paseo record nor a fleet name []\n" +
				"pause: start no new sessions before 2026-11-29 13:00 UTC: 1 session stopped at a usage limit (session limit) [s]"},
		{"limit without a reset", one(session("s", fails("rate_limit", 429, "You've hit your session limit · resets 12:30"))),
			"count: 1 session, 1 with a live process []\npause: start no new sessions: 1 session stopped at a usage limit (session limit) [s]"},

		{"one work tree", func() *world {
			return local(session("a", in("/w/lamp")), session("b", in("/w/lamp")), session("c", in("")))
		},
			"count: 3 sessions, 3 with a live process []\ndevbox overlap:/w/lamp: 2 live sessions share the work tree /w/lamp [a b]"},
		{"one work tree, one process", func() *world { return local(session("a", in("/w/lamp")), session("b", in("/w/lamp"), killed)) },
			"count: 2 sessions, 1 with a live process []"},
		{"sessions without a work tree", func() *world { return local(session("a", in("")), session("b", in(""))) }, "count: 2 sessions, 2 with a live process []"},

		{"after a restart", func() *world {
			return local(session("a", status("busy"), killed, booted), session("b", killed, booted), session("c"))
		},
			"devbox boot: 2 sessions ended when the machine restarted at 2026-11-27 12:00 UTC; they can be resumed [a b]\ncount: 3 sessions, 1 with a live process []"},
		{"a process without a session id", func() *world { return local(session("", status("waiting", "permission prompt"))) },
			"count: 1 session, 1 with a live process []\ndevbox process: 1 Claude Code process that no record names, in /w/lamp [pid:900]"},
	}
	for _, tt := range tests {
		if got := findingsOf(t, tt.world()); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestFindings_claims checks that two live sessions that claim one path of one
// repository overlap.
func TestFindings_claims(t *testing.T) {
	claim := func(paths ...string) *record.Board {
		b := new(record.Board)
		for _, p := range paths {
			b.Claims = append(b.Claims, record.BoardClaim{Repo: lamp, Path: p})
		}
		return b
	}
	w := scoped(session("a"), session("b"), session("c"))
	for id, b := range map[string]*record.Board{"a": claim("wick.go", "oil.go"), "b": claim("oil.go", "oil.go"), "c": claim("shade.go")} {
		b.SessionID = id
		w.row(b)
	}
	got := findingsOf(t, w)
	if want := "devbox overlap:" + lamp + ":oil.go: 2 live sessions claim oil.go of " + lamp + " [a b]"; strings.Count(got, "overlap") != 1 || !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestFindings_untracked checks that a process that the observer names beside
// all records is found.
func TestFindings_untracked(t *testing.T) {
	w := local()
	r, err := record.New(record.KindSurface, noon, "farbox", "fleet-observe-claude", "claude/processes",
		record.Surface{OK: true, Untracked: []record.Untracked{{PID: 900, Cwd: "/w/lamp", Exe: "/opt/claude"}, {PID: 901, Exe: "/opt/claude"}, {PID: 902, Cwd: "/w/oil"}, {PID: 903, Cwd: "/w/rye"}, {PID: 904, Cwd: "/w/tea"}, {PID: 905, Cwd: "/w/wax"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.extra = []record.Record{r}
	if got, want := findingsOf(t, w), "farbox process: 6 Claude Code processes that no record names, in /w/lamp, /w/oil, /w/rye and 2 more [pid:900 pid:901 pid:902 pid:903 pid:904 pid:905]"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestFindings_count checks Paseo's records against the sessions.
func TestFindings_count(t *testing.T) {
	w := scoped(session("a"), session("b", killed), session("c"), session("d"), session("out", elsewhere(stove, record.PlacedByCwd)))
	w.sessions[2].Name = "home-lamp-pr7"
	w.agents = []*record.Agent{
		{ID: "p1", Sessions: []string{"a"}, Repo: lamp, Placement: record.PlacedByCwd},
		{ID: "p2", Sessions: []string{"x", "b"}, Repo: lamp, Placement: record.PlacedByCwd, Title: "Fix b"},
		{ID: "p3", Sessions: []string{"x"}, Repo: lamp, Placement: record.PlacedByCwd},
		{ID: "p4", Repo: lamp, Placement: record.PlacedByCwd},
		{ID: "p5", Sessions: []string{"x"}, Repo: lamp, Archived: true},
		{ID: "p6", Sessions: []string{"x"}, Repo: stove, Placement: record.PlacedByCwd},
		{ID: "p7", Sessions: []string{"x"}, Placement: record.PlacedGone},
		{ID: "p8", Sessions: []string{"x"}, Placement: record.PlacedNone},
	}
	want := "count: 4 sessions, 3 with a live process; 1 more outside the scope or not placed; 4 open Paseo records, 3 without a process; " +
		"1 Paseo record not placed; 1 session with neither a Paseo record nor a fleet name [d]\n" +
		"records-without-process: 3 open Paseo records have no live process [p2 p3 p4]\n" +
		"fleet-shaped-unledgered: 1 session with a name of the fleet's that the ledger lacks [c]"
	if got := findingsOf(t, w); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w.owned = []*record.Owned{{SessionID: "c"}, {SessionID: "d"}}
	w.sessions[3].Name = "home-lamp-pr7"
	if got, want := findingsOf(t, w), "spawn-duplicate:home-lamp-pr7: 2 sessions are called home-lamp-pr7 [c d]"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := findingsOf(t, w.forget(ledgers)); strings.Contains(got, "spawn-duplicate") {
		t.Errorf("without a ledger: %s", got)
	}
	w.silent[paseo] = true
	if got := findingsOf(t, w); !strings.Contains(got, "Paseo's records were not read: fleet-observe-paseo: no closing record") {
		t.Errorf("without Paseo: %s", got)
	}
}

// What is said of Paseo's records and of processes rests on the listing of every machine.
func TestFindings_notCounted(t *testing.T) {
	agents := func(w *world) *world {
		w.agents = []*record.Agent{{ID: "p1", Sessions: []string{"x"}, Repo: lamp}}
		return w
	}
	work := func(s record.Surface) *world {
		w, one := agents(scoped()), 1
		listing, _ := record.New(record.KindSurface, noon, devbox, claude, "claude/listing@work", s)
		closing, _ := record.New(record.KindSurface, noon, devbox, claude, claude+"@work", record.Surface{OK: true, Records: &one})
		w.extra = []record.Record{listing, closing}
		return w
	}
	two, alone, shares := agents(scoped()), agents(local()).forget(claude), agents(scoped())
	two.tick.Hosts, alone.silent[paseo] = []string{devbox, "attic"}, false
	shared(shares)
	for _, tt := range []struct {
		name string
		w    *world
		want string
	}{
		{"all read", agents(scoped()), "0 sessions, 0 with a live process; 1 open Paseo record, 1 without a process; 0 sessions with neither a Paseo record nor a fleet name []\n" +
			"records-without-process: 1 open Paseo record has no live process [p1]"},
		{"nobody looked", agents(scoped()).forget(claude), "not counted: fleet-observe-claude: no closing record []"},
		{"nobody looked, without a configuration", alone, "not counted: fleet-observe-claude: no closing record []"},
		{"the listing failed", agents(scoped()).cannot("claude/listing"), "not counted: claude/listing: could not be read: permission denied []"},
		{"nobody looked at one of two machines", two, "not counted: fleet-observe-claude: no closing record on attic []"},
		{"the listing of a further directory failed", work(record.Surface{Error: "torn"}), "not counted: claude/listing@work: could not be read: torn []"},
		{"a record of a repository that two scopes name", shares, "0 sessions, 0 with a live process; 0 open Paseo records, 0 without a process; 1 Paseo record not placed; " +
			"0 sessions with neither a Paseo record nor a fleet name []"},
	} {
		if got := findingsOf(t, tt.w); got != "count: "+tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestFindings_recordsWithoutProcessSayWhy(t *testing.T) {
	w := scoped(session("b", killed))
	w.agents = []*record.Agent{{ID: "p2", Sessions: []string{"b"}, Repo: lamp, Title: "Fix b"}, {ID: "p3", Sessions: []string{"x"}, Repo: lamp}, {ID: "p4", Repo: lamp}}
	out, err := judgeAll(setOf(w.records()), "fleet-classify", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		if f, ok := record.Payload[record.Finding](r); ok && f.Name == "records-without-process" {
			want := "[{paseo/agents p2 Fix b: session b has no process} {paseo/agents p3: no session of it is known} {paseo/agents p4: it names no session}]"
			if got := fmt.Sprint(f.Evidence); got != want {
				t.Errorf("evidence %s, want %s", got, want)
			}
			return
		}
	}
	t.Error("no such finding")
}

// TestPause_accounts checks that a limit of one account does not stop another.
func TestPause_accounts(t *testing.T) {
	w := local(session("a", limited(hitLimit, ago(-2*hour))), session("b", limited(hitLimit, ago(-hour))))
	seen := standard().sessions(newStream(setOf(w.records())))
	seen[1].facts.S.Account = "work"
	var sessions []*judged
	for i, s := range seen {
		sessions = append(sessions, s.facts.judged(newStream(setOf(w.records())), string(rune('a'+i)), s.verdict))
	}
	var got []string
	for _, f := range pauses(sessions) {
		got = append(got, fmt.Sprint(f.subject, " ", f.Until.Format("15:04"), " ", f.Sessions))
	}
	if want := "pause 14:00 [a],pause@work 13:00 [b]"; strings.Join(got, ",") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The same path of two machines is two paths.
func TestClaims_machines(t *testing.T) {
	row := &record.Board{Claims: []record.BoardClaim{{Repo: lamp, Path: "oil.go"}}}
	a, b, far := &judged{host: "devbox", subject: "a", row: row}, &judged{host: "devbox", subject: "b", row: row}, &judged{host: "attic", subject: "c", row: row}
	if got := claims([]*judged{a, far}); len(got) != 0 {
		t.Errorf("two machines: %+v", got)
	}
	if got := claims([]*judged{a, far, b}); len(got) != 1 || got[0].host != "devbox" || len(got[0].Sessions) != 2 {
		t.Errorf("two of one machine: %+v", got)
	}
}
