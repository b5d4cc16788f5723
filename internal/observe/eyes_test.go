package observe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/broken"
)

// The record of a message is found in the session's transcript, and no other
// text, time, session or directory passes for it.
func TestEyes_Said(t *testing.T) {
	e, since := newEyed(t), time.Now()
	e.write(".claude/projects/-w-a/s1.jsonl", user("old", since.Add(-time.Hour), "/w/a", "hello")+user("other", since, "/w/a", "hello you")+
		"no JSON\n"+user("u1", since.Add(2*time.Second), "/w/a", " hello ")+user("u2", since.Add(3*time.Second), "/w/a", "hello"))
	e.write(".claude/projects/-w-a/s2.jsonl", user("u3", since.Add(time.Second), "/w/b", "there"))
	e.write(".claude/projects/-w-a/notes.txt", user("u4", since, "/w/a", "a note"))
	e.write(".claude/projects/plain", user("u5", since, "/w/a", "a file"))
	e.write(".claude/projects/-w-a/past.jsonl", user("u6", since, "/w/a", "in the past"))
	e.write(".claude/projects/-w-a/dir.jsonl/x", "")
	past := since.Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(e.home, ".claude/projects/-w-a/past.jsonl"), past, past); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		s    record.Seen
		text string
		want string
	}{
		"by id":              {record.Seen{SessionID: "s1"}, "hello\n", "u1"},
		"another text":       {record.Seen{SessionID: "s1"}, "hell", ""},
		"of another session": {record.Seen{SessionID: "s2"}, "hello", ""},
		"of no session":      {record.Seen{SessionID: "s3"}, "hello", ""},
		"a pattern is none":  {record.Seen{SessionID: "s?"}, "hello", ""},
		"by directory":       {record.Seen{Workspace: "/w/b"}, "there", "u3"},
		"another directory":  {record.Seen{Workspace: "/w/c"}, "there", ""},
		"no transcript":      {record.Seen{Workspace: "/w/a"}, "a note", ""},
		"in no project":      {record.Seen{Workspace: "/w/a"}, "a file", ""},
		"not written since":  {record.Seen{SessionID: "past"}, "in the past", ""},
		"no file":            {record.Seen{SessionID: "dir"}, "hello", ""},
	} {
		if id, err := (Eyes{}).Said(t.Context(), tt.s, tt.text, since); id != tt.want || err != nil {
			t.Errorf("%s: %q %v, want %q", name, id, err, tt.want)
		}
	}
	dir := filepath.Join(e.home, "second")
	e.write("second/projects/p/s1.jsonl", user("far", since, "/w/a", "hello"))
	if id, err := (Eyes{ClaudeDir: dir}).Said(t.Context(), record.Seen{SessionID: "s1"}, "hello", since); id != "far" || err != nil {
		t.Errorf("of a named directory: %q %v", id, err)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	if id, err := (Eyes{}).Said(t.Context(), record.Seen{SessionID: "s1"}, "hello", since); id != "far" || err != nil {
		t.Errorf("of the environment's directory: %q %v", id, err)
	}
}

// A message that is not found where something could not be looked at is an
// error; one that is found is found.
func TestEyes_Said_unread(t *testing.T) {
	since := time.Now()
	for name, tt := range map[string]struct {
		session string
		make    func(e eyed)
		want    string // of the error; "": none
		id      string
	}{
		"no directory":      {"s1", func(eyed) {}, "no such file or directory", ""},
		"a path":            {"../s1", func(e eyed) { e.write(".claude/projects/p/x", "") }, "a session id that is none", ""},
		"a path of Windows": {`..\s1`, func(e eyed) { e.write(".claude/projects/p/x", "") }, "a session id that is none", ""},
		"no home":           {"s1", func(e eyed) { e.t.Setenv("HOME", "") }, "$HOME is not defined", ""},
		"a loop": {"s1", func(e eyed) {
			e.write(".claude/projects/p/x", "")
			e.link("s1.jsonl", ".claude/projects/p/s1.jsonl")
		}, "too many levels of symbolic links", ""},
		"a loop, and the message": {"s1", func(e eyed) {
			e.write(".claude/projects/p/x", "")
			e.link("s1.jsonl", ".claude/projects/p/s1.jsonl")
			e.write(".claude/projects/q/s1.jsonl", user("u1", since, "/w", "hello"))
		}, "", "u1"},
		"a project that cannot be listed": {"", func(e eyed) {
			e.write(".claude/projects/p/s1.jsonl", user("u1", since, "/w", "hello"))
			e.link("q", ".claude/projects/q")
		}, "too many levels of symbolic links", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEyed(t)
			tt.make(e)
			id, err := (Eyes{}).Said(t.Context(), record.Seen{SessionID: tt.session, Workspace: "/w"}, "hello", since)
			if id != tt.id || (err == nil) != (tt.want == "") || err != nil && !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%q %v", id, err)
			}
		})
	}
}

