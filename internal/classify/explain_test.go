package classify

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestExplain(t *testing.T) {
	w := local(
		session("aa11", status("waiting", "permission prompt"), func(s *record.Session) { s.Name, s.Process.PID, s.Listing.PID = "wick", 7, 7 }),
		session("aa22", func(s *record.Session) { s.Name, s.Process.PID, s.Listing.PID = "oil", 8, 8 }),
		session("bb33", limited(hitLimit, nil), func(s *record.Session) { s.Name, s.Process.PID, s.Listing.PID = "oil", 9, 9 }),
		job("7", func(s *record.Session) { s.Name, s.Aliases = "7", []string{"old-id"} }),
		session("cc44", missing, dead, func(s *record.Session) { s.Listing = nil }),
	)
	tests := []struct{ name, subject, err string }{
		{"aa11", "aa11", ""},
		{"bb", "bb33", ""},
		{"wick", "aa11", ""},
		{"8", "aa22", ""},
		{"old-id", "7", ""},
		{"7", "7", ""}, // a whole id goes before a pid
		{"aa", "", "\"aa\" is more than one session:\naa11 \"wick\" on devbox\naa22 \"oil\" on devbox"},
		{"oil", "", "\"oil\" is more than one session:\naa22 \"oil\" on devbox\nbb33 \"oil\" on devbox"},
		{"devbox/oil", "", "\"oil\" is more than one session:\naa22 \"oil\" on devbox\nbb33 \"oil\" on devbox"},
		{"devbox/wick", "aa11", ""},
		{"nas/wick", "", "no session \"nas/wick\" among the 5 of the input"},
		{"zz", "", "no session \"zz\" among the 5 of the input"},
		{"0", "", "no session \"0\" among the 5 of the input"},
	}
	set := setOf(w.records())
	for _, tt := range tests {
		text, err := Explain(set, tt.name)
		if got := errorText(err); got != tt.err || err == nil && !strings.HasPrefix(text, tt.subject+" ") {
			t.Errorf("%s: %.40q, error %q; want %s, error %q", tt.name, text, got, tt.subject, tt.err)
		}
	}
}

// One id on two machines is two sessions, and the machine tells which.
func TestExplain_hosts(t *testing.T) {
	near := local(session("aa11", status("busy"))).records()
	far := local(session("aa11", status("waiting", "permission prompt"))).records()
	for i := range far {
		far[i].Host = "farbox"
	}
	set := setOf(append(near, far...))
	_, err := Explain(set, "aa11")
	if got, want := errorText(err), "\"aa11\" is more than one session:\naa11 \"n-aa11\" on devbox\naa11 \"n-aa11\" on farbox\nits machine in front tells one, such as farbox/aa11"; got != want {
		t.Errorf("got %s", got)
	}
	for name, want := range map[string]string{"devbox/aa11": "Verdict: 5 ", "farbox/aa11": "Verdict: 3 ", "farbox/aa": "Verdict: 3 "} {
		if text, err := Explain(set, name); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestExplain_rules checks that every rule and every way is named in order,
// with what speaks for or against it.
func TestExplain_rules(t *testing.T) {
	text, err := Explain(setOf(mine(session("s", limited(hitLimit, nil)))().records()), "s")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, r := range Rules() {
		names := []string{"\n" + r.ID + " " + r.Name + ": "}
		for _, w := range r.Ways {
			names = append(names, "\n    "+w.Name+": ")
		}
		for _, name := range names {
			i := strings.Index(text[at:], name)
			if i < 0 {
				t.Fatalf("%q is not there, or not in order:\n%s", name, text)
			}
			at += i + len(name) - 1
		}
	}
	for _, want := range []string{
		"2 dead: limit: yes  <- decides\n",
		"usage limit on the board: no (board/home: no row)\n",
		"Verdict: 2 dead: limit\n  cause: session limit\n",
		"  reset: 2026-11-29 14:00 UTC\n",
		"activity: yes (claude/transcripts: last activity 10 min before)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestExplain_unknown checks that the reason of an unknown verdict is said.
func TestExplain_unknown(t *testing.T) {
	text, err := Explain(setOf(cut(local(session("s")).records(), claude)), "s")
	if err != nil || !strings.Contains(text, "No rule is asked: fleet-observe-claude: no closing record\nVerdict: unknown\n") {
		t.Errorf("%s %v", text, err)
	}
	text, err = Explain(setOf(local(session("s", missing)).records()), "s")
	if err != nil || !strings.Contains(text, "2 dead: limit: cannot tell  <- decides\n") {
		t.Errorf("%s %v", text, err)
	}
}
