package classify

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// publicCase is a situation that users of such tools reported, by the id of
// its report, and what the verdict must say.
type publicCase struct {
	id    string
	world func() *world
	class string
	check func(*testing.T, record.Verdict)
}

// seenAt moves a world to another time, and its transcript with it.
func seenAt(at time.Time, zone string, s *record.Session, text string) func() *world {
	return func() *world {
		w := local(s)
		w.at, w.zone = record.NewTime(at), zone
		w.boot = record.TimeOf(at.Add(-time.Hour * 48))
		s.StartedAt, s.Process.StartedAt = record.TimeOf(at.Add(-time.Hour)), record.TimeOf(at.Add(-time.Hour))
		s.Transcript.ActivityAt = record.TimeOf(at)
		fails("rate_limit", 429, text)(s)
		return w
	}
}

func utc(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func resets(want string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if got := v.ResetAt; got == nil && want != "" || got != nil && got.Format(time.RFC3339) != want {
			t.Errorf("reset %v, want %q; evidence %v", got, want, v.Evidence)
		}
	}
}

func asks(want string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if v.Question != want {
			t.Errorf("question %q, want %q", v.Question, want)
		}
	}
}

func causes(want string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if v.Cause != want {
			t.Errorf("cause %q, want %q", v.Cause, want)
		}
	}
}

// shows checks that evidence or a note of the source has the words.
func shows(source, words string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		for _, e := range append(v.Evidence, v.Notes...) {
			if e.Source == source && strings.Contains(e.Says, words) {
				return
			}
		}
		t.Errorf("nothing of %s says %q: %v, notes %v", source, words, v.Evidence, v.Notes)
	}
}

func does(want string) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		if v.WouldDo != want {
			t.Errorf("would %q, want %q", v.WouldDo, want)
		}
	}
}

func all(checks ...func(*testing.T, record.Verdict)) func(*testing.T, record.Verdict) {
	return func(t *testing.T, v record.Verdict) {
		t.Helper()
		for _, c := range checks {
			c(t, v)
		}
	}
}

