package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// has and hasNot say what a report must and must not contain.
func has(t *testing.T, md string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(md, s) {
			t.Errorf("no %q in\n%s", s, md)
		}
	}
}

func hasNot(t *testing.T, md string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(md, s) {
			t.Errorf("%q in\n%s", s, md)
		}
	}
}

// lineWith is the line of a report that holds text.
func lineWith(md, text string) string {
	for line := range strings.Lines(md) {
		if strings.Contains(line, text) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// Reports of real failures of programs of this kind, each under its name.
var cases = map[string]func(t *testing.T){
	"cc-detail-is-brief": func(t *testing.T) {
		s := newStream(t)
		s.session("5", func(v *record.Verdict) { v.Session.Kind, v.Session.Name = "background", "silent" })
		s.session("5", func(v *record.Verdict) { v.Session.Kind, v.Session.Progress = "background", "half of the tests pass" })
		s.session("5", func(v *record.Verdict) { v.Session.Name = "typed into" })
		md := s.markdown()
		has(t, lineWith(md, "| silent "), "| no progress line |")
		has(t, md, "| half of the tests pass |")
		hasNot(t, lineWith(md, "| typed into"), "no progress line") // none is expected of it
	},
	"cc-backlog-dump": func(t *testing.T) {
		s := newStream(t)
		for i := range 58 {
			s.session("10", func(v *record.Verdict) {
				v.Session.Kind, v.Session.Process, v.Session.Name = "background", false, fmt.Sprintf("job%d", i)
				v.Session.Since = ago(time.Duration(i) * 18 * time.Hour)
			})
		}
		for range 5 {
			s.session("5", nil)
		}
		s.session("3", func(v *record.Verdict) { v.Question = "Which port?" })
		md := s.markdown()
		has(t, md, "58 finished background jobs, newest first: job0 ", "and 50 older back to 17 Oct 22:50.")
		if n := strings.Count(md, "\n"); n > 40 {
			t.Errorf("%d lines do not fit the first screen", n)
		}
		if strings.Index(md, "58 finished background") < strings.LastIndex(md, "session ") {
			t.Errorf("live sessions below the backlog:\n%s", md)
		}
	},
	"err-auth": func(t *testing.T) {
		s := newStream(t)
		for range 6 {
			s.session("4", func(v *record.Verdict) {
				v.Cause = "login"
				v.Evidence = []record.Evidence{{Source: "claude/transcripts", Says: "Not logged in · Please run /login"}}
			})
		}
		s.session("4", func(v *record.Verdict) { v.Cause = "network" })
		md := s.markdown()
		has(t, md, "- **login**: 6 sessions\n", "\n  - cause: network\n")
		for _, once := range []string{"login**", "Please run /login"} {
			if n := strings.Count(md, once); n != 1 {
				t.Errorf("%q stands %d times", once, n)
			}
		}
		for i := 1; i <= 7; i++ {
			has(t, md, fmt.Sprintf("**session %d** `%08x`", i, i))
		}
	},
	"err-reboot-tombstone": func(t *testing.T) {
		s := newStream(t)
		var ids []string
		for range 9 {
			s.session("10", func(v *record.Verdict) { v.Session.Process = false })
			ids = append(ids, s.subject)
		}
		s.add(record.KindFinding, "fleet-classify", "boot", record.Finding{Name: "boot",
			Says: "9 sessions were running when the machine restarted; each can be resumed", Sessions: ids})
		md := s.markdown()
		has(t, md, "- **boot**: 9 sessions were running", "\n9 ended sessions, newest first: ")
		hasNot(t, md, "Needs me", "| session 1 ")
	},
	"ren-ansi-name": func(t *testing.T) {
		s := newStream(t)
		s.session("5", func(v *record.Verdict) { v.Session.Name = "\x1b[31mRed\x1b[0m" })
		md := s.markdown()
		has(t, md, "| Red ")
		hasNot(t, md, "\x1b", "[31m")
		_, doc := render(t, s.b.Bytes(), time.Time{})
		if !bytes.Contains(doc, []byte(`"\u001b[31mRed\u001b[0m"`)) || bytes.Contains(doc, []byte("\x1b")) {
			t.Errorf("the JSON does not escape the name:\n%s", doc)
		}
	},
	"ren-osc-residue": func(t *testing.T) {
		for _, name := range []string{"]11;rgb:1a1a/2b2b/3c3c", "[Note]", "array[0]"} {
			s := newStream(t)
			s.session("5", func(v *record.Verdict) { v.Session.Name = name })
			has(t, s.markdown(), "| "+name+" ")
		}
	},
	"ren-clear-screen": func(t *testing.T) {
		const bad = "\x1b[2J\x1b[Hgone"
		s := newStream(t)
		s.session("4", func(v *record.Verdict) {
			v.Cause, v.Session.Account, v.Session.Tmux = bad, bad, bad
			v.Evidence = []record.Evidence{{Source: bad, Says: bad}}
		})
		s.surface("claude/jobs", record.Surface{Error: bad, Drift: []string{bad}, Notes: []string{bad}})
		md := s.markdown()
		has(t, md, "- cause: gone\n", "- evidence: gone: gone\n", "**claude/jobs** on devbox: gone\n")
		hasNot(t, md, "[2J", "tmux")
	},
	"ren-newline-pipe": func(t *testing.T) {
		s := newStream(t)
		s.session("5", func(v *record.Verdict) { v.Session.Name = "first\nsecond | third" })
		md := s.markdown()
		has(t, md, `| first second \| third |`)
		if n := strings.Count(md, "\n|"); n != 3 {
			t.Errorf("%d table lines for one session:\n%s", n, md)
		}
	},
	"ren-wide": func(t *testing.T) {
		s := newStream(t)
		names := []string{"界界", "👩‍👩‍👧", "e\u0301e\u0301", strings.Repeat("界", 20), strings.Repeat("👩‍👩‍👧", 20), strings.Repeat("e\u0301", 40), "plain"}
		for _, name := range names {
			s.session("5", func(v *record.Verdict) { v.Session.Name = name })
		}
		md := s.markdown() // whose laws look at the columns
		has(t, md, "| 界界 ", "| 👩‍👩‍👧 ", strings.Repeat("界", 13)+"…", strings.Repeat("👩‍👩‍👧", 13)+"…", strings.Repeat("e\u0301", 27)+"…")
		for _, name := range names {
			if got := clip(name, 20); width(got) > 20 || strings.Contains(got, "\ufffd") {
				t.Errorf("clip(%q, 20) = %q, %d columns", name, got, width(got))
			}
		}
	},
	"ren-refusal-title": func(t *testing.T) {
		for _, class := range []string{"3", "2", "4", "6", "unknown", "5", "9", "9a", "8", "10"} {
			s := newStream(t)
			for range 2 { // one name, two sessions
				s.session(class, func(v *record.Verdict) { v.Session.Name = "I can't title this" })
			}
			md := s.markdown()
			for _, id := range []string{"`00000001`", "`00000002`"} {
				line := lineWith(md, id)
				has(t, line, "I can't title this", "~/code/shop (main)")
			}
		}
	},
	"sec-report": func(t *testing.T) {
		// What the observers withhold cannot come back: of a session's own words
		// only what the judge made of them is shown.
		secret := "ghp_" + strings.Repeat("FAKE", 9)
		s := newStream(t)
		s.session("3", func(v *record.Verdict) { v.Question = "push with (withheld)?" })
		s.line(record.KindSession, "devbox", "fleet-observe-claude", s.subject+"2", record.Session{Cwd: secret, Branch: secret,
			Job: &record.Job{Detail: secret, Needs: secret, Result: secret}, Transcript: &record.Transcript{Question: &record.Question{Text: secret}}})
		s.line(record.KindAgent, "devbox", "fleet-observe-paseo", "a", record.Agent{Title: secret, Cwd: secret})
		md := s.markdown()
		has(t, md, "asks: push with (withheld)?")
		_, doc := render(t, s.b.Bytes(), time.Time{})
		hasNot(t, md+string(doc), secret)
	},
	"sec-not-too-much": func(t *testing.T) {
		for _, text := range []string{"3f786850e387550fdab836ed7e6dc881de23001b", "0b9c4f5e-8a8a-4f0e-9d52-0a6f0d1c2b3a", "sha256:" + strings.Repeat("ab", 32), "/srv/" + strings.Repeat("deep/", 20) + "end"} {
			s := newStream(t)
			s.session("3", func(v *record.Verdict) { v.Question = text })
			has(t, s.markdown(), "asks: "+text+"\n")
		}
	},
	"lim-very-old": func(t *testing.T) {
		s := newStream(t)
		s.session("2", func(v *record.Verdict) {
			v.Cause, v.ResetAt, v.Session.Since = "session limit", ago(8*24*time.Hour), ago(9*24*time.Hour)
			v.Session.Name = "old"
		})
		s.session("2", func(v *record.Verdict) {
			v.Cause, v.ResetAt, v.Session.Name = "session limit", ago(-2*time.Hour), "live"
		})
		md := s.markdown()
		has(t, md, "2 at a limit (1 reset passed)", "reset 21 Nov 15:50 CET (21 Nov 14:50 UTC), passed 8 d 0 h ago", "resets 17:50 CET (16:50 UTC), in 2 h 00 min")
		if strings.Index(md, "**old**") < strings.Index(md, "**live**") {
			t.Error("a limit whose reset has passed stands before a live one")
		}
	},
}

func TestCases(t *testing.T) {
	for id, test := range cases {
		t.Run(id, test)
	}
}

var age = regexp.MustCompile(`\d+ h \d\d min, since \d\d:\d\d`)

// What needs the owner says what is asked, since when, and where to go.
func TestNeedsMe(t *testing.T) {
	s := newStream(t)
	s.session("3", func(v *record.Verdict) {
		v.Question, v.Session.Since, v.Session.Tmux = "Which port? [80 · 8080]", ago(125*time.Minute), "work:@3.%7"
	})
	s.session("7", func(v *record.Verdict) {
		v.Question, v.Session.Since, v.Session.Kind, v.Session.JobID = "needs a key", ago(400*time.Minute), "background", "00000002"
	})
	s.session("3", func(v *record.Verdict) { v.Session.Since = nil })
	md := s.markdown()
	has(t, md, "asks: Which port? [80 · 8080]", "`tmux attach -t work:@3.%7`", "`claude attach 00000002`", "since when is unknown")
	if got := age.FindAllString(md, -1); len(got) != 2 || got[0] != "6 h 40 min, since 09:10" || got[1] != "2 h 05 min, since 13:45" {
		t.Errorf("ages %q", got)
	}
	if !strings.HasPrefix(md, "# 3 sessions: 3 need you\n") {
		t.Errorf("first line of\n%s", md)
	}
}
