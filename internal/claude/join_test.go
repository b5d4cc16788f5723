package claude

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	idA = "aaaaaaaa-0000-4000-8000-000000000000"
	idB = "bbbbbbbb-0000-4000-8000-000000000000"
)

func TestJoin(t *testing.T) {
	t0 := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		r    Reading
		want []string
	}{
		{"nothing", Reading{ListingRead: true}, nil},
		{"a row and its file", Reading{ListingRead: true, TableRead: true, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive", Status: "busy", Cwd: "/w"}},
			Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", Status: "shell", ProcStart: "5"}}, Table: []Process{{PID: 7, Start: "5"}}},
			[]string{idA + " interactive listing process(shell alive same)"}},
		{"the pid went to another process", Reading{TableRead: true, Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", ProcStart: "5"}}, Table: []Process{{PID: 7, Start: "6"}}},
			[]string{idA + " interactive process( dead other)"}},
		{"left behind by kill -9", Reading{ListingRead: true, TableRead: true, Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", Status: "busy"}}},
			[]string{idA + " interactive unlisted process(busy dead gone)"}},
		{"no process table", Reading{Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive"}}},
			[]string{idA + " interactive process( ? cannot tell)"}},
		{"cc-resumed-twice", Reading{ListingRead: true, Rows: []Row{{ID: "11111111", SessionID: idA, Kind: "background"}, {ID: "22222222", SessionID: idA, Kind: "background", StartedAt: t0}},
			Jobs: []JobFile{{ID: "11111111", SessionID: idA, State: "done"}, {ID: "22222222", SessionID: idA, State: "done", Intent: "x"}}},
			[]string{idA + " background listing job(22222222) aliases(job:11111111) prompted"}},
		{"cc-clear-rotates", Reading{ListingRead: true, TableRead: true, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive", Status: "idle"}},
			Files: []ProcessFile{{PID: 7, SessionID: idB, Kind: "interactive", Status: "idle"}}, Table: []Process{{PID: 7}}},
			[]string{idB + " interactive listing process(idle alive cannot tell) aliases(" + idA + ")"}},
		{"cc-two-in-one-cwd", Reading{ListingRead: true, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive", Cwd: "/w"}, {PID: 8, SessionID: idB, Kind: "interactive", Cwd: "/w"}}},
			[]string{idA + " interactive listing", idB + " interactive listing"}},
		{"one session, two live rows: the one that waits counts", Reading{ListingRead: true, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive", Status: "waiting"}, {PID: 8, SessionID: idA, Kind: "interactive", Status: "busy"}},
			Files: []ProcessFile{{PID: 8, SessionID: idA, Kind: "interactive", Status: "busy"}, {PID: 7, SessionID: idA, Kind: "interactive", Status: "waiting"}}},
			[]string{idA + " interactive listing process(waiting ? cannot tell) aliases(pid:8)"}},
		{"daemons, spares and parked sessions are none", Reading{Files: []ProcessFile{{PID: 1, Kind: "daemon", SessionID: "d"}, {PID: 2, Kind: "bg", SessionID: idA, Spare: true}, {PID: 3, Kind: "interactive", SessionID: idB, Parked: true}}}, nil},
		{"a row without a session id", Reading{ListingRead: true, Rows: []Row{{PID: 7, Kind: "interactive"}}}, []string{"pid:7 interactive listing"}},
		{"a job whose file is broken", Reading{ListingRead: true, Rows: []Row{{ID: "11111111", SessionID: idA, Kind: "background", State: "working"}}, JobErrors: map[string]string{"11111111": "empty"}},
			[]string{idA + " background listing job(11111111 unread: empty)"}},
		{"a job without a file", Reading{ListingRead: true, Rows: []Row{{ID: "11111111", SessionID: idA, Kind: "background", State: "working"}}},
			[]string{idA + " background listing job(11111111 unread: there is no job file)"}},
		{"files that were not understood and that no row is about", Reading{ListingRead: true, TableRead: true, Prompted: map[string]bool{}, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive"}, {ID: "11111111", SessionID: idB, Kind: "background"}},
			FileErrors: map[int]string{7: "empty", 8: "torn", 9: "torn", 10: "torn", 11: "torn", 12: "torn"}, JobErrors: map[string]string{"11111111": "empty", "22222222": "torn"},
			Table: []Process{{PID: 7}, {PID: 9, Exe: "/usr/bin/vim"}, {PID: 10, Cwd: "/w"}, {PID: 11, Exe: "/usr/bin/claude", Args: "claude daemon"}, {PID: 12, Exe: "/usr/bin/claude", Args: "claude"}}},
			[]string{idA + " interactive listing process( ? cannot tell) unread: empty unprompted", idB + " background listing job(11111111 unread: empty)", "job:22222222 background unlisted job(22222222 unread: torn)",
				"pid:10 interactive unlisted process( ? cannot tell) unread: torn", "pid:12 interactive unlisted process( ? cannot tell) unread: torn"}},
		{"no process table, and a file that was not understood", Reading{FileErrors: map[int]string{8: "torn"}}, []string{"pid:8 interactive process( ? cannot tell) unread: torn"}},
		{"never prompted, by history", Reading{ListingRead: true, Prompted: map[string]bool{idB: true}, Rows: []Row{{PID: 7, SessionID: idA, Kind: "interactive"}, {PID: 8, SessionID: idB, Kind: "interactive"}}},
			[]string{idA + " interactive listing unprompted", idB + " interactive listing prompted"}},
		{"driven by another program", Reading{Prompted: map[string]bool{}, Files: []ProcessFile{{PID: 7, SessionID: idA, Kind: "interactive", Entrypoint: "sdk-cli"}}},
			[]string{idA + " interactive process( ? cannot tell) prompted"}},
	}
	for _, tt := range tests {
		var got []string
		for _, d := range Join(tt.r) {
			got = append(got, draftSummary(d))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
		}
		if slices.Reverse(tt.r.Rows); len(Join(tt.r)) != len(tt.want) {
			t.Errorf("%s: another number of sessions with the rows reversed", tt.name)
		}
	}
}

func draftSummary(d Draft) string {
	s := d.Subject + " " + d.Kind
	if d.Unlisted {
		s += " unlisted"
	}
	if d.Listing != nil {
		s += " listing"
	}
	if p := d.Process; p != nil {
		alive := "?"
		if p.Alive != nil {
			alive = map[bool]string{true: "alive", false: "dead"}[*p.Alive]
		}
		s += fmt.Sprintf(" process(%s %s %s)", p.RawStatus, alive, p.Start)
		if p.Unread != "" {
			s += " unread: " + p.Unread
		}
	}
	if j := d.Job; j != nil {
		s += " job(" + j.ID
		if j.Unread != "" {
			s += " unread: " + j.Unread
		}
		s += ")"
	}
	if len(d.Aliases) > 0 {
		s += " aliases(" + strings.Join(d.Aliases, " ") + ")"
	}
	if d.Prompted != nil {
		s += map[bool]string{true: " prompted", false: " unprompted"}[*d.Prompted]
	}
	return s
}

func TestUntracked(t *testing.T) { // cases cc-trust-dialog, cc-version-named-binary
	table := []Process{
		{PID: 900, Exe: "/usr/bin/claude", Args: "claude"},
		{PID: 1, Exe: "/h/.local/share/claude/versions/2.1.199", Args: "2.1.199 daemon"},
		{PID: 2, Exe: "/h/.local/share/claude/versions/2.1.199", Args: "2.1.199 --bg-spare"},
		{PID: 3, Exe: "/h/.local/share/claude/versions/2.1.199", Args: "2.1.199"},
		{PID: 4, Exe: "/usr/bin/vim", Args: "vim"},
	}
	got := Untracked(table, Reading{Files: []ProcessFile{{PID: 3}}})
	if len(got) != 1 || got[0].PID != 900 {
		t.Errorf("untracked: %+v", got)
	}
	if got := Untracked(table, Reading{Rows: []Row{{PID: 900}}}, Reading{FileErrors: map[int]string{3: "empty"}}); len(got) != 0 {
		t.Errorf("untracked although named: %+v", got)
	}
}

func TestPromptedBy(t *testing.T) {
	for line, want := range map[string]string{
		`{"display":"Fix it","sessionId":"s"}`:           "s",
		`{"display":"/model","sessionId":"s"}`:           "",
		`{"display":"/model opus","sessionId":"s"}`:      "",
		`{"display":"/review the diff","sessionId":"s"}`: "s", // it becomes a prompt
		`{"sessionId":"s"}`:                              "s", // what was typed is not told: it may have been a prompt
		`{"display":"x"}`:                                "",
		"":                                               "",
	} {
		if got, ok := PromptedBy([]byte(line)); got != want || !ok {
			t.Errorf("PromptedBy(%s) = %q, %t, want %q", line, got, ok, want)
		}
	}
	for _, line := range []string{"\x00\x00", `[]`, `{"display":{},"sessionId":"s"}`, `{"sessionId":"s`, "too long"} {
		if got, ok := PromptedBy([]byte(line)); got != "" || ok {
			t.Errorf("PromptedBy(%s) = %q, %t; such a line may name any session", line, got, ok)
		}
	}
}

// A pid that two rows name belongs to the session, else the job, of the process
// file; however often it is asked.
func TestJoin_onePIDInTwoRows(t *testing.T) {
	rows := []Row{{PID: 7, ID: "aaaaaaaa", SessionID: "a", Kind: "background"}, {PID: 7, ID: "bbbbbbbb", SessionID: "b", Kind: "background"}}
	for _, tt := range []struct {
		file ProcessFile
		want string
	}{
		{ProcessFile{PID: 7, Kind: "bg", SessionID: "b", JobID: "aaaaaaaa"}, "b"},
		{ProcessFile{PID: 7, Kind: "bg", SessionID: "c", JobID: "bbbbbbbb"}, "b"},
		{ProcessFile{PID: 7, Kind: "bg", SessionID: "c", JobID: "cccccccc"}, "a"},
	} {
		for range 30 {
			for _, d := range Join(Reading{ListingRead: true, Rows: rows, Files: []ProcessFile{tt.file}}) {
				if has := d.Process != nil; has != (d.Subject == tt.want) {
					t.Fatalf("%+v: session %s has it: %t, want it at %s", tt.file, d.Subject, has, tt.want)
				}
			}
		}
	}
}

// A process file without a start time may be of a process that ended: its pid
// may be another program's by now.
func TestJoin_pidOfAnotherProgram(t *testing.T) {
	for exe, want := range map[string]bool{"/usr/bin/claude": true, "/usr/sbin/nginx": false} {
		ds := Join(Reading{TableRead: true, Table: []Process{{PID: 7, Start: "9", Exe: exe}}, Files: []ProcessFile{{PID: 7, Kind: "interactive", SessionID: "s", Status: "busy"}}})
		if alive := ds[0].Process.Alive; (alive != nil) != want {
			t.Errorf("%s: alive %v", exe, alive)
		}
	}
}