func (e eyed) link(to, name string) {
	e.t.Helper()
	if err := os.Symlink(to, filepath.Join(e.home, name)); err != nil {
		e.t.Fatal(err)
	}
}

// Of a large file only the end is read; what cannot be read is an error, also
// in the one file in which the message would be.
func TestEndOf(t *testing.T) {
	e := newEyed(t)
	e.write("f", "0123456789")
	f := filepath.Join(e.home, "f")
	for limit, want := range map[int64]string{3: "789", 10: "0123456789", 99: "0123456789", 0: ""} {
		if b, err := endOf(f, limit); string(b) != want || err != nil {
			t.Errorf("the last %d: %q %v", limit, b, err)
		}
	}
	if b, err := endOf(e.home, 9); b != nil || err == nil || !strings.HasPrefix(err.Error(), "reading "+filepath.Base(e.home)+": ") {
		t.Errorf("a directory: %q %v", b, err)
	}
	broken.Without(t, 0, func() {
		if b, err := endOf(f, 9); b != nil || err == nil {
			t.Errorf("without a descriptor: %q %v", b, err)
		}
		if id, err := saidIn(f, record.Seen{SessionID: "s1"}, "hello", time.Now()); id != "" || err == nil {
			t.Errorf("without a descriptor: %q %v", id, err)
		}
	})
}

// A process is that of the session, else the newest in the workspace; none is
// nil, and a table that cannot be read an error.
func TestEyes_Process(t *testing.T) {
	e := newEyed(t)
	if p, err := (Eyes{}).Process(t.Context(), record.Seen{Workspace: filepath.Join(e.home, "w")}); p != nil || err != nil {
		t.Errorf("nothing runs: %+v %v", p, err)
	}
	first := e.runs("w")
	far := e.runs("far")
	time.Sleep(50 * time.Millisecond) // the table counts in hundredths of a second
	last := e.runs("w")
	e.write(fmt.Sprintf(".claude/sessions/%d.json", first.PID), `{"sessionId":"s1","kind":"interactive"}`)
	e.write(fmt.Sprintf(".claude/sessions/%d.json", far.PID), `{"sessionId":"s2","kind":"interactive"}`)
	for name, tt := range map[string]struct {
		s    record.Seen
		want int
	}{
		"the newest":            {record.Seen{Workspace: filepath.Join(e.home, "w")}, last.PID},
		"of its session":        {record.Seen{Workspace: filepath.Join(e.home, "w"), SessionID: "s1"}, first.PID},
		"of one that is moved":  {record.Seen{Workspace: filepath.Join(e.home, "w"), SessionID: "s2"}, far.PID},
		"of a session that was": {record.Seen{Workspace: filepath.Join(e.home, "w"), SessionID: "s3"}, last.PID},
		"elsewhere":             {record.Seen{Workspace: filepath.Join(e.home, "none")}, 0},
	} {
		p, err := (Eyes{}).Process(t.Context(), tt.s)
		if err != nil || (p == nil) != (tt.want == 0) || p != nil && (p.PID != tt.want || p.Start == nil) {
			t.Errorf("%s: %+v %v, want %d", name, p, err, tt.want)
		}
	}
	for seen, want := range map[int]int{first.PID: last.PID, last.PID: first.PID, 0: first.PID} {
		if p, err := (Eyes{}).Other(t.Context(), record.Seen{Workspace: filepath.Join(e.home, "w"), PID: seen, SessionID: "s2"}); err != nil || p == nil || p.PID != want {
			t.Errorf("beside %d: %+v %v, want %d", seen, p, err, want)
		}
	}
	if p, err := (Eyes{}).Other(t.Context(), record.Seen{Workspace: filepath.Join(e.home, "far"), PID: far.PID}); p != nil || err != nil {
		t.Errorf("beside none: %+v %v", p, err)
	}
	broken.Without(t, 0, func() {
		if p, err := (Eyes{}).Other(t.Context(), record.Seen{Workspace: filepath.Join(e.home, "w"), PID: first.PID}); p != nil || err == nil {
			t.Errorf("beside, no table: %+v %v", p, err)
		}
		if p, err := (Eyes{}).Process(t.Context(), record.Seen{Workspace: filepath.Join(e.home, "w")}); p != nil || err == nil || !strings.HasPrefix(err.Error(), surfaceAgents+": ") {
			t.Errorf("no table: %+v %v", p, err)
		}
	})
	t.Setenv("HOME", "")
	if p, err := (Eyes{}).Process(t.Context(), record.Seen{Workspace: "/w"}); p != nil || err == nil {
		t.Errorf("no home: %+v %v", p, err)
	}
}