var publicCases = []publicCase{
	{"cc-stopped", one(job("ab12cd34", dead, state("stopped", "idle", "", "stopped"))), "10", nil},
	{"cc-state-vs-tempo", one(job("s", status("idle"), state("working", "blocked", "approve plan", ""), asking("plan", "1. Do it"),
		func(s *record.Session) { s.Listing.State = "blocked" })), "3", asks("approve plan: 1. Do it")},
	{"cc-state-vs-tempo, listed as waiting", one(job("s", status("waiting", "permission prompt"), state("working", "blocked", "approve plan", ""),
		func(s *record.Session) { s.Listing.State = "blocked" })), "3", asks("approve plan")},
	{"cc-prose-question", one(session("s", func(s *record.Session) {
		s.Transcript.Question = &record.Question{Kind: "prose", Text: "Shall I delete the old lamp?"}
		s.Transcript.ModelWakes = ago(-time.Hour)
	})), "9a", all(asks("Shall I delete the old lamp?"), shows("claude/transcripts", "Shall I delete"), shows("claude/transcripts", "wakes at 2026-11-29 13:00"))},
	{"cc-failed", one(job("s", dead, state("failed", "idle", "", "no tests"))), "4", nil},
	{"cc-roster-ghost", one(job("s", dead, state("blocked", "blocked", "", ""))), "10", nil},
	{"cc-long-turn-stale-file", one(session("s", status("busy"), active(20*time.Second), func(s *record.Session) { s.Process.StatusSince = ago(14 * time.Minute) })), "5", nil},
	{"cc-busy-dead-pid", one(session("s", status("busy"), killed)), "4",
		all(causes("process gone"), shows("claude/sessions", "busy"), shows("claude/processes", "gone"))},
	{"cc-busy-dead-pid, it cannot be told", one(session("s", status("busy"), func(s *record.Session) { s.Process.Alive, s.Process.Start = nil, "cannot tell" })), "5", nil},
	{"cc-bg-agents-parked", one(session("s", status("busy"), active(9*time.Minute), func(s *record.Session) {
		s.Transcript.Subagents = &record.Subagents{Count: 1, Open: 1, ActivityAt: ago(5 * time.Second)}
	})), "5", nil},
	{"cc-bg-shell-only", one(session("s", status("shell"))), "5", shows("claude/sessions", "background shell")},
	{"cc-bg-shell-only, after 2 h", one(session("s", status("shell"), active(3*time.Hour))), "9", shows("claude/sessions", "background shell")},
	{"cc-sync-cut", one(session("s", killed, func(s *record.Session) { s.Transcript.LastTurn, s.Process.RawStatus = "open", "" })), "4",
		all(causes("process gone"), shows("claude/transcripts", "inside a turn"))},

	{"lim-weekly-date", seenAt(utc("2026-09-12T02:00:00Z"), "", session("s"), "You've hit your weekly limit · resets Sep 12, 6am (Europe/Madrid)"), "2",
		all(resets("2026-09-12T04:00:00Z"), causes("weekly limit"))},
	{"lim-legacy-epoch", seenAt(utc("2025-10-09T05:00:00Z"), "", session("s"), "Claude AI usage limit reached|1760000400"), "2", resets("2025-10-09T09:00:00Z")},
	{"lim-midnight", seenAt(utc("2026-09-01T23:10:00-05:00"), "", session("s"), "You've hit your session limit · resets 1:15am (America/Chicago)"), "2",
		all(resets("2026-09-02T06:15:00Z"), shows("claude/transcripts", "resets 2026-09-02"))},
	{"lim-east-zone", seenAt(utc("2026-05-03T00:00:00Z"), "", session("s"), "You've hit your session limit · resets 11:20pm (Pacific/Auckland)"), "2", resets("2026-05-03T11:20:00Z")},
	{"lim-24h-form", seenAt(utc("2026-05-03T00:00:00Z"), "", session("s"), "You've hit your session limit · resets 12:30"), "2",
		all(resets(""), shows("claude/transcripts", "cannot be told"), does("resume once the limit has ended"))},
	{"lim-new-year", seenAt(utc("2026-12-31T23:50:00Z"), "", session("s"), "You've hit your weekly limit · resets Jan 1, 2am (UTC)"), "2", resets("2027-01-01T02:00:00Z")},
	{"lim-new-year, read after it", func() *world {
		w := seenAt(utc("2027-01-01T00:30:00Z"), "", session("s"), "You've hit your weekly limit · resets Dec 31, 10pm (UTC)")()
		w.sessions[0].Transcript.Error.At = record.TimeOf(utc("2026-12-31T20:00:00Z"))
		w.sessions[0].Transcript.ActivityAt = w.sessions[0].Transcript.Error.At
		return w
	}, "2", all(resets("2026-12-31T22:00:00Z"), shows("claude/transcripts", "passed"), does("resume; the limit has ended"))},
	{"lim-posix-sign", seenAt(utc("2026-02-10T12:00:00Z"), "", session("s"), "Claude usage limit reached. Your limit will reset at 3pm (Etc/GMT+5)."), "2", resets("2026-02-10T20:00:00Z")},
	{"lim-no-zone", seenAt(utc("2026-02-10T12:00:00Z"), "Europe/Berlin", session("s"), "Claude usage limit reached. Your limit will reset at 12am."), "2",
		all(resets("2026-02-10T23:00:00Z"), shows("claude/transcripts", "uncertain"))},
	{"lim-unknown-zone", seenAt(utc("2026-02-10T12:00:00Z"), "", session("s"), "You've hit your session limit · resets 5pm (Mars/Base)"), "2", resets("")},
	{"lim-quoted-in-talk", one(session("s", status("busy"))), "5", nil},
	{"lim-quoted-in-talk, by a job", one(job("s", state("blocked", "blocked", "What does 'You've hit your session limit · resets 5pm (UTC)' mean?", "What does it mean?"))), "7", nil},
	{"lim-negated", one(session("s", func(s *record.Session) {
		s.Transcript.Question = &record.Question{Kind: "prose", Text: "No limit was hit today, shall I go on?"}
	})), "9a", nil},
	{"lim-structured", one(session("s", fails("rate_limit", 429, "API Error: Request rejected (429)"))), "4", all(causes("rate limited"), does("report, and resume once"))},
	{"lim-structured, with quotaLimits", one(session("s", limited("too many requests", ago(-hour)))), "2", all(causes("session limit"), resets("2026-11-29T13:00:00Z"))},
	{"lim-cleared", one(session("s", func(s *record.Session) {
		fails("rate_limit", 429, hitLimit)(s)
		s.Transcript.Error.At = ago(5 * hour)
	})), "9a", resets("")},
	{"lim-very-old", one(session("s", killed, func(s *record.Session) {
		active(9 * 24 * hour)(s)
		limited(hitLimit, ago(9*24*hour-hour))(s)
	})), "2", all(shows("claude/transcripts", "passed"), does("report"))},

	{"err-529", one(session("s", fails("server_error", 529, busy529))), "4", all(causes("overloaded"), does("report, and resume once"))},
	{"err-dropped-late-meta", func() *world {
		w := seenAt(utc("2026-07-07T11:20:00Z"), "", session("s"), "")()
		w.at = record.NewTime(utc("2026-07-08T10:40:00Z"))
		w.sessions[0].Transcript.Error = &record.TurnError{At: record.TimeOf(utc("2026-07-07T11:20:00Z")), Kind: "server_error", Text: "API Error: Connection closed mid-response"}
		return w
	}, "4", func(t *testing.T, v record.Verdict) {
		causes("network")(t, v)
		if v.Session.Since == nil || v.Session.Since.Format(time.RFC3339) != "2026-07-07T11:20:00Z" {
			t.Errorf("since %v", v.Session.Since)
		}
	}},
	{"err-prompt-too-long", one(session("s", fails("invalid_request", 400, "Prompt is too long"))), "4", all(causes("context full"), does("report"))},
	{"err-prompt-too-long, quoted", one(job("s", state("done", "idle", "", "Explained why 'Prompt is too long' appears"))), "9a", nil},
	{"err-auth", one(session("s", fails("authentication_failed", 401, "Not logged in · Please run /login"))), "4", all(causes("login"), does("report"))},
	{"err-enotfound", one(session("s", active(150*time.Minute), fails("server_error", 0, "API Error: Unable to connect to API (ENOTFOUND)"))), "4",
		all(causes("network"), does("report, and resume once"))},
	{"err-reboot-tombstone", one(session("s", status("waiting", "permission prompt"), killed, func(s *record.Session) { s.Process.BeforeBoot = true })), "10",
		shows("claude/processes", "can be resumed")},

	{"ask-open", one(session("s", asking("question", "Which database?", "Postgres", "SQLite"))), "3", asks("Which database? (Postgres · SQLite)")},
	{"ask-answered", one(session("s", status("busy"))), "5", asks("")},
	{"ask-superseded", one(session("s", func(s *record.Session) { s.Transcript.LastTurn = "open" })), "9a", asks("")},
	{"ask-mixed", one(session("s", status("busy"), func(s *record.Session) {
		asking("question", "Which one?")(s)
		s.Transcript.OpenCalls = []string{"AskUserQuestion", "Bash: make"}
	})), "5", all(asks("Which one?"), shows("claude/transcripts", "unanswered question"))},
	{"perm-pending", one(session("s", status("busy"), active(30*time.Second), func(s *record.Session) {
		s.Transcript.LastTurn, s.Transcript.OpenCalls = "open", []string{"Read: lamp.go"}
	})), "5", nil},
	{"perm-pending, as the listing says", one(session("s", status("waiting", "permission prompt"), active(30*time.Second), func(s *record.Session) {
		s.Transcript.LastTurn, s.Transcript.OpenCalls = "open", []string{"Read: lamp.go"}
	})), "3", asks("approve Read: lamp.go")},
	{"subagent-long", one(session("s", status("busy"), active(12*time.Minute), func(s *record.Session) {
		s.Transcript.Subagents = &record.Subagents{Count: 1, Open: 1, ActivityAt: ago(time.Second)}
	})), "5", nil},
	{"tx-no-timestamps", one(session("s", func(s *record.Session) { s.Transcript.ActivityAt, s.Transcript.LastTurnAt = nil, nil })), "9", shows("claude/transcripts", "no activity")},
}

func TestPublicCases(t *testing.T) {
	for _, c := range publicCases {
		t.Run(c.id, func(t *testing.T) {
			v := c.world().class(t, c.class)
			if c.check != nil {
				c.check(t, v)
			}
		})
	}
}