// Of two starts the later counts, one that is told before one that is not.
func TestLater(t *testing.T) {
	at := func(s int) *record.AgentProc { return &record.AgentProc{Start: record.TimeOf(time.Unix(int64(s), 0))} }
	for name, tt := range map[string]struct {
		a, b *record.AgentProc
		want bool
	}{
		"the first": {at(1), nil, true}, "one without": {new(record.AgentProc), nil, true}, "later": {at(2), at(1), true}, "earlier": {at(1), at(2), false},
		"the same": {at(1), at(1), false}, "not told": {new(record.AgentProc), at(1), false}, "told": {at(1), new(record.AgentProc), true},
	} {
		if got := later(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Whether a session works is what its process file says; without one that says
// so nobody knows.
func TestEyes_Busy(t *testing.T) {
	e := newEyed(t)
	for name, tt := range map[string]struct {
		file string
		busy bool
		want string // in the error; "": none
	}{
		"busy":          {`{"pid":7,"sessionId":"s","kind":"interactive","status":"busy"}`, true, ""},
		"a shell of it": {`{"pid":7,"sessionId":"s","kind":"interactive","status":"shell"}`, true, ""},
		"idle":          {`{"pid":7,"sessionId":"s","kind":"interactive","status":"idle"}`, false, ""},
		"waiting":       {`{"pid":7,"sessionId":"s","kind":"interactive","status":"waiting"}`, false, ""},
		"of another":    {`{"pid":8,"sessionId":"s","kind":"interactive","status":"idle"}`, false, "its process file: its pid is not that of its name"},
		"a new word":    {`{"pid":7,"sessionId":"s","kind":"interactive","status":"dozing"}`, false, "its process file has no status that is known"},
		"no word":       {`{"pid":7,"sessionId":"s","kind":"interactive"}`, false, "its process file has no status that is known"},
		"cut":           {`{"pid":7,"sess`, false, "its process file: "},
		"none":          {"", false, "its process file: open "},
	} {
		file := filepath.Join(e.home, ".claude/sessions/7.json")
		if e.write(".claude/sessions/7.json", tt.file); tt.file == "" {
			os.Remove(file)
		}
		busy, err := (Eyes{}).Busy(t.Context(), record.Seen{PID: 7})
		if busy != tt.busy || (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %t %v", name, busy, err)
		}
	}
	if busy, err := (Eyes{}).Busy(context.Background(), record.Seen{}); busy || err != nil {
		t.Errorf("no process: %t %v", busy, err)
	}
	t.Setenv("HOME", "")
	if busy, err := (Eyes{}).Busy(context.Background(), record.Seen{PID: 7}); busy || err == nil {
		t.Errorf("no home: %t %v", busy, err)
	}
}

// The lock that macf has on an agent is seen as the observer sees it; where the
// workspace is none any more, that is an error.
func TestEyes_Maintenance(t *testing.T) {
	e := newEyed(t)
	s := record.Seen{Workspace: filepath.Join(e.home, "w")}
	if m, err := (Eyes{}).Maintenance(t.Context(), s); m != nil || err == nil {
		t.Errorf("no workspace: %+v %v", m, err)
	}
	e.write("w/.macf/macf-agent.json", `{"project":"lamp","agent_name":"code","agent_role":"r","agent_type":"permanent","registry":{"type":"local","path":"~/registry"}}`)
	if m, err := (Eyes{}).Maintenance(t.Context(), s); m != nil || err != nil {
		t.Errorf("no lock: %+v %v", m, err)
	}
	at := time.Now().Unix() - 60
	for name, tt := range map[string]struct {
		text  string
		holds bool
	}{
		"a lock":      {fmt.Sprintf(`{"schema_version":1,"agent":"code","target_version":"0.2.47","heartbeat_at":%d}`, at), true},
		"of another":  {fmt.Sprintf(`{"schema_version":1,"agent":"docs","target_version":"0.2.47","heartbeat_at":%d}`, at), false},
		"one damaged": {`{"schema`, false},
	} {
		e.write(".macf/maintenance-locks/code.lock", tt.text)
		m, err := (Eyes{}).Maintenance(t.Context(), s)
		if err != nil || (m != nil) != tt.holds || m != nil && m.HeartbeatAt.Unix() != at {
			t.Errorf("%s: %+v %v", name, m, err)
		}
	}
}
